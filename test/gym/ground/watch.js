// Tells the gym what stands on this visitor's screen. It is put first in every
// page, with what is looked for in it.
(() => {
  document.currentScript.remove();
  if (window.top !== window) return;
  const sights = SIGHTS, met = new Set();
  const beacon = navigator.sendBeacon.bind(navigator), after = setTimeout.bind(window);
  const tell = (what) => beacon('/.gym', JSON.stringify({ address: location.pathname + location.search + location.hash, ...what }));
  tell({ loaded: true });

  // When the visitor did something: by that it is known which session it is.
  let acted = -Infinity;
  for (const type of ['pointerdown', 'keydown', 'wheel', 'scroll', 'change']) {
    addEventListener(type, () => {
      if (performance.now() - acted < 150) return;
      acted = performance.now();
      tell({ acted: true });
    }, { capture: true, passive: true });
  }

  const uncovered = (e) => {
    if (e.checkVisibility && !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    // Of each line of the element a point near its beginning and its middle.
    for (const r of [...e.getClientRects()].slice(0, 8)) {
      for (const x of [r.left + Math.min(r.width / 2, 100), r.left + Math.min(r.width / 2, 6)]) {
        const y = r.top + Math.min(r.height / 2, 24);
        if (!r.width || !r.height || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
        let top = document.elementFromPoint(x, y);
        while (top?.shadowRoot?.elementFromPoint(x, y) && top.shadowRoot.elementFromPoint(x, y) !== top) top = top.shadowRoot.elementFromPoint(x, y);
        if (top && (e.contains(top) || top.contains(e) && top.tagName !== 'HTML' && top.tagName !== 'BODY')) return true;
      }
    }
    return false;
  };
  const holds = (s) => {
    if (s.address && !new RegExp(s.address, 'i').test(location.pathname + location.search + location.hash)) return false;
    if (s.script) { try { return !!(0, eval)(s.script); } catch { return false; } }
    const text = new RegExp(s.text || '', 'i');
    return [...document.querySelectorAll(s.selector)].some((e) => text.test(typeof e.value === 'string' && e.value || e.textContent) && uncovered(e));
  };
  const look = () => {
    sights.forEach((s, i) => { if (!met.has(i) && holds(s)) { met.add(i); tell({ met: i }); } });
    if (met.size < sights.length) after(look, 100);
  };
  if (sights.length) after(look, 30);
})();

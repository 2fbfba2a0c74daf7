// How much a control's box stands out from what is behind it, whatever is
// written on it.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.salience) return;
  const { sight } = agent;

  // Differences of colour are measured in OKLab (Ottosson 2020), where black and
  // white are 1 apart. Half of that stands out as much as anything (assumption).
  const enough = 0.5;
  const PICTURES = new Set(['img', 'video', 'canvas', 'picture']);

  const linear = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  function oklab([r, g, b]) {
    r = linear(r); g = linear(g); b = linear(b);
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
  }
  const apart = (a, b) => {
    const p = oklab(a), q = oklab(b);
    return Math.min(1, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) / enough);
  };
  const on = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));

  // paint is what an element paints for itself: a fill, whether that is a
  // picture, a border, a shadow; plain when it paints nothing.
  function paint(el) {
    const cs = getComputedStyle(el);
    let fill = sight.fill(el, cs), picture = PICTURES.has(el.localName);
    if (cs.backgroundImage !== 'none') {
      const first = /(?:rgba?|color|oklch|hsla?)\([^()]*\)/.exec(cs.backgroundImage);
      if (cs.backgroundImage.includes('gradient(') && first) fill = sight.rgba(first[0]);
      else picture = true;
    }
    const top = parseFloat(cs.borderTopWidth), width = top || parseFloat(cs.borderBottomWidth) || 0;
    const edge = width > 0 ? sight.rgba(top ? cs.borderTopColor : cs.borderBottomColor) : [0, 0, 0, 0];
    const shadow = cs.boxShadow !== 'none';
    return { fill, picture, edge, width, shadow, plain: fill[3] === 0 && !picture && edge[3] === 0 && !shadow };
  }

  // painter is the element that paints the box: itself, what fills it, or a
  // wrapper that is hardly larger.
  function painter(el, area) {
    let p = paint(el);
    for (let n = el, i = 0; p.plain && i < 3 && n.childElementCount === 1; i++) {
      n = n.firstElementChild;
      const r = n.getBoundingClientRect();
      if (r.width * r.height < 0.7 * area) break;
      p = paint(n);
      if (!p.plain) return [n, p];
    }
    const up = p.plain && el.parentElement;
    if (up && up.childElementCount === 1) {
      const r = up.getBoundingClientRect();
      const q = r.width * r.height <= 1.8 * area ? paint(up) : p;
      if (!q.plain) return [up, q];
    }
    return [el, p];
  }

  // behind is the colour around a box, null where that is a picture. In the
  // window it is asked for at a point beside it, not of a neighbour's, elsewhere the boxes around it
  // have to do.
  function behind(el, memo) {
    const doc = el.ownerDocument, view = doc.defaultView, r = el.getBoundingClientRect();
    const x = r.left + r.width / 2, y = r.top + r.height / 2;
    let layers = null;
    for (const [px, py] of [[r.left - 3, y], [r.right + 3, y], [x, r.top - 3], [x, r.bottom + 3]]) {
      if (px < 0 || py < 0 || px >= view.innerWidth || py >= view.innerHeight) continue;
      const there = doc.elementsFromPoint(px, py).filter((n) => !el.contains(n));
      layers = layers || there;
      if (there.length === 0 || !there[0].contains(el)) continue; // a neighbour
      layers = there;
      break;
    }
    const up = layers ? null : sight.up(el);
    if (up) {
      const known = memo.get(up);
      if (known !== undefined) return known;
      layers = [];
      for (let n = up; n; n = sight.up(n)) layers.push(n);
    }
    const seen = [];
    let colour = [255, 255, 255];
    for (const n of layers || []) {
      const cs = getComputedStyle(n);
      if (PICTURES.has(n.localName) || (cs.backgroundImage !== 'none' && !cs.backgroundImage.includes('gradient('))) { colour = null; break; }
      const c = sight.fill(n, cs);
      if (c[3] > 0) seen.push(c);
      if (c[3] === 1) break;
    }
    if (colour) for (const c of seen.reverse()) colour = on(c, colour);
    if (up) memo.set(up, colour);
    return colour;
  }

  // salience is how much the box of an element stands out, 0 to 1. A fill counts
  // full, a border half, a shadow or being a picture less; a small box has half
  // the weight of one that takes a tenth of the window (assumptions).
  agent.salience = (el, r, window, memo) => {
    const area = r.width * r.height;
    if (area < 4) return 0;
    const [by, p] = painter(el, area);
    if (p.plain) return 0;
    const back = behind(by, memo);
    const fill = p.picture ? 0.6 : p.fill[3] === 0 ? 0 : back === null ? 0.6 * p.fill[3] : apart(on(p.fill, back), back);
    const edge = p.edge[3] === 0 ? 0 : (back === null ? 0.5 : apart(on(p.edge, back), back)) * Math.min(1, p.width / 2);
    const out = 1 - (1 - fill) * (1 - 0.5 * edge) * (p.shadow ? 0.85 : 1);
    const size = Math.min(1, Math.max(0, Math.log2(area / 256) / Math.log2(Math.max(4, window / 2560))));
    return Math.round(100 * out * (0.5 + 0.5 * size)) / 100;
  };
})();

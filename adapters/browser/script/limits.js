// The parts of a page that are there for people and that nobody can be simulated
// on: pictures that are drawn and played on, proofs of being human, other sites'
// frames, closed components, sound and film.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.limits) return;
  const { squeeze, cut } = agent.names;
  const limits = {};
  agent.limits = limits;

  const PROOFS = /captcha|turnstile|challenges\.cloudflare|arkoselabs|geetest/i;
  const LOOKED = new Set(['canvas', 'iframe', 'frame', 'img', 'audio', 'video', 'embed', 'object']);
  const maxLimits = 50;
  const least = 2500; // px² that a part takes to be worth a word (assumption)

  const nameOf = (el) => cut(squeeze(el.getAttribute('aria-label') || el.getAttribute('title') || ''), 120);
  function hostOf(address) {
    try { return new URL(address, location.href).host; } catch { return ''; }
  }
  function foreign(el) {
    try { return !el.contentDocument; } catch { return true; }
  }

  // kindOf is why nobody can be simulated on an element, '' when they can.
  function kindOf(el, tag, cs, area, window) {
    if (tag === 'audio') return 'media';
    if (area < least) return '';
    switch (tag) {
      case 'canvas':
        return area >= 0.3 * window || el.hasAttribute('tabindex') || agent.marks.reacts(el) || /pointer|crosshair|grab|move/.test(cs.cursor) ? 'canvas' : '';
      case 'iframe':
      case 'frame':
        if (PROOFS.test(el.src + ' ' + el.title + ' ' + el.name)) return /size=invisible/.test(el.src) ? '' : 'captcha';
        return foreign(el) ? 'frame' : '';
      case 'img': return PROOFS.test(el.alt + ' ' + el.getAttribute('src')) ? 'captcha' : '';
      case 'video': return el.controls || !(el.autoplay && el.muted) ? 'media' : '';
      case 'embed':
      case 'object': return 'frame';
    }
    if (agent.marks.closed.has(el)) return 'shadow';
    return tag.includes('-') && !el.shadowRoot && !el.hasChildNodes() && cs.backgroundImage === 'none' ? 'shadow' : '';
  }

  // note adds an element that shows to the list, if it limits anything.
  limits.note = (list, el, tag, cs, box, window) => {
    if (list.length >= maxLimits || !(LOOKED.has(tag) || tag.includes('-') || agent.marks.closed.has(el))) return;
    const kind = kindOf(el, tag, cs, box.w * box.h, window);
    if (kind) list.push({ kind, name: nameOf(el) || (kind === 'frame' ? hostOf(el.src || el.data || '') : '') || undefined, box });
  };
})();

// The part of the observer that takes a barrier out of a page, to see whether a
// walk succeeds without it. It works on what the last look saw.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (agent.relieve) return;

  const find = (selector) => {
    try {
      return document.querySelector(selector);
    } catch {
      return null; // what is no selector finds nothing
    }
  };

  const hide = (el) => {
    if (el.localName === 'dialog' && el.open) el.close();
    el.style.setProperty('display', 'none', 'important');
  };

  // cover is the outermost box over an element's middle that is not around it.
  function cover(el) {
    const r = el.getBoundingClientRect();
    let hit = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
    if (!hit || el.contains(hit) || hit.contains(el)) return null;
    while (hit.parentElement && !hit.parentElement.contains(el)) hit = hit.parentElement;
    return hit;
  }

  const reliefs = {
    uncover(selector) {
      const el = find(selector);
      if (!el) return;
      el.scrollIntoView({ block: 'center', behavior: 'instant' });
      for (let i = 0; i < 5; i++) { // layers lie on layers
        const over = cover(el);
        if (!over) return;
        hide(over);
      }
    },
    calm() {
      for (const layer of agent.layers || []) hide(layer);
      for (const root of [document.documentElement, document.body]) {
        root?.style.setProperty('overflow', 'auto', 'important'); // layers lock the scrolling
      }
    },
    enable(selector) {
      const el = find(selector);
      if (!el) return;
      el.disabled = false;
      el.removeAttribute('aria-disabled');
    },
  };

  agent.relieve = (kind, selector) => {
    reliefs[kind]?.(selector);
    return '""';
  };
})();

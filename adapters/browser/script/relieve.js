// The part of the observer that takes a barrier out of a page, to see whether a
// walk succeeds without it. It works on what the last look saw.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (agent.relieve) return;
  const { sight } = agent;

  // find follows a selector as a look spells it, through shadow roots and frames.
  function find(selector) {
    let root = document, el = null;
    for (const part of selector.split(' >>> ')) {
      try {
        el = root && root.querySelector(part);
      } catch {
        return null; // what is no selector finds nothing
      }
      if (!el) return null;
      root = el.shadowRoot || el.contentDocument;
    }
    return el;
  }

  const hide = (el) => {
    if (el.localName === 'dialog' && el.open) el.close();
    el.style.setProperty('display', 'none', 'important');
  };

  const above = (el) => sight.up(el) || el.ownerDocument.defaultView.frameElement;

  // cover is the outermost box over an element's middle that is not around it.
  function cover(el) {
    const r = agent.rectOf(el), o = agent.offset(el.ownerDocument);
    if (r.width < 1 || r.height < 1) return null;
    let hit = sight.top(o.x + r.left + r.width / 2, o.y + r.top + r.height / 2);
    if (!hit || sight.contains(el, hit) || sight.contains(hit, el)) return null;
    for (let p = above(hit); p && !sight.contains(p, el); p = above(p)) hit = p;
    return hit;
  }

  const reliefs = {
    uncover(selector) {
      const found = find(selector);
      if (!found) return;
      const known = [...agent.refs.values()].find((k) => k.el === found);
      const el = known ? known.hit : found; // what shows of it
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

// What reacts to a pointer without saying so. This part alone runs among the
// page's own scripts, before any of them: it notes which elements are given
// listeners, and tells the observer, which shares the document but no objects,
// by events whose name nobody else knows. Pages see native functions as before.
((token) => {
  'use strict';
  const { apply, ownKeys } = Reflect;
  const { dispatchEvent, addEventListener } = EventTarget.prototype;
  const Signal = Event;
  const all = document.querySelectorAll;
  const maxKept = 20000; // listeners of elements that are not in the document yet
  const KINDS = { click: 'click', dblclick: 'click', contextmenu: 'click', mouseup: 'click', pointerup: 'click', touchend: 'click',
    mousedown: 'down', pointerdown: 'down', touchstart: 'down', dragstart: 'down', dragover: 'over', drop: 'over' };

  let fresh = []; // { el, kind } to tell of
  const told = { click: new WeakSet(), down: new WeakSet(), over: new WeakSet(), closed: new WeakSet() };
  const holders = new Set(); // what has a click listener, which may be for what is in it
  let wide = false; // the document itself has one

  function note(el, kind) {
    if (el === document || el === window) {
      if (kind !== 'click' || wide) return;
      wide = true;
    } else if (!(el instanceof Element) || told[kind].has(el) || fresh.length >= maxKept) {
      return;
    } else {
      told[kind].add(el);
      fresh.push({ el, kind });
    }
    if (kind === 'click' && holders.size < 2000) holders.add(new WeakRef(el));
  }

  EventTarget.prototype.addEventListener = new Proxy(addEventListener, {
    apply(was, self, given) {
      const kind = KINDS[given[0]];
      if (kind && given[1]) note(self ?? window, kind);
      return apply(was, self, given);
    },
  });
  Element.prototype.attachShadow = new Proxy(Element.prototype.attachShadow, {
    apply(was, self, given) {
      const root = apply(was, self, given);
      if (root.mode === 'closed') note(self, 'closed');
      return root;
    },
  });
  for (const owner of [HTMLElement.prototype, SVGElement.prototype]) {
    for (const name of ['onclick', 'onmousedown', 'onpointerdown', 'onmouseup', 'ondragstart']) {
      const was = Object.getOwnPropertyDescriptor(owner, name);
      if (!was || !was.set) continue;
      const set = new Proxy(was.set, {
        apply(set, self, given) {
          if (typeof given[0] === 'function') note(self, KINDS[name.slice(2)]);
          return apply(set, self, given);
        },
      });
      Object.defineProperty(owner, name, { ...was, set });
    }
  }

  // Frameworks listen once, at the top, and keep what each element does with it:
  // React as properties of the element, others as a property of a fixed name,
  // jQuery as selectors in a store of its own.
  function frameworks() {
    let props = wide;
    for (const ref of holders) {
      const el = ref.deref();
      if (!el) { holders.delete(ref); continue; }
      if (!props) props = ownKeys(el).some((k) => typeof k === 'string' && k.startsWith('_reactListening'));
      const own = window.jQuery && window.jQuery._data && window.jQuery._data(el, 'events');
      if (!own) continue;
      for (const type of ['click', 'dblclick', 'contextmenu', 'mousedown', 'mouseup']) {
        for (const h of own[type] || []) {
          if (!h.selector) continue;
          let found = [];
          try { found = apply(el.querySelectorAll, el, [h.selector]); } catch { /* one of jQuery's own */ }
          for (let i = 0; i < found.length && i < 2000; i++) note(found[i], 'click');
        }
      }
    }
    if (!props) return;
    const nodes = apply(all, document, ['body *']);
    for (let i = 0; i < nodes.length && i < maxKept; i++) {
      for (const key of ownKeys(nodes[i])) {
        if (typeof key !== 'string') continue;
        if (key === '$$click' || key === '__click') note(nodes[i], 'click');
        if (!key.startsWith('__reactProps$') && !key.startsWith('__reactEventHandlers$')) continue;
        const p = nodes[i][key] || {};
        if (p.onClick || p.onDoubleClick || p.onContextMenu || p.onMouseUp || p.onPointerUp) note(nodes[i], 'click');
        else if (p.onMouseDown || p.onPointerDown || p.onDragStart) note(nodes[i], 'down');
      }
    }
  }

  function tell() {
    try { frameworks(); } catch { /* a page may break its own framework */ }
    const rest = [];
    for (const one of fresh) {
      if (one.el.isConnected) apply(dispatchEvent, one.el, [new Signal(token + one.kind, { composed: true })]);
      else rest.push(one);
    }
    fresh = rest;
  }
  apply(addEventListener, document, [token, tell]);
})

// What the page's elements were given listeners for, as listeners.js tells it.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.marks) return;

  const marks = { click: new WeakSet(), down: new WeakSet(), over: new WeakSet(), closed: new WeakSet() };
  const heard = new WeakSet(); // documents
  agent.marks = marks;
  marks.drawn = new WeakSet(); // pictures with parts that react
  marks.name = '';

  // hear learns of the listeners that are new in a document.
  marks.hear = (doc) => {
    if (!marks.name) return;
    if (!heard.has(doc)) {
      heard.add(doc);
      for (const kind of ['click', 'down', 'over', 'closed']) {
        doc.addEventListener(marks.name + kind, (e) => {
          const el = e.composedPath()[0];
          marks[kind].add(el);
          for (let s = el.ownerSVGElement; s; s = s.ownerSVGElement) marks.drawn.add(s);
        }, true);
      }
    }
    doc.dispatchEvent(new Event(marks.name));
  };

  // reacts: a press on it does something, as far as its own listeners go.
  marks.reacts = (el) => marks.click.has(el) || marks.down.has(el) || el.hasAttribute('onclick') || el.hasAttribute('onmousedown');
})();

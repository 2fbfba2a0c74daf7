// What a picture of the page may not show: fields that took a secret, whatever shows
// its value, and what cannot be looked into.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.mask) return;

  const MOST = 4e6; // characters that are searched; a page with more is covered whole
  const DRAWN = new Set(['src', 'srcset', 'style', 'placeholder', 'alt', 'label', 'value', 'data', 'poster', 'background']);
  const tooLarge = new RangeError('a page too large to be searched');
  const UNSEEN = /^(script|style|noscript|template|title)$/;

  // mask tells the boxes of all that, in CSS px of the visual viewport, whose width it
  // tells too. sources are what secrets look like, as regular expressions.
  agent.mask = (sources) => {
    const secret = sources.length ? new RegExp(sources.join('|'), 'giu') : null;
    const view = window.visualViewport, boxes = [];
    let left = MOST;

    const shown = (text) => {
      if (!secret || typeof text !== 'string' || !text) return false;
      if ((left -= text.length) < 0) throw tooLarge;
      secret.lastIndex = 0;
      return secret.test(text);
    };
    const cover = (rects, at) => {
      for (const r of rects) {
        const x = r.left + at.x - view.offsetLeft, y = r.top + at.y - view.offsetTop;
        if (r.width > 0 && r.height > 0 && x < view.width && y < view.height && x + r.width > 0 && y + r.height > 0) boxes.push([x, y, r.width, r.height]);
      }
    };
    const pseudo = (el) => ['::before', '::after', '::marker'].some((p) => !/^(none|normal)$/.test(el.ownerDocument.defaultView.getComputedStyle(el, p).content));
    const holds = (el) => {
      if (agent.sealed(el) || agent.marks.closed.has(el)) return true;
      if (el.localName === 'select') return [...el.selectedOptions].some((o) => shown(o.label));
      if ('value' in el && shown(el.value)) return true;
      for (const a of el.attributes) if (shown(a.value) && (DRAWN.has(a.localName) || pseudo(el))) return true;
      return false;
    };

    const search = (root, at) => {
      const nodes = [], starts = [];
      let text = '';
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (n) =>
        n.nodeType === 1 && UNSEEN.test(n.localName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
      for (let n = walker.nextNode(); n; n = walker.nextNode()) {
        if (n.nodeType === 3) {
          if (!secret) continue;
          nodes.push(n);
          starts.push(text.length);
          text += n.data;
          if (text.length > left) throw tooLarge;
          continue;
        }
        if (holds(n)) cover((n.closest('select') || n).getClientRects(), at);
        if (n.shadowRoot) search(n.shadowRoot, at);
        if (/^(iframe|frame|object|embed|fencedframe)$/.test(n.localName)) {
          let inner = null;
          try { inner = n.contentDocument; } catch { /* another origin's */ }
          if (inner) search(inner, agent.offset(inner));
          else cover(n.getClientRects(), at);
        }
      }
      if (!shown(text)) return;
      const place = (i) => { // the text node that has a character
        let a = 0, b = nodes.length - 1;
        while (a < b) {
          const m = (a + b + 1) >> 1;
          if (starts[m] <= i) a = m;
          else b = m - 1;
        }
        return a;
      };
      secret.lastIndex = 0;
      for (const m of text.matchAll(secret)) {
        if (!m[0]) continue;
        const from = place(m.index), to = place(m.index + m[0].length - 1);
        for (let i = from; i <= to; i++) {
          const list = nodes[i].parentElement?.closest('select');
          if (list) {
            cover(list.getClientRects(), at);
            continue;
          }
          const range = nodes[i].ownerDocument.createRange();
          range.setStart(nodes[i], i === from ? m.index - starts[i] : 0);
          range.setEnd(nodes[i], i === to ? m.index + m[0].length - starts[i] : nodes[i].length);
          cover(range.getClientRects(), at);
        }
      }
    };

    agent.marks.hear(document);
    let all = false;
    try { search(document, { x: 0, y: 0 }); } catch { all = true; }
    return JSON.stringify({ width: view.width, boxes, all });
  };
})();

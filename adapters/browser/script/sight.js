// What can be seen: colours behind a text, and what lies over a point.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.sight) return;
  const sight = {};
  agent.sight = sight;

  const colours = new Map();
  let canvas = null;

  // rgba reads a computed colour as [r, g, b, a], channels 0–255, alpha 0–1.
  // Wide-gamut notations are drawn once to learn their sRGB value.
  function rgba(text) {
    let c = colours.get(text);
    if (c) return c;
    const m = /^rgba?\(\s*([\d.]+)[,\s]+([\d.]+)[,\s]+([\d.]+)(?:\s*[,/]\s*([\d.]+)(%?))?\s*\)$/.exec(text);
    if (m) {
      c = [+m[1], +m[2], +m[3], m[4] === undefined ? 1 : +m[4] / (m[5] ? 100 : 1)];
    } else {
      canvas = canvas || new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = 'rgba(0,0,0,0)';
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const d = canvas.getImageData(0, 0, 1, 1).data;
      c = [d[0], d[1], d[2], d[3] / 255];
    }
    if (colours.size > 500) colours.clear();
    colours.set(text, c);
    return c;
  }
  sight.rgba = rgba;

  // fill is the colour of an element's box: its own, or that of a pseudo-element which
  // is laid under what is in it.
  sight.fill = (el, cs) => {
    const own = rgba(cs.backgroundColor);
    if (own[3] > 0) return own;
    for (const which of ['::before', '::after']) {
      const p = getComputedStyle(el, which);
      if (p.content === 'none' || p.position !== 'absolute' || parseFloat(p.width) < 0.9 * el.clientWidth || parseFloat(p.height) < 0.9 * el.clientHeight) continue;
      const [r, g, b, a] = rgba(p.backgroundColor);
      if (a > 0) return [r, g, b, a * parseFloat(p.opacity)];
    }
    return own;
  };

  const up = (el) => el.assignedSlot || el.parentElement ||
    (el.getRootNode() instanceof ShadowRoot ? el.getRootNode().host : null);
  sight.up = up;

  sight.contains = (outer, inner) => {
    for (let n = inner; n; n = up(n)) {
      if (n === outer) return true;
      const view = n.ownerDocument.defaultView;
      if (!up(n) && view && view !== outer.ownerDocument.defaultView && view.frameElement) {
        return sight.contains(outer, view.frameElement);
      }
    }
    return false;
  };

  // stack lists what is painted at a point of a document, topmost first.
  function stack(doc, x, y) {
    const out = [];
    const add = (root) => {
      for (const el of root.elementsFromPoint(x, y)) {
        if (out.includes(el)) continue;
        if (el.shadowRoot && root !== el.shadowRoot) add(el.shadowRoot);
        if (!out.includes(el)) out.push(el);
      }
    };
    add(doc);
    return out;
  }

  // top returns the element a click at a point of the page would land on.
  sight.top = (x, y) => {
    let root = document, el = null;
    for (let i = 0; i < 20; i++) {
      const hit = root.elementFromPoint(x, y);
      if (!hit || hit === el) return el;
      el = hit;
      if (el.shadowRoot) {
        root = el.shadowRoot;
      } else if (el.localName === 'iframe' && el.contentDocument) {
        const r = el.getBoundingClientRect();
        x -= r.left + el.clientLeft;
        y -= r.top + el.clientTop;
        root = el.contentDocument;
      } else {
        return el;
      }
    }
    return el;
  };

  // hidden: something is painted over a point of an element. What only takes the
  // clicks there, like a link that is stretched over a card, hides nothing.
  sight.hidden = (el, x, y) => {
    const hit = sight.top(x, y);
    if (!hit || sight.contains(el, hit) || sight.contains(hit, el)) return false;
    for (let n = hit; n && !sight.contains(n, el); n = up(n)) {
      const cs = getComputedStyle(n);
      if (PICTURES.has(n.localName) || cs.backgroundImage !== 'none' || rgba(cs.backgroundColor)[3] * parseFloat(cs.opacity) > 0.3) return true;
    }
    return false;
  };

  // ---- contrast -----------------------------------------------------------

  const PICTURES = new Set(['img', 'video', 'canvas', 'svg', 'picture', 'iframe', 'embed', 'object']);

  // groups lists the translucent ancestors of an element, outermost first.
  function groups(el, memo) {
    let g = memo.get(el);
    if (g) return g;
    const parent = up(el);
    g = parent ? groups(parent, memo) : [];
    const o = parseFloat(getComputedStyle(el).opacity);
    if (o < 1) g = g.concat([{ el, o }]);
    memo.set(el, g);
    return g;
  }

  const over = (top, below) => { // premultiplied
    const k = 1 - top[3];
    return [top[0] + below[0] * k, top[1] + below[1] * k, top[2] + below[2] * k, top[3] + below[3] * k];
  };
  const premultiply = (c) => [c[0] * c[3], c[1] * c[3], c[2] * c[3], c[3]];

  // compose paints layers (lowest first, each with its translucent groups) on
  // white, the way the browser does: a group is painted apart, then laid on.
  function compose(layers) {
    const open = [{ el: null, o: 1, px: [255, 255, 255, 1] }];
    const close = () => {
      const g = open.pop();
      const below = open[open.length - 1];
      below.px = over(g.px.map((v) => v * g.o), below.px);
    };
    for (const layer of layers) {
      let same = 0;
      while (same < layer.groups.length && same + 1 < open.length && open[same + 1].el === layer.groups[same].el) same++;
      while (open.length > same + 1) close();
      for (let i = same; i < layer.groups.length; i++) {
        open.push({ el: layer.groups[i].el, o: layer.groups[i].o, px: [0, 0, 0, 0] });
      }
      const at = open[open.length - 1];
      at.px = over(premultiply(layer.colour), at.px);
    }
    while (open.length > 1) close();
    return open[0].px;
  }

  const linear = (v) => ((v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const luminance = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);

  // painted is what an element paints behind what is in it, asked for once a look.
  function painted(el, memo) {
    memo.paints = memo.paints || new Map();
    let p = memo.paints.get(el);
    if (!p) {
      const cs = getComputedStyle(el);
      p = { image: cs.backgroundImage !== 'none' || cs.backgroundClip === 'text', colour: sight.fill(el, cs) };
      memo.paints.set(el, p);
    }
    return p;
  }

  const hex = (c) => '#' + c.slice(0, 3).map((v) => Math.round(v).toString(16).padStart(2, '0')).join('');
  const unknown = { ratio: 0 };

  // contrast returns the ratio of WCAG 2.2 between a text colour and what lies
  // behind the text of `el` at a point of its own document, and the two colours
  // where it is too low for text; 0 if there is a picture behind it or in its letters. `fade` is an opacity of the text alone. Outside the viewport nothing is painted to ask about, so
  // the ancestors' backgrounds have to do.
  sight.contrast = (el, colour, x, y, memo, fade = 1) => {
    const doc = el.ownerDocument;
    const view = doc.defaultView;
    let behind = null;
    if (x >= 0 && y >= 0 && x < view.innerWidth && y < view.innerHeight) {
      const all = stack(doc, x, y);
      const at = all.indexOf(el);
      if (at >= 0) behind = all.slice(at);
    }
    if (!behind) {
      behind = [];
      for (let n = el; n; n = up(n)) behind.push(n);
    }
    for (const root of [doc.body, doc.documentElement]) {
      if (root && !behind.includes(root)) behind.push(root);
    }
    const layers = [];
    for (const n of behind) {
      if (n !== el && PICTURES.has(n.localName)) return unknown;
      const p = painted(n, memo);
      if (p.image) return unknown;
      const c = p.colour;
      if (c[3] === 0) continue;
      const g = groups(n, memo);
      layers.push({ colour: c, groups: g });
      if (c[3] === 1 && g.length === 0) break;
    }
    layers.reverse();
    const back = compose(layers);
    const [r, g, b, alpha] = rgba(colour);
    const front = compose(layers.concat([{ colour: [r, g, b, alpha * fade], groups: groups(el, memo) }]));
    const ink = luminance(front), paper = luminance(back);
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    return { ratio: Math.round(ratio * 100) / 100, colours: ratio < 4.5 ? hex(front) + ' on ' + hex(back) : undefined };
  };

  // describe tells what an element that lies over another one is part of.
  sight.describe = (hit, dialogs) => {
    const names = agent.names;
    let layer = hit;
    for (let n = hit; n; n = up(n)) {
      const role = n.getAttribute('role');
      if (n.localName === 'dialog' || role === 'dialog' || role === 'alertdialog') { layer = n; break; }
      const pos = getComputedStyle(n).position;
      if (pos === 'fixed' || pos === 'sticky') layer = n;
      else if (pos === 'absolute' && layer === hit) layer = n;
    }
    const role = layer.getAttribute('role') || '';
    const words = names.headingOf(layer) || names.cut(names.squeeze(layer.innerText || layer.alt || ''), 40).trim();
    // An empty veil belongs to the dialog it was laid under.
    if (!words && dialogs.length > 0) return `dialog '${dialogs[dialogs.length - 1]}'`;
    const kinds = { header: 'header', nav: 'navigation', footer: 'footer', aside: 'sidebar', iframe: 'frame', img: 'image', video: 'video' };
    let kind = kinds[layer.localName] || 'layer';
    if (dialogs.layers.has(layer)) kind = 'dialog';
    else if (role === 'banner') kind = 'header';
    else if (role === 'navigation') kind = 'navigation';
    else if (names.roleOf(layer)) kind = names.roleOf(layer);
    return words ? `${kind} '${words}'` : kind;
  };
})();

// One look at the page: what a person could see and act on, in visual order.
// Nothing is taken from class names, and no attribute of the page is touched.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.look) return;
  const { names, sight, fields } = agent;
  const { squeeze, cut } = names;

  const SKIP = new Set(['script', 'style', 'template', 'noscript', 'head', 'meta', 'link', 'title', 'br', 'wbr',
    'source', 'track', 'param', 'option', 'optgroup', 'datalist']);
  const HEADINGS = /^h[1-6]$/;
  const WORDS = /[\p{L}\p{N}]/u;
  const FOCUSABLE = 'a[href],button,input:not([type=hidden]),select,textarea,[tabindex]:not([tabindex="-1"])';
  const HOLDERS = /^(body|main|section|form|fieldset|ul|ol|table|tbody|tr)$/; // they take the clicks of what is in them
  const COMPOSITE = '[role=radiogroup],[role=toolbar],[role=menu],[role=listbox],[role=tablist],[role=tree],[role=grid],[aria-activedescendant]';
  const INFINITE = { l: -1e9, t: -1e9, r: 1e9, b: 1e9 };
  const meet = (a, b) => ({ l: Math.max(a.l, b.l), t: Math.max(a.t, b.t), r: Math.min(a.r, b.r), b: Math.min(a.b, b.b) });
  const round = (v) => Math.round(v * 10) / 10;

  const LANDMARKS = { banner: 'banner', navigation: 'navigation', main: 'main', complementary: 'complementary',
    contentinfo: 'contentinfo', form: 'form', search: 'search', region: 'section', dialog: 'dialog', alertdialog: 'dialog' };

  function landmarkOf(el, tag, cs) {
    const role = el.getAttribute('role');
    if (role && LANDMARKS[role]) return LANDMARKS[role];
    if (el.getAttribute('aria-modal') === 'true') return 'dialog';
    switch (tag) {
      case 'nav': return 'navigation';
      case 'main': return 'main';
      case 'aside': return 'complementary';
      case 'form': return 'form';
      case 'search': return 'search';
      case 'dialog': return el.open ? 'dialog' : '';
      case 'header':
      case 'footer':
        if (el.parentElement && el.parentElement.closest('article,aside,main,nav,section')) return '';
        return tag === 'header' ? 'banner' : 'contentinfo';
      case 'section':
      case 'article':
        return names.headingOf(el) ? 'section' : '';
    }
    return overlay(el, cs) ? 'dialog' : '';
  }

  // overlay: a raised layer with words, fixed over a good part of the window,
  // with something else of the page under it.
  function overlay(el, cs) {
    if (cs.position !== 'fixed' || !(parseInt(cs.zIndex, 10) >= 1) || cs.pointerEvents === 'none') return false;
    const r = el.getBoundingClientRect();
    const w = Math.min(r.right, innerWidth) - Math.max(r.left, 0), h = Math.min(r.bottom, innerHeight) - Math.max(r.top, 0);
    if (w <= 0 || h <= 0 || w * h < 0.3 * innerWidth * innerHeight || !WORDS.test(el.textContent)) return false;
    const x = Math.max(r.left, 0) + w / 2, y = Math.max(r.top, 0) + h / 2;
    return el.ownerDocument.elementsFromPoint(x, y).some((n) => !el.contains(n) && !n.contains(el));
  }

  function kindOf(el, tag) {
    const role = el.getAttribute('role');
    const live = el.getAttribute('aria-live');
    if (role === 'alert' || live === 'assertive') return 'alert';
    if (role === 'status' || live === 'polite' || tag === 'output') return 'status';
    if (HEADINGS.test(tag) || role === 'heading') return 'heading';
    if (tag === 'li' || tag === 'dt' || tag === 'dd' || role === 'listitem') return 'item';
    if (tag === 'td' || tag === 'th' || role === 'cell' || role === 'gridcell' || role === 'columnheader') return 'cell';
    if (tag === 'label' || tag === 'legend' || tag === 'figcaption' || tag === 'caption') return 'label';
    return '';
  }

  // Visually hidden text (for screen readers only) is not seen.
  function clipped(cs, r) {
    if (cs.clipPath.startsWith('inset(50%') || cs.clipPath.startsWith('inset(100%')) return true;
    if (cs.position === 'absolute' && /^rect\((0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?\)$/.test(cs.clip)) return true;
    return r.width <= 1 && r.height <= 1 && cs.overflowX !== 'visible' && cs.display !== 'inline';
  }

  // A tick box that is drawn by its label is not itself to be seen.
  function unseen(control) {
    if (!control.checkVisibility({ visibilityProperty: true })) return true;
    const r = control.getBoundingClientRect();
    return r.width <= 2 || r.height <= 2 || r.right <= 0 || r.bottom + scrollY <= 0 || clipped(getComputedStyle(control), r);
  }

  agent.look = (number, maxElements, maxTexts, budget, wanted) => {
    const started = performance.now();
    const elements = [], texts = [], regions = [];
    const refs = new Map(), forms = new Map(), memo = new Map();
    const selector = names.selectors();
    const menus = agent.menus(document);
    const zones = [];
    const dialogs = [];
    dialogs.layers = new Set();
    const vw = innerWidth, vh = innerHeight;
    const root = document.scrollingElement || document.documentElement || { scrollWidth: 0, scrollHeight: 0 };
    const docWidth = Math.max(root.scrollWidth, vw);
    let truncated = false, ticks = 0;

    const stop = () => {
      if (!truncated && (++ticks & 63) === 0 && performance.now() - started > budget) truncated = true;
      return truncated;
    };
    const grow = (index, box) => {
      const region = regions[index];
      if (!region || region.kind !== 'heading') return;
      const b = region.box;
      const r = Math.max(b.x + b.w, box.x + box.w), d = Math.max(b.y + b.h, box.y + box.h);
      b.x = Math.min(b.x, box.x); b.y = Math.min(b.y, box.y);
      b.w = r - b.x; b.h = d - b.y;
    };
    const seen = (box, c) => {
      if (box.w < 1 || box.h < 1) return false;
      const l = Math.max(box.x, c.hard.l), t = Math.max(box.y, c.hard.t);
      const r = Math.min(box.x + box.w, c.hard.r), b = Math.min(box.y + box.h, c.hard.b);
      if (r - l < 1 || b - t < 1) return false;
      return r > 0 && b + scrollY > 0 && l < docWidth;
    };
    const inView = (x, y, c) => x >= Math.max(0, c.view.l) && y >= Math.max(0, c.view.t) &&
      x < Math.min(vw, c.view.r) && y < Math.min(vh, c.view.b);
    const boxOf = (r, c) => ({ x: round(r.left + c.ox), y: round(r.top + c.oy), w: round(r.width), h: round(r.height) });

    function addRegion(kind, heading, box) {
      if (regions.length >= 500) return -1;
      regions.push({ kind, heading, box });
      return regions.length - 1;
    }

    function finishText(block) {
      const text = squeeze(block.text);
      if (!block.own || !WORDS.test(text) || !block.box) return;
      if (texts.length >= maxTexts) { truncated = true; return; }
      const c = block.c;
      const b = block.box;
      const box = { x: round(b.l), y: round(b.t), w: round(b.r - b.l), h: round(b.b - b.t) };
      const first = block.first;
      const cs = getComputedStyle(first.el);
      texts.push({
        text: cut(text, 2000),
        kind: block.kind || 'paragraph',
        level: block.level,
        box,
        in_viewport: inView(box.x + box.w / 2, box.y + Math.min(box.h, vh) / 2, c),
        contrast: sight.contrast(first.el, ink(cs), first.x - c.ox, first.y - c.oy, memo),
        font_size: round(parseFloat(cs.fontSize)),
        region: block.region,
        in_dialog: c.dialog,
      });
      grow(block.region, box);
    }

    const ink = (cs) => cs.webkitTextFillColor || cs.color;

    // note adds a run of words to the block they stand in and to the control.
    function note(node, el, c) {
      const data = node.data;
      if (!/\S/.test(data)) {
        if (c.block) c.block.text += ' ';
        return;
      }
      const range = node.ownerDocument.createRange();
      range.selectNodeContents(node);
      const r = range.getBoundingClientRect();
      const box = { x: r.left + c.ox, y: r.top + c.oy, w: r.width, h: r.height };
      if (!seen(box, c) || parseFloat(getComputedStyle(el).fontSize) < 1) return;
      let line = r;
      if (!c.block.first || (c.control && !c.control.first)) {
        for (const l of range.getClientRects()) if (l.width >= 1 && l.height >= 1) { line = l; break; }
      }
      const first = { el, x: line.left + line.width / 2 + c.ox, y: line.top + line.height / 2 + c.oy };
      if (c.control) {
        c.control.first = c.control.first || first;
        c.control.text += data;
      }
      const block = c.block;
      block.text += data;
      const edge = { l: box.x, t: box.y, r: box.x + box.w, b: box.y + box.h };
      if (!c.control || c.control.maybe) {
        block.own = true;
        block.first = block.first || first;
      }
      block.box = block.box ? { l: Math.min(block.box.l, edge.l), t: Math.min(block.box.t, edge.t),
        r: Math.max(block.box.r, edge.r), b: Math.max(block.box.b, edge.b) } : edge;
    }

    function optionsOf(el) {
      const list = el.localName === 'select' ? el : el.list;
      if (!list) return undefined;
      const out = [];
      for (const o of list.options) {
        if (out.length >= 300) break;
        if (!o.disabled) out.push(squeeze(list === el ? o.label : o.value));
      }
      return out;
    }

    function valueOf(el) {
      if (agent.sealed(el)) return ('value' in el ? el.value : el.textContent) ? '•••' : '';
      if (el.isContentEditable) return cut(squeeze(el.textContent), 200);
      switch (el.localName) {
        case 'select': {
          const o = el.selectedOptions[0];
          return o ? squeeze(o.label) : '';
        }
        case 'textarea': return cut(el.value, 200);
        case 'input':
          if (/^(checkbox|radio|submit|button|reset|image)$/.test(el.type)) return '';
          if (el.type === 'password') return '•'.repeat(Math.min(el.value.length, 12));
          return cut(el.value, 200);
      }
      return cut(el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow') || '', 200);
    }

    function expandedOf(el) {
      const aria = el.getAttribute('aria-expanded');
      if (aria === 'true' || aria === 'false') return aria;
      if (el.localName === 'summary' && el.parentElement && el.parentElement.localName === 'details') {
        return String(el.parentElement.open);
      }
      // Pages that do not say it show it: a triangle points at what is closed,
      // and down at what is open.
      const mark = /^[►▸▹⯈▼▾▿⯆]/.exec(squeeze(el.textContent));
      return mark ? String('▼▾▿⯆'.includes(mark[0])) : undefined;
    }

    // heldBy lists the links that a closed control keeps hidden: those of its
    // details, or of the box that it says it controls.
    function heldBy(el) {
      if (expandedOf(el) !== 'false') return undefined;
      const box = el.localName === 'summary' ? el.parentElement : el.ownerDocument.getElementById((el.getAttribute('aria-controls') || '').split(' ')[0]);
      if (!box) return undefined;
      const out = [];
      for (const a of [...box.querySelectorAll('a[href]')].slice(0, 100)) {
        if (out.length >= 20 || a.checkVisibility({ visibilityProperty: true })) continue;
        out.push({ name: cut(squeeze(a.getAttribute('aria-label') || a.textContent), 300), selector: selector(a), href: a.href });
      }
      return out;
    }

    function isPicture(el) {
      if (el.querySelector('img,svg,canvas,picture')) return true;
      for (const n of [el, ...el.querySelectorAll('*')].slice(0, 10)) {
        if (getComputedStyle(n).backgroundImage !== 'none' || getComputedStyle(n).maskImage !== 'none') return true;
        for (const p of ['::before', '::after']) {
          const ps = getComputedStyle(n, p);
          if (ps.content !== 'none' && ps.content !== 'normal' && ps.content !== '""') return true;
        }
      }
      return false;
    }

    function addElement(el, role, shown, c, control) {
      if (elements.length >= maxElements) { truncated = true; return; }
      const r = agent.rectOf(shown);
      const bounds = shown.getBoundingClientRect();
      const box = boxOf(bounds, c);
      const x = r.left + r.width / 2 + c.ox, y = r.top + r.height / 2 + c.oy;
      const named = names.nameOf(el, role);
      const first = control.first;
      const field = /^(input|textarea|select)$/.test(el.localName);
      let face = first ? first.el : el;
      let cs = getComputedStyle(face);
      let contrast = 0;
      if (first) {
        contrast = sight.contrast(face, ink(cs), first.x - c.ox, first.y - c.oy, memo);
      } else if (field && !/^(checkbox|radio|range|color|image|file)$/.test(el.type)) {
        const hint = !el.value && el.localName !== 'select' && el.placeholder ? getComputedStyle(el, '::placeholder') : null;
        contrast = sight.contrast(el, ink(hint || cs), r.left + r.width / 2, r.top + r.height / 2, memo,
          hint ? parseFloat(hint.opacity) : 1);
      }
      const visible = squeeze(control.text);
      const key = number + ':' + elements.length;
      refs.set(key, { el, hit: shown });
      let form = 0;
      if (el.form) {
        if (!forms.has(el.form)) forms.set(el.form, forms.size + 1);
        form = forms.get(el.form);
      }
      const input = el.localName === 'input';
      const takes = (field || role === 'textbox' || role === 'combobox') && !/^(submit|button|reset|image)$/.test(el.type);
      const told = takes ? fields.told(el, named.name) : {};
      const submenu = (c.menu && !c.menu.taken) || agent.scriptedMenu(el);
      if (submenu && c.menu) c.menu.taken = true;
      elements.push({
        ref: key,
        role,
        name: named.name,
        name_source: named.source,
        selector: selector(el),
        href: role === 'link' && typeof el.href === 'string' ? el.href : undefined,
        input_type: input ? el.type : undefined,
        autocomplete: el.getAttribute('autocomplete') || undefined,
        placeholder: el.getAttribute('placeholder') || undefined,
        pattern: el.getAttribute('pattern') || undefined,
        min: el.getAttribute('min') || undefined,
        max: el.getAttribute('max') || undefined,
        value: valueOf(el) || undefined,
        options: optionsOf(el),
        group: names.groupOf(el) || undefined,
        form,
        submit: !!el.form && ((el.localName === 'button' && el.type === 'submit') ||
          (input && (el.type === 'submit' || el.type === 'image'))),
        required: el.required === true || el.getAttribute('aria-required') === 'true',
        checked: 'checked' in el ? el.checked === true : ['aria-checked', 'aria-pressed', 'aria-selected']
          .some((a) => el.getAttribute(a) === 'true'),
        disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true' || !!el.closest('[inert]'),
        expanded: expandedOf(el),
        holds: heldBy(el),
        error: told.error || undefined,
        help: told.help || undefined,
        accept: input && el.type === 'file' ? el.accept || undefined : undefined,
        max_length: takes && el.maxLength > 0 ? el.maxLength : undefined,
        mouse_only: keyless(el, role) || undefined,
        submenu: submenu || undefined,
        draggable: c.grab === el || undefined,
        box,
        in_viewport: inView(x, y, c),
        contrast,
        font_size: round(parseFloat(cs.fontSize)),
        bold: (parseInt(cs.fontWeight, 10) || 400) >= 700,
        icon: !field && !WORDS.test(visible) && (visible !== '' || isPicture(el)),
        region: c.scope.region,
        in_dialog: c.dialog,
        at: { x, y, shown, c },
      });
      grow(c.scope.region, box);
    }

    // keyless: no key gets there. Items of menus, lists and tab bars are reached
    // with arrows; a box drawn by its label is reached unless it is not there.
    function keyless(el, role) {
      if (role === 'dropzone' || role === 'draggable' || role === 'frame' || el.isContentEditable) return false;
      if (el.tabIndex >= 0) return !el.checkVisibility();
      if (role === 'clickable') return !el.querySelector(FOCUSABLE);
      return /^(button|link|checkbox|switch|radio)$/.test(role) && !el.hasAttribute('tabindex') && !el.closest(COMPOSITE);
    }

    function children(el, c, depth) {
      if (el.shadowRoot) {
        agent.watch(el.shadowRoot);
        list(el.shadowRoot.childNodes, el, c, depth);
      } else if (el.localName === 'slot' && el.assignedNodes().length > 0) {
        list(el.assignedNodes(), el, c, depth);
      } else {
        list(el.childNodes, el, c, depth);
      }
    }
    function list(nodes, el, c, depth) {
      const shut = el.localName === 'details' && !el.open;
      for (const n of nodes) {
        if (shut && n.localName !== 'summary') continue;
        if (n.nodeType === 3) {
          if (!c.dark && c.block) note(n, el, c);
        } else if (n.nodeType === 1) {
          if (n.localName === 'br' && c.block) c.block.text += ' ';
          walk(n, c, depth + 1);
        }
      }
    }

    // faceOf is what shows of a control: itself, or the first of the things in it
    // where its own box is empty around them (they float, or are placed freely).
    function faceOf(el, box, visible, c) {
      if (visible || (box.w >= 1 && box.h >= 1) || el.localName === 'select') return visible ? el : null;
      const inside = el.getElementsByTagName('*');
      for (let i = 0; i < 20 && i < inside.length; i++) {
        const cs = getComputedStyle(inside[i]), r = inside[i].getBoundingClientRect();
        if (cs.visibility !== 'visible' || clipped(cs, r)) continue;
        if (seen(boxOf(r, c), cs.position === 'absolute' ? { ...c, hard: c.absHard } : c)) return inside[i];
      }
      return null;
    }

    function walk(el, c, depth) {
      const tag = el.localName;
      if (SKIP.has(tag) || depth > 800 || stop()) return;
      const cs = getComputedStyle(el);
      if (cs.display === 'none') return;
      const r = el.getBoundingClientRect();
      if (clipped(cs, r)) return;
      const faint = c.opacity * parseFloat(cs.opacity);
      const dark = cs.visibility !== 'visible' || faint < 0.05;
      const n = { ...c, opacity: faint, dark, pointer: cs.cursor === 'pointer' };
      if (menus.has(el)) n.menu = { taken: false };
      const held = el.getAttribute('draggable') === 'true' || /^(grab|move|all-scroll)$/.test(cs.cursor);
      const grabbed = held && !c.grab;
      if (grabbed) n.grab = el;
      else if (!held) n.grab = null;
      if (cs.position === 'fixed') {
        n.hard = n.absHard = c.base.hard;
        n.view = n.absView = c.base.view;
      } else if (cs.position === 'absolute') {
        n.hard = c.absHard;
        n.view = c.absView;
      }
      const box = boxOf(r, n);
      const visible = seen(box, n);

      // Regions.
      const landmark = visible && !dark ? landmarkOf(el, tag, cs) : '';
      if (landmark) {
        const heading = names.headingOf(el) || (landmark === 'dialog' ? cut(squeeze(el.innerText || ''), 40).trim() : '');
        const index = addRegion(landmark, heading, box);
        if (index >= 0) n.scope = { region: index };
        if (landmark === 'dialog') {
          n.dialog = true;
          dialogs.push(heading);
          dialogs.layers.add(el);
        }
      }
      const kind = kindOf(el, tag);
      if (kind === 'heading' && visible && !dark) {
        const index = addRegion('heading', cut(squeeze(el.textContent), 120), { ...box });
        if (index >= 0) n.scope.region = index;
      }

      // Clipping for what is inside.
      if ((cs.overflowX !== 'visible' || cs.overflowY !== 'visible') && el !== document.body && el !== document.documentElement && cs.display !== 'inline') {
        const edge = { l: r.left + n.ox, t: r.top + n.oy, r: r.right + n.ox, b: r.bottom + n.oy };
        const scrolls = /auto|scroll/.test(cs.overflowX + cs.overflowY);
        n.hard = scrolls ? INFINITE : meet(n.hard, edge);
        n.view = meet(n.view, edge);
      }
      if (cs.position !== 'static' || cs.transform !== 'none') {
        n.absHard = n.hard;
        n.absView = n.view;
      }

      // Words: a new block unless the element runs along in a line.
      let block = null;
      if (!n.block || kind || !(cs.display.startsWith('inline') || cs.display === 'contents')) {
        let level = 0;
        if (kind === 'heading') level = HEADINGS.test(tag) ? +tag[1] : parseInt(el.getAttribute('aria-level'), 10) || 2;
        const inherited = c.block && /^(alert|status|heading|item|cell|label)$/.test(c.block.kind) ? c.block : null;
        block = n.block = { text: '', own: false, first: null, box: null, c: n, region: n.scope.region,
          kind: kind || (inherited ? inherited.kind : ''), level: kind ? level : inherited ? inherited.level : 0 };
      }

      // Controls.
      const ticks = tag === 'input' && /^(checkbox|radio|file)$/.test(el.type);
      let role = names.roleOf(el);
      let control = null;
      const face = role ? faceOf(el, box, visible, n) : null;
      if (face && cs.visibility === 'visible' && (faint >= 0.05 || ticks) && !(ticks && unseen(el))) {
        control = { text: '', first: null };
      } else {
        role = '';
      }
      const labelled = tag === 'label' && el.control && /^(checkbox|radio|file)$/.test(el.control.type) && visible && !dark && unseen(el.control);
      const menu = menus.get(el);
      const owns = menu && [...el.querySelectorAll(FOCUSABLE)].every((x) => menu.contains(x));
      const maybe = !role && !c.control && !labelled && visible && !dark &&
        ((n.pointer && !c.pointer && !(tag === 'label' && el.control)) || grabbed || (el.hasAttribute('onclick') && !HOLDERS.test(tag)) || owns ||
          (el.tabIndex >= 0 && el.hasAttribute('tabindex') && !landmark && el.scrollHeight <= el.clientHeight + 1)) &&
        box.w * box.h < 0.4 * vw * vh;
      if (control || labelled || maybe) {
        n.control = control = control || { text: '', first: null, maybe };
      }
      const before = elements.length, textsBefore = texts.length;
      const ownBefore = n.block.own;

      if (tag === 'iframe') {
        frame(el, r, n, depth, visible && !dark);
      } else if (cs.contentVisibility !== 'hidden' && tag !== 'select' && tag !== 'textarea' && tag !== 'svg' && tag !== 'canvas' && tag !== 'video') {
        children(el, n, depth);
      }

      if (role) {
        addElement(el, role, face, n, control);
      } else if (labelled) {
        addElement(el.control, names.roleOf(el.control), el, n, control);
      } else if (maybe && elements.length === before && (squeeze(control.text) || tag === 'img' || tag === 'svg' || isPicture(el))) {
        const clickable = n.pointer || owns || el.hasAttribute('onclick') || el.hasAttribute('tabindex');
        addElement(el, clickable ? 'clickable' : 'draggable', el, n, control);
        // Its words are the control's now, not the page's.
        texts.length = Math.min(texts.length, textsBefore);
        n.block.own = block ? false : ownBefore;
      } else if (maybe && grabbed) {
        addElement(el, 'draggable', el, n, { text: '', first: null }); // with controls of its own in it
      }
      if (visible && !dark && zone(el, cs, box)) zones.push({ el, c: n });
      if (block) finishText(block);
    }

    // zone: a place that says that things can be dropped on it: it listens for
    // them in its markup, or has the broken outline that stands for this.
    const zone = (el, cs, box) => box.w >= 40 && box.h >= 24 &&
      (el.hasAttribute('ondrop') || el.hasAttribute('ondragover') || el.hasAttribute('aria-dropeffect') ||
        (cs.borderTopStyle === 'dashed' && cs.borderLeftStyle === 'dashed'));

    // Where something can be dragged, the places to drop it are worth seeing:
    // marked ones, and the boxes beside the one it lies in that are built alike.
    function addZones() {
      const held = elements.filter((e) => e.draggable);
      const known = new Set(held.map((e) => refs.get(e.ref).el));
      for (const e of held) {
        const from = refs.get(e.ref).el.parentElement;
        for (const box of from && from.parentElement && from !== document.body ? from.parentElement.children : []) {
          if (box !== from && box.localName === from.localName) zones.push({ el: box, c: e.at.c });
        }
      }
      if (held.length === 0) return;
      for (const z of zones.slice(0, 50)) {
        const r = z.el.getBoundingClientRect();
        if (known.has(z.el) || r.width < 40 || r.height < 24) continue;
        known.add(z.el);
        addElement(z.el, 'dropzone', z.el, z.c, { text: '', first: null });
      }
    }

    // Frames of the same origin are part of the page; others are one opaque thing.
    function frame(el, r, c, depth, visible) {
      if (!visible) return;
      let doc = null;
      try {
        doc = el.contentDocument;
      } catch {
        doc = null;
      }
      if (!doc || !doc.documentElement) {
        addElement(el, 'frame', el, c, { text: '', first: null });
        return;
      }
      agent.watch(doc);
      for (const [owner, box] of agent.menus(doc)) menus.set(owner, box);
      const edge = { l: r.left + c.ox + el.clientLeft, t: r.top + c.oy + el.clientTop };
      edge.r = edge.l + el.clientWidth;
      edge.b = edge.t + el.clientHeight;
      const view = meet(c.view, edge);
      const base = { hard: INFINITE, view };
      walk(doc.documentElement, { ...c, ox: edge.l, oy: edge.t, base, hard: base.hard, absHard: base.hard,
        view, absView: view, block: null, control: null, pointer: false }, depth + 1);
    }

    const base = { hard: INFINITE, view: { l: 0, t: 0, r: vw, b: vh } };
    if (document.documentElement) {
      walk(document.documentElement, { ox: 0, oy: 0, base, hard: base.hard, absHard: base.hard, view: base.view,
        absView: base.view, scope: { region: -1 }, dialog: false, control: null, pointer: false, block: null,
        opacity: 1, dark: false }, 0);
    }

    addZones();
    for (const e of elements) {
      const { x, y, shown } = e.at;
      e.at = undefined;
      if (!e.in_viewport) continue;
      const hit = sight.top(x, y);
      const el = refs.get(e.ref).el;
      if (!hit || sight.contains(shown, hit) || sight.contains(el, hit) || sight.contains(hit, shown)) continue;
      const label = el.labels && [...el.labels].find((l) => sight.contains(l, hit));
      if (!label) e.covered_by = sight.describe(hit, dialogs);
    }

    agent.refs = refs;
    agent.layers = dialogs.layers;
    return JSON.stringify({
      url: location.href,
      title: document.title,
      lang: document.documentElement ? document.documentElement.lang : '',
      viewport: { width: vw, height: vh },
      scroll_y: round(scrollY),
      height: Math.max(root.scrollHeight, document.body ? document.body.scrollHeight : 0),
      elements: visual(elements),
      texts: visual(texts),
      regions,
      truncated,
      vitals: agent.speed(),
      selectors_visible: wanted.filter(agent.showing),
    });
  };

  // visual puts boxes in reading order: rows from the top, each from the left.
  // Two boxes stand in a row if their middles differ by less than half the
  // height of the lower one.
  function visual(list) {
    const sorted = list.map((e, i) => ({ e, i, y: e.box.y, m: e.box.y + e.box.h / 2, h: e.box.h }));
    sorted.sort((a, b) => a.y - b.y || a.e.box.x - b.e.box.x || a.i - b.i);
    const rows = [];
    for (const s of sorted) {
      let row = null;
      for (let i = rows.length - 1; i >= 0 && i >= rows.length - 4; i--) {
        if (Math.abs(rows[i].m - s.m) < Math.min(rows[i].h, s.h) / 2) { row = rows[i]; break; }
      }
      if (row) row.all.push(s);
      else rows.push({ m: s.m, h: s.h, all: [s] });
    }
    rows.sort((a, b) => a.all[0].y - b.all[0].y);
    return rows.flatMap((r) => r.all.sort((a, b) => a.e.box.x - b.e.box.x || a.i - b.i).map((s) => s.e));
  }
})();

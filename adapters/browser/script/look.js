// One look at the page: what a person could see and act on, in visual order.
// Nothing is taken from class names, and no attribute of the page is touched.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.look) return;
  const { names, sight, fields, parts, states, widgets, rows, marks, icons, limits } = agent;
  const { squeeze, cut } = names;

  const SKIP = new Set(['script', 'style', 'template', 'noscript', 'head', 'meta', 'link', 'title', 'br', 'wbr',
    'source', 'track', 'param', 'option', 'optgroup', 'datalist', 'defs', 'symbol', 'clipPath', 'mask', 'pattern', 'marker',
    'linearGradient', 'radialGradient', 'filter', 'desc', 'metadata']);
  const { HEADINGS, WORDS, landmarkOf, kindOf, clipped, unseen, isPicture, visual } = parts;
  const FIELD = /^(input|select|textarea)$/;
  const LARGEST = 2 << 20; // characters of what a look says
  const FOCUSABLE = 'a[href],button,input:not([type=hidden]),select,textarea,[tabindex]:not([tabindex="-1"])';
  const HOLDERS = /^(body|main|section|form|fieldset|ul|ol|table|tbody)$/; // they take the clicks of what is in them
  const COMPOSITE = '[role=radiogroup],[role=toolbar],[role=menu],[role=listbox],[role=tablist],[role=tree],[role=grid],[aria-activedescendant]';
  const INFINITE = { l: -1e9, t: -1e9, r: 1e9, b: 1e9 };
  const meet = (a, b) => ({ l: Math.max(a.l, b.l), t: Math.max(a.t, b.t), r: Math.min(a.r, b.r), b: Math.min(a.b, b.b) });
  const round = (v) => Math.round(v * 10) / 10;

  agent.look = (number, maxElements, maxTexts, budget, wanted) => {
    const started = performance.now();
    const elements = [], texts = [], regions = [];
    const refs = new Map(), forms = new Map(), memo = new Map();
    const selector = names.selectors();
    const menus = agent.menus(document);
    const zones = [], bounds = [], backs = new Map(), heads = new Map();
    marks.hear(document);
    widgets.begin();
    rows.begin();
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
    const attribute = (el, name, most) => cut(el.getAttribute(name) || '', most) || undefined;
    const pattern = (el) => { // half of one would be another
      const p = el.getAttribute('pattern');
      return p && p.length <= 1000 ? p : undefined;
    };
    // fit writes an answer down. Of one that is larger than anybody's page the end is
    // left out, and that is said, as it is where time or room ended the look before.
    function fit(answer) {
      for (;;) {
        if (answer.truncated && !answer.limits.some((l) => l.kind === 'size')) answer.limits.push({ kind: 'size', box: { x: 0, y: 0, w: 0, h: 0 } });
        const json = JSON.stringify(answer);
        const most = Math.max(answer.elements.length, answer.texts.length);
        if (json.length <= LARGEST || most === 0) return json;
        answer.truncated = true;
        answer.elements.length = Math.min(answer.elements.length, most >> 1);
        answer.texts.length = Math.min(answer.texts.length, most >> 1);
      }
    }
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
        contrast: sight.contrast(first.el, ink(cs), first.x - c.ox, first.y - c.oy, memo).ratio,
        font_size: round(parseFloat(cs.fontSize)),
        region: block.region,
        in_dialog: c.dialog,
        row: c.row || undefined,
        head: headOf(c.cell) || undefined,
        at: first,
      });
      grow(block.region, box);
    }

    function headOf(cell) {
      if (!cell) return '';
      let head = heads.get(cell);
      if (head === undefined) heads.set(cell, head = rows.headOf(cell));
      return head;
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
      const first = { el, x: line.left + line.width / 2 + c.ox, y: line.top + line.height / 2 + c.oy, w: line.width };
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

    function addElement(el, role, shown, c, control) {
      if (elements.length >= maxElements) { truncated = true; return; }
      const r = agent.rectOf(shown);
      const whole = shown.getBoundingClientRect();
      const box = boxOf(whole, c);
      const x = r.left + r.width / 2 + c.ox, y = r.top + r.height / 2 + c.oy;
      let named = names.nameOf(el, role);
      const first = control.first;
      const field = /^(input|textarea|select)$/.test(el.localName);
      let face = first ? first.el : el;
      let cs = getComputedStyle(face);
      let contrast = { ratio: 0 };
      if (first) {
        contrast = sight.contrast(face, ink(cs), first.x - c.ox, first.y - c.oy, memo);
      } else if (field && !/^(checkbox|radio|range|color|image|file)$/.test(el.type)) {
        const hint = !el.value && el.localName !== 'select' && el.placeholder ? getComputedStyle(el, '::placeholder') : null;
        contrast = sight.contrast(el, ink(hint || cs), r.left + r.width / 2, r.top + r.height / 2, memo,
          hint ? parseFloat(hint.opacity) : 1);
      }
      const visible = squeeze(control.text);
      const glyph = first !== null && icons.ligature(visible, first.w, parseFloat(cs.fontSize));
      if (glyph && named.name === visible) named = { name: visible.replace(/_/g, ' '), source: 'icon' };
      if (!named.name && !field && !/^(frame|dropzone|textbox|slider)$/.test(role)) named = icons.nameOf(el);
      const expanded = states.expandedOf(el, role);
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
        href: role === 'link' && typeof el.href === 'string' && el.getAttribute('href') !== '' ? cut(el.href, 2000) : undefined, // an empty one does something here
        input_type: input ? el.type : undefined,
        autocomplete: attribute(el, 'autocomplete', 100),
        placeholder: attribute(el, 'placeholder', 300),
        pattern: pattern(el),
        min: attribute(el, 'min', 40),
        max: attribute(el, 'max', 40),
        value: states.valueOf(el, shown) || undefined,
        options: states.optionsOf(el),
        group: names.groupOf(el) || undefined,
        form,
        submit: !!el.form && ((el.localName === 'button' && el.type === 'submit') ||
          (input && (el.type === 'submit' || el.type === 'image'))),
        required: el.required === true || el.getAttribute('aria-required') === 'true',
        checked: el.localName === 'option' ? el.selected : 'checked' in el ? el.checked === true : ['aria-checked', 'aria-pressed', 'aria-selected']
          .some((a) => el.getAttribute(a) === 'true'),
        disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true' || !!el.closest('[inert]'),
        expanded,
        holds: states.heldBy(el, expanded, selector),
        error: told.error || undefined,
        help: told.help || undefined,
        accept: input && el.type === 'file' ? attribute(el, 'accept', 300) : undefined,
        max_length: takes && el.maxLength > 0 ? el.maxLength : undefined,
        mouse_only: keyless(el, role) || undefined,
        submenu: submenu || undefined,
        draggable: c.grab === el || c.sorted === el || (role === 'slider' && !field) ||
          (/^(clickable|draggable)$/.test(role) && moves(el)) || undefined,
        box,
        in_viewport: inView(x, y, c),
        contrast: contrast.ratio,
        colours: contrast.colours,
        font_size: round(parseFloat(cs.fontSize)),
        bold: (parseInt(cs.fontWeight, 10) || 400) >= 700,
        icon: !field && el.localName !== 'option' && (glyph || (!WORDS.test(visible) && (visible !== '' || isPicture(el)))),
        region: c.scope.region,
        in_dialog: c.dialog,
        row: c.row || undefined,
        level: rows.levelOf(el, c) || undefined,
        salience: near(box) && agent.salience(shown, whole, vw * vh, backs) || undefined,
        ...states.of(el, role, named.name),
        at: { x, y, shown, c },
      });
      grow(c.scope.region, box);
    }

    // near: in the window or at most one away from it.
    const near = (box) => box.y < 2 * vh && box.y + box.h > -vh;

    // moves: it is held down rather than clicked.
    const moves = (el) => marks.down.has(el) && (!marks.click.has(el) || getComputedStyle(el).position !== 'static');

    // keyless: no key gets there. Items of menus, lists and tab bars are reached
    // with arrows; a box drawn by its label is reached unless it is not there.
    function keyless(el, role) {
      if (role === 'dropzone' || role === 'draggable' || role === 'frame' || el.localName === 'option' || widgets.editable(el)) return false;
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
          if (c.block && FIELD.test(n.localName) && n.type !== 'hidden') { // what stands before a field names it
            finishText(c.block);
            Object.assign(c.block, { text: '', own: false, first: null, box: null });
          }
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
      const n = { ...c, opacity: faint, dark, pointer: cs.cursor === 'pointer', serves: false, sorts: false };
      if (menus.has(el)) n.menu = { taken: false };
      const held = el.getAttribute('draggable') === 'true' || /^(grab|move|all-scroll)$/.test(cs.cursor);
      const grabbed = held && !c.grab;
      if (grabbed) n.grab = el;
      else if (!held) n.grab = null;
      if (c.sorts && !marks.click.has(el)) n.sorted = el;
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
      const landmark = visible && !dark ? landmarkOf(el, tag, cs, c.dialog) : '';
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
        const index = addRegion('heading', cut(squeeze(el.childElementCount ? el.innerText : el.textContent), 120), { ...box }); // not what of it is hidden
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

      // Rows, lists and cells.
      const row = visible ? rows.starts(el, tag, cs, c) : 0;
      if (row) {
        n.row = row;
        n.whole = c.whole || rows.whole(el, tag);
      }
      if (rows.list(el, tag)) {
        n.lists = c.lists + 1;
        n.nested = c.nested || rows.holdsLists(el);
      }
      if (kind === 'cell' || tag === 'dd') n.cell = el;
      if (visible && !dark) limits.note(bounds, el, tag, cs, box, vw * vh);

      // Words: a new block unless the element runs along in a line.
      let block = null;
      if (!n.block || kind || tag === 'text' || !(cs.display.startsWith('inline') || cs.display === 'contents')) {
        let level = 0;
        if (kind === 'heading') level = HEADINGS.test(tag) ? +tag[1] : parseInt(el.getAttribute('aria-level'), 10) || 2;
        const inherited = c.block && /^(alert|status|heading|item|cell|label)$/.test(c.block.kind) ? c.block : null;
        block = n.block = { text: '', own: false, first: null, box: null, c: n, region: n.scope.region,
          kind: kind || (inherited ? inherited.kind : ''), level: kind ? level : inherited ? inherited.level : 0 };
      }

      // Controls.
      const ticks = tag === 'input' && /^(checkbox|radio|file)$/.test(el.type);
      const silent = /^(presentation|none)$/.test(el.getAttribute('role')) && c.control && !c.control.maybe;
      let role = silent ? '' : names.roleOf(el) || (visible ? widgets.roleOf(el, tag, r) : '');
      if (role === 'link' && widgets.tab(el)) role = 'tab';
      let control = null;
      const shell = role === 'textbox' ? widgets.shell(el) : null;
      const face = shell || (role ? faceOf(el, box, visible, n) : null);
      if (face && cs.visibility === 'visible' && (faint >= 0.05 || ticks || shell) && !(ticks && unseen(el))) {
        control = { text: '', first: null };
      } else {
        role = '';
      }
      const labelled = tag === 'label' && el.control && /^(checkbox|radio|file)$/.test(el.control.type) && visible && !dark && unseen(el.control);
      const menu = menus.get(el);
      const owns = menu && [...el.querySelectorAll(FOCUSABLE)].every((x) => menu.contains(x));
      const pointed = n.pointer && !c.pointer;
      const reacts = marks.reacts(el) || c.serves;
      n.serves = !role && visible && widgets.serves(el, cs);
      n.sorts = visible && widgets.sorts(el);
      const free = !c.control || (c.control.maybe && reacts);
      const maybe = !role && free && !labelled && !n.serves && visible && !dark && !(tag === 'label' && el.control) &&
        (pointed || grabbed || c.sorts || (reacts && !HOLDERS.test(tag)) || owns ||
          (el.tabIndex >= 0 && el.hasAttribute('tabindex') && !landmark && !c.control && el.scrollHeight <= el.clientHeight + 1)) &&
        box.w * box.h < 0.4 * vw * vh;
      if (control || labelled || maybe) {
        n.control = control = control || { text: '', first: null, maybe };
      }
      const before = elements.length, textsBefore = texts.length;
      const ownBefore = n.block.own;

      if (tag === 'iframe') {
        frame(el, r, n, depth, visible && !dark);
      } else if (tag === 'select') {
        for (const o of role ? widgets.optionsIn(el) : []) option(o, el, n);
      } else if (tag === 'svg' ? drawn(el) : cs.contentVisibility !== 'hidden' && tag !== 'textarea' && tag !== 'canvas' && tag !== 'video') {
        children(el, n, depth);
      }

      const inner = elements.length > before;
      if (role) {
        addElement(el, role, face, n, control);
      } else if (labelled) {
        addElement(el.control, names.roleOf(el.control), el, n, control);
      } else if (maybe && !inner && (squeeze(control.text) || tag === 'img' || tag === 'svg' || (reacts && painted(cs)) || isPicture(el))) {
        const clickable = n.pointer || owns || (reacts && n.sorted !== el && !moves(el)) || el.hasAttribute('onclick') || el.hasAttribute('tabindex');
        addElement(el, clickable ? 'clickable' : 'draggable', el, n, control);
        // The words of a lone control are its own now, those of a row stay the page's.
        if (!row && texts.length - textsBefore + (block && block.own ? 1 : 0) <= 1) {
          texts.length = Math.min(texts.length, textsBefore);
          n.block.own = block ? false : ownBefore;
        }
      } else if (maybe && inner && row && squeeze(control.text) && (pointed || reacts)) {
        addElement(el, 'clickable', el, n, control); // with controls of its own in it
      } else if (maybe && grabbed) {
        addElement(el, 'draggable', el, n, { text: '', first: null });
      }
      if (visible && !dark && zone(el, cs, box)) zones.push({ el, c: n });
      if (block) finishText(block);
    }

    // painted: there is something to be seen of a box without words.
    const painted = (cs) => sight.rgba(cs.backgroundColor)[3] > 0.05 || (parseFloat(cs.borderTopWidth) > 0 && sight.rgba(cs.borderTopColor)[3] > 0.05);

    // drawn: a picture with words or with parts that react.
    const drawn = (el) => marks.drawn.has(el) ||
      el.querySelector('text,foreignObject,a,[onclick],[tabindex],[role=button],[role=link],[style*=cursor],[cursor]') !== null;

    // option is one row of a list that shows several.
    function option(o, list, c) {
      const r = o.getBoundingClientRect(), edge = list.getBoundingClientRect();
      if (r.width < 1 || r.height < 1) return;
      const view = meet(c.view, { l: edge.left + c.ox, t: edge.top + c.oy, r: edge.right + c.ox, b: edge.bottom + c.oy });
      addElement(o, 'option', o, { ...c, view }, { text: o.label, first: null });
    }

    // zone: a place that says that things can be dropped on it: it listens for
    // them in its markup, or has the broken outline that stands for this.
    const zone = (el, cs, box) => box.w >= 40 && box.h >= 24 &&
      ((marks.over.has(el) && el !== document.body) || el.hasAttribute('ondrop') || el.hasAttribute('ondragover') || el.hasAttribute('aria-dropeffect') ||
        (cs.borderTopStyle === 'dashed' && cs.borderLeftStyle === 'dashed'));

    // Where something can be dragged, the places to drop it are worth seeing:
    // marked ones, and the boxes beside the one it lies in that are built alike.
    function addZones() {
      const held = elements.filter((e) => e.draggable && (e.role === 'draggable' || e.at.c.grab));
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
        if (known.has(z.el) || r.width < 40 || r.height < 24 || r.width * r.height > 0.6 * innerWidth * innerHeight) continue; // who listens for all of the page is no place on it
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
      marks.hear(doc);
      for (const [owner, box] of agent.menus(doc)) menus.set(owner, box);
      const edge = { l: r.left + c.ox + el.clientLeft, t: r.top + c.oy + el.clientTop };
      edge.r = edge.l + el.clientWidth;
      edge.b = edge.t + el.clientHeight;
      const view = meet(c.view, edge);
      const base = { hard: INFINITE, view };
      walk(doc.documentElement, { ...c, ox: edge.l, oy: edge.t, base, hard: base.hard, absHard: base.hard,
        view, absView: view, block: null, control: null, pointer: false, serves: false, sorts: false }, depth + 1);
    }

    const base = { hard: INFINITE, view: { l: 0, t: 0, r: vw, b: vh } };
    if (document.documentElement) {
      walk(document.documentElement, { ox: 0, oy: 0, base, hard: base.hard, absHard: base.hard, view: base.view,
        absView: base.view, scope: { region: -1 }, dialog: false, control: null, pointer: false, block: null,
        opacity: 1, dark: false, row: 0, whole: false, lists: 0, nested: false, cell: null, serves: false, sorts: false, sorted: null }, 0);
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

    for (const t of texts) {
      const { x, y, el } = t.at;
      t.at = undefined;
      if (!t.in_viewport) continue;
      const lines = [[x, y], [t.box.x + t.box.w / 2, t.box.y + t.box.h / 2]];
      t.covered = lines.slice(0, t.box.h > 2 * t.font_size ? 2 : 1).every(([at, on]) => sight.hidden(el, at, on)) || undefined;
    }
    widgets.finish(elements, refs);

    agent.refs = refs;
    agent.dialogs = dialogs;
    agent.layers = dialogs.layers;
    return fit({
      url: cut(location.href, 4000),
      title: cut(document.title, 300),
      lang: document.documentElement ? cut(document.documentElement.lang, 40) : '',
      viewport: { width: vw, height: vh },
      scroll_y: round(scrollY),
      height: Math.max(root.scrollHeight, document.body ? document.body.scrollHeight : 0),
      elements: visual(elements),
      texts: visual(texts),
      regions,
      truncated,
      vitals: agent.speed(),
      limits: bounds,
      selectors_visible: wanted.filter(agent.showing),
    });
  };
})();

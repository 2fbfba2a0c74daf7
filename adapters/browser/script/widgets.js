// Controls that pages make themselves, told by how they are built, where they
// stand and what listens to them, never by what their classes are called.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.widgets) return;
  const { marks } = agent;
  const widgets = {};
  agent.widgets = widgets;

  // editable: an element that text is typed into, other than a form's field.
  widgets.editable = (el) => el.isContentEditable === true || (el === el.ownerDocument.body && el.ownerDocument.designMode === 'on');

  // shell is the box that a page draws around a field that is there for the keys
  // only: editors show the text themselves. Null for a field that shows.
  widgets.shell = (el) => {
    if (el.localName !== 'textarea') return null;
    const r = el.getBoundingClientRect();
    if (r.width > 4 && r.height > 4 && getComputedStyle(el).opacity !== '0' && r.right > 0 && r.bottom + scrollY > 0) return null;
    for (let p = el.parentElement, i = 0; p && i < 5; p = p.parentElement, i++) {
      if (p.matches('form,body,main') || p.querySelectorAll('input,select,textarea').length > 1) return null;
      const b = p.getBoundingClientRect();
      if (b.width >= 100 && b.height >= 30) return p;
    }
    return null;
  };
  widgets.rich = (el) => (widgets.editable(el) && el.getAttribute('contenteditable') !== 'plaintext-only') || widgets.shell(el) !== null;

  // ---- handles ------------------------------------------------------------

  // track is what the handle of a slider moves along: a long thin box without
  // words that holds it, null for anything else.
  function track(el) {
    const box = el.parentElement, r = el.getBoundingClientRect();
    if (!box || r.width < 4 || r.height < 4 || r.width > 48 || r.height > 48 || box.childElementCount > 8 || /\S/.test(box.textContent) ||
      box.querySelector('input,select,button,img')) return null;
    const b = box.getBoundingClientRect();
    const lying = b.width >= 3 * r.width && b.height <= 2.5 * r.height, standing = b.height >= 3 * r.height && b.width <= 2.5 * r.width;
    if (!lying && !standing) return null;
    return /^(absolute|relative)$/.test(getComputedStyle(el).position) ? { b, r, lying } : null;
  }
  const handle = (el) => (el.hasAttribute('tabindex') || marks.down.has(el) || (el.parentElement !== null && marks.down.has(el.parentElement)) ? track(el) : null);

  // position is how far a handle has been moved along its track, '' for others.
  widgets.position = (el) => {
    const at = handle(el);
    if (!at) return '';
    const { b, r, lying } = at;
    const part = lying ? (r.left + r.width / 2 - b.left) / b.width : (b.bottom - r.top - r.height / 2) / b.height;
    return Math.round(100 * Math.min(1, Math.max(0, part))) + '%';
  };

  // roleOf is the role of a control that the page has made itself, else ''.
  widgets.roleOf = (el, tag, r) => {
    if (tag === 'body') return el.ownerDocument.designMode === 'on' ? 'textbox' : '';
    return /^(span|div|a|i)$/.test(tag) && r.width <= 48 && r.height <= 48 && handle(el) ? 'slider' : '';
  };

  // ---- tabs ---------------------------------------------------------------

  let lists = new Map();
  widgets.begin = () => { lists = new Map(); };

  // tab: links of one list that name parts of this page, of which one shows, are
  // tabs. It says 'open' for the tab whose part shows, 'shut', or '' for no tab.
  widgets.tab = (el) => {
    const href = el.localName === 'a' && el.getAttribute('href');
    if (!href || href.length < 2 || href[0] !== '#') return '';
    const list = el.closest('ul,ol,nav,menu') || el.parentElement;
    if (!list) return '';
    let found = lists.get(list);
    if (!found) {
      const links = [...list.querySelectorAll('a[href]')];
      found = new Map();
      for (const a of links.length <= 20 ? links : []) {
        const hash = a.getAttribute('href');
        let id = hash.slice(1);
        try { id = decodeURIComponent(id); } catch { /* as it stands */ }
        const part = hash[0] === '#' && id && a.ownerDocument.getElementById(id);
        if (part && !part.contains(list)) found.set(a, part.checkVisibility());
      }
      if (found.size !== links.length || found.size < 2 || [...found.values()].filter(Boolean).length !== 1) found.clear();
      lists.set(list, found);
    }
    return found.has(el) ? (found.get(el) ? 'open' : 'shut') : '';
  };

  // ---- lists that take the clicks of what is in them ----------------------

  // serves: it listens for clicks on its children, which are all alike.
  widgets.serves = (el, cs) => {
    if (!marks.click.has(el) || cs.cursor === 'pointer' || el === el.ownerDocument.body) return false;
    const kids = [...el.children].slice(0, 100);
    if (kids.length < 2 || kids.some((k) => k.localName !== kids[0].localName || !/\S/.test(k.textContent))) return false;
    if (/^(ul|ol|tbody|menu)$/.test(el.localName)) return true;
    const boxes = kids.map((k) => k.getBoundingClientRect());
    return kids.length >= 3 && boxes.every((b) => Math.abs(b.height - boxes[0].height) <= 2 && Math.abs(b.width - boxes[0].width) <= 2);
  };

  // sorts: it follows what is held down in it, and its children, which are all
  // alike, can be dragged to another place among them.
  widgets.sorts = (el) => marks.down.has(el) && (marks.click.has(el) || marks.over.has(el)) && el.childElementCount >= 2 && [...el.children].every((k) => k.localName === el.firstElementChild.localName);

  // ---- what only the whole page shows -------------------------------------

  // finish names and sorts what only its neighbours explain: the two small
  // buttons that stand one upon the other at a field count it up and down, and
  // what hangs below the field with the cursor are suggestions for it.
  widgets.finish = (elements, refs) => {
    const small = elements.filter((e) => /^(button|clickable|link|draggable)$/.test(e.role) && e.box.w <= 40 && e.box.h <= 30 &&
      (e.name_source === 'shape' || !/[\p{L}\p{N}]/u.test(e.name))).slice(0, 100);
    for (const upper of small) {
      const lower = small.find((e) => e !== upper && Math.abs(e.box.x - upper.box.x) <= 2 && Math.abs(e.box.y - upper.box.y - upper.box.h) <= 5);
      if (!lower || !elements.some((f) => /^(textbox|spinbutton)$/.test(f.role) && f.box.y < lower.box.y + lower.box.h &&
        f.box.y + f.box.h > upper.box.y && Math.abs(f.box.x + f.box.w - upper.box.x - upper.box.w / 2) <= 40)) continue;
      upper.name = 'up';
      lower.name = 'down';
      for (const e of [upper, lower]) {
        e.name_source = 'icon';
        e.role = 'button';
        e.draggable = undefined;
      }
    }
    const field = elements.find((e) => e.focused && /^(textbox|searchbox|combobox)$/.test(e.role) && !e.multiline);
    for (const e of field ? elements : []) {
      if ((e.role !== 'clickable' && e.role !== 'menuitem') || e.box.y < field.box.y + field.box.h - 4) continue;
      if (e.box.x > field.box.x + field.box.w || e.box.x + e.box.w < field.box.x) continue;
      for (let p = refs.get(e.ref).el, i = 0; p && i < 4; p = p.parentElement, i++) {
        if (!/^(absolute|fixed)$/.test(getComputedStyle(p).position)) continue;
        if (Math.abs(p.getBoundingClientRect().top - field.box.y - field.box.h) <= 16) e.role = 'option';
        break;
      }
    }
  };

  // optionsIn are the rows that a list of several rows shows.
  widgets.optionsIn = (el) => (el.multiple || el.size > 1 ? [...el.options].slice(0, 300) : []);
})();

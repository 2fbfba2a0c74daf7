// What things are called and what they are: roles, accessible names and
// selectors.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.names) return;
  const names = {};
  agent.names = names;

  const squeeze = (s) => s.replace(/[\s\u00a0]+/g, ' ').trim();
  names.squeeze = squeeze;
  names.cut = (s, n) => (s.length > n ? s.slice(0, n) : s);

  const ROLES = new Set(['link', 'button', 'textbox', 'searchbox', 'checkbox', 'radio', 'combobox',
    'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'switch', 'slider', 'spinbutton', 'option',
    'listbox', 'treeitem']);
  const INPUTS = { checkbox: 'checkbox', radio: 'radio', button: 'button', submit: 'button', reset: 'button',
    image: 'button', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file' };
  const FROM_CONTENT = new Set(['link', 'button', 'checkbox', 'radio', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'tab', 'switch', 'option', 'treeitem', 'clickable', 'draggable', 'dropzone']);

  // roleOf returns the role of something that can be acted on, else ''.
  names.roleOf = (el) => {
    const given = (el.getAttribute('role') || '').trim().split(/\s+/)[0];
    if (ROLES.has(given)) return given;
    switch (el.localName) {
      case 'a':
      case 'area': return el.hasAttribute('href') ? 'link' : '';
      case 'button': return 'button';
      case 'select': return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
      case 'textarea': return 'textbox';
      case 'summary': return el.parentElement && el.parentElement.localName === 'details' ? 'button' : '';
      case 'input':
        if (el.type === 'hidden') return '';
        if (el.hasAttribute('list')) return 'combobox';
        return INPUTS[el.type] || 'textbox';
    }
    const edit = el.getAttribute('contenteditable');
    if (edit !== null && edit !== 'false') return 'textbox';
    return '';
  };

  // contentOf joins the words inside an element as assistive technology would:
  // hidden parts left out, pictures by their alternative text.
  function contentOf(el, from, depth) {
    if (depth > 40) return '';
    let out = '';
    for (const n of el.shadowRoot ? el.shadowRoot.childNodes : el.childNodes) {
      if (n.nodeType === 3) {
        if (/\S/.test(n.data)) from.text = true;
        out += n.data;
        continue;
      }
      if (n.nodeType !== 1) continue;
      const tag = n.localName;
      if (tag === 'script' || tag === 'style' || tag === 'template') continue;
      if (n.getAttribute('aria-hidden') === 'true') continue;
      const cs = getComputedStyle(n);
      if (cs.display === 'none' || cs.visibility === 'hidden') continue;
      const label = n.getAttribute('aria-label');
      if (label && label.trim()) {
        from.aria = true;
        out += ' ' + label + ' ';
      } else if (tag === 'img') {
        if (n.alt.trim()) from.alt = true;
        out += ' ' + n.alt + ' ';
      } else if (tag === 'svg') {
        const title = n.querySelector('title');
        if (title && title.textContent.trim()) {
          from.title = true;
          out += ' ' + title.textContent + ' ';
        }
      } else if (tag === 'select' || tag === 'textarea' || tag === 'input') {
        continue;
      } else if (tag === 'slot') {
        for (const a of n.assignedNodes()) {
          if (a.nodeType === 3) { from.text = from.text || /\S/.test(a.data); out += a.data; }
          else if (a.nodeType === 1) out += contentOf(a, from, depth + 1);
        }
      } else {
        const inner = contentOf(n, from, depth + 1);
        out += cs.display.startsWith('inline') ? inner : ' ' + inner + ' ';
      }
      if (out.length > 2000) break;
    }
    return out;
  }
  names.contentOf = (el) => squeeze(contentOf(el, {}, 0));

  names.byIds = (el, attr) => {
    const ids = el.getAttribute(attr);
    if (!ids) return '';
    const root = el.getRootNode();
    return squeeze(ids.trim().split(/\s+/).map((id) => {
      const target = root.getElementById ? root.getElementById(id) : null;
      if (!target) return '';
      const label = target.getAttribute('aria-label');
      return label || (getComputedStyle(target).display === 'none' ? target.textContent : contentOf(target, {}, 0));
    }).join(' '));
  };

  // nameOf computes an accessible name and says where it came from, in the order
  // of W3C's "Accessible Name and Description Computation" and HTML-AAM.
  names.nameOf = (el, role) => {
    const done = (name, source) => ({ name: names.cut(squeeze(name), 300), source });
    const byRef = names.byIds(el, 'aria-labelledby');
    if (byRef) return done(byRef, 'aria');
    const aria = squeeze(el.getAttribute('aria-label') || '');
    if (aria) return done(aria, 'aria');
    if (el.labels && el.labels.length) {
      const text = squeeze([...el.labels].map((l) => contentOf(l, {}, 0)).join(' '));
      if (text) return done(text, 'label');
    }
    if (el.localName === 'option') return done(el.label, 'text');
    if (el.localName === 'input') {
      if (/^(submit|reset|button)$/.test(el.type)) {
        const text = squeeze(el.value) || { submit: 'Submit', reset: 'Reset', button: '' }[el.type];
        if (text) return done(text, 'value');
      }
      if (el.type === 'image' && squeeze(el.alt)) return done(el.alt, 'alt');
    }
    if (el.localName === 'area' && squeeze(el.alt)) return done(el.alt, 'alt');
    if (FROM_CONTENT.has(role)) {
      const from = {};
      const text = squeeze(contentOf(el, from, 0));
      if (text) return done(text, from.text ? 'text' : from.aria ? 'aria' : from.alt ? 'alt' : 'title');
    }
    const frame = el === el.ownerDocument.body && el.ownerDocument.defaultView.frameElement;
    const title = squeeze(el.getAttribute('title') || (frame && (frame.getAttribute('aria-label') || frame.title)) || '');
    if (title) return done(title, 'title');
    const placeholder = squeeze(el.getAttribute('placeholder') || el.getAttribute('aria-placeholder') || '');
    if (placeholder) return done(placeholder, 'placeholder');
    return { name: '', source: '' };
  };

  // headingOf is what a part of the page is headed by: its label or first heading.
  names.headingOf = (el) => {
    const label = names.byIds(el, 'aria-labelledby') || squeeze(el.getAttribute('aria-label') || '');
    if (label) return names.cut(label, 120);
    const h = el.querySelector('h1,h2,h3,h4,h5,h6,[role=heading],legend');
    return h ? names.cut(squeeze(h.childElementCount ? h.innerText : h.textContent), 120) : '';
  };

  // groupOf is the question that a field answers together with others: what its
  // fieldset, group or radio group is called, "" for none.
  names.groupOf = (el) => {
    if (!/^(input|select|textarea)$/.test(el.localName) && !/^(radio|checkbox|switch|combobox|textbox)$/.test(el.getAttribute('role') || '')) return '';
    const group = el.closest('fieldset,[role=radiogroup],[role=group]');
    if (!group) return '';
    const legend = group.localName === 'fieldset' ? group.querySelector('legend') : null;
    const text = names.byIds(group, 'aria-labelledby') || squeeze(group.getAttribute('aria-label') || '') ||
      (legend && legend.closest('fieldset') === group ? names.contentOf(legend) : '');
    return names.cut(text, 200);
  };

  // ---- selectors ----------------------------------------------------------

  // steady says whether an id or name looks written by a person: those that
  // frameworks make up change from one build or visit to the next.
  const steady = (s) => s.length > 0 && s.length <= 40 && /^[A-Za-z][\w-]*$/.test(s) &&
    !/\d{4,}|[0-9a-f]{8,}|__|^(?:ember|react|radix|headlessui|mui|ng|yui|ext)[-\d]/i.test(s);

  names.selectors = () => {
    const counts = new Map(); // root -> { id, name, href } -> how many
    const orders = new Map(); // parent -> child -> nth-of-type, and how many
    const paths = new Map();
    function count(root) {
      let c = counts.get(root);
      if (c) return c;
      c = new Map();
      const add = (key) => c.set(key, (c.get(key) || 0) + 1);
      for (const el of root.querySelectorAll('[id],[name],a[href]')) {
        if (el.id) add('#' + el.id);
        const name = el.getAttribute('name');
        if (name) add(el.localName + '@' + name + '=' + (el.type === 'radio' ? el.value : ''));
        if (el.localName === 'a') add('>' + el.getAttribute('href'));
      }
      counts.set(root, c);
      return c;
    }
    function order(el) {
      const parent = el.parentNode;
      let o = orders.get(parent);
      if (!o) {
        o = new Map();
        const seen = new Map();
        for (const child of parent.children) {
          const n = (seen.get(child.localName) || 0) + 1;
          seen.set(child.localName, n);
          o.set(child, n);
        }
        o.total = seen;
        orders.set(parent, o);
      }
      return o.total.get(el.localName) > 1 ? `:nth-of-type(${o.get(el)})` : '';
    }
    function anchor(el, c) {
      if (el.id && steady(el.id) && c.get('#' + el.id) === 1) return '#' + el.id;
      return '';
    }
    function path(el, c, depth) {
      const known = paths.get(el);
      if (known) return known;
      const own = anchor(el, c);
      const up = el.parentElement;
      let p;
      if (own) p = own;
      else if (!up || el.localName === 'body' || depth > 60) p = el.localName;
      else p = path(up, c, depth + 1) + ' > ' + CSS.escape(el.localName) + order(el);
      paths.set(el, p);
      return p;
    }
    const quote = (s) => '"' + s.replace(/["\\]/g, '\\$&') + '"';
    const within = (el) => {
      const root = el.getRootNode();
      const c = count(root);
      const name = el.getAttribute('name');
      const value = el.type === 'radio' ? el.value : '';
      if (name && steady(name) && value.length <= 80 && !anchor(el, c) && c.get(el.localName + '@' + name + '=' + value) === 1) {
        return `${el.localName}[name=${quote(name)}]` + (value ? `[value=${quote(value)}]` : '');
      }
      const href = el.localName === 'a' ? el.getAttribute('href') : null;
      if (href && href.length <= 80 && !/[\n?#]/.test(href) && c.get('>' + href) === 1) return `a[href=${quote(href)}]`;
      return path(el, c, 0);
    };
    // Shadow hosts and frames are written before what is inside them.
    return (el) => {
      let out = within(el);
      for (let n = el, i = 0; i < 10; i++) {
        const root = n.getRootNode();
        if (root instanceof ShadowRoot) n = root.host;
        else if (root.defaultView && root.defaultView !== window && root.defaultView.frameElement) n = root.defaultView.frameElement;
        else break;
        out = within(n) + ' >>> ' + out;
      }
      return out;
    };
  };
})();

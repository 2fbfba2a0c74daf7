// The states of controls: what they hold, whether they are open, chosen,
// writable, and what they say they open.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.states) return;
  const { names } = agent;
  const { squeeze, cut } = names;
  const states = {};
  agent.states = states;

  const POPUPS = new Set(['menu', 'listbox', 'tree', 'grid', 'dialog']);
  const LISTS = 'ul,ol,[role=group],[role=tree],[role=list]';
  const ITEMS = 'a[href],button,[role=menuitem],[role=option],input:not([type=hidden])';
  const is = (el, name) => el.getAttribute(name) === 'true';
  const shown = (el) => el.checkVisibility({ visibilityProperty: true }) && el.getBoundingClientRect().height >= 2;
  // leaves: following it leads to another page.
  const leaves = (el) => el.localName === 'a' && el.hasAttribute('href') && !/^(#|javascript:|$)/.test(el.getAttribute('href'));

  states.optionsOf = (el) => {
    const list = el.localName === 'select' ? el : el.list;
    if (!list) return undefined;
    const out = [];
    for (const o of list.options) {
      if (out.length >= 300) break;
      if (!o.disabled) out.push(cut(squeeze(list === el ? o.label : o.value), 200));
    }
    return out;
  };

  states.valueOf = (el, face) => {
    if (agent.sealed(el)) return ('value' in el ? el.value : el.textContent) ? '•••' : '';
    if (agent.widgets.editable(el)) return cut(squeeze(el.textContent), 200);
    switch (el.localName) {
      case 'option': return '';
      case 'select': return cut([...el.selectedOptions].map((o) => squeeze(o.label)).join(', '), 200);
      case 'textarea': return cut(el.value || (face !== el ? squeeze(face.innerText || '') : ''), 8000);
      case 'input':
        if (/^(checkbox|radio|submit|button|reset|image)$/.test(el.type)) return '';
        if (el.type === 'password') return '•'.repeat(Math.min(el.value.length, 12));
        return cut(el.value, 200);
    }
    const said = el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow');
    return cut(said || agent.widgets.position(el), 200);
  };

  // beneath finds the box that a head without words about it opens and closes:
  // the list inside its own item, the part behind it where several heads have
  // one, or a hidden list of things right behind it.
  function beneath(el) {
    const item = el.closest('li,[role=treeitem]');
    if (item && item !== el) {
      const list = item.querySelector(LISTS);
      const own = list && !list.contains(el) && list.parentElement.closest('li,[role=treeitem]') === item;
      return own && el.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING ? list : null;
    }
    const up = el.parentElement;
    const head = up && up.matches('h1,h2,h3,h4,h5,h6,dt') && up.childElementCount === 1 ? up : el;
    const part = head.nextElementSibling;
    if (!part || !head.parentElement || !part.matches('div,section,ul,ol,dd,p,menu') || part.matches('[role=alert],[role=dialog],[aria-live]')) return null;
    if (!shown(part) && !el.form && part.querySelector(ITEMS)) return part;
    if (!/\S/.test(part.textContent)) return null;
    const heads = [];
    for (let h = head.parentElement.firstElementChild, i = 0; h && i < 60; h = h.nextElementSibling, i++) {
      const next = h.nextElementSibling;
      if (h.localName === head.localName && next && next.localName === part.localName && h.localName !== part.localName) heads.push(h);
    }
    return heads.length >= 2 && heads.some((h) => !shown(h.nextElementSibling)) ? part : null;
  }

  states.expandedOf = (el, role) => {
    const aria = el.getAttribute('aria-expanded');
    if (aria === 'true' || aria === 'false') return aria;
    if (el.localName === 'summary' && el.parentElement && el.parentElement.localName === 'details') {
      return String(el.parentElement.open);
    }
    // Pages that do not say it show it: a triangle points at what is closed,
    // and down at what is open.
    const mark = /^[►▸▹⯈▼▾▿⯆]/.exec(squeeze(el.textContent));
    if (mark) return String('▼▾▿⯆'.includes(mark[0]));
    if (!/^(button|clickable|link|treeitem)$/.test(role) || leaves(el) || (el.type === 'submit' && el.form)) return undefined;
    const part = role === 'treeitem' ? el.querySelector(LISTS) : beneath(el);
    return part ? String(shown(part)) : undefined;
  };

  // heldBy lists the links that a closed control keeps hidden: those of its
  // details, or of the box that it says or shows that it controls.
  states.heldBy = (el, expanded, selector) => {
    if (expanded !== 'false') return undefined;
    const box = el.localName === 'summary' ? el.parentElement :
      el.ownerDocument.getElementById((el.getAttribute('aria-controls') || '').split(' ')[0]) || (el.hasAttribute('aria-expanded') ? null : beneath(el));
    if (!box) return undefined;
    const out = [];
    for (const a of [...box.querySelectorAll('a[href]')].slice(0, 100)) {
      if (out.length >= 20 || a.checkVisibility({ visibilityProperty: true })) continue;
      out.push({ name: cut(squeeze(a.getAttribute('aria-label') || a.textContent), 300), selector: selector(a), href: cut(a.href, 2000) });
    }
    return out;
  };

  function popupOf(el, role) {
    const said = el.getAttribute('aria-haspopup');
    if (said === 'true') return 'menu';
    if (POPUPS.has(said)) return said;
    return role === 'combobox' ? 'listbox' : undefined;
  }

  function selected(el, role) {
    const current = el.getAttribute('aria-current');
    if (is(el, 'aria-selected') || (current && current !== 'false')) return true;
    if (el.localName === 'option') return el.selected;
    const row = /^(clickable|link|button)$/.test(role) && el.closest('tr,[role=row],[role=option],[role=tab],[role=treeitem],li');
    if (row && row !== el && is(row, 'aria-selected')) return true;
    return role === 'tab' && agent.widgets.tab(el) === 'open';
  }

  // of tells the states that hold for any kind of control; undefined is left out.
  states.of = (el, role, name) => {
    const rich = agent.widgets.rich(el), edit = agent.widgets.editable(el);
    const tip = squeeze(el.getAttribute('title') || '');
    const focus = agent.active();
    return {
      selected: selected(el, role) || undefined,
      multiline: rich || edit || el.localName === 'textarea' || is(el, 'aria-multiline') || undefined,
      rich: rich || undefined,
      read_only: (el.readOnly === true && el.localName !== 'select') || is(el, 'aria-readonly') || undefined,
      focused: focus === el || (edit && el.contains(focus)) || undefined,
      popup: popupOf(el, role),
      tip: tip && tip !== name ? cut(tip, 200) : undefined,
    };
  };
})();

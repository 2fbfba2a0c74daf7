// Rows, items and cards: what stands together, and what the cells of a table
// are headed by.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.rows) return;
  const { cut, contentOf } = agent.names;
  const rows = {};
  agent.rows = rows;

  const ROWS = /^(row|listitem|treeitem|option|article)$/;
  const SKIP = /^(script|style|template|link|meta|br|hr)$/;
  const TABLES = 'table,[role=table],[role=grid],[role=treegrid]';
  const HEADS = 'th,[role=columnheader],[role=rowheader]';
  const LISTS = /^(tree|group|list)$/;

  let groups = new Map(), tables = new Map(), count = 0;
  rows.begin = () => {
    groups = new Map();
    tables = new Map();
    count = 0;
  };

  // builtOf is how an element is built, two levels deep.
  function builtOf(el) {
    let out = '', n = 0;
    for (const a of el.children) {
      out += a.localName + '(';
      for (const b of a.children) {
        if (++n > 12) return out;
        out += b.localName + ' ';
      }
      out += ')';
      if (++n > 12) return out;
    }
    return n >= 2 ? out : '';
  }

  // group finds the cards among an element's children: three or more of a kind,
  // most of them built alike, with the same width or height.
  function group(parent) {
    let g = groups.get(parent);
    if (g) return g;
    g = { cards: new Set(), line: true };
    groups.set(parent, g);
    const kids = [...parent.children].filter((k) => !SKIP.test(k.localName));
    if (kids.length < 3 || kids.length > 1000) return g;
    const built = new Map();
    let most = 0;
    for (const k of kids) {
      if (k.localName !== kids[0].localName) return g;
      const b = builtOf(k);
      if (!b) continue;
      built.set(b, (built.get(b) || 0) + 1);
      most = Math.max(most, built.get(b));
    }
    if (most < 3 || most < 0.6 * kids.length) return g;
    const boxes = kids.map((k) => k.getBoundingClientRect()).filter((b) => b.width >= 1 && b.height >= 1);
    if (boxes.length < 3) return g;
    const alike = (side) => boxes.filter((b) => Math.abs(b[side] - boxes[0][side]) <= 2).length >= 0.8 * boxes.length;
    if (!alike('width') && !alike('height')) return g;
    g.line = boxes.every((b) => Math.abs(b.top - boxes[0].top) <= 4);
    g.cards = new Set(kids);
    return g;
  }

  // whole: the markup itself says that this is one row.
  rows.whole = (el, tag) => tag === 'tr' || tag === 'li' || tag === 'article' || ROWS.test(el.getAttribute('role') || '');

  // starts gives the number of the row that begins with an element, 0 if none
  // does. What the markup calls a row stays whole; the cards of a row are cells.
  rows.starts = (el, tag, cs, c) => {
    if (rows.whole(el, tag)) return ++count;
    const up = el.parentElement;
    if (c.whole || !up || up.childElementCount < 3 || cs.display === 'inline' || cs.display === 'contents') return 0;
    if (/^(td|th|tbody|thead)$/.test(tag) || el.ownerSVGElement) return 0;
    const g = group(up);
    return g.cards.has(el) && !(g.line && c.row) ? ++count : 0;
  };

  // levelOf is how deep an item lies in a tree or in lists within lists.
  rows.levelOf = (el, c) => {
    if (!c.row) return 0;
    const item = el.closest('[aria-level]');
    const said = item && item.getAttribute('role') !== 'heading' ? parseInt(item.getAttribute('aria-level'), 10) : 0;
    return said > 0 ? said : c.nested ? c.lists : 0;
  };
  rows.list = (el, tag) => tag === 'ul' || tag === 'ol' || LISTS.test(el.getAttribute('role') || '');
  rows.holdsLists = (el) => el.querySelector('ul,ol,[role=group]') !== null;

  const column = (cell) => {
    let n = 0;
    for (let s = cell.previousElementSibling; s; s = s.previousElementSibling) n += s.colSpan || 1;
    return n;
  };

  // headsOf lists the heads of a table's columns.
  function headsOf(table) {
    let heads = tables.get(table);
    if (heads) return heads;
    heads = [];
    tables.set(table, heads);
    const lines = [...table.querySelectorAll('tr,[role=row]')].slice(0, 5);
    const top = lines.filter((l) => l.closest('thead') ||
      (l.childElementCount > 1 && [...l.children].every((k) => k.matches('th,[role=columnheader],td:empty')))).pop();
    for (const k of top ? top.children : []) {
      for (let i = 0; i < Math.min(k.colSpan || 1, 50); i++) heads.push(k);
    }
    return heads;
  }

  // headOf is what a cell or a definition is about, '' for anything else.
  rows.headOf = (cell) => {
    if (cell.localName === 'dd') {
      let s = cell.previousElementSibling;
      while (s && s.localName === 'dd') s = s.previousElementSibling;
      return s && s.localName === 'dt' ? cut(contentOf(s), 120) : '';
    }
    const table = cell.closest(TABLES), line = cell.parentElement;
    if (!table || !line || cell.matches('[role=columnheader]')) return '';
    const top = headsOf(table)[column(cell)];
    if (top && top.parentElement === line) return '';
    const side = [...line.children].slice(0, 5).find((k) => k.matches(HEADS) && k !== cell);
    return [top, side].filter(Boolean).map((h) => cut(contentOf(h), 120)).filter(Boolean).join(', ');
  };
})();

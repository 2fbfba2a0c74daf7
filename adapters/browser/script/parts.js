// What the parts of a page are (landmarks, layers, kinds of text) and which of
// them are there for the eye. Nothing is taken from class names.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.parts) return;
  const { names } = agent;
  const parts = {};
  agent.parts = parts;

  const HEADINGS = /^h[1-6]$/;
  const WORDS = /[\p{L}\p{N}]/u;
  parts.HEADINGS = HEADINGS;
  parts.WORDS = WORDS;

  const LANDMARKS = { banner: 'banner', navigation: 'navigation', main: 'main', complementary: 'complementary',
    contentinfo: 'contentinfo', form: 'form', search: 'search', region: 'section', dialog: 'dialog', alertdialog: 'dialog' };

  parts.landmarkOf = (el, tag, cs, layered) => {
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
    return !layered && overlay(el, cs) ? 'dialog' : '';
  };

  // overlay: a raised layer with words, with something else of the page under it:
  // fixed over a good part of the window, or above a veil that lies over all of it.
  function overlay(el, cs) {
    if (cs.position !== 'fixed' && cs.position !== 'absolute' || !(parseInt(cs.zIndex, 10) >= 1) || cs.pointerEvents === 'none') return false;
    const r = el.getBoundingClientRect();
    const w = Math.min(r.right, innerWidth) - Math.max(r.left, 0), h = Math.min(r.bottom, innerHeight) - Math.max(r.top, 0);
    if (w <= 0 || h <= 0 || !WORDS.test(el.textContent)) return false;
    if ((cs.position !== 'fixed' || w * h < 0.3 * innerWidth * innerHeight) && !veiled(el, r)) return false;
    const x = Math.max(r.left, 0) + w / 2, y = Math.max(r.top, 0) + h / 2;
    return el.ownerDocument.elementsFromPoint(x, y).some((n) => !el.contains(n) && !n.contains(el));
  }

  // veiled: between a layer and the page lies one without words that covers the window.
  function veiled(el, r) {
    const at = [[2, 2], [innerWidth - 3, innerHeight - 3]].find(([x, y]) => x < r.left || x > r.right || y < r.top || y > r.bottom);
    const veil = at && el.ownerDocument.elementFromPoint(...at);
    if (!veil || el.contains(veil) || veil.contains(el) || WORDS.test(veil.textContent)) return false;
    const cs = getComputedStyle(veil), v = veil.getBoundingClientRect();
    if (cs.position !== 'fixed' && cs.position !== 'absolute' || v.width < 0.9 * innerWidth || v.height < 0.9 * innerHeight) return false;
    const on = el.ownerDocument.elementsFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
    return on.findIndex((n) => el.contains(n)) < on.indexOf(veil);
  }

  parts.kindOf = (el, tag) => {
    const role = el.getAttribute('role');
    const live = el.getAttribute('aria-live');
    if (role === 'alert' || live === 'assertive') return 'alert';
    if (role === 'status' || live === 'polite' || tag === 'output') return 'status';
    if (HEADINGS.test(tag) || role === 'heading') return 'heading';
    if (tag === 'li' || tag === 'dt' || tag === 'dd' || role === 'listitem') return 'item';
    if (tag === 'td' || tag === 'th' || role === 'cell' || role === 'gridcell' || role === 'columnheader') return 'cell';
    if (tag === 'label' || tag === 'legend' || tag === 'figcaption' || tag === 'caption') return 'label';
    return '';
  };

  // Visually hidden text (for screen readers only) is not seen.
  parts.clipped = (cs, r) => {
    if (cs.clipPath.startsWith('inset(50%') || cs.clipPath.startsWith('inset(100%')) return true;
    if (cs.position === 'absolute' && /^rect\((0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?\)$/.test(cs.clip)) return true;
    return r.width <= 1 && r.height <= 1 && cs.overflowX !== 'visible' && cs.display !== 'inline';
  };

  // A tick box that is drawn by its label is not itself to be seen.
  parts.unseen = (control) => {
    if (!control.checkVisibility({ visibilityProperty: true })) return true;
    const r = control.getBoundingClientRect();
    return r.width <= 2 || r.height <= 2 || r.right <= 0 || r.bottom + scrollY <= 0 || parts.clipped(getComputedStyle(control), r);
  };

  parts.isPicture = (el) => {
    if (el.ownerSVGElement || el.querySelector('img,svg,canvas,picture')) return true;
    for (const n of [el, ...el.querySelectorAll('*')].slice(0, 10)) {
      const cs = getComputedStyle(n);
      if (cs.backgroundImage !== 'none' || cs.maskImage !== 'none' || cs.content.startsWith('url(')) return true;
      for (const p of ['::before', '::after']) {
        const ps = getComputedStyle(n, p);
        if (ps.content !== 'none' && ps.content !== 'normal' && ps.content !== '""') return true;
      }
    }
    return false;
  };

  // visual puts boxes in reading order: rows from the top, each from the left.
  // Two boxes stand in a row if their middles differ by less than half the
  // height of the lower one.
  parts.visual = (list) => {
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
  };
})();

// Menus that open when they are pointed at, told by what the style sheets do
// and by how the page is built, never by what things are called.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.menus) return;

  const ITEMS = 'a[href],button,[role=menuitem],input:not([type=hidden])';
  const POINTED = /:(?:hover|focus-within)(?![-\w(])/;
  const STATES = /:(?:hover|focus-within|focus-visible|focus|active)(?![-\w(])/g;
  const SHOWING = ['display', 'visibility', 'opacity', 'height', 'max-height', 'transform', 'scale', 'clip-path', 'clip', 'left', 'right', 'top'];
  const maxRules = 60; // of a page; more are not looked at

  const known = new WeakMap(); // style sheet -> { count, rules }

  // apart splits a selector list at its outer commas.
  function apart(list) {
    const out = [];
    let depth = 0, from = 0;
    for (let i = 0; i < list.length; i++) {
      if (list[i] === '(' || list[i] === '[') depth++;
      else if (list[i] === ')' || list[i] === ']') depth--;
      else if (list[i] === ',' && depth === 0) { out.push(list.slice(from, i)); from = i + 1; }
    }
    out.push(list.slice(from));
    return out;
  }

  // read takes the rules by which pointing at one box shows another one.
  function read(rules, out) {
    for (const rule of rules) {
      if (out.length >= maxRules) return;
      if (rule.selectorText && POINTED.test(rule.selectorText) && SHOWING.some((p) => rule.style.getPropertyValue(p) !== '')) {
        for (const one of apart(rule.selectorText)) {
          const at = POINTED.exec(one);
          if (!at || one.includes(':not(:hover') || one.includes('&')) continue;
          const rest = /^[^\s>+~]*(\s*[\s>+~]\s*)(.+)$/.exec(one.slice(at.index));
          if (!rest) continue; // it only changes what is pointed at
          const owner = one.slice(0, at.index) + one.slice(at.index).match(/^[^\s>+~]*/)[0];
          const clean = (s) => s.replace(STATES, '').replace(/(^|[\s>+~])(?=$|[\s>+~])/g, '$1*').trim();
          out.push({ owner: clean(owner), box: one.replace(STATES, '').trim(), beside: /[+~]/.test(rest[1]) });
        }
      }
      if (rule.cssRules && rule.cssRules.length) read(rule.cssRules, out);
    }
  }

  function rulesOf(doc) {
    const out = [];
    for (const sheet of doc.styleSheets) {
      let list;
      try { list = sheet.cssRules; } catch { continue; } // of another origin
      let k = known.get(sheet);
      if (!k || k.count !== list.length) {
        k = { count: list.length, rules: [] };
        read(list, k.rules);
        known.set(sheet, k);
      }
      out.push(...k.rules);
    }
    return out.slice(0, maxRules);
  }

  function hidden(box) {
    if (!box.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return true;
    const r = box.getBoundingClientRect();
    return r.width < 2 || r.height < 2 || r.right < 0 || r.bottom + scrollY < 0;
  }

  // menus maps what is to be pointed at to the hidden box that this shows.
  agent.menus = (doc) => {
    const out = new Map();
    for (const rule of rulesOf(doc)) {
      let boxes;
      try { boxes = doc.querySelectorAll(rule.box); } catch { continue; }
      for (const box of [...boxes].slice(0, 100)) {
        let owner = null;
        if (rule.beside) {
          for (let s = box.previousElementSibling; s && !owner; s = s.previousElementSibling) if (s.matches(rule.owner)) owner = s;
        } else {
          owner = box.parentElement && box.parentElement.closest(rule.owner);
        }
        if (owner && !out.has(owner) && box.querySelector(ITEMS) && hidden(box)) out.set(owner, box);
      }
    }
    return out;
  };

  // scripted: a link that leads somewhere, with a hidden list of items right
  // behind it. A click leaves the page, so only pointing can open the list.
  agent.scriptedMenu = (el) => {
    if (el.localName !== 'a' || el.hasAttribute('aria-expanded')) return false;
    const list = el.nextElementSibling;
    if (!list || !list.matches('ul,ol,menu,[role=menu]') || /^(#|javascript:|$)/.test(el.getAttribute('href') || '')) return false;
    return list.querySelectorAll(ITEMS).length > 1 && hidden(list);
  };
})();

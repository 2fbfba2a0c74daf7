// The part of the observer that stays in a page: it counts what changes, keeps
// the elements of the last look, and finds them again for an action. It runs in
// a world of its own, so the page under test sees none of it and cannot bend it.
(() => {
  'use strict';
  if (globalThis.understudy) return;
  const agent = { refs: new Map() };
  globalThis.understudy = agent;

  // ---- what changes -------------------------------------------------------

  let last = performance.now(); // when something changed last
  let changed = false; // something visible changed since begin()
  let stirred = false; // the document changed since begin()
  let scrolled = false;
  let leaps = 0; // until when something may still begin to move: by the wheel, or gliding to a part of the page
  let starting = 0; // ms in which it begins to, on this machine
  let choosing = 0; // until when a file may still be chosen for a field that asked for one
  let begun = 0; // when the last action began
  const CHOOSER = 2000; // ms, as chooserLimit in upload.go
  const isFileField = (node) => node instanceof HTMLInputElement && node.type === 'file';
  const activity = new WeakMap(); // node -> how often it changed of late
  const watched = new WeakSet();

  // A node that keeps changing by itself (clock, carousel, counter) is part of
  // the scenery: it neither keeps the page from being at rest nor counts as the
  // answer to an action. Four separate changes within 1.5 s of each other over
  // at least 0.4 s make a node scenery; changes in the first 0.3 s after an
  // action are taken for answers to it and are not held against the node.
  function scenery(node, now) {
    const a = activity.get(node);
    if (a && now - a.last < 1500 && a.n >= 4 && a.last - a.first > 400) {
      a.last = now;
      return true;
    }
    if (now - begun < 300) return false;
    if (!a || now - a.last > 1500) {
      activity.set(node, { n: 1, first: now, last: now });
    } else if (now - a.last > 30) {
      a.n++;
      a.last = now;
    }
    return false;
  }

  function shows(node) {
    let el = node.nodeType === 1 ? node : node.parentElement || (node.host ?? null);
    if (!el || el.closest('head,script,style')) return false;
    for (let i = 0; el && i < 2; i++, el = el.parentElement) {
      if (el.getClientRects().length > 0) return true;
    }
    return false;
  }

  const observer = new MutationObserver((records) => {
    const now = performance.now();
    let checks = 20; // layout is not free: look at a few nodes of a batch only
    const seen = new Set();
    for (const r of records) {
      // Scripts write what is there already; nothing changes by that.
      if (r.type === 'attributes' && r.oldValue === r.target.getAttribute(r.attributeName)) continue;
      if (seen.has(r.target)) continue;
      seen.add(r.target);
      if (scenery(r.target, now)) continue;
      last = now;
      stirred = true;
      if (!changed && checks-- > 0 && shows(r.target)) changed = true;
    }
  });

  // A form that the browser refuses to send gets a bubble at its first wrong
  // field, to which the cursor goes; the other fields stay silent. A page may
  // have suppressed it, or may only have asked whether the value is valid.
  const bubbles = new WeakSet();
  let first = null;
  function complained(e) {
    if (first) return;
    first = e.target;
    const elsewhere = active() !== first;
    setTimeout(() => {
      const el = first;
      first = null;
      if (e.defaultPrevented || active() !== el || !(elsewhere || el.matches(':user-invalid'))) return;
      bubbles.add(el);
      last = performance.now();
      changed = true;
    });
  }
  // complaint is what the browser's bubble said of a field that is still wrong.
  agent.complaint = (el) => (bubbles.has(el) && el.validity && !el.validity.valid ? el.validationMessage : '');

  agent.watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    observer.observe(root, { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true });
    root.addEventListener('scroll', () => {
      last = performance.now();
      scrolled = true;
    }, { capture: true, passive: true });
    root.addEventListener('click', (e) => {
      if (isFileField(e.target)) choosing = performance.now() + CHOOSER;
      const link = e.target instanceof Element && e.target.closest('a[href*="#"]');
      if (link && link.hash.length > 1 && link.pathname === location.pathname) agent.mayMove();
    }, { capture: true, passive: true });
    root.addEventListener('invalid', complained, { capture: true, passive: true });
    for (const kind of ['input', 'change', 'toggle', 'cancel']) {
      root.addEventListener(kind, (e) => {
        if (isFileField(e.target)) choosing = 0;
        if (kind === 'cancel') return;
        last = performance.now();
        changed = true;
      }, { capture: true, passive: true });
    }
  };
  agent.watch(document);

  // begin begins an action, after which what moves has `time` ms to begin to.
  agent.begin = (time) => {
    starting = time;
    changed = false;
    stirred = false;
    scrolled = false;
    leaps = 0;
    choosing = 0;
    begun = performance.now();
    return '{}';
  };

  agent.mayMove = () => { leaps = performance.now() + starting; };

  // turned says that the wheel is turned by so much over the page itself.
  agent.turned = (dy) => {
    const root = document.scrollingElement || document.documentElement;
    const room = dy > 0 ? root.scrollHeight - innerHeight - scrollY : scrollY;
    if (room > 1) agent.mayMove();
    return '{}';
  };

  const state = () => JSON.stringify({ changed, scrolled, ready: document.readyState });

  // settle resolves when nothing has changed for `quiet` ms, or for `calm` ms
  // where the document has not changed at all since begin(), at the latest after
  // `cap` ms; with `load` it also waits for the page's own load event. Where timers are
  // late, ms say little: half of the checks that fit into the time must have come, too.
  agent.settle = (quiet, calm, cap, load) => new Promise((resolve) => {
    const start = performance.now();
    let turns = 0, since = last;
    const check = () => {
      const now = performance.now();
      turns = last === since ? turns + 1 : 0;
      since = last;
      const ready = load ? document.readyState === 'complete' : document.readyState !== 'loading';
      const enough = begun && !stirred && !leaps ? calm : quiet;
      if (now - start >= cap || (ready && now >= choosing && (scrolled || now >= leaps) && now - Math.max(last, start) >= enough && turns * 40 >= enough)) resolve(state());
      else setTimeout(check, 20);
    };
    check();
  });

  // linger resolves when a page's own scripts have had `time` ms since it loaded,
  // or since begin() in a page that draws itself anew, and nothing has changed
  // for `quiet` ms, at the latest after `cap` ms. A page without scripts and
  // frames that has loaded does not move by itself.
  agent.linger = (time, quiet, cap) => new Promise((resolve) => {
    const start = performance.now();
    const still = ![...document.scripts].some((s) => !s.type || /module|javascript/i.test(s.type)) && !document.querySelector('iframe,frame');
    const check = () => {
      const now = performance.now();
      const loaded = performance.getEntriesByType('navigation')[0]?.loadEventEnd ?? 0;
      const enough = loaded > 0 && (still || now - Math.max(loaded, begun) >= time);
      if (now - start >= cap || (enough && now - last >= quiet)) resolve(state());
      else setTimeout(check, 20);
    };
    check();
  });

  // stir resolves at the first change, or after `cap` ms: waiting as a person does.
  agent.stir = (cap) => new Promise((resolve) => {
    const start = performance.now();
    const check = () => {
      if (changed || performance.now() - start >= cap) resolve(state());
      else setTimeout(check, 20);
    };
    check();
  });

  // ---- speed --------------------------------------------------------------

  const vitals = { lcp: 0, cls: 0, inp: 0 };
  function follow(type, options, take) {
    try {
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...options });
    } catch {
      // A browser without this entry type has no such measure: it stays 0.
    }
  }
  if (window === window.top) {
    follow('largest-contentful-paint', {}, (e) => { vitals.lcp = e.startTime; });
    // Layout shifts are summed over windows of at most 5 s with gaps below 1 s;
    // the worst window is the score (web.dev/articles/cls).
    let sum = 0, from = 0, prev = 0;
    follow('layout-shift', {}, (e) => {
      if (e.hadRecentInput) return;
      if (sum && e.startTime - prev < 1000 && e.startTime - from < 5000) sum += e.value;
      else { sum = e.value; from = e.startTime; }
      prev = e.startTime;
      vitals.cls = Math.max(vitals.cls, sum);
    });
    const interaction = (e) => { vitals.inp = Math.max(vitals.inp, e.duration); };
    follow('first-input', {}, interaction); // reported however quick it was
    follow('event', { durationThreshold: 16 }, (e) => { if (e.interactionId) interaction(e); });
  }
  agent.speed = () => ({ lcp_ms: vitals.lcp, inp_ms: vitals.inp, cls: vitals.cls });

  // ---- acting -------------------------------------------------------------

  // place returns where an element is in the coordinates of the page's own
  // viewport, through all the frames it lies in.
  function offset(doc) {
    let x = 0, y = 0;
    for (let w = doc.defaultView; w && w !== window; w = w.parent) {
      const f = w.frameElement;
      if (!f) break;
      const r = f.getBoundingClientRect();
      x += r.left + f.clientLeft;
      y += r.top + f.clientTop;
    }
    return { x, y };
  }
  agent.offset = offset;

  agent.rectOf = (el) => {
    for (const r of el.getClientRects()) if (r.width >= 1 && r.height >= 1) return r;
    return el.getBoundingClientRect();
  };

  function active() {
    let el = document.activeElement;
    for (;;) {
      if (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
      else if (el && el.localName === 'iframe' && el.contentDocument) el = el.contentDocument.activeElement;
      else return el;
    }
  }

  agent.active = active;

  function ticked(el) {
    if ('checked' in el) return el.checked;
    return el.getAttribute('aria-checked') === 'true' || el.getAttribute('aria-pressed') === 'true';
  }

  function describe(el) {
    const editable = agent.widgets.editable(el), shell = agent.widgets.shell(el);
    return {
      tag: el.localName,
      type: el.localName === 'input' ? el.type : '',
      editable,
      multiline: editable || el.localName === 'textarea',
      text: editable || el.localName === 'textarea' ||
        (el.localName === 'input' && !/^(checkbox|radio|button|submit|reset|image|file|hidden)$/.test(el.type)),
      filled: editable ? el.textContent !== '' : shell ? /\S/.test(shell.textContent) : typeof el.value === 'string' && el.value !== '',
      disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true',
      readonly: el.readOnly === true,
      checked: ticked(el),
      focused: el === active() || el.contains(active()),
      listed: el.localName === 'input' && !!el.list,
      accept: el.localName === 'input' && el.type === 'file' ? el.accept : '',
      key: /^(checkbox|radio)$/.test(el.type) || /^(checkbox|radio|switch)$/.test(el.getAttribute('role')) ? 'Space' : 'Enter',
      link: !!el.closest('a[href]'),
      adds: el.localName === 'option' && !!el.closest('select[multiple]'),
    };
  }
  agent.describe = describe;

  agent.state = (ref) => {
    const known = agent.refs.get(ref);
    return JSON.stringify(known && known.el.isConnected ? describe(known.el) : { gone: true });
  };

  // tail says whether a field holds the end of a text and has lost its beginning.
  agent.tail = (ref, text) => {
    const known = agent.refs.get(ref), value = known && known.el.value;
    return JSON.stringify({ lost: typeof value === 'string' && value !== '' && value !== text && text.endsWith(value) });
  };

  agent.focus = (ref) => {
    const known = agent.refs.get(ref);
    if (known) known.el.focus();
    return agent.state(ref);
  };

  // tab puts the cursor on an element as the tab key would, if it can, and says
  // whether it is there. What belongs to a menu or list is reached with arrows.
  agent.tab = (ref) => {
    const known = agent.refs.get(ref);
    if (!known || !known.el.isConnected) return JSON.stringify({ gone: true });
    const el = known.el;
    el.focus({ focusVisible: true });
    const reached = el === active() && (el.tabIndex >= 0 || el.hasAttribute('role'));
    return JSON.stringify({ ...describe(el), keyless: !reached });
  };

  // option finds a visible option by what is written on it: in the list that a
  // field says is its own, else anywhere on the page. It can be acted on then.
  agent.option = (ref, label) => {
    const known = agent.refs.get(ref);
    const own = known && (known.el.getAttribute('aria-controls') || known.el.getAttribute('aria-owns'));
    const doc = known ? known.el.ownerDocument : document;
    const list = (own && doc.getElementById(own.split(' ')[0])) || doc;
    const want = label.replace(/\s+/g, ' ').trim().toLowerCase();
    for (const el of list.querySelectorAll('[role=option],[role=menuitemradio],[role=treeitem]')) {
      if (agent.names.contentOf(el).toLowerCase() !== want || !el.checkVisibility({ visibilityProperty: true })) continue;
      agent.refs.set('option', { el, hit: el });
      return JSON.stringify({ ref: 'option' });
    }
    return JSON.stringify({ gone: true });
  };

  // give hands a file field a file, as if it had been chosen.
  agent.give = (ref, name, type, base64) => {
    const known = agent.refs.get(ref);
    if (!known || !known.el.isConnected) return JSON.stringify({ gone: true });
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const chosen = new DataTransfer();
    chosen.items.add(new File([bytes], name, { type }));
    known.el.files = chosen.files;
    tell(known.el);
    return JSON.stringify({ ok: true });
  };

  function tell(el) {
    el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    el.dispatchEvent(new Event('change', { bubbles: true }));
  }

  // choose picks an option of a native list by what is written on it.
  agent.choose = (ref, label) => {
    const known = agent.refs.get(ref);
    if (!known || !known.el.isConnected) return JSON.stringify({ gone: true });
    const el = known.el;
    if (el.localName !== 'select') return JSON.stringify({ reason: 'not a list' });
    const norm = (s) => s.replace(/\s+/g, ' ').trim();
    const want = norm(label);
    const options = [...el.options].filter((o) => !o.disabled);
    const found = options.find((o) => norm(o.label) === want) ||
      options.find((o) => norm(o.label).toLowerCase() === want.toLowerCase()) ||
      options.find((o) => o.value === want);
    if (!found) return JSON.stringify({ reason: 'no such option' });
    el.focus();
    if (el.multiple) found.selected = true;
    else el.selectedIndex = found.index;
    tell(el);
    return JSON.stringify({ ok: true, value: found.value });
  };

  // put sets the fields whose value is picked rather than typed (dates, colours,
  // sliders); the browser refuses what is not valid for them.
  agent.put = (ref, value) => {
    const known = agent.refs.get(ref);
    if (!known || !known.el.isConnected) return JSON.stringify({ gone: true });
    known.el.focus();
    known.el.value = value;
    tell(known.el);
    const taken = known.el.value;
    if (value !== '' && (taken === '' || (known.el.type === 'color' && taken.toLowerCase() !== value.toLowerCase()))) return JSON.stringify({ reason: 'the field takes no such value' });
    return JSON.stringify({ ok: true });
  };

  // A field that took a secret is told of only as filled: pages write what they
  // take in a form of their own, which nobody who knows the secret would find.
  const secret = new WeakSet();
  agent.seal = (ref) => {
    const known = agent.refs.get(ref);
    if (known) secret.add(known.el);
    return '{}';
  };
  agent.sealed = (el) => secret.has(el);

  // showing says whether anything that a CSS selector finds can be seen.
  agent.showing = (selector) => {
    let found = [];
    try { found = [...document.querySelectorAll(selector)]; } catch { /* no selector: nothing */ }
    return found.some((el) => {
      const r = el.getBoundingClientRect();
      return r.width > 0 && r.height > 0 && el.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    });
  };
})();

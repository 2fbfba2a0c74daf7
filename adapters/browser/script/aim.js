// Where to point at an element, what a press there would reach, and how the
// wheel brings it into view.
(() => {
  'use strict';
  const agent = globalThis.understudy;
  if (!agent || agent.aim) return;
  const { sight, offset } = agent;

  function find(ref) {
    const known = agent.refs.get(ref);
    if (!known || !known.el.isConnected) return null;
    return { el: known.el, hit: known.hit && known.hit.isConnected ? known.hit : known.el };
  }
  const gone = () => JSON.stringify({ gone: true });

  // lies is what is on top at a point of the page, null if that is the element.
  function lies({ el, hit }, x, y) {
    const top = sight.top(x, y);
    if (!top) return document.documentElement;
    if (sight.contains(hit, top) || sight.contains(el, top)) return null;
    if (el.labels && [...el.labels].some((l) => sight.contains(l, top))) return null;
    if (el.localName === 'option' && sight.contains(el.closest('select') || el, top)) return null;
    if (el.localName === 'area' && top.localName === 'img') return null;
    return top;
  }

  // places lists points of an element in the order in which people try them: the
  // middle, then the rest of its boxes, those outside the window left out.
  function places({ hit }) {
    const doc = hit.ownerDocument, view = doc.defaultView, o = offset(doc);
    const middle = agent.rectOf(hit);
    const boxes = [middle, ...[...hit.getClientRects()].filter((r) => r.width >= 1 && r.height >= 1).slice(0, 4)];
    const out = [];
    const add = (r, i, j) => {
      const x = r.left + r.width * i, y = r.top + r.height * j;
      if (x < 0 || y < 0 || x >= view.innerWidth || y >= view.innerHeight) return;
      if (x + o.x >= 0 && y + o.y >= 0 && x + o.x < innerWidth && y + o.y < innerHeight) out.push({ x: x + o.x, y: y + o.y });
    };
    for (const r of boxes) add(r, 0.5, 0.5);
    for (const r of boxes.slice(boxes.length > 2 ? 1 : 0)) {
      for (const j of [0.5, 0.25, 0.75, 0.08, 0.92]) for (const i of [0.5, 0.25, 0.75, 0.08, 0.92]) add(r, i, j);
    }
    return out;
  }

  // hidden: the middle of an element is outside the window, or outside a box
  // that it is scrolled in.
  function hidden(hit) {
    const r = agent.rectOf(hit), at = offset(hit.ownerDocument), view = hit.ownerDocument.defaultView;
    const cx = r.left + r.width / 2, cy = r.top + r.height / 2;
    const x = cx + at.x, y = cy + at.y;
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight || cx < 0 || cy < 0 || cx > view.innerWidth || cy > view.innerHeight) return true;
    for (let p = hit.parentElement; p; p = p.parentElement) {
      if (p === p.ownerDocument.body || p === p.ownerDocument.documentElement) break;
      const cs = getComputedStyle(p);
      if (cs.overflowX === 'visible' && cs.overflowY === 'visible' && p.localName !== 'select') continue;
      const b = p.getBoundingClientRect();
      if (cx < b.left || cx > b.right || cy < b.top || cy > b.bottom) return true;
    }
    return false;
  }

  // aim brings an element into view and says where to point at: at a place where
  // a press reaches it, or at its middle and what lies there instead.
  agent.aim = (ref) => {
    const known = find(ref);
    if (!known) return gone();
    const moved = hidden(known.hit);
    if (moved) known.hit.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    const all = places(known);
    const free = all.find((p) => lies(known, p.x, p.y) === null);
    const r = agent.rectOf(known.hit), o = offset(known.hit.ownerDocument);
    const p = free || { x: o.x + r.left + r.width / 2, y: o.y + r.top + r.height / 2 };
    let missed = '';
    if (!free) missed = all.length ? sight.describe(lies(known, all[0].x, all[0].y), agent.dialogs || []) : 'nothing: it is outside the window';
    // What a phone shows of a page that is too wide for it is a window of its
    // own on the layout, and input is given relative to that.
    const shown = visualViewport;
    return JSON.stringify({ ...agent.describe(known.el), x: p.x - shown.offsetLeft, y: p.y - shown.offsetTop, moved, missed });
  };

  // meets says whether a press at a place that aim gave would reach an element now.
  agent.meets = (ref, x, y) => {
    const known = find(ref);
    if (!known) return gone();
    const top = lies(known, x + visualViewport.offsetLeft, y + visualViewport.offsetTop);
    return JSON.stringify({ missed: top ? sight.describe(top, agent.dialogs || []) : '' });
  };

  // where says where an element is now, without moving anything.
  agent.where = (ref) => {
    const known = find(ref);
    if (!known) return gone();
    const r = agent.rectOf(known.hit), o = offset(known.hit.ownerDocument);
    return JSON.stringify({ x: o.x + r.left + r.width / 2, y: o.y + r.top + r.height / 2 });
  };

  // ---- scrolling ----------------------------------------------------------

  const above = (el) => sight.up(el) || (el.ownerDocument.defaultView && el.ownerDocument.defaultView.frameElement);
  const rootOf = (doc) => doc.scrollingElement || doc.documentElement;
  const isRoot = (el) => el === rootOf(el.ownerDocument);

  // slides: it has more in it than it shows, and lets it be moved.
  function slides(el) {
    if (el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1) return false;
    const cs = getComputedStyle(el);
    return isRoot(el) ? cs.overflowY !== 'hidden' : /auto|scroll|overlay/.test(cs.overflowX + cs.overflowY) || el.localName === 'select';
  }
  // chain lists what an element can be scrolled in, innermost first.
  function chain(el) {
    const out = [];
    for (let p = above(el); p; p = above(p)) if (slides(p)) out.push(p);
    return out;
  }
  function boxOf(el) {
    const o = offset(el.ownerDocument);
    if (isRoot(el)) {
      const view = el.ownerDocument.defaultView;
      return { l: o.x, t: o.y, r: o.x + view.innerWidth, b: o.y + view.innerHeight };
    }
    const r = el.getBoundingClientRect();
    return { l: o.x + r.left, t: o.y + r.top, r: o.x + r.right, b: o.y + r.bottom };
  }

  // over finds a point where the wheel moves a box and not one within it.
  function over(box) {
    const b = boxOf(box);
    const l = Math.max(0, b.l), t = Math.max(0, b.t), w = Math.min(innerWidth, b.r) - l, h = Math.min(innerHeight, b.b) - t;
    if (w < 2 || h < 2) return null;
    for (const j of [0.5, 0.25, 0.75, 0.05, 0.95]) {
      for (const i of [0.5, 0.25, 0.75, 0.02, 0.98]) {
        const x = l + w * i, y = t + h * j;
        for (let p = sight.top(x, y); p; p = above(p)) {
          if (p === box) return { x, y };
          if (slides(p)) break;
        }
      }
    }
    return null;
  }

  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const place = (el) => el.scrollTop + ' ' + el.scrollLeft;

  // still waits until what the wheel has moved, or may yet move, is at rest.
  async function still(el, was) {
    for (let i = 0; i < 10 && place(el) === was; i++) await pause(16);
    for (let i = 0, now; i < 30 && now !== place(el); i++) {
      now = place(el);
      await pause(32);
    }
  }

  // turn is one turn of the wheel over a box. Where no point is left for it, the
  // box is moved as by its bar, which needs no more of it.
  function turn(box, dx, dy) {
    last = { box, was: place(box) };
    const at = over(box);
    if (at) return JSON.stringify({ ...at, dx, dy, turn: true });
    box.scrollBy({ left: dx, top: dy, behavior: 'instant' });
    return JSON.stringify({ turn: false });
  }
  let last = null;

  // seek says how to turn the wheel so that an element comes into view, the
  // outermost box first; `done` once it is there or nothing moves any more.
  agent.seek = async (ref, first) => {
    const known = find(ref);
    if (!known) return gone();
    if (first) last = null;
    else if (last) await still(last.box, last.was);
    const stuck = last && place(last.box) === last.was ? last.box : null;
    const boxes = chain(known.hit).reverse();
    for (let i = 0; i < boxes.length; i++) {
      const view = boxOf(boxes[i]);
      const inner = boxes[i + 1];
      const o = offset(known.hit.ownerDocument), r = agent.rectOf(known.hit);
      const it = inner ? boxOf(inner) : { l: o.x + r.left, t: o.y + r.top, r: o.x + r.right, b: o.y + r.bottom };
      const need = (from, to, low, high) => {
        const middle = (from + to) / 2;
        const top = to - from > high - low ? from + (high - low) / 2 : middle; // what is too large is read from its start
        if (from >= low && to <= high || (to - from > high - low && from >= low && from < high - 0.3 * (high - low))) return 0;
        return Math.round(top - (low + high) / 2);
      };
      let dy = need(it.t, it.b, Math.max(0, view.t), Math.min(innerHeight, view.b));
      let dx = need(it.l, it.r, Math.max(0, view.l), Math.min(innerWidth, view.r));
      const box = boxes[i], right = box.scrollWidth - box.clientWidth, end = box.scrollHeight - box.clientHeight;
      dy = Math.max(-box.scrollTop, Math.min(end - box.scrollTop, dy));
      dx = Math.max(Math.min(0, -box.scrollLeft), Math.min(right - box.scrollLeft, dx));
      if (Math.abs(dy) < 2 && Math.abs(dx) < 2) continue;
      if (box === stuck) { // the page takes the wheel for itself
        box.scrollBy({ left: dx, top: dy, behavior: 'instant' });
        if (place(box) === last.was) continue;
        last = null;
        return JSON.stringify({ turn: false });
      }
      const height = view.b - view.t, width = view.r - view.l;
      return turn(box, Math.max(-width, Math.min(width, dx)), Math.max(-height, Math.min(height, dy)));
    }
    return JSON.stringify({ done: true });
  };

  // leaf says how to turn the wheel to go on by a boxful where an element stands.
  agent.leaf = (ref, way) => {
    const known = find(ref);
    if (!known) return gone();
    const boxes = (slides(known.hit) ? [known.hit] : []).concat(chain(known.hit));
    const box = boxes.find((b) => b.scrollHeight > b.clientHeight + 1);
    if (!box || isRoot(box) && !above(box)) return JSON.stringify({ done: true }); // the page itself
    if ((way > 0 ? box.scrollHeight - box.clientHeight - box.scrollTop : box.scrollTop) > 1) agent.mayMove();
    return turn(box, 0, way * box.clientHeight);
  };
})();

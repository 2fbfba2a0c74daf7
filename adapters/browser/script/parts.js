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

@@MOVED@@
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

// Loaded into the driver before its own code: what Chromium tells it passes through here.
// Messages are JSON, a NUL behind each. In one that is larger than its bound all strings are
// cut, while it comes in, so that nothing ever holds it; what is too large even then is left
// out. So is what nobody asks for: what is written to the console, but for errors and the tags
// by which the driver knows content that it sets, and what one page, frame or worker says of
// these too fast.
'use strict';
const childProcess = require('child_process');
const { Transform, pipeline } = require('stream');

const EVENT = 1 << 20, ANSWER = 32 << 20; // bytes
const STRING = 1000; // bytes of a string that is cut
const [QUOTE, BACKSLASH, U] = Buffer.from('"\\u');

// cutter takes a message piece by piece.
const cutter = () => {
  let within = false, keep = true, length = 0;
  let escape = 0; // bytes that still belong to it
  return (piece) => {
    const last = piece.length - 1;
    let size = 0;
    for (let i = 0; i < piece.length; i++) {
      if (!keep && escape === 0) while (i < last && piece[i] !== QUOTE && piece[i] !== BACKSLASH) i++;
      const c = piece[i];
      if (escape > 0) escape = c === U ? 4 : escape - 1;
      else if (c === QUOTE) { within = !within; length = 0; keep = true; }
      else if (within) { keep = length < STRING; escape = c === BACKSLASH ? 1 : 0; }
      if (keep) { piece[size++] = c; length++; }
    }
    return Buffer.from(piece.subarray(0, size)); // the rest is let go
  };
};

// What is said, and in its first group what is not for anybody.
const SAID = /^{"method":"Runtime\.(?:exceptionThrown"|consoleAPICalled","params":{"type":(?:"error"|"debug","args":\[{"type":"string","value":"--playwright--set--content--|(.)))/;
const SESSION = /"sessionId":"(\w+)"}$/;
const SAYS = 100; // of a session in a second

// heard tells whether a message is for anybody.
const heard = () => {
  let second, counts;
  return (message) => {
    const said = SAID.exec(message.toString('latin1', 0, 150));
    if (!said) return true;
    if (said[1]) return false;
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) { second = now; counts = new Map(); }
    const session = SESSION.exec(message.toString('latin1', Math.max(0, message.length - 100)))?.[1];
    counts.set(session, (counts.get(session) ?? 0) + 1);
    return counts.get(session) <= SAYS;
  };
};

const bounded = () => {
  const wanted = heard();
  let parts, size, head, cut;
  const begin = () => { parts = []; size = 0; head = ''; cut = null; };
  const add = (piece) => {
    if (head.length < 3) head += piece.toString('latin1', 0, 3);
    const bound = head[2] === 'i' ? ANSWER : EVENT; // {"id": begins an answer
    if (cut) piece = cut(piece);
    size += piece.length;
    parts.push(piece);
    if (size > bound && !cut) {
      cut = cutter();
      parts = parts.map((p) => cut(p));
      size = parts.reduce((n, p) => n + p.length, 0);
    }
    if (size > bound) parts = [];
  };
  begin();
  return new Transform({
    transform(chunk, _, done) {
      for (let end; (end = chunk.indexOf(0)) >= 0; chunk = chunk.subarray(end + 1)) {
        add(chunk.subarray(0, end));
        const message = Buffer.concat(parts);
        if (message.length && wanted(message)) { this.push(message); this.push(chunk.subarray(end, end + 1)); }
        begin();
      }
      add(chunk);
      done();
    },
  });
};

const { spawn } = childProcess;
childProcess.spawn = (...all) => {
  const child = spawn(...all);
  if (child.stdio[4]) {
    child.stdio[4] = pipeline(child.stdio[4], bounded(), () => {}); // how it ended the driver sees itself
    child.on('exit', (code, signal) => { if (code !== 0) process.stderr.write(`browser ended: ${signal ?? code}\n`); });
  }
  return child;
};

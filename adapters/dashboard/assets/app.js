// What pages do in a browser beside what htmx does: they follow a test, show times in the
// reader's zone, take keys, copy, and say when the service cannot be reached.
"use strict";

const each = (root, selector, fn) => {
  if (root.matches?.(selector)) fn(root);
  root.querySelectorAll?.(selector).forEach(fn);
};

// Times are written in UTC and shown in the reader's zone, in titles, which are text alone,
// after what stands before them.
const showTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const localize = (root) => each(root, "time[datetime], title[data-time]", (el) => {
  const written = el.dateTime ?? el.dataset.time, at = new Date(written);
  if (el.dataset.shown === written || isNaN(at)) return;
  el.textContent = (el.dataset.before ?? "") + showTime.format(at);
  el.title = at.toISOString();
  el.dataset.shown = written;
});

// An element with data-stream follows a test: it is made anew (hx-get, hx-trigger="told")
// at most once a second while something happens, later every three, and once more at the end.
// What was made anew of a test that has ended has no stream any more.
const pause = () => performance.now() < 30000 ? 1000 : 3000;
const follow = (el) => {
  if (el.following) return;
  el.following = true;
  let position, due, again, wait = 1000, ended = false;
  const tell = () => {
    due ??= setTimeout(() => { due = undefined; if (el.isConnected) htmx.trigger(el, "told"); }, pause());
  };
  const open = () => {
    clearTimeout(again);
    again = undefined;
    if (ended || !el.isConnected || !el.dataset.stream) return;
    const url = new URL(el.dataset.stream);
    if (position !== undefined) url.searchParams.set("after", position);
    const socket = new WebSocket(url);
    socket.onopen = () => { wait = 1000; offline(false); tell(); };
    socket.onmessage = (m) => { position = JSON.parse(m.data).position ?? position; tell(); };
    socket.onclose = (e) => {
      ended = e.code === 1000;
      tell();
      if (ended) return;
      offline(true);
      again = setTimeout(open, wait);
      wait = Math.min(wait * 2, 30000);
    };
    el.addEventListener("htmx:beforeCleanupElement", () => { ended = true; socket.close(); }, { once: true });
  };
  document.addEventListener("reached", () => { if (again !== undefined) open(); });
  open();
};

// While the service cannot be reached, a notice says so; it goes as soon as it can, and what
// follows a test goes on then.
const ask = 2000;
const reached = () => fetch(document.querySelector("link[rel=stylesheet]").href, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(10000) }).then((r) => r.ok, () => false);
const notice = document.getElementById("offline");
const isOffline = () => notice?.hidden === false;
let asking;
const offline = (is) => {
  if (!notice) return;
  const was = isOffline();
  notice.hidden = !is;
  clearTimeout(asking);
  if (is) asking = setTimeout(async () => offline(!await reached()), ask);
  else if (was) document.dispatchEvent(new Event("reached"));
};
addEventListener("offline", () => offline(true));
addEventListener("online", async () => offline(!await reached()));
for (const none of ["htmx:sendError", "htmx:timeout", "unanswered"]) document.addEventListener(none, () => offline(true));
document.addEventListener("htmx:afterRequest", (e) => { if (e.detail.successful) offline(false); });
// Refusals are pages too: they say what is wrong, and so does any answer that could not be
// given to what a form is asked. What is only made anew stays as it is.
document.addEventListener("htmx:beforeSwap", (e) => {
  const { status } = e.detail.xhr;
  if (status === 422 || status === 409 || e.detail.isError && e.detail.requestConfig.verb === "post") { e.detail.shouldSwap = true; e.detail.isError = false; }
});

// Keys: "?" shows those of the page. A link or button with data-key is pressed by that key;
// "g t" is g, then t. What a page's own script takes stands in data-keys: "key: what it does; …".
const words = (el) => el.getAttribute("aria-label") || [...(el.labels ?? [])].map((l) => l.innerText).join(" ") || el.innerText;
const keysHere = () => [["?", "These keys"],
  ...[...document.querySelectorAll("[data-key]")].filter((el) => el.offsetParent !== null).map((el) => [el.dataset.key, words(el)]),
  ...[...document.querySelectorAll("[data-keys]")].flatMap((el) => el.dataset.keys.split("; ").map((one) => one.split(": ")))];
const showKeys = (help) => {
  const told = new Map(keysHere().reverse()); // of those with one key the first is pressed
  help.querySelector("dl").replaceChildren(...[...told].reverse().flatMap(([key, what]) => {
    const name = document.createElement("dt"), does = document.createElement("dd"), kbd = document.createElement("kbd");
    kbd.textContent = key;
    name.append(kbd);
    does.textContent = what.trim();
    return [name, does];
  }));
  help.showModal();
};
let chord = "";
document.addEventListener("keydown", (e) => {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target.closest("input, textarea, select, [contenteditable]")) {
    if (e.key === "Escape") e.target.blur();
    return;
  }
  const help = document.getElementById("keys");
  if (e.key === "?" && help) { help.open ? help.close() : showKeys(help); e.preventDefault(); return; }
  const key = chord ? chord + " " + e.key : e.key;
  chord = "";
  const target = [...document.querySelectorAll("[data-key]")].find((el) => el.dataset.key === key && el.offsetParent !== null);
  if (target) { e.preventDefault(); target.matches("input, textarea, select") ? target.focus() : target.click(); return; }
  if (document.querySelector(`[data-key^="${CSS.escape(key)} "]`)) chord = key;
});

document.addEventListener("click", async (e) => {
  const copy = e.target.closest("[data-copy]");
  if (copy) {
    const text = document.getElementById(copy.dataset.copy)?.textContent.trim() ?? "";
    try { await navigator.clipboard.writeText(text); copy.textContent = "Copied"; } catch { getSelection().selectAllChildren(document.getElementById(copy.dataset.copy)); }
  }
  if (e.target.closest("[data-close]")) e.target.closest("dialog")?.close();
});

// A page that is loaded again at the end of what it shows gives the focus back.
const called = (el) => [el.localName, el.id, el.getAttribute("href"), el.textContent].join("\n");
const [had] = performance.getEntriesByType("navigation").map((n) => n.type === "reload" && sessionStorage.getItem("focus"));
sessionStorage.removeItem("focus");
if (had) [...document.querySelectorAll("a[href], button, summary, input, select, textarea")].find((el) => called(el) === had)?.focus();
addEventListener("pagehide", () => {
  const el = document.activeElement;
  if (el && el !== document.body && document.querySelector("main[data-going]")) sessionStorage.setItem("focus", called(el));
});

const ready = (root) => { localize(root); each(root, "[data-stream]", follow); };
document.addEventListener("htmx:load", (e) => ready(e.detail.elt));
document.addEventListener("htmx:afterSettle", (e) => ready(e.detail.elt));
ready(document);

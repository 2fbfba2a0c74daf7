// What forms do in a browser: each is sent once, and not while the service cannot be reached;
// what was typed is there again after a reload and on the way back. Secrets are not kept.
"use strict";

(() => {
  const forms = () => [...document.querySelectorAll("form[method=post]")];
  const place = (form) => {
    const action = form.getAttribute("action");
    return ["typed", location.pathname, action, forms().filter((f) => f.getAttribute("action") === action).indexOf(form)].join(" ");
  };
  const fields = (form) => [...form.elements].filter((el) => el.name && el.matches("textarea, select, input:not([type=hidden], [type=password], [type=file])") && el.autocomplete !== "one-time-code");
  const box = (el) => el.type === "checkbox" || el.type === "radio";

  document.addEventListener("input", (e) => {
    const form = e.target.form;
    if (form?.method === "post") sessionStorage.setItem(place(form), JSON.stringify(fields(form).map((el) => [el.name, box(el) ? el.checked : el.value])));
  });

  // What was typed is forgotten once its answer, or the page anew, has been come to by a link
  // or a form; loading again and going back bring it back.
  const [loaded] = performance.getEntriesByType("navigation");
  const sent = sessionStorage.getItem("sent");
  if (loaded?.type === "navigate") {
    if (sent) sessionStorage.removeItem(sent);
    for (const form of forms()) sessionStorage.removeItem(place(form));
  }
  sessionStorage.removeItem("sent");
  for (const form of forms()) {
    const were = JSON.parse(sessionStorage.getItem(place(form)) ?? "[]"), are = fields(form);
    if (were.length !== are.length || were.some(([name], i) => name !== are[i].name)) continue;
    are.forEach((el, i) => {
      const was = were[i][1], changed = (box(el) ? el.checked : el.value) !== was;
      if (!changed) return;
      if (box(el)) el.checked = was; else el.value = was;
      const folded = el.closest("details");
      if (folded) folded.open = true;
      for (const kind of ["input", "change"]) el.dispatchEvent(new Event(kind, { bubbles: true }));
    });
  }

  // A second click within a moment is not meant; an answer may be a file, and the page stays.
  const moment = 5000;
  const asked = new WeakSet();
  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (e.defaultPrevented || form.method !== "post") return;
    if (!navigator.onLine || isOffline()) { e.preventDefault(); offline(true); return; }
    if (asked.has(form)) { e.preventDefault(); return; }
    asked.add(form);
    setTimeout(() => asked.delete(form), moment);
    if (form.getAttribute("action") === "/sign-out") sessionStorage.clear();
    else sessionStorage.setItem("sent", place(form));
  });
  addEventListener("pageshow", (e) => { if (e.persisted) for (const form of forms()) asked.delete(form); });
})();

// A page of something that goes on is asked for every other second: parts of it are put in the
// place of what they were, lists get what has come, and at the end the page is loaded again.
"use strict";

(() => {
  const pause = 2000, patience = 15000;
  const renew = async () => {
    try {
      const answer = await fetch(location.href, { signal: AbortSignal.timeout(patience) });
      if (answer.status === 503) throw new Error("not ready");
      if (!answer.ok) return;
      const anew = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!anew.querySelector("main[data-going]")) return location.reload();
      for (const part of document.querySelectorAll("[data-renew]")) {
        const come = anew.getElementById(part.id);
        if (part.dataset.renew === "more" && come?.dataset.attempt === part.dataset.attempt) part.append(...[...come.children].slice(part.children.length));
        else if (come) part.replaceWith(come);
      }
    } catch { // what is shown stays until the service can be reached
      document.dispatchEvent(new Event("unanswered"));
    } finally {
      setTimeout(renew, pause);
    }
  };
  if (document.querySelector("main[data-going]")) setTimeout(renew, pause);
})();

// A page of something that goes on is asked for every other second: parts of it are put in the
// place of what they were, lists get what has come, and at the end the page is loaded again.
"use strict";

(() => {
  const pause = 2000, patience = 15000;
  const renew = async () => {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(patience) }).catch(() => null);
    const anew = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
    if (anew && !anew.querySelector("main[data-going]")) return location.reload();
    if (anew) for (const part of document.querySelectorAll("[data-renew]")) {
      const come = anew.getElementById(part.id);
      if (part.dataset.renew === "more") part.append(...[...come.children].slice(part.children.length));
      else part.replaceWith(come);
    }
    setTimeout(renew, pause);
  };
  if (document.querySelector("main[data-going]")) setTimeout(renew, pause);
})();

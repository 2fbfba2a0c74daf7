// A session's page: the film and the steps beside it go together, and keys go from step to step,
// also of those that are still to come.
"use strict";

(() => {
  const steps = document.getElementsByClassName("step"); // which more may come to
  const film = document.querySelector(".screen video");
  document.documentElement.classList.add("player");
  const hint = document.getElementById("player-keys");
  const come = () => { if (hint) hint.hidden = steps.length === 0; };
  new MutationObserver(come).observe(document.querySelector("main"), { childList: true, subtree: true });
  come();

  const frame = document.createElement("span");
  frame.className = "frame";
  frame.hidden = true;
  film?.parentElement.append(frame);

  const marks = new Map([...document.querySelectorAll(".timeline [data-step]")].map((el) => ["step-" + el.dataset.step, el]));
  const at = (step) => Number(step.dataset.at);
  let now = -1;

  // Mark a step as the one that is looked at.
  const mark = (i) => {
    if (i === now) return;
    if (now >= 0 && steps[now]) {
      steps[now].classList.remove("now");
      steps[now].removeAttribute("aria-current");
      marks.get(steps[now].id)?.classList.remove("now");
    }
    now = i;
    const step = steps[i];
    step.classList.add("now");
    step.setAttribute("aria-current", "step");
    marks.get(step.id)?.classList.add("now");
    const place = step.dataset.frame?.split(" ");
    frame.hidden = !place || !film || film.readyState < 2;
    if (place) [frame.style.left, frame.style.top, frame.style.width, frame.style.height] = place.map((v) => v + "%");
  };

  const seek = (i) => {
    if (!film || !steps[i].dataset.at) return;
    if (film.preload !== "auto") film.preload = "auto";
    film.currentTime = at(steps[i]) + 0.05; // past the edge of the picture before
  };

  const goTo = (i, block = "nearest") => {
    mark(i);
    seek(i);
    steps[i].scrollIntoView({ block });
    history.replaceState(null, "", "#" + steps[i].id);
  };

  // The step that the film shows: of those that share a picture, the one that is looked at.
  const shown = (time) => {
    let i = 0;
    for (let j = 1; j < steps.length; j++) if (at(steps[j]) <= time && at(steps[j]) > at(steps[i])) i = j;
    return now >= 0 && at(steps[now]) === at(steps[i]) ? now : i;
  };

  film?.addEventListener("timeupdate", () => {
    if (steps.length === 0) return;
    const i = shown(film.currentTime);
    const other = i !== now;
    mark(i);
    if (other && !film.paused && steps[i].offsetParent) steps[i].scrollIntoView({ block: "nearest" });
  });
  film?.addEventListener("loadeddata", () => { frame.hidden = now < 0 || !steps[now].dataset.frame; });

  // The next step that is shown, in a direction.
  const beside = (by) => {
    for (let i = now < 0 && by < 0 ? steps.length : now + by; i >= 0 && i < steps.length; i += by) if (steps[i].offsetParent) return i;
    return -1;
  };
  const keys = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 };
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    if (e.target.closest("video, textarea, select, [contenteditable], input:not([type=checkbox])")) return;
    if (e.key in keys) {
      const i = beside(keys[e.key]);
      if (i >= 0) { e.preventDefault(); goTo(i); }
    } else if (e.key === " " && film && !e.target.closest("button, summary, input")) {
      e.preventDefault();
      film.paused ? film.play() : film.pause();
    }
  });

  document.addEventListener("click", (e) => {
    const step = e.target.closest(".step");
    if (!step || e.target.closest("a, button, summary, input, label") || String(getSelection())) return;
    goTo([...steps].indexOf(step));
  });

  const named = () => {
    const i = [...steps].findIndex((step) => "#" + step.id === location.hash);
    if (i >= 0) { mark(i); seek(i); }
  };
  addEventListener("hashchange", named);
  named();
})();

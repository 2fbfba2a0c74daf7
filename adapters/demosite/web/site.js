"use strict";
// The menu and the help text open and close.
function discloses(button, target, toggle) {
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    toggle(target, open);
  });
}
const menu = document.getElementById("menu");
discloses(document.querySelector(".menu-button"), menu, (m, open) => m.classList.toggle("open", open));
const help = document.querySelector(".help");
if (help) discloses(help, document.getElementById("grind-help"), (text, open) => { text.hidden = !open; });

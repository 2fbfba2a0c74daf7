"use strict";
const menuButton = document.querySelector(".menu-button");
const menu = document.getElementById("menu");
menuButton.addEventListener("click", () => {
  const open = menuButton.getAttribute("aria-expanded") !== "true";
  menuButton.setAttribute("aria-expanded", String(open));
  menu.classList.toggle("open", open);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && menu.classList.contains("open")) {
    menuButton.click();
    menuButton.focus();
  }
});
// What lies behind the cookie wall is inert; who reads by ear starts at the wall.
document.querySelector(".wall-box")?.focus();

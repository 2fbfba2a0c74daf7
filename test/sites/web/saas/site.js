"use strict";
const menuButton = document.querySelector(".menu-button");
const menu = document.getElementById("menu");
menuButton.addEventListener("click", () => {
  const open = menuButton.getAttribute("aria-expanded") !== "true";
  menuButton.setAttribute("aria-expanded", String(open));
  menu.classList.toggle("open", open);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && menu.classList.contains("open")) menuButton.click();
});

for (const button of document.querySelectorAll("[data-period]")) {
  button.addEventListener("click", () => {
    const period = button.dataset.period;
    for (const b of document.querySelectorAll("[data-period]")) b.setAttribute("aria-pressed", String(b === button));
    for (const price of document.querySelectorAll("[data-month]")) price.textContent = price.dataset[period];
  });
}

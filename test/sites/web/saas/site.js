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

// With the defect js_error the page calls an analytics object that is not there.
const analytics = document.body.dataset.analytics === "on";
const track = (what) => { if (analytics) window.analytics.track(what); };

for (const button of document.querySelectorAll("[data-period]")) {
  button.addEventListener("click", () => {
    track("period");
    const period = button.dataset.period;
    for (const b of document.querySelectorAll("[data-period]")) b.setAttribute("aria-pressed", String(b === button));
    for (const price of document.querySelectorAll("[data-month]")) price.textContent = price.dataset[period];
  });
}
for (const form of document.querySelectorAll("[data-track]")) {
  form.addEventListener("submit", () => track(form.dataset.track));
}

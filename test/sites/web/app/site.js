"use strict";
// Quantity steppers that belong to a field.
document.querySelectorAll(".stepper button[data-by]").forEach((button) => {
  const field = button.parentElement.querySelector("input");
  button.addEventListener("click", () => {
    const wanted = (Number.parseInt(field.value, 10) || 0) + Number(button.dataset.by);
    field.value = String(Math.min(Number(field.max), Math.max(Number(field.min), wanted)));
  });
});

// The number beside a slider.
document.querySelectorAll(".slide input").forEach((slider) => {
  const shown = slider.parentElement.querySelector("output");
  slider.addEventListener("input", () => { shown.value = slider.value; });
});

// Bottom sheets.
document.querySelectorAll(".sheet-open").forEach((opener) => {
  const sheet = document.getElementById(opener.getAttribute("aria-controls"));
  opener.addEventListener("click", () => sheet.showModal());
  sheet.querySelector(".sheet-close").addEventListener("click", () => sheet.close());
  sheet.addEventListener("click", (event) => { if (event.target === sheet) sheet.close(); });
});

// The shops: their pages are put together here from what the server knows.
const shopView = document.getElementById("shop-view");

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function showShop(shop, list) {
  const back = element("a", "All shops");
  back.href = list;
  const backLine = element("p", "", back);
  backLine.className = "goback";
  const title = element("h1", shop.name);
  title.tabIndex = -1;
  const rows = shop.hours.map((row) => {
    const days = element("th", row.days);
    days.scope = "row";
    return element("tr", "", days, element("td", row.open));
  });
  const call = element("a", shop.phone);
  call.href = "tel:+44" + shop.phone.replace(/\D/g, "").slice(1);
  shopView.replaceChildren(backLine, title, element("p", shop.about), element("h2", "Opening times"),
    element("table", "", element("tbody", "", ...rows)), element("h2", "Address and telephone"),
    element("p", shop.address), element("p", "", call));
  document.title = shop.name + " · Loaf";
  title.focus();
  scrollTo(0, 0);
}

async function openShop(api, list) {
  try {
    const answer = await fetch(api);
    if (!answer.ok) throw new Error(String(answer.status));
    showShop(await answer.json(), list);
  } catch {
    shopView.append(element("p", "The opening times could not be loaded. Please try again."));
  }
}

if (shopView) {
  if (shopView.dataset.api) {
    openShop(shopView.dataset.api, shopView.dataset.list);
  } else {
    const list = location.pathname;
    shopView.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-api]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      history.pushState(null, "", link.href);
      openShop(link.dataset.api, list);
    });
  }
  // Going back or forth between the list and a shop loads the page anew.
  addEventListener("popstate", () => location.reload());
}

"use strict";
const treeButton = document.querySelector(".tree-button");
const tree = document.getElementById("tree");
treeButton.addEventListener("click", () => {
  const open = treeButton.getAttribute("aria-expanded") !== "true";
  treeButton.setAttribute("aria-expanded", String(open));
  tree.classList.toggle("open", open);
});

const input = document.getElementById("q");
const found = document.getElementById("found");
let index = null;

async function load() {
  if (!index) index = fetch(document.body.dataset.index).then((answer) => answer.json());
  return index;
}

// Articles that hold every word; those with a word in their title first.
function matches(articles, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const hits = articles.filter((a) => words.every((w) => a.words.toLowerCase().includes(w)));
  const titled = (a) => words.some((w) => a.title.toLowerCase().includes(w));
  return [...hits.filter(titled), ...hits.filter((a) => !titled(a))].slice(0, 6);
}

input.addEventListener("focus", load);
input.addEventListener("input", async () => {
  const query = input.value.trim();
  const articles = await load();
  if (query !== input.value.trim()) return;
  found.replaceChildren();
  found.hidden = query === "";
  const hits = matches(articles, query);
  for (const a of hits) {
    const link = document.createElement("a");
    link.href = document.body.dataset.base + a.slug;
    link.textContent = a.title;
    found.append(link);
  }
  if (hits.length === 0) found.append("No page holds all of these words.");
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") found.hidden = true; });
document.addEventListener("click", (event) => { if (!event.target.closest(".search")) found.hidden = true; });

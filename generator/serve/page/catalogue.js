/** Lists the event types of a protocol, with a search over names, groups and summaries. */
import { element } from "./dom.js";

/** @typedef {{ group: string, stability: string, since?: string, summary: string, deprecated?: unknown, requires?: string }} Entry */

/**
 * Returns the catalogue of a protocol. The key `/` moves the focus to its search.
 * @param {string} title
 * @param {{ readonly [type: string]: Entry }} metadata
 */
export function catalogue(title, metadata) {
  const input = element("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false" });
  const found = element("p", { class: "found", role: "status" });
  const list = element("ul");
  const entries = Object.entries(metadata).map(([type, entry]) => ({
    words: [type, entry.group, entry.summary, entry.stability].join(" ").toLowerCase(),
    item: entryItem(type, entry),
  }));
  const search = () => {
    const asked = input.value.toLowerCase().split(/\s+/);
    const hits = entries.filter(({ words }) => asked.every((word) => words.includes(word)));
    list.replaceChildren(...hits.map(({ item }) => item));
    found.textContent = `${hits.length} of ${entries.length} event types`;
  };
  input.addEventListener("input", search);
  search();
  return [
    element("p", { class: "title" }, title),
    element("label", { for: "search" }, "Search", element("kbd", {}, "/")),
    input,
    found,
    list,
  ];
}

/**
 * @param {string} type
 * @param {Entry} entry
 */
function entryItem(type, { stability, summary, since, deprecated, requires }) {
  const notes = [
    stability,
    ...(since ? [`since ${since}`] : []),
    ...(deprecated ? ["deprecated"] : []),
    ...(requires ? [`waits on ${requires}`] : []),
  ];
  return element(
    "li",
    {},
    element("code", {}, type),
    element("p", {}, summary),
    element("p", { class: "notes" }, notes.join(" · ")),
  );
}

addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  document.getElementById("search")?.focus();
});

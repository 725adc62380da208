/** Lists the event types of a protocol, with a search over names, groups and summaries. */
import { createElement } from "./dom.js";

/** @typedef {{ group: string, stability: string, since?: string, summary: string, deprecated?: unknown, requires?: string }} Entry */

/**
 * Returns the catalogue of a protocol. The key `/` moves the focus to its search.
 * @param {string} title
 * @param {{ readonly [type: string]: Entry }} metadata
 */
export function createCatalogue(title, metadata) {
  const attributes = { id: "search", type: "search", autocomplete: "off", spellcheck: "false" };
  const input = createElement("input", attributes);
  const status = createElement("p", { class: "found", role: "status" });
  const list = createElement("ul");
  const entries = Object.entries(metadata).map(([type, entry]) => ({
    text: [type, entry.group, entry.summary, entry.stability].join(" ").toLowerCase(),
    item: createItem(type, entry),
  }));
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    const matches = entries.filter(({ text }) => words.every((word) => text.includes(word)));
    list.replaceChildren(...matches.map(({ item }) => item));
    status.textContent = `${matches.length} of ${entries.length} event types`;
  };
  input.addEventListener("input", search);
  search();
  const heading = createElement("p", { class: "title" }, title);
  const label = createElement("label", { for: "search" }, "Search", createElement("kbd", {}, "/"));
  return [heading, label, input, status, list];
}

/**
 * @param {string} type
 * @param {Entry} entry
 */
function createItem(type, { stability, summary, since, deprecated, requires }) {
  const notes = [
    stability,
    since && `since ${since}`,
    deprecated && "deprecated",
    requires && `waits on ${requires}`,
  ];
  return createElement(
    "li",
    {},
    createElement("code", {}, type),
    createElement("p", {}, summary),
    createElement("p", { class: "notes" }, notes.filter(Boolean).join(" · ")),
  );
}

addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  document.getElementById("search")?.focus();
});

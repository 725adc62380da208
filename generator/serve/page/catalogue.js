/** Lists the event types of a protocol, with a search over their names and texts. */
import { formatLabel } from "../../view/payload.js";
import { createElement } from "./dom.js";

/** @typedef {import("./inspector.js").TypeEntry} TypeEntry */

/**
 * Returns the catalogue of a protocol.
 * @param {string} title
 * @param {{ readonly [type: string]: TypeEntry }} types
 */
export function createCatalogue(title, types) {
  const attributes = { id: "catalogue-search", type: "search", autocomplete: "off", spellcheck: "false" };
  const input = createElement("input", attributes);
  const status = createElement("p", { class: "soft", role: "status" });
  const list = createElement("ul");
  const entries = Object.entries(types).map(([type, entry]) => ({
    text: [type, entry.summary, entry.description, entry.stability].join(" ").toLowerCase(),
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
  const heading = createElement("p", { class: "soft" }, title);
  const label = createElement("label", { for: "catalogue-search" }, "Search event types");
  return [heading, label, input, status, list];
}

/**
 * @param {string} type
 * @param {TypeEntry} entry
 */
function createItem(type, { stability, summary, since, deprecated, requires, fields }) {
  const notes = [
    stability,
    since && `since ${since}`,
    deprecated && "deprecated",
    requires && `requires ${requires}`,
  ];
  const names = fields.flatMap(({ name, required }) => [
    createElement("code", {}, name),
    required ? " required, " : ", ",
  ]);
  const last = names.pop();
  const end = last === " required, " ? [" required"] : [];
  return createElement(
    "li",
    {},
    createElement("strong", {}, formatLabel(type)),
    " ",
    createElement("code", { class: "type" }, type),
    createElement("p", {}, summary),
    createElement("p", { class: "soft" }, notes.filter(Boolean).join(" · ")),
    ...(names.length === 0 ? [] : [createElement("p", { class: "soft" }, "Fields: ", ...names, ...end)]),
  );
}

/** The bar above the list: search, filters, and the switches between what is shown. */
import { formatLabel } from "../../view/payload.js";
import { createButton, createElement } from "./dom.js";
import { formatCount } from "./format.js";
import { getCondition, STATES, setCondition } from "./query.js";

/** The milliseconds after the last key press before a search begins. */
const DELAY = 150;

/**
 * @typedef {object} ToolbarOptions
 * @property {import("./model.js").Model} model
 * @property {(search: string) => void} changeSearch
 * @property {() => void} changeView
 * @property {(() => void) | undefined} step Releases the next event, if the server waits for steps.
 */

/**
 * Creates the bar.
 * @param {ToolbarOptions} options
 */
export function createToolbar({ model, changeSearch, changeView, step }) {
  const input = createElement("input", {
    ...{ id: "search", type: "search", autocomplete: "off", spellcheck: "false" },
    ...{ placeholder: "Search events", "aria-label": "Search events", title: "Search events (/)" },
  });
  const types = createElement("select", { "aria-label": "Event type" });
  const states = createElement("select", { "aria-label": "State" });
  const status = createElement("span", { class: "soft", role: "status" });
  fillSelect(states, [
    ["", "All events"],
    ...Object.keys(STATES).map((name) => /** @type {const} */ ([name, name])),
  ]);
  const createSwitch = (/** @type {string} */ text) => {
    const button = createButton(text, () => {
      button.setAttribute("aria-pressed", String(!isPressed(button)));
      changeView();
    });
    button.setAttribute("aria-pressed", "false");
    return button;
  };
  const reasoning = createSwitch("Reasoning");
  const raw = createSwitch("Events");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => changeSearch(input.value.trim()), DELAY);
  });
  types.addEventListener("change", () => changeSearch(setCondition(input.value, "type", types.value)));
  states.addEventListener("change", () => changeSearch(setCondition(input.value, "is", states.value)));
  const buttons = [
    reasoning,
    raw,
    ...(step ? [createButton("Step", step, { title: "Release the next event (s)" })] : []),
  ];
  const element = createElement(
    "div",
    { class: "toolbar", role: "search" },
    input,
    types,
    states,
    ...buttons,
    status,
  );
  let knownTypes = -1;
  const updateTypes = () => {
    const counts = new Map();
    for (const { type } of model.events) counts.set(type, (counts.get(type) ?? 0) + 1);
    if (counts.size !== knownTypes) {
      knownTypes = counts.size;
      const names = [...counts.keys()].sort().map((type) => /** @type {const} */ ([type, formatLabel(type)]));
      fillSelect(types, [["", "All types"], ...names]);
    }
    types.value = getCondition(input.value, "type");
    states.value = getCondition(input.value, "is");
  };
  return {
    element,
    showsReasoning: () => isPressed(reasoning),
    showsEvents: () => isPressed(raw),
    update: updateTypes,
    /** @param {string} search */
    setSearch(search) {
      if (document.activeElement !== input || input.value.trim() !== search) input.value = search;
      updateTypes();
    },
    /** @param {number | undefined} count */
    showCount(count) {
      status.textContent = count === undefined ? "" : formatCount(count, "match", "matches");
    },
    /** @param {string} message */
    notify(message) {
      status.textContent = message;
    },
  };
}

/** @param {HTMLElement} button */
function isPressed(button) {
  return button.getAttribute("aria-pressed") === "true";
}

/**
 * @param {HTMLSelectElement} select
 * @param {readonly (readonly [value: string, text: string])[]} options
 */
function fillSelect(select, options) {
  const { value } = select;
  select.replaceChildren(...options.map(([each, text]) => createElement("option", { value: each }, text)));
  select.value = value;
}

/** The bar above the list: search, filters, and the switches between what is shown. */
import { formatLabel } from "../../view/payload.js";
import { createButton, createElement } from "./dom.js";
import { getCondition, STATES, setCondition } from "./query.js";

/** The milliseconds after the last key press before a search begins. */
const SEARCH_DELAY_MS = 150;

/**
 * @typedef {object} ToolbarOptions
 * @property {import("./model.js").Model} model
 * @property {HTMLElement} status Shows the number of matches, and messages.
 * @property {(search: string) => void} changeSearch
 * @property {(mode: Partial<import("./item-list.js").ListMode>) => void} changeMode
 * @property {(isShown: boolean) => void} toggleTimeline Shows or hides the timeline, which has no room on a phone.
 * @property {(() => void) | undefined} step Releases the next event, if the server waits for steps.
 */

/**
 * Creates the bar.
 * @param {ToolbarOptions} options
 */
export function createToolbar({ model, status, changeSearch, changeMode, toggleTimeline, step }) {
  const input = createSearchInput(changeSearch);
  const types = createElement("select", { "aria-label": "Event type" });
  const states = createElement("select", { "aria-label": "State" });
  fillSelect(states, ["", "All events"], Object.keys(STATES), (name) => name);
  types.addEventListener("change", () => changeSearch(setCondition(input.value, "type", types.value)));
  states.addEventListener("change", () => changeSearch(setCondition(input.value, "is", states.value)));
  const reasoning = createSwitch("Reasoning", (showsReasoning) => changeMode({ showsReasoning }));
  reasoning.hidden = true;
  const events = createSwitch("Events", (showsEvents) => changeMode({ showsEvents }));
  const timeline = createSwitch("Timeline", toggleTimeline);
  timeline.classList.add("narrow-only");
  const buttons = [reasoning, events, timeline];
  if (step) buttons.push(createButton("Step", step, { title: "Release the next event (s)" }));
  const attributes = { class: "toolbar", role: "search" };
  const element = createElement("div", attributes, input, types, states, ...buttons, status);
  let typeCount = -1;
  const update = () => {
    const names = new Set(model.events.map(({ type }) => type));
    if (names.size !== typeCount) fillSelect(types, ["", "All types"], [...names].sort(), formatLabel);
    typeCount = names.size;
    reasoning.hidden &&= !hasReasoning(model);
    types.value = getCondition(input.value, "type");
    states.value = getCondition(input.value, "is");
  };
  return {
    element,
    /** Shows the types of new events and the conditions of the search. */
    update,
    /** @param {string} search */
    setSearch(search) {
      if (document.activeElement !== input || input.value.trim() !== search) input.value = search;
      update();
    },
  };
}

/** @param {import("./model.js").Model} model */
function hasReasoning({ listBlocks }) {
  for (const { block } of listBlocks())
    if (block.kind === "text" && block.speaker === "thinking") return true;
  return false;
}

/**
 * Creates the field of the search.
 * @param {(search: string) => void} changeSearch
 */
function createSearchInput(changeSearch) {
  const input = createElement("input", {
    id: "search",
    type: "search",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Search events",
    "aria-label": "Search events",
    title: "Search events (/)",
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => changeSearch(input.value.trim()), SEARCH_DELAY_MS);
  });
  return input;
}

/**
 * Creates a button that is pressed or not.
 * @param {string} text
 * @param {(isPressed: boolean) => void} change
 */
function createSwitch(text, change) {
  const button = createButton(text, () => {
    const isPressed = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isPressed));
    change(isPressed);
  });
  button.setAttribute("aria-pressed", "false");
  return button;
}

/**
 * Replaces the options of a list, and keeps the selected value.
 * @param {HTMLSelectElement} select
 * @param {readonly [value: string, text: string]} first
 * @param {readonly string[]} values
 * @param {(value: string) => string} formatText
 */
function fillSelect(select, [firstValue, firstText], values, formatText) {
  const { value } = select;
  const options = values.map((each) => createElement("option", { value: each }, formatText(each)));
  select.replaceChildren(createElement("option", { value: firstValue }, firstText), ...options);
  select.value = value;
}

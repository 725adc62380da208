/** The search over events: words, and conditions such as `type:tool.*`, `call:ID` and `is:failed`. */

/** @typedef {import("./model.js").ShownEvent} ShownEvent */
/** @typedef {(event: ShownEvent) => boolean} Condition */

/** The conditions that a search can state after `is:`. */
export const STATES = /** @type {const} */ ({
  failed: (/** @type {ShownEvent} */ { tone }) => tone === "bad",
  finding: (/** @type {ShownEvent} */ { findings }) => findings.length > 0,
  unknown: (/** @type {ShownEvent} */ { kind }) => kind === "unknown",
  invalid: (/** @type {ShownEvent} */ { kind }) => kind === "invalid" || kind === "conflict",
  late: (/** @type {ShownEvent} */ { kind }) => kind === "late",
});

/**
 * Returns a function that tells whether an event matches a search; undefined if the search is empty.
 * @param {string} search
 * @returns {Condition | undefined}
 */
export function parseSearch(search) {
  const words = search.match(/\S+/g) ?? [];
  if (words.length === 0) return undefined;
  const conditions = words.map(parseWord);
  return (event) => conditions.every((matches) => matches(event));
}

/**
 * @param {string} word
 * @returns {Condition}
 */
function parseWord(word) {
  const [, name = "", value = ""] = /^(type|call|is):(.+)$/.exec(word) ?? [];
  switch (name) {
    case "type":
      return createTypeCondition(value);
    case "call":
      return ({ keys }) => keys.includes(value);
    case "is":
      return Object.hasOwn(STATES, value) ? STATES[/** @type {keyof typeof STATES} */ (value)] : () => false;
    default: {
      const text = word.toLowerCase();
      return (event) => readText(event).includes(text);
    }
  }
}

/**
 * @param {string} value
 * @returns {Condition}
 */
function createTypeCondition(value) {
  if (!value.endsWith("*")) return ({ type }) => type === value;
  const prefix = value.slice(0, -1);
  return ({ type }) => type.startsWith(prefix);
}

/**
 * Returns the text of an event that is searched. It is made once.
 * @param {ShownEvent} event
 */
function readText(event) {
  event.text ??= (JSON.stringify(event.value) ?? "").toLowerCase();
  return event.text;
}

/**
 * Prepares the texts of events for a search, as long as there is time. Returns the number of prepared events.
 * @param {readonly ShownEvent[]} events
 * @param {number} prepared The number of events that were prepared before.
 * @param {() => boolean} hasTime
 */
export function prepareTexts(events, prepared, hasTime) {
  let count = prepared;
  for (; count < events.length && hasTime(); count++) readText(/** @type {ShownEvent} */ (events[count]));
  return count;
}

/**
 * Returns a search with a condition of this name, or without one if the value is empty.
 * @param {string} search
 * @param {"type" | "call" | "is"} name
 * @param {string} value
 */
export function setCondition(search, name, value) {
  const others = (search.match(/\S+/g) ?? []).filter((word) => !word.startsWith(`${name}:`));
  return [...others, ...(value === "" ? [] : [`${name}:${value}`])].join(" ");
}

/**
 * Returns the value of the condition with this name; empty if there is none.
 * @param {string} search
 * @param {"type" | "call" | "is"} name
 */
export function getCondition(search, name) {
  const word = (search.match(/\S+/g) ?? []).find((each) => each.startsWith(`${name}:`));
  return word?.slice(name.length + 1) ?? "";
}

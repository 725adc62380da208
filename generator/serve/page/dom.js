import { formatNumber } from "./format.js";

/**
 * Creates an element. Strings become text, never markup, because events are untrusted.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ readonly [attribute: string]: string }} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function createElement(tag, attributes = {}, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

/**
 * Creates a button.
 * @param {string} text
 * @param {() => void} press
 * @param {{ readonly [attribute: string]: string }} attributes
 */
export function createButton(text, press, attributes = {}) {
  const button = createElement("button", { type: "button", ...attributes }, text);
  button.addEventListener("click", press);
  return button;
}

/**
 * Returns the element of index.html with this id.
 * @param {string} id
 */
export function findPart(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** The largest length of a shown text, so that no event blocks the page. */
const MAX_TEXT_LENGTH = 100_000;

/**
 * Returns a value as indented JSON in a box that can be scrolled with the keyboard.
 * @param {unknown} value
 * @param {string} label
 */
export function createJsonBox(value, label) {
  return createCodeBox(JSON.stringify(value, null, 2) ?? "undefined", label);
}

/**
 * Returns code in a box that can be scrolled with the keyboard. Only the beginning of a very long text is shown.
 * @param {string} text
 * @param {string} label
 * @param {(text: string) => (Node | string)[]} draw Draws the text, for example with colours.
 */
export function createCodeBox(text, label, draw = (plain) => [plain]) {
  const left = text.length - MAX_TEXT_LENGTH;
  const note = left > 0 ? `\n… and ${formatNumber(left)} characters more` : "";
  const attributes = { tabindex: "0", role: "group", "aria-label": label };
  return createElement("pre", attributes, ...draw(text.slice(0, MAX_TEXT_LENGTH)), note);
}

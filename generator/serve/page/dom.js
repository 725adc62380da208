/**
 * Makes an element. Strings become text, never markup, because events are untrusted.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{ readonly [attribute: string]: string }} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The largest length of a shown text, so that no event blocks the page. */
const SHOWN = 100_000;

/**
 * Returns the text, or its beginning and a note about the rest.
 * @param {string} text
 */
export function shortened(text) {
  const left = text.length - SHOWN;
  return left > 0 ? `${text.slice(0, SHOWN)}\n… and ${left.toLocaleString("en")} characters more` : text;
}

/**
 * Shows a value as indented JSON in a box that can be scrolled with the keyboard.
 * @param {unknown} value
 * @param {string} label
 */
export function jsonBox(value, label) {
  return codeBox(JSON.stringify(value, null, 2) ?? "undefined", label);
}

/**
 * Shows code in a box that can be scrolled with the keyboard.
 * @param {string} text
 * @param {string} label
 */
export function codeBox(text, label) {
  return element("pre", { tabindex: "0", role: "group", "aria-label": label }, shortened(text));
}

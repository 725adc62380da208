/**
 * Makes an element. Children that are strings become text, never markup: everything that is shown comes from outside.
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

/** How much of a text is shown at once, so that no event makes the page stand still. */
const SHOWN = 100_000;

/**
 * The text, or its beginning with a word on the rest.
 * @param {string} text
 */
export function shortened(text) {
  const left = text.length - SHOWN;
  return left > 0 ? `${text.slice(0, SHOWN)}\n… and ${left.toLocaleString("en")} characters more` : text;
}

/**
 * A value as indented JSON in a box that the keyboard can scroll.
 * @param {unknown} value
 * @param {string} label
 */
export function jsonBox(value, label) {
  return codeBox(JSON.stringify(value, null, 2) ?? "undefined", label);
}

/**
 * Code in a box that the keyboard can scroll.
 * @param {string} text
 * @param {string} label
 */
export function codeBox(text, label) {
  return element("pre", { tabindex: "0", role: "group", "aria-label": label }, shortened(text));
}

/** Draws Markdown. Of a text that grows, only the end is drawn again. */
import { findStableEnd, parseMarkdown } from "../../view/markdown.js";
import { createElement } from "./dom.js";

/** @typedef {import("../../view/markdown.js").MarkdownBlock} MarkdownBlock */
/** @typedef {Extract<MarkdownBlock, { kind: "paragraph" }>["spans"][number]} Span */

const TAGS = /** @type {const} */ ({ strong: "strong", emphasis: "em", code: "code" });

/** @typedef {{ text: string, stableEnd: number, stableNodes: number }} DrawnText The text that an element shows, and the part of it that no longer changes. */

/** @type {WeakMap<HTMLElement, DrawnText>} */
const drawnTexts = new WeakMap();

/**
 * Shows a Markdown text in an element. If the text begins with the text that the element shows, its finished blocks stay.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function drawMarkdown(element, text) {
  const before = drawnTexts.get(element);
  const isLonger = before !== undefined && text.startsWith(before.text);
  const drawn = isLonger ? before : { text: "", stableEnd: 0, stableNodes: 0 };
  if (isLonger && text.length === before.text.length && text !== "") return;
  while (element.childNodes.length > drawn.stableNodes) element.lastChild?.remove();
  const stableEnd = findStableEnd(text, drawn.stableEnd);
  element.append(...parseMarkdown(text.slice(drawn.stableEnd, stableEnd)).map(drawBlock));
  const stableNodes = element.childNodes.length;
  element.append(...parseMarkdown(text.slice(stableEnd)).map(drawBlock));
  drawnTexts.set(element, { text, stableEnd, stableNodes });
}

/** @param {MarkdownBlock} block */
function drawBlock(block) {
  switch (block.kind) {
    case "paragraph":
      return createElement("p", {}, ...drawSpans(block.spans));
    case "heading":
      // Headings of a text must not become part of the outline of the page.
      return createElement("p", { class: "heading" }, ...drawSpans(block.spans));
    case "item": {
      const marker = createElement("span", {}, `${block.marker} `);
      return createElement("p", { class: "item" }, marker, ...drawSpans(block.spans));
    }
    case "quote":
      return createElement("blockquote", {}, ...drawSpans(block.spans));
    case "code":
      return createElement("pre", { tabindex: "0", role: "group", "aria-label": "Code" }, block.text);
    case "rule":
      return createElement("hr");
  }
}

/** @param {readonly Span[]} spans */
function drawSpans(spans) {
  return spans.map(({ style, text }) => (style === "plain" ? text : createElement(TAGS[style], {}, text)));
}

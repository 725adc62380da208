import { parseMarkdown } from "../../view/markdown.js";
import { createElement } from "./dom.js";

/** @typedef {import("../../view/markdown.js").MarkdownBlock} MarkdownBlock */
/** @typedef {Extract<MarkdownBlock, { kind: "paragraph" }>["spans"][number]} Span */

const TAGS = /** @type {const} */ ({ strong: "strong", emphasis: "em", code: "code" });

/**
 * Returns the elements of a Markdown text.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function drawMarkdown(text) {
  return parseMarkdown(text).map(drawBlock);
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

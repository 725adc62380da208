import { parseMarkdown } from "../../view/markdown.js";
import { element } from "./dom.js";

/** @typedef {import("../../view/markdown.js").MarkdownBlock} MarkdownBlock */
/** @typedef {Extract<MarkdownBlock, { kind: "paragraph" }>["spans"][number]} Span */

const TAGS = /** @type {const} */ ({ strong: "strong", emphasis: "em", code: "code" });

/**
 * Returns the elements of a Markdown text.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function prose(text) {
  return parseMarkdown(text).map(drawn);
}

/** @param {MarkdownBlock} block */
function drawn(block) {
  switch (block.kind) {
    case "paragraph":
      return element("p", {}, ...spans(block.spans));
    case "heading":
      // Headings of a text must not become part of the outline of the page.
      return element("p", { class: "heading" }, ...spans(block.spans));
    case "item": {
      const item = element(
        "p",
        { class: "item" },
        element("span", {}, `${block.marker} `),
        ...spans(block.spans),
      );
      item.dataset.indent = String(block.indent);
      return item;
    }
    case "quote":
      return element("blockquote", {}, ...spans(block.spans));
    case "code":
      return element("pre", { tabindex: "0", role: "group", "aria-label": "Code" }, block.text);
    case "rule":
      return element("hr");
  }
}

/** @param {readonly Span[]} all */
function spans(all) {
  return all.map(({ style, text }) => (style === "plain" ? text : element(TAGS[style], {}, text)));
}

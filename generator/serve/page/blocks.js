/** Draws each kind of block. */
import { describeGap } from "../../view/block.js";
import { createCodeBox, createElement, createJsonBox } from "./dom.js";
import { drawMarkdown } from "./prose.js";

/** @typedef {import("../../view/block.js").Block} Block */
/** @template {Block["kind"]} Kind @typedef {Extract<Block, { readonly kind: Kind }>} BlockOf */

/** @type {{ readonly [Kind in Block["kind"]]: (block: BlockOf<Kind>) => Node[] }} */
const DRAW = {
  text: drawText,
  tool: drawTool,
  approval: drawApproval,
  gap: drawGap,
  notice: drawNotice,
  cost: drawNotice,
  unknown: drawUnknown,
  fault: drawFault,
};

/**
 * Returns the content of a block.
 * @param {Block} block
 * @returns {Node[]}
 */
export function drawBlock(block) {
  return /** @type {(block: Block) => Node[]} */ (DRAW[block.kind])(block);
}

/**
 * Returns the classes of a block.
 * @param {Block} block
 */
export function formatClasses(block) {
  if (block.kind === "text") return `block text ${block.speaker}`;
  return `block ${block.kind}${"tone" in block ? ` ${block.tone}` : ""}`;
}

const SPEAKERS = { user: "User", assistant: "Assistant", thinking: "Reasoning" };

/** @param {BlockOf<"text">} block */
function drawText({ speaker, text, open }) {
  const label = createElement("p", { class: "label" }, SPEAKERS[speaker]);
  return [label, createElement("div", { class: open ? "prose open" : "prose" }, ...drawMarkdown(text))];
}

/** @param {BlockOf<"tool">} block */
function drawTool({ name, state, input, output, facts }) {
  const boxes = output.map(({ channel, text, dropped }) => {
    const note = dropped > 0 ? `… ${dropped.toLocaleString("en")} characters before this\n` : "";
    const box = createCodeBox(note + text, `Output, ${channel}`);
    box.classList.add("output");
    box.dataset.channel = channel;
    return box;
  });
  return [drawHead(name || "tool call", state), ...drawInput(input), ...boxes, ...drawFacts(facts)];
}

/** @param {BlockOf<"approval">} block */
function drawApproval({ subject, state, facts }) {
  return [drawHead("Approval", state), ...drawInput(subject), ...drawFacts(facts)];
}

/** @param {BlockOf<"gap">} block */
function drawGap(block) {
  return [createElement("p", {}, describeGap(block), ...drawType(block.type)), ...drawFacts(block.facts)];
}

/** @param {BlockOf<"notice" | "cost">} block */
function drawNotice({ summary, facts, type }) {
  return [createElement("p", {}, summary, ...drawType(type)), ...drawFacts(facts)];
}

/** @param {BlockOf<"unknown">} block */
function drawUnknown({ type, value }) {
  const label = createElement("span", { class: "chip" }, "unknown type");
  const head = createElement("p", { class: "head" }, createElement("code", {}, type), label);
  return [head, createJsonBox(value, `Event of the unknown type ${type}`)];
}

/** @param {BlockOf<"fault">} block */
function drawFault({ problem, type, value }) {
  const sentence = createElement("p", {}, `An event ${problem}`, ...drawType(type));
  return [sentence, createJsonBox(value, "The value")];
}

/**
 * Returns a title and the state of a tool call or an approval.
 * @param {string} title
 * @param {string} state
 */
function drawHead(title, state) {
  const chip = createElement("span", { class: "chip" }, state || "—");
  return createElement("p", { class: "head" }, createElement("strong", {}, title), chip);
}

/** @param {string | undefined} input */
function drawInput(input) {
  return input === undefined ? [] : [createElement("code", { class: "input" }, input)];
}

/** @param {string} type */
function drawType(type) {
  return type === "" ? [] : [" ", createElement("code", { class: "type" }, type)];
}

/** @param {Iterable<readonly [string, string]>} facts */
function drawFacts(facts) {
  const rows = [...facts].map(([name, value]) =>
    createElement("div", {}, createElement("dt", {}, name), createElement("dd", {}, value)),
  );
  return rows.length === 0 ? [] : [createElement("dl", {}, ...rows)];
}

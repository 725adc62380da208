/** Draws each kind of block. */
import { describeGap } from "../../view/block.js";
import { formatLabel } from "../../view/payload.js";
import { drawAnsi } from "./ansi.js";
import { findEdit, shortenDiff } from "./diff.js";
import { createCodeBox, createElement, createJsonBox } from "./dom.js";
import { formatNumber } from "./format.js";
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
 * Draws a block into an element, which may show an earlier state of it.
 * @param {Block} block
 * @param {HTMLElement} content
 */
export function drawBlock(block, content) {
  const prose = block.kind === "text" ? content.querySelector(".prose") : null;
  // A text that grows stays in place, because moving it would lay out all of it again.
  if (block.kind === "text" && prose instanceof HTMLElement) return fillProse(prose, block);
  const draw = /** @type {(block: Block) => Node[]} */ (DRAW[block.kind]);
  content.replaceChildren(...draw(block));
}

/**
 * Returns the classes of a block.
 * @param {Block} block
 */
export function formatClasses(block) {
  if (block.kind === "text") return `block text ${block.speaker}`;
  return `block ${block.kind}${"tone" in block ? ` ${block.tone}` : ""}`;
}

/**
 * Returns the probable height of a block in pixels.
 * @param {Block} block
 */
export function estimateHeight(block) {
  switch (block.kind) {
    case "text":
      return 60 + 24 * Math.ceil(block.text.length / 80);
    case "tool":
      return 80 + Math.min(360, 20 * block.output.length * 4);
    case "approval":
      return 90;
    case "unknown":
    case "fault":
      return 220;
    default:
      return 48;
  }
}

const SPEAKERS = { user: "User", assistant: "Assistant", thinking: "Reasoning" };

/** @param {BlockOf<"text">} block */
function drawText(block) {
  const prose = createElement("div");
  fillProse(prose, block);
  return [createElement("p", { class: "label" }, SPEAKERS[block.speaker]), prose];
}

/**
 * @param {HTMLElement} prose
 * @param {BlockOf<"text">} block
 */
function fillProse(prose, { text, open }) {
  prose.className = open ? "prose open" : "prose";
  if (text === "" && !open) prose.replaceChildren(createElement("p", { class: "soft" }, "Empty text"));
  else drawMarkdown(prose, text);
}

/** @param {BlockOf<"tool">} block */
function drawTool({ name, state, input, output, facts }) {
  const outputs = output.filter(({ text, missing }) => text !== "" || missing > 0).flatMap(drawOutput);
  return [drawHead(name || "Tool call", state), ...drawInput(input), ...outputs, ...drawFacts(facts)];
}

/** @param {import("../../view/block.js").Output} output */
function drawOutput({ channel, text, dropped, missing, masked = 0 }) {
  const createNote = (/** @type {string} */ note) => createElement("p", { class: "missing" }, note);
  const droppedNote = createElement(
    "p",
    { class: "soft" },
    `… ${formatNumber(dropped)} characters before this`,
  );
  const box = createCodeBox(text, `Output, ${channel}`, drawAnsi);
  box.classList.add("output");
  box.dataset.channel = channel;
  return [
    ...(missing > 0 ? [createNote(`${formatNumber(missing)} bytes are missing here`)] : []),
    ...(masked > 0 ? [createNote(`${formatNumber(masked)} bytes were masked before this`)] : []),
    ...(dropped > 0 ? [droppedNote] : []),
    ...(text === "" ? [] : [box]),
  ];
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
function drawNotice({ label, summary, facts, type }) {
  const name = createElement("span", { class: "name", title: `${type}: ${summary}` }, label);
  return [createElement("p", { class: "line" }, name, ...drawFacts(facts))];
}

/** @param {BlockOf<"unknown">} block */
function drawUnknown({ type, value }) {
  const label = createElement("span", { class: "chip" }, "Unknown type");
  const head = createElement("p", { class: "head" }, createElement("code", {}, type), label);
  return [head, createJsonBox(value, `Event of the unknown type ${type}`)];
}

/** @param {BlockOf<"fault">} block */
function drawFault({ problem, type, value }) {
  const label = createElement(
    "span",
    { class: "chip" },
    type === "invalid" ? "Not an event" : formatLabel(type),
  );
  const sentence = createElement("p", { class: "head" }, createElement("strong", {}, "Invalid event"), label);
  const reason = createElement("p", {}, problem);
  return [sentence, reason, ...(value === undefined ? [] : [createJsonBox(value, "The value")])];
}

/**
 * Returns a title and the state of a tool call or an approval.
 * @param {string} title
 * @param {string} state
 */
function drawHead(title, state) {
  const chips = state === "" ? [] : [createElement("span", { class: "chip" }, state)];
  return createElement("p", { class: "head" }, createElement("strong", {}, title), ...chips);
}

/**
 * Draws the input of a call: as a diff if it is an edit, and else as text.
 * @param {string | undefined} input
 */
function drawInput(input) {
  if (input === undefined || input === "") return [];
  const edit = recallEdit(input);
  if (edit === undefined) return [createElement("code", { class: "input" }, shortenText(input))];
  const lines = edit.lines.map(({ kind, text }) =>
    createElement("span", { class: kind }, `${SIGNS[kind]} ${text}\n`),
  );
  const attributes = { class: "diff", tabindex: "0", role: "group", "aria-label": "Edit" };
  return [...drawFacts(edit.facts), createElement("pre", attributes, ...lines)];
}

const SIGNS = { same: " ", removed: "−", added: "+", "left-out": "…" };

/** The greatest number of fields that are shown with an edit. */
const MAX_FACTS = 20;

/** @typedef {{ lines: import("./diff.js").DiffLine[], facts: Readonly<Record<string, string>> }} ShownEdit */

/** The edit that was drawn last. A call is drawn again for each piece of its output. @type {{ input: string, edit: ShownEdit | undefined }} */
let lastEdit = { input: "", edit: undefined };

/**
 * Returns the edit in an input. The edit that was read last is remembered.
 * @param {string} input
 */
function recallEdit(input) {
  if (lastEdit.input !== input) lastEdit = { input, edit: readEdit(input) };
  return lastEdit.edit;
}

/**
 * @param {string} input
 * @returns {ShownEdit | undefined}
 */
function readEdit(input) {
  const edit = findEdit(input);
  if (edit === undefined) return undefined;
  const rest = edit.rest.slice(0, MAX_FACTS);
  const facts = rest.map(([name, value]) => [shortenText(name), shortenText(formatValue(value))]);
  return { lines: shortenDiff(edit.lines), facts: Object.fromEntries(facts) };
}

/** @param {unknown} value */
function formatValue(value) {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The greatest length of an input in the list. The inspector shows all of it. */
const MAX_INPUT_LENGTH = 2000;

/** @param {string} text */
function shortenText(text) {
  return text.length > MAX_INPUT_LENGTH ? `${text.slice(0, MAX_INPUT_LENGTH)}…` : text;
}

/** @param {string} type */
function drawType(type) {
  return type === "" ? [] : [" ", createElement("code", { class: "type" }, type)];
}

/** @param {{ readonly [name: string]: string }} facts */
function drawFacts(facts) {
  const rows = Object.entries(facts).map(([name, value]) =>
    createElement("span", { class: "fact" }, createElement("span", {}, name), " ", value),
  );
  return rows.length === 0 ? [] : [createElement("span", { class: "facts" }, ...rows)];
}

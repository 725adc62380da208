/** Draws each kind of block. */
import { codeBox, element, jsonBox } from "./dom.js";
import { prose } from "./prose.js";

/** @typedef {import("../../view/block.js").Block} Block */
/** @template {Block["kind"]} Kind @typedef {Extract<Block, { readonly kind: Kind }>} Of */

/** @type {{ readonly [Kind in Block["kind"]]: (block: Of<Kind>) => Node[] }} */
const DRAW = { text, tool, approval, gap, notice, cost: notice, unknown, fault };

/**
 * Returns the content of a block.
 * @param {Block} block
 * @returns {Node[]}
 */
export function draw(block) {
  return /** @type {(block: Block) => Node[]} */ (DRAW[block.kind])(block);
}

/**
 * Returns the classes of a block.
 * @param {Block} block
 */
export function classOf(block) {
  if (block.kind === "text") return `block text ${block.speaker}`;
  return `block ${block.kind}${"tone" in block ? ` ${block.tone}` : ""}`;
}

const SPEAKERS = { user: "User", assistant: "Assistant", thinking: "Reasoning" };

/** @param {Of<"text">} block */
function text({ speaker, text: said, open }) {
  const label = element("p", { class: "label" }, SPEAKERS[speaker]);
  return [label, element("div", { class: open ? "prose open" : "prose" }, ...prose(said))];
}

/** @param {Of<"tool">} block */
function tool({ name, state, input, output, facts }) {
  const head = element("p", { class: "head" }, element("strong", {}, name || "tool call"), chip(state));
  const boxes = output.map(({ channel, text: piece, dropped }) => {
    const left = dropped > 0 ? `… ${dropped.toLocaleString("en")} characters before this\n` : "";
    const box = codeBox(left + piece, `Output, ${channel}`);
    box.classList.add("output");
    box.dataset.channel = channel;
    return box;
  });
  return [
    head,
    ...(input === undefined ? [] : [element("code", { class: "input" }, input)]),
    ...boxes,
    ...listed(facts),
  ];
}

/** @param {Of<"approval">} block */
function approval({ subject, state, facts }) {
  const head = element("p", { class: "head" }, element("strong", {}, "Approval"), chip(state));
  return [head, element("code", { class: "input" }, subject), ...listed(facts)];
}

/** @param {Of<"gap">} block */
function gap({ first, last, facts, type }) {
  return [element("p", {}, gapSentence(first, last), ...kind(type)), ...listed(facts)];
}

/**
 * @param {number | undefined} first
 * @param {number | undefined} last
 */
function gapSentence(first, last) {
  if (last === undefined) return "Events may be missing here";
  if (first === undefined) return `Events before ${last + 1} are missing`;
  return first === last ? `Event ${first} is missing` : `Events ${first} to ${last} are missing`;
}

/** @param {Of<"notice" | "cost">} block */
function notice({ summary, facts, type }) {
  return [element("p", {}, summary, ...kind(type)), ...listed(facts)];
}

/** @param {Of<"unknown">} block */
function unknown({ type, value }) {
  return [
    element(
      "p",
      { class: "head" },
      element("code", {}, type),
      element("span", { class: "chip" }, "unknown type"),
    ),
    jsonBox(value, `Event of the unknown type ${type}`),
  ];
}

/** @param {Of<"fault">} block */
function fault({ problem, type, value }) {
  return [element("p", {}, `An event ${problem}`, ...kind(type)), jsonBox(value, "The value")];
}

/** @param {string} type */
function kind(type) {
  return type === "" ? [] : [" ", element("code", { class: "type" }, type)];
}

/** @param {string} state */
function chip(state) {
  return element("span", { class: "chip" }, state || "—");
}

/** @param {Iterable<readonly [string, string]>} facts */
function listed(facts) {
  const rows = [...facts].map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  return rows.length === 0 ? [] : [element("dl", {}, ...rows)];
}

/** Draws the rows of the two lists: of blocks, and of events. */
import { formatLabel } from "../../view/payload.js";
import { drawBlock, formatClasses } from "./blocks.js";
import { createElement } from "./dom.js";
import { formatCount, formatDuration, formatElapsed, formatNumber, formatTime } from "./format.js";

/** @typedef {import("./model.js").ShownBlock} ShownBlock */
/** @typedef {import("./model.js").ShownEvent} ShownEvent */
/** @typedef {import("./model.js").Finding} Finding */

/**
 * The data and the functions that rows need in addition to their item.
 * @typedef {object} RowContext
 * @property {(event: ShownEvent) => string} formatLink Returns the address of an event.
 * @property {() => number | undefined} started Returns the time of the first event.
 * @property {() => ShownEvent | undefined} selected
 * @property {(block: import("../../view/block.js").ApprovalBlock) => HTMLButtonElement[]} createDecisionButtons Returns the buttons
 * that decide an approval.
 */

/**
 * Draws a block. The margin shows the labels of its events and when the first one happened.
 * @param {ShownBlock} shown
 * @param {HTMLLIElement} row
 * @param {RowContext} context
 */
export function drawBlockRow(shown, row, context) {
  const { block, events } = shown;
  row.className = formatClasses(block);
  const selected = context.selected();
  row.toggleAttribute("aria-current", selected !== undefined && selected.block === shown);
  const content = prepareRow(row, events, context);
  drawBlock(block, content);
  const hasDuration = block.kind === "tool" || block.kind === "approval";
  const duration = hasDuration ? measureDuration(shown) : undefined;
  if (duration !== undefined)
    content
      .querySelector(".head")
      ?.append(createElement("span", { class: "soft" }, formatDuration(duration)));
  if (block.kind === "approval" && block.tone === "open") {
    const buttons = context.createDecisionButtons(block);
    if (buttons.length > 0) content.append(createElement("p", { class: "actions" }, ...buttons));
  }
  content.append(...drawFindings(events.flatMap(({ findings }) => findings)));
}

/**
 * Draws the margin of a row. Returns the element for its content, without findings; it stays the same element.
 * @param {HTMLLIElement} row
 * @param {readonly ShownEvent[]} events
 * @param {RowContext} context
 */
function prepareRow(row, events, context) {
  const margin = drawMargin(events, context);
  const [oldMargin, content] = row.children;
  if (!(oldMargin instanceof HTMLElement && content instanceof HTMLElement)) {
    const created = createElement("div", { class: "content" });
    row.replaceChildren(margin, created);
    return created;
  }
  oldMargin.replaceWith(margin);
  content.querySelector(":scope > .findings")?.remove();
  return content;
}

/**
 * Returns the labels of events as a link to the first one, and the time of that since the beginning of the run.
 * @param {readonly ShownEvent[]} events
 * @param {RowContext} context
 */
function drawMargin(events, context) {
  const margin = createElement("div", { class: "margin" });
  const [first] = events;
  if (first === undefined) return margin;
  const last = events.at(-1) ?? first;
  const text = first === last ? first.label : `${first.label}–${last.label}`;
  const started = context.started();
  if (first.time !== undefined && started !== undefined) {
    const attributes = { datetime: new Date(first.time).toISOString(), title: formatTime(first.time) };
    margin.append(createElement("time", attributes, formatElapsed(first.time - started)));
  }
  margin.append(createElement("a", { href: context.formatLink(first), class: "place" }, text));
  return margin;
}

/**
 * Returns the time from the first to the last event of a block in milliseconds.
 * @param {ShownBlock} shown
 */
function measureDuration({ events }) {
  const times = events.flatMap(({ time }) => time ?? []);
  const [first, last] = [times[0], times.at(-1)];
  return first === undefined || last === undefined || times.length < 2 ? undefined : last - first;
}

/** The number of findings that a row shows. */
const MAX_FINDINGS = 3;

/**
 * Returns a list of findings; none if there are none.
 * @param {readonly Finding[]} findings
 */
export function drawFindings(findings) {
  if (findings.length === 0) return [];
  const groups = foldFindings(findings);
  const items = groups.slice(0, MAX_FINDINGS).map(({ finding, count }) => drawFinding(finding, count));
  const more = groups.slice(MAX_FINDINGS).reduce((sum, { count }) => sum + count, 0);
  if (more > 0) items.push(createElement("li", {}, `and ${formatCount(more, "other finding")}`));
  return [createElement("ul", { class: "findings" }, ...items)];
}

/**
 * Returns each different finding with the number of findings that are equal to it.
 * @param {readonly Finding[]} findings
 */
function foldFindings(findings) {
  /** @type {Map<string, { finding: Finding, count: number }>} */
  const groups = new Map();
  for (const finding of findings) {
    const key = JSON.stringify([finding.rule, finding.severity, finding.message, finding.pointer]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { finding, count: 1 });
    else group.count++;
  }
  return [...groups.values()];
}

/**
 * Returns an item with a finding, and how often there is an equal one.
 * @param {Finding} finding
 * @param {number} count
 */
export function drawFinding({ rule, severity, message, hint, pointer }, count = 1) {
  const place = pointer === "" ? [] : [createElement("code", { class: "pointer" }, pointer), " "];
  const item = createElement(
    "li",
    { class: severity },
    createElement("code", {}, rule),
    " ",
    ...place,
    message,
    ...(count > 1 ? [createElement("span", { class: "soft" }, ` × ${formatNumber(count)}`)] : []),
  );
  if (hint !== undefined) item.title = hint;
  return item;
}

/**
 * Draws an event.
 * @param {ShownEvent} event
 * @param {HTMLLIElement} row
 * @param {RowContext} context
 */
export function drawEventRow(event, row, context) {
  row.className = `event ${event.kind} ${event.tone}`;
  row.dataset.event = event.label;
  row.dataset.type = event.type;
  row.toggleAttribute("aria-current", context.selected() === event);
  const name = createElement("span", { class: "name" }, formatLabel(event.type));
  const chip = CHIPS[event.kind];
  const chips = chip === undefined ? [] : [createElement("span", { class: "chip" }, chip)];
  const head = createElement("p", { class: "line" }, name, createElement("code", {}, event.type), ...chips);
  prepareRow(row, [event], context).replaceChildren(head, ...drawFindings(event.findings));
}

/** @type {{ readonly [kind in ShownEvent["kind"]]?: string }} */
const CHIPS = { unknown: "Unknown type", late: "Late", conflict: "Conflict", invalid: "Not valid" };

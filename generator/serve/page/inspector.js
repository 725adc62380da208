/** Shows one event: its findings, the events that it belongs to, its JSON and the schema of its type. */
import { formatLabel } from "../../view/payload.js";
import { createButton, createElement, createJsonBox } from "./dom.js";
import { formatElapsed, formatTime } from "./format.js";
import { drawMarkdown } from "./prose.js";
import { drawFinding } from "./rows.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").ShownEvent} ShownEvent */
/** @typedef {{ name: string, type: string, required: boolean, description: string }} Field */
/** @typedef {{ summary: string, description: string, stability: string, since: string, deprecated?: unknown, requires?: string, fields: Field[] }} TypeEntry */

/**
 * @typedef {object} InspectorContext
 * @property {Model} model
 * @property {{ [type: string]: TypeEntry }} types
 * @property {(event: ShownEvent) => string} formatLink
 * @property {(call: string) => void} showCall Shows only the events of a call.
 * @property {() => void} close
 */

/**
 * Draws an event into the panel.
 * @param {HTMLElement} panel
 * @param {ShownEvent} event
 * @param {InspectorContext} context
 */
export function drawInspector(panel, event, context) {
  const { model, types, close } = context;
  const heading = createElement("h2", { id: "inspector-title", tabindex: "-1" }, formatLabel(event.type));
  const number = createElement(
    "p",
    { class: "soft" },
    createElement("code", {}, event.type),
    ` · event ${event.label}`,
  );
  panel.replaceChildren(
    createElement("div", { class: "panel-head" }, heading, createButton("Close", close, { title: "Esc" })),
    number,
    ...drawTimes(event, model),
    drawActions(event, context),
    ...drawFindingList(event),
    ...drawRelations(event, context),
    createElement("h3", {}, "Event"),
    createJsonBox(event.value, `Event ${event.label}`),
    ...drawEntry(Object.hasOwn(types, event.type) ? types[event.type] : undefined),
  );
}

/**
 * @param {ShownEvent} event
 * @param {Model} model
 */
function drawTimes({ time }, { summary }) {
  if (time === undefined) return [];
  const elapsed = summary.started === undefined ? "" : ` · ${formatElapsed(time - summary.started)}`;
  return [createElement("p", { class: "soft" }, formatTime(time), elapsed)];
}

/**
 * @param {ShownEvent} event
 * @param {InspectorContext} context
 */
function drawActions(event, { formatLink, showCall }) {
  const actions = createElement("p", { class: "actions" });
  const [call] = event.keys;
  actions.append(
    createCopyButton("Copy event", () => JSON.stringify(event.value, null, 2) ?? ""),
    createCopyButton("Copy link", () => new URL(formatLink(event), location.href).href),
  );
  if (call !== undefined) actions.append(createButton("Only this call", () => showCall(call)));
  return actions;
}

/**
 * Creates a button that copies a text, and says so.
 * @param {string} label
 * @param {() => string} readText
 */
function createCopyButton(label, readText) {
  const button = createButton(label, async () => {
    const isCopied = await copyText(readText());
    button.textContent = isCopied ? "Copied" : "Not copied";
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  button.setAttribute("aria-live", "polite");
  return button;
}

/**
 * Copies a text. Returns whether the browser allowed it.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** @param {ShownEvent} event */
function drawFindingList({ findings }) {
  if (findings.length === 0) return [];
  const items = findings.map((finding) => {
    const item = drawFinding(finding);
    if (finding.hint !== undefined) item.append(createElement("p", { class: "soft" }, finding.hint));
    return item;
  });
  return [createElement("h3", {}, "Findings"), createElement("ul", { class: "findings" }, ...items)];
}

/** The number of events of the same block that are listed. */
const MAX_RELATED = 12;

/**
 * Returns links to the cause of an event, and to the other events of its block.
 * @param {ShownEvent} event
 * @param {InspectorContext} context
 */
function drawRelations(event, context) {
  const causes = findCauses(event, context.model);
  const related = event.block.events.length < 2 ? [] : event.block.events;
  const shown =
    related.length > MAX_RELATED ? [...related.slice(0, MAX_RELATED - 1), ...related.slice(-1)] : related;
  return [
    ...drawLinks("Cause", causes, event, context),
    ...drawLinks(`Same ${NOUNS[event.block.block.kind] ?? "block"}`, shown, event, context),
  ];
}

/** @type {{ readonly [kind: string]: string }} */
const NOUNS = { tool: "call", approval: "approval", text: "text" };

/**
 * @param {string} title
 * @param {readonly ShownEvent[]} events
 * @param {ShownEvent} current
 * @param {InspectorContext} context
 */
function drawLinks(title, events, current, { formatLink }) {
  if (events.length === 0) return [];
  const items = events.map((event) => {
    const text = `${event.label} ${formatLabel(event.type)}`;
    const link = createElement("a", { href: formatLink(event) }, text);
    if (event === current) link.setAttribute("aria-current", "true");
    return createElement("li", {}, link);
  });
  return [createElement("h3", {}, title), createElement("ul", { class: "links" }, ...items)];
}

/**
 * Finds the events that led to an event: the beginning of its call, the call of an approval, the approval of a call, and
 * for the failure of a run the last failure before it.
 * @param {ShownEvent} event
 * @param {Model} model
 */
function findCauses(event, model) {
  const { block } = event.block;
  /** @type {(ShownEvent | undefined)[]} */
  const causes = [];
  if (event.block.events[0] !== event) causes.push(event.block.events[0]);
  if (block.kind === "approval" && block.call !== undefined)
    causes.push(model.findBlockByKey(block.call)?.events[0]);
  if (block.kind === "tool") causes.push(findApproval(block.key, model));
  if (block.kind === "notice" && block.tone === "bad") causes.push(findFailureBefore(event, model));
  return causes.filter((cause) => cause !== undefined);
}

/**
 * @param {string} call
 * @param {Model} model
 */
function findApproval(call, { listBlocks }) {
  for (const { block, events } of listBlocks())
    if (block.kind === "approval" && block.call === call) return events.at(-1);
  return undefined;
}

/**
 * @param {ShownEvent} event
 * @param {Model} model
 */
function findFailureBefore(event, { events }) {
  const index = events.indexOf(event);
  return events.findLast((other, place) => place < index && other.tone === "bad");
}

/** @param {TypeEntry | undefined} entry */
function drawEntry(entry) {
  if (entry === undefined) return [];
  const { summary, description, stability, since, deprecated, requires, fields } = entry;
  const notes = [stability, `since ${since}`, deprecated && "deprecated", requires && `requires ${requires}`];
  const rows = fields.map(({ name, type, required, description: text }) =>
    createElement(
      "div",
      {},
      createElement("dt", {}, createElement("code", {}, name), required ? " required" : ""),
      createElement("dd", {}, createElement("code", {}, type), createMarkdown("", text)),
    ),
  );
  return [
    createElement("h3", {}, "Schema"),
    createElement("p", {}, `${summary}.`),
    createMarkdown("soft", description),
    createElement("p", { class: "soft" }, notes.filter(Boolean).join(" · ")),
    createElement("dl", { class: "fields" }, ...rows),
  ];
}

/**
 * Returns an element with a Markdown text.
 * @param {string} className
 * @param {string} text
 */
function createMarkdown(className, text) {
  const element = createElement("div", { class: className });
  drawMarkdown(element, text);
  return element;
}

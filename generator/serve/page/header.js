/** Draws the head of a run: its title, its state, and what it used. */
import { createButton, createElement } from "./dom.js";
import { describeConnection, describeInterruption } from "./feed.js";
import { formatCount, formatDuration, formatNumber } from "./format.js";
import { drawFindings } from "./rows.js";
import { WAITS } from "./run-list.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("../../stream/index.js").ConnectionState} ConnectionState */
/** @typedef {Extract<ConnectionState, { kind: "waiting" }>} Interruption */

/**
 * @typedef {object} HeaderState
 * @property {import("./feed.js").Run} run
 * @property {Model} model
 * @property {ConnectionState} connection
 * @property {readonly Interruption[]} interruptions
 * @property {string | undefined} question The address of the oldest question that nobody has decided.
 * @property {(search: string) => void} search
 */

/**
 * Draws the head of a run.
 * @param {HTMLElement} header
 * @param {HeaderState} state
 */
export function drawHeader(header, state) {
  const { run, model } = state;
  const { summary } = model;
  const notes = [run.protocol, ...Object.entries(run.fields).map(([name, value]) => `${name} ${value}`)];
  header.replaceChildren(
    createElement("h1", { title: summary.title ?? run.run }, summary.title ?? run.run),
    createElement("p", { class: "notes" }, notes.join(" · ")),
    createElement("p", { class: "status", role: "status" }, ...drawState(state)),
    createElement("dl", { class: "totals" }, ...drawTotals(state)),
    ...drawFindings(model.listRunFindings()),
  );
}

/** @param {HeaderState} state */
function drawState({ run, model, connection, interruptions, question }) {
  const { outcome } = model.summary;
  // The server closes the connection after the end of a run, and then says that there is no more.
  const isOver = outcome !== undefined && connection.kind === "waiting" && connection.reason === "closed";
  const text = isOver ? "Ended" : describeConnection(connection);
  const chip = createElement("span", { class: "chip state" }, text);
  chip.dataset.state = isOver ? "closing" : connection.kind;
  chip.dataset.reconnects = String(interruptions.length);
  const chips = [chip];
  if (outcome !== undefined)
    chips.unshift(createElement("span", { class: `chip outcome ${outcome.tone}` }, outcome.label));
  else if (connection.kind === "ended" && run.expectsEnd)
    chips.unshift(createElement("span", { class: "chip outcome open" }, "No end recorded"));
  if (question !== undefined)
    chips.unshift(createElement("a", { class: "chip outcome open", href: question }, WAITS));
  return [...chips, ...drawInterruptions(interruptions)];
}

/** @param {readonly Interruption[]} interruptions */
function drawInterruptions(interruptions) {
  if (interruptions.length === 0) return [];
  const reasons = new Map();
  for (const each of interruptions) {
    const reason = describeInterruption(each);
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const text = [...reasons]
    .map(([reason, count]) => (count === 1 || reasons.size === 1 ? reason : `${reason} (${count} times)`))
    .join(", ");
  return [
    createElement("span", { class: "soft" }, `${formatCount(interruptions.length, "reconnect")}: ${text}`),
  ];
}

/** @param {HeaderState} state */
function* drawTotals({ model, search }) {
  const { summary } = model;
  const { started, latest, events, cost, inputTokens, outputTokens } = summary;
  if (started !== undefined && latest !== undefined)
    yield drawTotal("Duration", formatDuration(latest - started));
  yield drawTotal("Events", formatNumber(events));
  if (cost !== undefined) yield drawTotal("Cost", cost);
  if (inputTokens !== undefined || outputTokens !== undefined)
    yield drawTotal("Tokens", `${formatNumber(inputTokens ?? 0)} in, ${formatNumber(outputTokens ?? 0)} out`);
  const tools = model.listTools();
  if (tools.length > 0) yield drawTotal("Tools", formatTools(tools));
  const problems = [
    summary.gaps > 0 && formatCount(summary.gaps, "gap"),
    summary.invalid > 0 && `${formatNumber(summary.invalid)} invalid`,
    summary.unknown > 0 && `${formatNumber(summary.unknown)} of unknown types`,
    summary.repeated > 0 && `${formatCount(summary.repeated, "redelivery", "redeliveries")} dropped`,
  ].filter((problem) => problem !== false);
  if (problems.length > 0) yield drawTotal("Stream", problems.join(", "));
  const found = model.events.reduce(
    (sum, event) => sum + event.findings.length,
    model.listRunFindings().length,
  );
  if (found > 0)
    yield drawTotal(
      "Findings",
      createButton(formatCount(found, "finding"), () => search("is:finding")),
    );
}

/**
 * @param {string} name
 * @param {Node | string} value
 */
function drawTotal(name, value) {
  return createElement("div", {}, createElement("dt", {}, name), createElement("dd", {}, value));
}

/** The number of tools that the head names. */
const MAX_TOOLS = 4;

/** @param {readonly import("../../view/summary.js").ToolUse[]} tools */
function formatTools(tools) {
  const named = tools.slice(0, MAX_TOOLS).map(({ name, calls, failed }) => {
    const failures = failed === 0 ? "" : ` (${failed} failed)`;
    return `${name || "unnamed"} × ${calls}${failures}`;
  });
  const others = tools.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}

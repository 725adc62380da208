/** Computes the bars of the timeline: turns, texts, tool calls, approvals and problems over time. */
import { createRoleFinder } from "../../view/view.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").ShownEvent} ShownEvent */
/** @typedef {import("./model.js").ShownBlock} ShownBlock */

/**
 * A bar from one position to another, or a mark if both are the same.
 * @typedef {object} Bar
 * @property {string} name
 * @property {string} tone
 * @property {number} start
 * @property {number} end
 * @property {ShownEvent} event The event that a click selects.
 */

/** @typedef {{ name: string, bars: Bar[] }} Lane */
/** @typedef {"time" | "event"} Scale */
/** @typedef {{ lanes: Lane[], first: number, last: number, scale: Scale }} Timeline */

/** The number of tool calls beside each other that have a lane of their own. */
const MAX_TOOL_LANES = 5;

/**
 * Returns the bars of a run. Positions are milliseconds since its first event, or numbers of events.
 * @param {Model} model
 * @param {Scale} wanted
 * @returns {Timeline}
 */
export function computeTimeline(model, wanted) {
  const { events, summary } = model;
  const { started = 0, latest = 0 } = summary;
  const scale = latest > started ? wanted : "event";
  /** @type {Map<ShownEvent, number>} */
  const positions = new Map();
  let position = 0;
  for (const [index, event] of events.entries()) {
    if (scale === "event") position = index;
    else if (event.time !== undefined) position = event.time - started;
    positions.set(event, position);
  }
  const find = (/** @type {ShownEvent} */ event) => positions.get(event) ?? 0;
  const lanes = [
    { name: "Turns", bars: listTurns(model, find) },
    { name: "Texts", bars: listBars(model, find, "text", (block) => SPEAKERS[block.speaker] ?? "") },
    ...packBars(listBars(model, find, "tool", (block) => block.name || "Tool call")),
    { name: "Approvals", bars: listBars(model, find, "approval", (block) => block.subject) },
    { name: "Problems", bars: listProblems(model, find) },
  ];
  const last = scale === "time" ? latest - started : Math.max(1, events.length - 1);
  return {
    lanes: lanes.filter(({ bars }) => bars.length > 0),
    first: 0,
    last,
    scale,
  };
}

/** @type {{ readonly [speaker: string]: string }} */
const SPEAKERS = { user: "User", assistant: "Assistant", thinking: "Reasoning" };

/**
 * @param {ShownBlock} shown
 * @param {(event: ShownEvent) => number} find
 * @param {string} name
 * @param {string} tone
 * @returns {Bar[]}
 */
function createBar({ events }, find, name, tone) {
  const [event] = events;
  const last = events.at(-1);
  if (event === undefined || last === undefined) return [];
  return [{ name, tone, start: find(event), end: Math.max(find(event), find(last)), event }];
}

/**
 * Returns a bar for each block of a kind.
 * @template {"text" | "tool" | "approval"} Kind
 * @param {Model} model
 * @param {(event: ShownEvent) => number} find
 * @param {Kind} kind
 * @param {(block: Extract<import("./model.js").Block, { kind: Kind }>) => string} formatName
 */
function listBars({ listBlocks }, find, kind, formatName) {
  return [...listBlocks()].flatMap((shown) => {
    const { block } = shown;
    if (block.kind !== kind) return [];
    const typedBlock = /** @type {Extract<import("./model.js").Block, { kind: Kind }>} */ (block);
    return createBar(shown, find, formatName(typedBlock), block.kind === "text" ? block.speaker : block.tone);
  });
}

/**
 * Returns a bar for each turn. A turn that has no end lasts until the next one begins.
 * @param {Model} model
 * @param {(event: ShownEvent) => number} find
 */
function listTurns({ contract, events }, find) {
  const findRole = createRoleFinder(contract.view ?? { roles: {} });
  /** @type {Bar[]} */
  const turns = [];
  /** @type {Bar | undefined} */
  let open;
  for (const event of events) {
    const role = findRole(event.type);
    const turn = "turn" in role ? role.turn : undefined;
    if (turn !== undefined && open !== undefined) open.end = find(event);
    if (turn === "end" && open !== undefined && event.tone === "bad") open.tone = "bad";
    if (turn !== undefined) open = undefined;
    if (turn !== "start") continue;
    open = { name: `Turn ${turns.length + 1}`, tone: "plain", start: find(event), end: find(event), event };
    turns.push(open);
  }
  const last = events.at(-1);
  if (open !== undefined && last !== undefined) open.end = find(last);
  return turns;
}

/**
 * Puts bars that overlap into lanes of their own.
 * @param {readonly Bar[]} bars
 * @returns {Lane[]}
 */
function packBars(bars) {
  /** @type {Lane[]} */
  const lanes = [];
  for (const bar of bars) {
    const free = lanes.find((lane) => (lane.bars.at(-1)?.end ?? 0) < bar.start);
    if (free) free.bars.push(bar);
    else if (lanes.length < MAX_TOOL_LANES)
      lanes.push({ name: lanes.length === 0 ? "Tools" : "", bars: [bar] });
    else lanes.at(-1)?.bars.push(bar);
  }
  return lanes;
}

/**
 * Returns marks of gaps, of invalid and unknown events, and of findings, in the order of their positions.
 * @param {Model} model
 * @param {(event: ShownEvent) => number} find
 */
function listProblems({ listBlocks, events }, find) {
  /** @type {Bar[]} */
  const marks = [];
  const add = (/** @type {ShownEvent} */ event, /** @type {string} */ name, /** @type {string} */ tone) =>
    marks.push({ name, tone, start: find(event), end: find(event), event });
  let next = 0;
  for (const { block, events: shownEvents } of listBlocks()) {
    if (block.kind !== "gap") continue;
    // A gap without an event of its own is before the first event with a higher number.
    const missing = block.last ?? 0;
    while (shownEvents[0] === undefined && next < events.length - 1 && Number(events[next]?.label) <= missing)
      next++;
    const event = shownEvents[0] ?? events[next];
    if (event !== undefined) add(event, "Events are missing", "gap");
  }
  for (const event of events) {
    if (event.kind === "invalid" || event.kind === "conflict") add(event, "Invalid event", "bad");
    else if (event.kind === "unknown") add(event, `Unknown type ${event.type}`, "open");
    else if (event.findings.length > 0) add(event, event.findings[0]?.message ?? "", "open");
  }
  return marks.sort((a, b) => a.start - b.start);
}

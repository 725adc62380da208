/** Summarises a run: its title, how it ended, its duration, its cost and the tools that it used. */
import type { Tone } from "../protocol/view-roles.js";
import type { Delivery } from "../stream/delivery.js";
import type { Block, ToolBlock } from "./block.js";
import {
  createFact,
  type Fields,
  formatLabel,
  getValueAt,
  readNumber,
  readPayload,
  toMilliseconds,
  type ViewContract,
} from "./payload.js";
import { createRoleFinder } from "./view.js";

/** The summary of a run so far. */
export interface RunSummary {
  /** The beginning of the first text of a user; of the first complete text of others as long as there is none. */
  title: string | undefined;
  /** The label and the tone of the event that ended the run; undefined while it goes on. */
  outcome: { readonly label: string; readonly tone: Tone } | undefined;
  /** The time of the first event, in milliseconds since 1970. */
  started: number | undefined;
  /** The time of the last event, in milliseconds since 1970. */
  latest: number | undefined;
  /** The cost with its currency. */
  cost: string | undefined;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  /** The number of events that arrived, without redeliveries. */
  events: number;
  /** The number of redeliveries. */
  repeated: number;
  gaps: number;
  /** The number of events of unknown types. */
  unknown: number;
  /** The number of values that are not events. */
  invalid: number;
}

/** Collects the summary of a run. */
export interface SummaryCollector {
  readonly summary: Readonly<RunSummary>;
  /** Adds a delivery and the blocks that a view returned for it. */
  add(delivery: Delivery<unknown, unknown>, blocks: readonly Block[]): void;
  /** Returns the tools that were called, the one with most calls first. */
  listTools(): readonly ToolUse[];
}

/** The calls of a tool. */
export interface ToolUse {
  readonly name: string;
  readonly calls: number;
  /** The number of calls that failed. */
  readonly failed: number;
}

/** Creates a collector for the events of one run. */
export function createSummaryCollector(contract: ViewContract): SummaryCollector {
  const summary: RunSummary = {
    title: undefined,
    outcome: undefined,
    started: undefined,
    latest: undefined,
    cost: undefined,
    inputTokens: undefined,
    outputTokens: undefined,
    events: 0,
    repeated: 0,
    gaps: 0,
    unknown: 0,
    invalid: 0,
  };
  let hasUserTitle = false;
  const calls = new Set<ToolBlock>();
  const gaps = new Set<number>();
  const addEvent = createEventReader(contract, summary);
  return {
    summary,
    add(delivery, blocks) {
      if (delivery.kind === "duplicate") {
        summary.repeated++;
        return;
      }
      summary.events++;
      if (delivery.kind === "invalid") summary.invalid++;
      else if (!delivery.known) summary.unknown++;
      else if (delivery.kind !== "conflict") addEvent(delivery.event as Fields);
      for (const block of blocks) {
        if (block.kind === "tool") calls.add(block);
        if (block.kind === "gap") gaps.add(block.id);
        if (block.kind !== "text" || hasUserTitle) continue;
        hasUserTitle = block.speaker === "user";
        if (hasUserTitle || (!block.open && block.speaker === "assistant" && summary.title === undefined))
          summary.title = shortenTitle(block.text);
      }
      summary.gaps = gaps.size;
    },
    listTools: () => countCalls(calls),
  };
}

/** Returns a function that adds one event of a known type to a summary. */
function createEventReader(contract: ViewContract, summary: RunSummary): (event: Fields) => void {
  const { ends = [], roles = {} } = contract.view ?? {};
  const findRole = createRoleFinder({ roles });
  return (event) => {
    const type = String(event[contract.envelope.discriminator]);
    const role = findRole(type);
    const time = toMilliseconds(
      contract.stream?.time === undefined ? undefined : event[contract.stream.time],
    );
    if (time !== undefined) {
      summary.started = Math.min(summary.started ?? time, time);
      summary.latest = Math.max(summary.latest ?? time, time);
    }
    if (ends.includes(type)) {
      const tone = "tone" in role ? role.tone : undefined;
      summary.outcome = { label: formatLabel(type), tone: tone ?? "plain" };
    }
    if (!("totals" in role) || role.totals === undefined) return;
    const payload = readPayload(contract, event);
    const cost = getValueAt(payload, role.totals.cost);
    if (typeof cost === "number") summary.cost = createFact(role.totals.cost ?? "", cost)[1];
    summary.inputTokens = readNumber(payload, role.totals.inputTokens) ?? summary.inputTokens;
    summary.outputTokens = readNumber(payload, role.totals.outputTokens) ?? summary.outputTokens;
  };
}

/** The greatest length of a title. */
const MAX_TITLE_LENGTH = 120;

/** Returns the first line of a text, shortened; undefined if it is empty. */
export function shortenTitle(text: string): string | undefined {
  const [line = ""] = text.trim().split("\n", 1);
  const title = line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH).toWellFormed()}…` : line;
  return title === "" ? undefined : title;
}

function countCalls(blocks: Iterable<ToolBlock>): ToolUse[] {
  const uses = new Map<string, { calls: number; failed: number }>();
  for (const { name, tone } of blocks) {
    const use = uses.get(name) ?? { calls: 0, failed: 0 };
    uses.set(name, { calls: use.calls + 1, failed: use.failed + (tone === "bad" ? 1 : 0) });
  }
  return [...uses].map(([name, use]) => ({ name, ...use })).sort((a, b) => b.calls - a.calls);
}

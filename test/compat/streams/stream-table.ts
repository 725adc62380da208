/** Changes of the stream contracts of this repository with what they break, decided by hand. */
import type { Json } from "../../../generator/json.js";

/** The rule that refuses the shortest stream, and how many events it has; nothing where the inclusion holds. */
export type Expected = readonly [rule: string, events: number] | undefined;

/** A row: how the rules change, and which inclusion fails. `swapped` is the opposite change. */
export interface StreamRow {
  readonly protocol: "hecate/v1" | "frames/v2" | "evva/v0";
  readonly change: string;
  // biome-ignore lint/suspicious/noExplicitAny: rules are changed as plain JSON
  readonly edit: (rules: any) => void;
  /** Event types that the current contract has more, each like another one. */
  readonly adds?: { readonly [type: string]: string };
  readonly forward?: Expected;
  readonly backward?: Expected;
  readonly swapped?: { readonly forward?: Expected; readonly backward?: Expected };
}

const set = (declared: { [member: string]: Json }, member: string, value: Json): void => {
  declared[member] = value;
};
const without = (list: Json[], value: Json): void => void list.splice(list.indexOf(value), 1);

const START = "lifecycle-without-start";
const END = "lifecycle-after-end";
const FINAL = "event-after-terminal";
const TOTAL = "byte-total-wrong";
const OFFSET = "byte-offset-wrong";
const MOVE = "transition-invalid";
const EXCLUSIVE = "exclusive-mixed";

const rowsOf =
  (protocol: StreamRow["protocol"]) =>
  (change: string, edit: StreamRow["edit"], row: Partial<StreamRow> = {}): StreamRow => ({
    protocol,
    change,
    edit,
    ...row,
  });
const hecate = rowsOf("hecate/v1");
const frames = rowsOf("frames/v2");
const evva = rowsOf("evva/v0");

/** A change that breaks readers of the baseline, and whose opposite breaks writers. */
const breaksReaders = (rule: string, events: number): Partial<StreamRow> => ({
  forward: [rule, events],
  swapped: { backward: [rule, events] },
});
/** A change that breaks writers of the baseline, and whose opposite breaks readers. */
const breaksWriters = (rule: string, events: number): Partial<StreamRow> => ({
  backward: [rule, events],
  swapped: { forward: [rule, events] },
});
/** A change that breaks nobody, and whose opposite breaks writers. */
const loosens = (rule: string, events: number): Partial<StreamRow> => ({
  swapped: { backward: [rule, events] },
});

/** Every row of the method's table that is about rules. */
export const STREAM_TABLE: readonly StreamRow[] = [
  hecate("lifecycles[approval] removed", (r) => r.lifecycles.pop(), breaksReaders(START, 1)),
  hecate(
    "lifecycles[approval].needsStart off",
    (r) => delete r.lifecycles[1].needsStart,
    breaksReaders(START, 1),
  ),
  hecate("lifecycles[approval].profile writer", (r) => set(r.lifecycles[1], "profile", "writer")),
  hecate(
    "lifecycles[approval].end − approval.timed_out",
    (r) => without(r.lifecycles[1].end, "approval.timed_out"),
    breaksReaders(END, 3),
  ),
  hecate("lifecycles[approval].end + a new type", (r) => r.lifecycles[1].end.push("approval.dropped"), {
    adds: { "approval.dropped": "approval.timed_out" },
  }),
  hecate("lifecycles[approval].start + a new type", (r) => r.lifecycles[1].start.push("approval.reopened"), {
    adds: { "approval.reopened": "approval.requested" },
    forward: [START, 2],
  }),
  hecate("lifecycles[approval].key tool_call_id", (r) => set(r.lifecycles[1], "key", "tool_call_id"), {
    forward: [START, 1],
    backward: [START, 1],
    swapped: { forward: [START, 1], backward: [START, 1] },
  }),
  hecate(
    "lifecycles[tool].needsStart on",
    (r) => set(r.lifecycles[0], "needsStart", true),
    breaksWriters(START, 1),
  ),
  hecate(
    "lifecycles[tool].start + tool.started",
    (r) => r.lifecycles[0].start.push("tool.started"),
    breaksWriters(END, 3),
  ),
  hecate(
    "lifecycles[tool].end + tool.shell.exited",
    (r) => r.lifecycles[0].end.push("tool.shell.exited"),
    breaksWriters(END, 3),
  ),
  hecate(
    "lifecycles[tool].after + tool.started",
    (r) => r.lifecycles[0].after.push("tool.started"),
    breaksReaders(END, 3),
  ),
  hecate("lifecycles[tool].after + a new type", (r) => r.lifecycles[0].after.push("tool.noted"), {
    adds: { "tool.noted": "tool.started" },
  }),
  hecate("terminal.once off", (r) => delete r.terminal.once, loosens("terminal-repeated", 2)),
  hecate(
    "terminal.types − run.failed",
    (r) => without(r.terminal.types, "run.failed"),
    loosens("terminal-repeated", 2),
  ),
  hecate("terminal.types + a new type", (r) => r.terminal.types.push("run.stopped"), {
    adds: { "run.stopped": "run.failed" },
  }),
  hecate("openings removed", (r) => delete r.openings, breaksReaders("opening-late", 2)),
  hecate("openings.after + a new type", (r) => r.openings[0].after.push("run.planned"), {
    adds: { "run.planned": "run.created" },
    forward: ["opening-late", 2],
  }),
  hecate(
    "openings.after − run.created",
    (r) => set(r.openings[0], "after", []),
    breaksWriters("opening-late", 2),
  ),
  hecate(
    "transitions: artifact.updated without `from`",
    (r) => delete r.transitions[0].events[0].from,
    breaksReaders(MOVE, 1),
  ),
  hecate("transitions: artifact.updated without `when`", (r) => delete r.transitions[0].events[0].when, {
    forward: [MOVE, 3],
    backward: [MOVE, 1],
    swapped: { forward: [MOVE, 1], backward: [MOVE, 3] },
  }),
  hecate(
    "transitions.moves.proposed + reverted",
    (r) => r.transitions[0].moves.proposed.push("reverted"),
    breaksReaders(MOVE, 2),
  ),
  hecate(
    "transitions.moves.proposed − rejected",
    (r) => without(r.transitions[0].moves.proposed, "rejected"),
    breaksWriters(MOVE, 1),
  ),
  hecate("texts[0] removed", (r) => r.texts.shift(), breaksReaders("delta-after-text", 2)),
  hecate("texts[0].restart + a new type", (r) => r.texts[0].restart.push("turn.skipped"), {
    adds: { "turn.skipped": "turn.failed" },
    forward: ["delta-after-text", 3],
  }),
  hecate("texts[0].restart − turn.failed", (r) => without(r.texts[0].restart, "turn.failed"), {
    forward: ["text-mismatch", 4],
    backward: ["delta-after-text", 3],
    swapped: { forward: ["delta-after-text", 3], backward: ["text-mismatch", 4] },
  }),
  hecate("offsets removed", (r) => delete r.offsets, breaksReaders(OFFSET, 1)),
  hecate("offsets.start + a new type", (r) => r.offsets[0].start.push("tool.again"), {
    adds: { "tool.again": "tool.invoked" },
    forward: [OFFSET, 3],
  }),
  hecate("offsets.totals − stderr", (r) => delete r.offsets[0].totals.stderr, loosens(TOTAL, 2)),
  hecate("offsets.unless off", (r) => delete r.offsets[0].unless, { backward: [TOTAL, 2] }),
  hecate("rising − a field", (r) => r.rising[0].fields.shift(), breaksReaders("counter-decreased", 2)),
  hecate("rising of writers removed", (r) => r.rising.pop(), loosens("counter-decreased", 2)),
  hecate(
    "ordered without the middle",
    (r) => r.ordered[0].fields.splice(1, 1),
    breaksReaders("part-exceeds-total", 1),
  ),
  hecate("sums removed", (r) => delete r.sums, breaksReaders("sum-wrong", 1)),
  hecate("sums.of − one", (r) => r.sums[0].of.pop(), {
    forward: ["sum-wrong", 1],
    backward: ["sum-wrong", 1],
    swapped: { forward: ["sum-wrong", 1], backward: ["sum-wrong", 1] },
  }),
  frames("lifecycles[tool_id] removed", (r) => r.lifecycles.shift(), loosens(START, 1)),
  frames(
    "lifecycles[task_id].end + tool_task_cancelled",
    (r) => r.lifecycles[1].end.push("tool_task_cancelled"),
    { backward: [END, 3] },
  ),
  frames("terminal.final off", (r) => delete r.terminal.final, breaksReaders(FINAL, 2)),
  frames("terminal removed", (r) => delete r.terminal, breaksReaders(FINAL, 2)),
  frames("only removed", (r) => delete r.only, breaksReaders("event-misplaced", 2)),
  frames("only.is + pipes", (r) => r.only[0].is.push("pipes"), breaksReaders("event-misplaced", 2)),
  frames("only.is + a value that no schema has", (r) => r.only[0].is.push("telepathy")),
  frames("only.types + a new type", (r) => r.only[0].types.push("tool_task_typed"), {
    adds: { tool_task_typed: "tool_task_stdin_written" },
  }),
  frames("aliases removed", (r) => delete r.aliases, breaksReaders("alias-differs", 1)),
  frames("aliases.where removed", (r) => delete r.aliases[0].where, breaksReaders("alias-differs", 1)),
  frames("relativePaths[0] removed", (r) => r.relativePaths.shift(), loosens("path-absolute", 1)),
  evva("terminal.opens − run_resume", (r) => without(r.terminal.opens, "run_resume"), {
    forward: ["pair-broken", 2],
    swapped: { backward: [START, 2] },
  }),
  evva("pairs removed", (r) => delete r.pairs, breaksReaders("pair-broken", 2)),
  evva("pairs.same removed", (r) => delete r.pairs[0].same, breaksReaders("pair-broken", 2)),
  evva(
    "pairs + turn_start, turn_end",
    (r) => r.pairs.push({ open: "turn_start", close: "turn_end" }),
    breaksWriters("pair-broken", 2),
  ),
  evva("exclusives[0] removed", (r) => r.exclusives.shift(), breaksReaders(EXCLUSIVE, 2)),
  evva("exclusives[0].reset + a new type", (r) => r.exclusives[0].reset.push("page_break"), {
    adds: { page_break: "turn_end" },
    forward: [EXCLUSIVE, 3],
  }),
  evva(
    "exclusives[0].reset − turn_end",
    (r) => without(r.exclusives[0].reset, "turn_end"),
    breaksWriters(EXCLUSIVE, 3),
  ),
  evva(
    "exclusives[0].types + thinking",
    (r) => r.exclusives[0].types.push("thinking"),
    breaksWriters(EXCLUSIVE, 2),
  ),
  evva("exclusives[0].types + a new type", (r) => r.exclusives[0].types.push("text_block"), {
    adds: { text_block: "text" },
  }),
  evva("ordered removed", (r) => delete r.ordered, breaksReaders("part-exceeds-total", 1)),
  evva("hierarchy removed", (r) => delete r.hierarchy, breaksReaders("hierarchy-broken", 1)),
  evva("hierarchy.profile writer", (r) => set(r.hierarchy, "profile", "writer")),
];

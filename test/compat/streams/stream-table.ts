/** Lists changes of the bundled stream contracts with the inclusions that they break. The verdicts were found by hand. */
import type { Json } from "../../../generator/json.js";

/**
 * The rule that refuses the shortest stream, and the number of its events; undefined if the inclusion holds; the reason if the
 * search ends before it finds the stream or that there is none.
 */
export type Expected = readonly [rule: string, events: number] | string | undefined;

/** A row: how the rules change, and which inclusion fails. `swapped` is the opposite change. */
export interface StreamRow {
  readonly protocol: "hecate/v1" | "frames/v2" | "evva/v0";
  readonly change: string;
  // biome-ignore lint/suspicious/noExplicitAny: rules are changed as plain JSON
  readonly edit: (rules: any) => void;
  /** Event types that the current contract adds, each with the event type that it copies. */
  readonly adds?: { readonly [type: string]: string };
  readonly forward?: Expected;
  readonly backward?: Expected;
  readonly swapped?: { readonly forward?: Expected; readonly backward?: Expected };
}

const setMember = (declared: { [member: string]: Json }, member: string, value: Json): void => {
  declared[member] = value;
};
const removeFrom = (list: Json[], value: Json): void => void list.splice(list.indexOf(value), 1);

// biome-ignore lint/suspicious/noExplicitAny: rules are changed as plain JSON
type Rule = any;

/** Removes the first element for which `test` is true. */
const removeWhere = (list: Rule[], test: (each: Rule) => boolean): void =>
  void list.splice(list.findIndex(test), 1);

const START = "lifecycle-without-start";
const END = "lifecycle-after-end";
const FINAL = "event-after-terminal";
const TOTAL = "byte-total-wrong";
const OFFSET = "byte-offset-wrong";
const MOVE = "transition-invalid";
const EXCLUSIVE = "exclusive-mixed";
const FORBIDDEN = "state-forbids-event";

const createRowFunction =
  (protocol: StreamRow["protocol"]) =>
  (change: string, edit: StreamRow["edit"], row: Partial<StreamRow> = {}): StreamRow => ({
    protocol,
    change,
    edit,
    ...row,
  });
const createHecateRow = createRowFunction("hecate/v1");
const createFramesRow = createRowFunction("frames/v2");
const createEvvaRow = createRowFunction("evva/v0");

/** Expects that the change breaks readers of the baseline, and that the opposite change breaks writers. */
const expectBrokenReaders = (rule: string, events: number): Partial<StreamRow> => ({
  forward: [rule, events],
  swapped: { backward: [rule, events] },
});
/** Expects that the change breaks writers of the baseline, and that the opposite change breaks readers. */
const expectBrokenWriters = (rule: string, events: number): Partial<StreamRow> => ({
  backward: [rule, events],
  swapped: { forward: [rule, events] },
});
/** Expects that the change breaks nobody, and that the opposite change breaks writers. */
const expectLoosening = (rule: string, events: number): Partial<StreamRow> => ({
  swapped: { backward: [rule, events] },
});

/** All changes of stream rules. */
export const STREAM_TABLE: readonly StreamRow[] = [
  createHecateRow("lifecycles[approval] removed", (r) => r.lifecycles.pop(), expectBrokenReaders(START, 1)),
  createHecateRow(
    "lifecycles[approval].needsStart off",
    (r) => delete r.lifecycles[1].needsStart,
    expectBrokenReaders(START, 1),
  ),
  createHecateRow("lifecycles[approval].profile writer", (r) =>
    setMember(r.lifecycles[1], "profile", "writer"),
  ),
  createHecateRow(
    "lifecycles[approval].end − approval.timed_out",
    (r) => removeFrom(r.lifecycles[1].end, "approval.timed_out"),
    // A decision may follow an end, so the second end shows the change.
    expectBrokenReaders("lifecycle-end-repeated", 3),
  ),
  createHecateRow(
    "lifecycles[approval].end + a new type",
    (r) => r.lifecycles[1].end.push("approval.dropped"),
    {
      adds: { "approval.dropped": "approval.timed_out" },
    },
  ),
  createHecateRow(
    "lifecycles[approval].start + a new type",
    (r) => r.lifecycles[1].start.push("approval.reopened"),
    {
      adds: { "approval.reopened": "approval.requested" },
      forward: [START, 2],
    },
  ),
  createHecateRow(
    "lifecycles[approval].key tool_call_id",
    (r) => setMember(r.lifecycles[1], "key", "tool_call_id"),
    {
      forward: [START, 1],
      backward: [START, 1],
      swapped: { forward: [START, 1], backward: [START, 1] },
    },
  ),
  createHecateRow(
    "lifecycles[tool].needsStart on",
    (r) => setMember(r.lifecycles[0], "needsStart", true),
    expectBrokenWriters(START, 1),
  ),
  createHecateRow(
    "lifecycles[tool].start + tool.started",
    (r) => r.lifecycles[0].start.push("tool.started"),
    expectBrokenWriters(END, 3),
  ),
  createHecateRow(
    "lifecycles[tool].end + tool.shell.exited",
    (r) => r.lifecycles[0].end.push("tool.shell.exited"),
    {
      forward: [END, 6],
      backward: [END, 3],
      swapped: { forward: [END, 3], backward: [END, 6] },
    },
  ),
  createHecateRow(
    "lifecycles[tool].after + tool.started",
    (r) => r.lifecycles[0].after.push("tool.started"),
    // A writer sends it after the end only if events are missing between them.
    expectBrokenReaders(END, 4),
  ),
  createHecateRow("lifecycles[tool].after + a new type", (r) => r.lifecycles[0].after.push("tool.noted"), {
    adds: { "tool.noted": "tool.started" },
  }),
  createHecateRow(
    "terminal.once off",
    (r) => delete r.terminal.once,
    expectLoosening("terminal-repeated", 2),
  ),
  createHecateRow(
    "terminal.types − run.failed",
    (r) => removeFrom(r.terminal.types, "run.failed"),
    expectLoosening("terminal-repeated", 2),
  ),
  createHecateRow("terminal.types + a new type", (r) => r.terminal.types.push("run.stopped"), {
    adds: { "run.stopped": "run.failed" },
  }),
  createHecateRow("openings removed", (r) => delete r.openings, expectBrokenReaders("opening-late", 2)),
  createHecateRow("openings.after + a new type", (r) => r.openings[0].after.push("run.planned"), {
    // Readers accept event types that they do not know before an opening.
    adds: { "run.planned": "run.created" },
  }),
  createHecateRow(
    "openings.after − run.created",
    (r) => setMember(r.openings[0], "after", []),
    expectBrokenWriters("opening-late", 2),
  ),
  createHecateRow(
    "transitions: artifact.updated without `from`",
    (r) => delete r.transitions[0].events[0].from,
    expectBrokenReaders(MOVE, 1),
  ),
  createHecateRow(
    "transitions: artifact.updated without `when`",
    (r) => delete r.transitions[0].events[0].when,
    {
      forward: [MOVE, 3],
      backward: [MOVE, 1],
      swapped: { forward: [MOVE, 1], backward: [MOVE, 3] },
    },
  ),
  createHecateRow(
    "transitions.moves.proposed + reverted",
    (r) => r.transitions[0].moves.proposed.push("reverted"),
    expectBrokenReaders(MOVE, 2),
  ),
  createHecateRow(
    "transitions.moves.proposed − rejected",
    (r) => removeFrom(r.transitions[0].moves.proposed, "rejected"),
    expectBrokenWriters(MOVE, 1),
  ),
  createHecateRow("texts[0] removed", (r) => r.texts.shift(), {
    ...expectBrokenReaders("delta-after-text", 2),
    swapped: { backward: ["text-repeated", 2] },
  }),
  createHecateRow("texts[0].restart + a new type", (r) => r.texts[0].restart.push("turn.skipped"), {
    adds: { "turn.skipped": "turn.failed" },
    forward: ["delta-after-text", 3],
  }),
  createHecateRow("texts[0].restart − turn.failed", (r) => removeFrom(r.texts[0].restart, "turn.failed"), {
    forward: ["text-mismatch", 4],
    backward: ["text-repeated", 4],
    swapped: { forward: ["delta-after-text", 4], backward: ["text-mismatch", 4] },
  }),
  createHecateRow("offsets removed", (r) => delete r.offsets, expectBrokenReaders(OFFSET, 2)),
  createHecateRow("offsets.start + a new type", (r) => r.offsets[0].start.push("tool.again"), {
    adds: { "tool.again": "tool.invoked" },
    forward: [OFFSET, 4],
  }),
  createHecateRow(
    "offsets.totals − stderr",
    (r) => delete r.offsets[0].totals.stderr,
    expectLoosening(TOTAL, 3),
  ),
  createHecateRow("offsets.unless off", (r) => delete r.offsets[0].unless, { backward: [TOTAL, 3] }),
  createHecateRow(
    "rising − a field",
    (r) => r.rising[0].fields.shift(),
    expectBrokenReaders("counter-decreased", 2),
  ),
  createHecateRow(
    "rising of writers removed",
    (r) => r.rising.pop(),
    expectLoosening("counter-decreased", 4),
  ),
  createHecateRow(
    "ordered without the middle",
    (r) => r.ordered[1].fields.splice(1, 1),
    expectBrokenReaders("part-exceeds-total", 2),
  ),
  createHecateRow("sums removed", (r) => delete r.sums, expectLoosening("sum-wrong", 2)),
  createHecateRow("sums.of − one", (r) => r.sums[0].of.pop(), {
    backward: ["sum-wrong", 2],
    swapped: { backward: ["sum-wrong", 4] },
  }),
  createHecateRow(
    "blocks[approval].except + tool.completed",
    (r) => r.blocks[3].except.push("tool.completed"),
    expectLoosening("event-blocked", 2),
  ),
  createHecateRow(
    "blocks[blocked].forbids: the family without one type",
    (r) => setMember(r.blocks[1], "except", ["tool.glob.completed"]),
    expectLoosening("event-blocked", 2),
  ),
  createHecateRow("blocks[blocked].forbids: a new type of the family", () => {}, {
    adds: { "tool.rocket.launched": "tool.started" },
  }),
  createHecateRow("blocks[blocked].forbids: a family and a type of it", (r) =>
    r.blocks[1].forbids.push("tool.started"),
  ),
  createHecateRow("blocks[approval].until.expiry off", (r) => delete r.blocks[3].until.expiry, {
    // A longer stream shows the other direction: two approvals of one call, of which one expires and one is granted.
    backward: ["event-blocked", 5],
    swapped: { backward: "event-blocked: too many streams to try" },
  }),
  createHecateRow("blocks[request without a call].without off", (r) => delete r.blocks[5].without, {
    backward: ["event-blocked", 2],
  }),
  createHecateRow("machines[run] removed", (r) => delete r.machines, expectLoosening(FORBIDDEN, 1)),
  createHecateRow(
    "machines[run].changes: a decision after the end",
    (r) => removeWhere(r.machines[0].changes, ({ from }: Rule) => from?.[0] === "ended"),
    {
      backward: [FORBIDDEN, 4],
      swapped: { backward: [FORBIDDEN, 4] },
    },
  ),
  createHecateRow(
    "machines[run].forbids[first queue].when off",
    (r) => delete r.machines[0].forbids[1].when,
    {
      backward: [FORBIDDEN, 1],
    },
  ),
  createHecateRow(
    "machines[run].forbids[rejected] removed",
    (r) =>
      removeWhere(
        r.machines[0].forbids,
        (each: Rule) => each.in[0] === "rejected" && each.types.includes("turn.started"),
      ),
    expectLoosening(FORBIDDEN, 3),
  ),
  createHecateRow(
    "machines[run].changes.from: a message comes while the run is active",
    (r) => r.machines[0].changes.push({ types: ["user.message"], from: ["active"] }),
    {
      backward: ["state-change-impossible", 1],
    },
  ),
  createHecateRow("machines[run]: a state has another name", (r) =>
    Object.assign(r, JSON.parse(JSON.stringify(r).replaceAll('"withdrawn"', '"called off"'))),
  ),
  createFramesRow("lifecycles[tool_id] removed", (r) => r.lifecycles.shift(), expectLoosening(START, 1)),
  createFramesRow(
    "lifecycles[task_id].end − tool_task_cancelled",
    (r) => removeFrom(r.lifecycles[1].end, "tool_task_cancelled"),
    { swapped: { backward: ["lifecycle-end-repeated", 3] } },
  ),
  createFramesRow("terminal.final off", (r) => delete r.terminal.final, expectBrokenReaders(FINAL, 2)),
  createFramesRow("terminal removed", (r) => delete r.terminal, expectBrokenReaders(FINAL, 2)),
  createFramesRow("only removed", (r) => delete r.only, {
    forward: ["event-misplaced", 2],
    swapped: { backward: ["event-misplaced", 1] },
  }),
  createFramesRow(
    "only.is + pipes",
    (r) => r.only[0].is.push("pipes"),
    expectBrokenReaders("event-misplaced", 2),
  ),
  createFramesRow("only.is + a value that no schema has", (r) => r.only[0].is.push("telepathy")),
  createFramesRow("only.types + a new type", (r) => r.only[0].types.push("tool_task_typed"), {
    adds: { tool_task_typed: "tool_task_stdin_written" },
  }),
  createFramesRow("aliases removed", (r) => delete r.aliases, {
    forward: ["alias-differs", 1],
    swapped: { backward: ["alias-misplaced", 1] },
  }),
  createFramesRow(
    "aliases.where removed",
    (r) => delete r.aliases[0].where,
    expectLoosening("alias-misplaced", 1),
  ),
  createFramesRow(
    "relativePaths[0] removed",
    (r) => r.relativePaths.shift(),
    expectLoosening("path-absolute", 1),
  ),
  createEvvaRow("terminal.opens − run_resume", (r) => removeFrom(r.terminal.opens, "run_resume"), {
    forward: ["pair-broken", 2],
    backward: ["terminal-repeated", 3],
    swapped: { backward: [START, 2] },
  }),
  createEvvaRow("pairs removed", (r) => delete r.pairs, expectBrokenReaders("pair-broken", 2)),
  createEvvaRow("pairs.same removed", (r) => delete r.pairs[0].same, expectBrokenReaders("pair-broken", 2)),
  createEvvaRow(
    "pairs + turn_start, turn_end",
    (r) => r.pairs.push({ open: "turn_start", close: "turn_end" }),
    expectBrokenWriters("pair-broken", 2),
  ),
  createEvvaRow("exclusives[0] removed", (r) => r.exclusives.shift(), expectBrokenReaders(EXCLUSIVE, 2)),
  createEvvaRow("exclusives[0].reset + a new type", (r) => r.exclusives[0].reset.push("page_break"), {
    adds: { page_break: "turn_end" },
    forward: [EXCLUSIVE, 3],
  }),
  createEvvaRow(
    "exclusives[0].reset − turn_end",
    (r) => removeFrom(r.exclusives[0].reset, "turn_end"),
    expectBrokenWriters(EXCLUSIVE, 3),
  ),
  createEvvaRow(
    "exclusives[0].types + thinking",
    (r) => r.exclusives[0].types.push("thinking"),
    expectBrokenWriters(EXCLUSIVE, 2),
  ),
  createEvvaRow("exclusives[0].types + a new type", (r) => r.exclusives[0].types.push("text_block"), {
    adds: { text_block: "text" },
  }),
  createEvvaRow("ordered removed", (r) => delete r.ordered, expectBrokenReaders("part-exceeds-total", 1)),
  createEvvaRow("hierarchy removed", (r) => delete r.hierarchy, expectBrokenReaders("hierarchy-broken", 1)),
  createEvvaRow("hierarchy.profile writer", (r) => setMember(r.hierarchy, "profile", "writer")),
];

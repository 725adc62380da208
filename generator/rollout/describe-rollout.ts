/** Describes who can read whom, and the order of deployment, as text and as data. */
import type { Json, JsonObject } from "../json.js";
import type { RefusedEvents } from "./find-refused-events.js";
import type { FailingMix, Refusal, RolloutPlan, RolloutStep } from "./plan-rollout.js";
import type { ReadingAnswer, ReadingTable } from "./reading-table.js";

/** Returns the words for an answer: "reads", or the event types and stream rules for which it does not. */
function describeAnswer({ refused }: ReadingAnswer): string {
  const first = findMain(refused);
  if (first === undefined) return "reads";
  const more = refused.length === 1 ? "" : ` and ${refused.length - 1} more`;
  return `${first.kind === "unproven" ? "unproven:" : "refuses"} ${first.name}${more}`;
}

/** Returns what is shown first: a proven refusal if there is one. */
function findMain(refused: readonly RefusedEvents[]): RefusedEvents | undefined {
  return refused.find(({ kind }) => kind !== "unproven") ?? refused[0];
}

/** Returns the lines of a table. Its rows are the versions of writers, its columns those of readers. */
export function formatReadingTable({ sent, read, find }: ReadingTable): string[] {
  const rows = [
    ["events of", ...read.map((name) => `reader ${name}`)],
    ...sent.map((writer) => [
      writer,
      ...read.map((reader) => {
        const answer = find(writer, reader);
        return answer === undefined ? "" : describeAnswer(answer);
      }),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Returns what the answers of a table do not cover. */
function listNotes({ hasUpcasts }: ReadingTable): string[] {
  return hasUpcasts ? ["Stream rules are not compared for events that a reader carries over."] : [];
}

/** Returns the lines that describe a plan. */
export function describePlan(plan: RolloutPlan, table: ReadingTable): string[] {
  const steps = plan.steps.map((step, index) => `  ${index + 1}. ${describeStep(step)}`);
  const note = listNotes(table);
  if (plan.kind === "ordered")
    return [...(steps.length === 0 ? ["Nothing is to be deployed."] : ["A safe order:", ...steps]), ...note];
  const headline =
    steps.length > 0
      ? ["There is no safe order. These steps are safe:", ...steps, "Then each further step is unsafe:"]
      : ["There is no safe order:"];
  const shown = new Set<ReadingAnswer>();
  return [
    ...headline,
    ...plan.failures.flatMap((failure) => describeFailure(failure, table, shown)),
    ...note,
  ];
}

function describeStep({ component, from, to }: RolloutStep): string {
  return `${component.role} ${component.name} from ${from} to ${to}`;
}

/** Returns the lines about a step that is not safe. `shown` are the answers whose events were printed already. */
function describeFailure(
  { step, refusals }: FailingMix,
  table: ReadingTable,
  shown: Set<ReadingAnswer>,
): string[] {
  const mix = step === undefined ? "the versions that run now" : describeStep(step);
  const lines = refusals.flatMap((refusal) => {
    const answer = table.find(refusal.sent, refusal.read);
    const witness = answer === undefined || shown.has(answer) ? [] : describeWitness(answer);
    if (answer !== undefined) shown.add(answer);
    return [`    ${describeRefusal(refusal)}`, ...witness];
  });
  return [`  ${mix}:`, ...lines];
}

function describeRefusal({ origin, sent, reader, read }: Refusal): string {
  const source = "holds" in origin ? `in archive ${origin.name}` : `of writer ${origin.name}`;
  return `reader ${reader.name} ${read} refuses events of ${sent} ${source}`;
}

/** The longest witness that is printed, in characters. */
const MAX_WITNESS = 400;

function describeWitness({ refused }: ReadingAnswer): string[] {
  const main = findMain(refused);
  if (main === undefined) return [];
  if (main.kind === "unproven") return [`      not proven: ${main.reason}`];
  const events = main.kind === "event" ? [main.event] : main.events;
  const texts = events.map((event) => JSON.stringify(event));
  return [
    ...(main.kind === "stream" ? [`      the stream rule ${main.name} refuses`] : []),
    ...texts.map((text) => `      ${text.length > MAX_WITNESS ? `${text.slice(0, MAX_WITNESS)}…` : text}`),
  ];
}

/** Returns the first stream with which a plan fails; undefined if none was found. */
export function findWitness(plan: RolloutPlan, { find }: ReadingTable): readonly JsonObject[] | undefined {
  const failures = plan.kind === "ordered" ? [] : plan.failures;
  for (const { sent, read } of failures.flatMap(({ refusals }) => refusals))
    for (const each of find(sent, read)?.refused ?? []) {
      const found =
        each.kind === "event" ? each.findStream() : each.kind === "stream" ? each.events : undefined;
      if (found !== undefined) return found;
    }
  return undefined;
}

/** Returns a plan and its table as data. */
export function exportPlan(plan: RolloutPlan, table: ReadingTable): Json {
  const { sent, read, find } = table;
  const exportStep = ({ component, from, to }: RolloutStep): Json => ({
    [component.role]: component.name,
    from,
    to,
  });
  const readings = sent.flatMap((writer) =>
    read.map(
      (reader): Json => ({
        writer,
        reader,
        refused: (find(writer, reader)?.refused ?? []).map(exportRefusedEvents),
      }),
    ),
  );
  const failures = plan.kind === "ordered" ? [] : plan.failures;
  return {
    safe: plan.kind === "ordered",
    steps: plan.steps.map(exportStep),
    failures: failures.map(({ step, refusals }) => ({
      ...(step && { step: exportStep(step) }),
      refusals: refusals.map(({ origin, sent: writer, reader, read: version }) => ({
        events: writer,
        ["holds" in origin ? "archive" : "writer"]: origin.name,
        reader: reader.name,
        version,
      })),
    })),
    readings,
    notes: listNotes(table),
  };
}

function exportRefusedEvents(each: RefusedEvents): Json {
  switch (each.kind) {
    case "event":
      return { type: each.name, witness: each.event };
    case "stream":
      return { rule: each.name, witness: [...each.events] };
    case "unproven":
      return { type: each.name, reason: each.reason };
  }
}

/** Describes who can read whom, and the order of deployment, as text and as data. */
import type { Json } from "../json.js";
import type { FailingMix, Refusal, RolloutPlan, RolloutStep } from "./plan-rollout.js";
import type { ReadingAnswer, ReadingTable } from "./reading-table.js";

/** Returns the words for an answer: "reads", or the refused event types. */
export function describeAnswer({ refusedTypes }: ReadingAnswer): string {
  const [first] = refusedTypes;
  if (first === undefined) return "reads";
  const more = refusedTypes.length === 1 ? "" : ` and ${refusedTypes.length - 1} more`;
  const isProven = refusedTypes.some(({ answer }) => answer.verdict === "not-contained");
  return `${isProven ? "refuses" : "unproven:"} ${first.type}${more}`;
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

/** Returns the lines that describe a plan. */
export function describePlan(plan: RolloutPlan, table: ReadingTable): string[] {
  const steps = plan.steps.map((step, index) => `  ${index + 1}. ${describeStep(step)}`);
  if (plan.kind === "ordered")
    return steps.length === 0 ? ["Nothing is to be deployed."] : ["A safe order:", ...steps];
  const headline =
    steps.length > 0
      ? ["There is no safe order. These steps are safe:", ...steps, "Then each further step is unsafe:"]
      : ["There is no safe order:"];
  const shown = new Set<ReadingAnswer>();
  return [...headline, ...plan.failures.flatMap((failure) => describeFailure(failure, table, shown))];
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

function describeWitness({ refusedTypes }: ReadingAnswer): string[] {
  return refusedTypes.slice(0, 1).map(({ answer: { verdict, ...rest } }) => {
    if ("reason" in rest) return `      not proven: ${rest.reason}`;
    const text = JSON.stringify((rest as { readonly witness: Json }).witness);
    return `      ${text.length > MAX_WITNESS ? `${text.slice(0, MAX_WITNESS)}…` : text}`;
  });
}

/** Returns the events that prove the refusals of a plan, without repetitions. */
export function listWitnesses(plan: RolloutPlan, { find }: ReadingTable): Json[] {
  if (plan.kind === "ordered") return [];
  const answers = plan.failures.flatMap(({ refusals }) => refusals.map(({ sent, read }) => find(sent, read)));
  const witnesses = [...new Set(answers)].flatMap((answer) =>
    (answer?.refusedTypes ?? []).flatMap(({ answer: each }) =>
      each.verdict === "not-contained" ? [each.witness] : [],
    ),
  );
  return [...new Map(witnesses.map((witness) => [JSON.stringify(witness), witness])).values()];
}

/** Returns a plan and its table as data. */
export function exportPlan(plan: RolloutPlan, { sent, read, find }: ReadingTable): Json {
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
        refused: (find(writer, reader)?.refusedTypes ?? []).map(({ type, answer }) => ({
          type,
          ...(answer.verdict === "not-contained" ? { witness: answer.witness } : { reason: answer.reason }),
        })),
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
  };
}

/** Describes a plan and its certificate as text for a person. */
import { type ContainmentCache, createContainmentCache } from "../compat/proof/readings.js";
import { groupBy } from "../group-by.js";
import { isObject, type Json, toJson } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { compareVersions } from "../protocol/version.js";
import { formatCount, sanitizeLine } from "../text.js";
import { certifyPlan, type TypeCertificate, type UpcastQuestion } from "./certify-plan.js";
import { findStreamFaults } from "./check-stream-plan.js";
import { createLedger, type LedgerEntry } from "./ledger.js";
import { composePlans, type Link } from "./plan-chain.js";
import type { UpcastPlan } from "./plan-upcast.js";
import type { Gap } from "./planned-step.js";
import type { CallFunction, Fate } from "./steps/step-kind.js";
import { suggestSteps } from "./suggest-steps.js";

/** The result of checking a plan. */
export interface PlanReport {
  /** The worst answer for one event type; a plan that breaks streams is impossible, and one with gaps is incomplete. */
  readonly verdict: TypeCertificate["kind"] | "incomplete";
  readonly text: string;
  /** The same as JSON: the steps, the gaps, the ledger, and the certificate of each event type. */
  readonly data: Json;
}

/** How a plan is checked. */
interface PlanChecks {
  readonly callFunction?: CallFunction | undefined;
  /** Answers questions about schemas. After its time limit, everything is undecided. */
  readonly cache: ContainmentCache;
}

/** Checks the plans of links and the plan that they make together, and describes them with their certificates. */
export async function describeLinks(
  links: readonly Link[],
  checks: PlanChecks = { cache: createContainmentCache() },
): Promise<PlanReport> {
  const [first, last] = [links[0], links.at(-1)];
  if (first === undefined || last === undefined) throw new Error("a plan has two versions");
  const whole = await describePlan(first.from, last.to, composePlans(links), checks);
  if (links.length === 1) return whole;
  const reports = await Promise.all(links.map(({ from, to, plan }) => describePlan(from, to, plan, checks)));
  const verdicts = [whole, ...reports].map((report) => report.verdict);
  const verdict = VERDICTS.findLast((each) => verdicts.includes(each)) ?? whole.verdict;
  const text = reports.flatMap((report) => report.text.trimEnd().split("\n").slice(-1)).join("\n");
  const data = toJson({
    ...(isObject(whole.data) && whole.data),
    verdict,
    links: reports.map((each) => each.data),
  });
  return { verdict, data, text: `${whole.text}The versions between them:\n${text.replace(/^/gm, "  ")}\n` };
}

/** The answers, the worst last. */
const VERDICTS = ["proven", "tested", "undecided", "incomplete", "impossible"] as const;

/** The answers with which all events are carried over, as far as is known. */
const SUCCESSES: ReadonlySet<PlanReport["verdict"]> = new Set(["proven", "tested"]);

/** Checks a plan, and describes it with its certificate. */
async function describePlan(
  from: Protocol,
  to: Protocol,
  plan: UpcastPlan,
  { callFunction, cache }: PlanChecks,
): Promise<PlanReport> {
  const { steps, gaps } = plan;
  const question: UpcastQuestion = { from, to, steps: steps.map(({ step }) => step), callFunction };
  const certificates = await certifyPlan(question, "reader", cache);
  const streamFaults = findStreamFaults(question);
  const refused = certificates.filter(({ kind }) => !SUCCESSES.has(kind)).map(({ type }) => type);
  const { entries } = createLedger(question, steps, new Set(refused));
  const verdict = decideVerdict(certificates, gaps, streamFaults);
  // A result may be more than readers need: an event that a writer of the later version may send.
  const writerNotes =
    verdict === "proven" ? listWriterNotes(await certifyPlan(question, "writer", cache), to) : [];
  const suggestions = suggestSteps(question);
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    [
      `The plan has ${formatCount(steps.length, "step")}${steps.length > 0 ? ":" : "."}`,
      steps.map(describeStep),
    ],
    ["What becomes of values:", describeLedger(entries, question)],
    ["These statements are not carried out everywhere:", gaps.map(describeGap)],
    ["Not declared, so not part of the plan:", suggestions],
    ["The plan breaks streams:", streamFaults],
    ["", certificates.flatMap((each) => describeCertificate(each, to))],
    ["", writerNotes],
  ];
  const text = sections
    .filter(([title, lines]) => lines.length > 0 || title.startsWith("The plan has"))
    .flatMap(([title, lines]) => (title === "" ? lines : [title, ...lines.map((line) => `  ${line}`)]))
    .map((line) => `${sanitizeLine(line)}\n`)
    .join("");
  const data = toJson({
    from: `${from.id} ${from.version}`,
    to: `${to.id} ${to.version}`,
    verdict,
    steps,
    ledger: entries,
    gaps,
    suggestions,
    streamFaults,
    types: certificates,
  });
  return { verdict, data, text: text + summarize({ from, to, certificates, gaps, steps }, verdict) };
}

function decideVerdict(
  certificates: readonly TypeCertificate[],
  gaps: readonly Gap[],
  streamFaults: readonly string[],
): PlanReport["verdict"] {
  if (certificates.some(({ kind }) => kind === "impossible") || streamFaults.length > 0) return "impossible";
  if (gaps.length > 0) return "incomplete";
  if (certificates.some(({ kind }) => kind === "undecided")) return "undecided";
  return certificates.some(({ kind }) => kind === "tested") ? "tested" : "proven";
}

/** The words for each fate. */
const FATES: { readonly [fate in Fate]: string } = {
  kept: "kept",
  moved: "moved",
  split: "split",
  joined: "joined",
  mapped: "mapped",
  rounded: "mapped, and fractions of the unit are cut off",
  computed: "given to a function",
  merged: "merged with the same thing under another name",
  dropped: "kept, but withdrawn by a tombstone, so readers ignore it",
  unread: "kept, but not declared any more, so readers ignore it",
  "in the way": "in the way of another value",
};

/** Returns a line for each place whose values do not stay as they are, and the number of other places. */
function describeLedger(
  entries: readonly LedgerEntry[],
  { from, to }: Pick<UpcastQuestion, "from" | "to">,
): string[] {
  const { events } = from;
  const isDowncast = compareVersions(from.version, to.version) > 0;
  const typesByLine = groupBy(
    entries.filter(({ fate }) => fate !== "kept"),
    ({ place, fate, to, reasons, isConditional }) => {
      const isIgnored = fate === "unread" || fate === "dropped";
      const places = to.join(" and ");
      const said =
        isIgnored && places !== "" ? FATES[fate].replace("kept", `kept at ${places}`) : FATES[fate];
      const words = isDowncast ? said.replace(" any more", "") : said;
      const target = isIgnored || places === "" ? "" : ` to ${places}`;
      const condition = isConditional ? ", under the conditions of the steps" : "";
      const reason = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
      return `${place}: ${words}${target}${condition}${reason}`;
    },
  );
  const lines = [...typesByLine].map(([line, group]) => {
    const types = [...new Set(group.map(({ type }) => type))];
    const names = types.length === events.length ? "all event types" : types.join(", ");
    return `${names} ${line}`;
  });
  const changed = new Set(
    entries.filter(({ fate }) => fate !== "kept").map(({ type, place }) => `${type} ${place}`),
  );
  const kept = new Set(entries.map(({ type, place }) => `${type} ${place}`)).size - changed.size;
  return [...lines, `The values of ${formatCount(kept, "other place")} stay as they are.`];
}

/** Returns a statement that a plan does not carry out everywhere, with its place and the reason. */
export function describeGap({ type, place, statement, reason }: Gap): string {
  return `${[type, place].filter((part) => part !== "").join(" ")}: ${statement} is not carried out: ${reason}`;
}

function describeStep({ step, reason }: UpcastPlan["steps"][number]): string {
  return `${JSON.stringify(step)}   ${reason}`;
}

function describeCertificate(certificate: TypeCertificate, to: Protocol): string[] {
  const { type, kind } = certificate;
  if (kind === "proven") return [];
  if (kind === "tested")
    return [
      `${type}: tested with ${formatCount(certificate.events, "generated event")}, because its plan has functions.`,
    ];
  if (kind === "undecided") {
    const { step, reason } = certificate;
    return [
      `${type}: undecided, because ${reason}.`,
      ...(step === undefined ? [] : [`  the step: ${JSON.stringify(step)}`]),
    ];
  }
  const { event, image, reason, streamTypes } = certificate;
  const stream = streamTypes.length === 0 ? "" : `, in a stream with ${streamTypes.join(", ")}`;
  const result =
    image === undefined ? [] : [`  its result, which ${to.id} refuses: ${JSON.stringify(image)}`];
  return [
    `${type}: this event cannot be carried over${stream}: ${JSON.stringify(event)}`,
    ...result,
    `  ${reason}`,
  ];
}

/** Returns a note if some results are accepted by readers, but writers of the later version may not send them. */
function listWriterNotes(certificates: readonly TypeCertificate[], to: Protocol): string[] {
  const other = certificates.filter(({ kind }) => !SUCCESSES.has(kind));
  const [first] = other;
  if (first === undefined) return [];
  const example =
    first.kind === "impossible" ? `: ${JSON.stringify(first.image as Json)}: ${first.reason}` : "";
  const types = other.map(({ type }) => type).join(", ");
  return [`Readers accept all results. Writers of ${to.id} would not send some of ${types}${example}.`];
}

/** What a summary is about. */
interface CheckedPlan extends Pick<UpcastQuestion, "from" | "to">, Pick<UpcastPlan, "gaps" | "steps"> {
  readonly certificates: readonly TypeCertificate[];
}

function summarize(
  { from, to, certificates, gaps, steps }: CheckedPlan,
  verdict: PlanReport["verdict"],
): string {
  const names = `${from.id} ${from.version} to ${to.id} ${to.version}`;
  const count = (kind: TypeCertificate["kind"]) => certificates.filter((each) => each.kind === kind).length;
  const total = `${count("proven")} of ${formatCount(certificates.length, "event type")} proven`;
  const details = [
    ...(count("tested") > 0 ? [`${count("tested")} tested`] : []),
    ...(count("impossible") > 0 ? [`${count("impossible")} impossible`] : []),
    ...(count("undecided") > 0 ? [`${count("undecided")} undecided`] : []),
    ...(gaps.length > 0
      ? [`${formatCount(gaps.length, "statement")} not carried out, so nothing is certified`]
      : []),
  ];
  const isSame = from.id === to.id && from.version === to.version && steps.length === 0;
  const meaning =
    verdict === "proven" && isSame
      ? `: both are version ${to.version}, so events stay as they are and need no plan`
      : verdict === "proven"
        ? ": every event that a writer may send becomes one that readers accept; streams keep their order, numbers and ids"
        : "";
  return `${names}: ${[total, ...details].join(", ")}${meaning}\n`;
}

/** What the tracker knows about a package: its breaks that Ajv and hyperjump confirm, and how many others are left out. */
import type { Json } from "../../generator/json.js";
import type { JudgedError, VersionComparison } from "../incidents/compare-versions.js";
import type { SchemaPackage } from "../incidents/packages.js";
import { ISSUES } from "./issues.js";

/** A break that the published schemas confirm. */
export interface TrackedBreak {
  readonly rule: string;
  readonly message: string;
  /** The phrases for all events that show the break. */
  readonly breaks: readonly string[];
  readonly events: readonly Json[];
  /** The issue that users filed about the break, as `owner/name#1`. */
  readonly issue?: string;
}

/** Why an error is left out, with the number of such errors. */
export type LeftOut = { readonly [reason in Reason]: number };

/** The reasons to leave an error out, and how a page says them. */
export const REASONS = {
  refuted: "refuted: the published schemas do not differ about the event",
  undecided: "undecided: Ajv and hyperjump differ, or cannot read a schema",
  unshown: "without an event: accrete found none, or could not decide",
  convention: "not visible to a validator: true if writers send listed fields only, or formats count",
} as const;

type Reason = keyof typeof REASONS;

/** The comparison of two versions. */
export interface TrackedPair {
  readonly from: string;
  readonly to: string;
  readonly breaks: readonly TrackedBreak[];
  readonly leftOut: LeftOut;
}

/** A package, with the pairs of versions that were compared, the newest first. */
export interface TrackedPackage {
  readonly name: string;
  /** What holds the contract: schemas, a type of TypeScript, or a schema of zod. */
  readonly contract: string;
  readonly pairs: readonly TrackedPair[];
  /** Sentences about versions that could not be compared. */
  readonly skipped: readonly string[];
}

/** Says what holds the contract of a package. */
export function describeContract({ source }: SchemaPackage): string {
  if (source === undefined) return "JSON Schemas in the package";
  return "type" in source ? `the type ${source.type}` : `the zod schema ${source.union}`;
}

/** Returns the confirmed breaks of a comparison, and counts the other errors. */
export function trackComparison({ entry, from, to, errors }: VersionComparison): TrackedPair {
  const leftOut = { refuted: 0, undecided: 0, unshown: 0, convention: 0 };
  const breaks: TrackedBreak[] = [];
  for (const error of errors) {
    const reason = findReason(error);
    if (reason === undefined) breaks.push(trackBreak(error, entry.name, to));
    else leftOut[reason]++;
  }
  return { from, to, breaks, leftOut };
}

/** Returns why an error is left out; undefined if the published schemas confirm it. */
function findReason({ judged }: JudgedError): Reason | undefined {
  const judgements = new Set(judged.map(({ judgement }) => judgement));
  if (judgements.size === 0) return "unshown";
  if (judgements.has("refuted")) return "refuted";
  if (judgements.has("undecided")) return "undecided";
  return judgements.has("published") || judgements.has("union") ? undefined : "convention";
}

function trackBreak({ finding, judged }: JudgedError, name: string, version: string): TrackedBreak {
  const { rule, message, breaks = [] } = finding;
  const confirmed = judged.filter(({ judgement }) => judgement === "published" || judgement === "union");
  const known = ISSUES.find(
    (each) =>
      each.package === name && each.version === version && each.rule === rule && message.includes(each.place),
  );
  return {
    rule,
    message,
    breaks,
    events: confirmed.map(({ event }) => event),
    ...(known && { issue: known.issue }),
  };
}

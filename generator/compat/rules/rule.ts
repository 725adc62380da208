import type { JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Change, Judged } from "../change.js";
import type { Ledger } from "../history/released-names.js";

/**
 * What a rule states about a change. `adds`: more can be said, nobody is hurt. `withdraws`: a name goes. `narrows`: some
 * values go. `widens`: values come that old readers do not expect. `changes`: both. `reinterprets`: the same values mean
 * something else, which no validator notices. `annotates`: no validator notices, and readers need not.
 * `promises`: a promise is taken back or missing. `guards`: names and releases are protected, whatever the stability.
 */
export type Effect =
  | "adds"
  | "withdraws"
  | "narrows"
  | "widens"
  | "changes"
  | "reinterprets"
  | "annotates"
  | "promises"
  | "guards";

/** Files of a small protocol, over those of a base: an object is laid over the base's, null removes a file. */
export type ExampleFiles = { readonly [path: string]: JsonObject | null };

/** What rules look at: every judged change, the current contract, and what was released before. */
export interface Evidence {
  readonly changes: readonly Judged[];
  readonly current: Protocol;
  readonly ledger: Ledger;
}

/** A fact that a rule found: a judged change, or one about names that nothing has to prove. */
export type Fact = Change & Partial<Pick<Judged, "proof" | "against" | "otherMajor">>;

/** A rule: what it looks for, and everything there is to say about it. */
export interface Rule {
  /** Kebab-case, never used again for anything else. */
  readonly id: string;
  readonly effect: Effect;
  /** One line without a full stop. */
  readonly summary: string;
  /** What it means and why it matters. */
  readonly explanation: string;
  /** What to do. */
  readonly repair: string;
  /** The rule for the opposite change, or why there is none. */
  readonly mirror: { readonly rule: string } | { readonly none: string };
  readonly example: { readonly before: ExampleFiles; readonly after: ExampleFiles };
  /** One sentence about one fact. May quote names from schemas. */
  say(fact: Fact): string;
  find(evidence: Evidence): readonly Fact[];
}

type Given = Omit<Rule, "find"> & Partial<Pick<Rule, "find">>;

/** A row of the table of rules; without `find` it is about the changes of its own kind. */
export function defineRule(given: Given): Rule {
  const find = ({ changes }: Evidence) => changes.filter(({ kind }) => kind === given.id);
  return { find, ...given };
}

/** An example about the payload of the base's event: its fields before and after, all optional unless listed. */
export function payloads(
  before: JsonObject,
  after: JsonObject,
  required: { readonly before?: readonly string[]; readonly after?: readonly string[] } = {},
): Rule["example"] {
  const file = (properties: JsonObject, names: readonly string[] = []) => ({
    "events/tea.served.schema.json": { properties, ...(names.length > 0 && { required: names }) },
  });
  return { before: file(before, required.before), after: file(after, required.after) };
}

/** An example about one field. */
export function oneField(before: JsonObject, after: JsonObject): Rule["example"] {
  return payloads({ sort: before }, { sort: after });
}

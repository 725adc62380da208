import type { JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { ComparedChange, Difference, NameKey, Occurrence, Rule } from "../change.js";
import type { Aspect } from "../diff/walk.js";
import type { ReleasedNames } from "../history/released-names.js";

/** A rule with its detection. */
export interface CompatibilityRule<Id extends string = string> extends Rule<Id> {
  /**
   * Compares one aspect of a value that both versions have, and notes the changes of this rule. Rules may share it. A
   * rule without any detection is noted where event types, resources, streams, releases or waivers are compared.
   */
  readonly compareValues?: Aspect;
  /** Finds the changes of this rule among the names and promises of a contract. */
  readonly detect?: (evidence: Evidence) => readonly Difference[];
}

/** The input of rules about names and promises. */
export interface Evidence {
  readonly changes: readonly ComparedChange[];
  readonly current: Protocol;
  readonly releasedNames: ReleasedNames;
}

/** A rule as a table states it: its id is the key of its row. */
export type RuleRow = Omit<CompatibilityRule, "id" | "mirror"> & {
  /** If it is absent, the reverse change belongs to the same rule. */
  readonly mirror?: Rule["mirror"];
};

/** Creates rules from rows by their ids. */
export function defineRules<const Id extends string>(rows: { readonly [id in Id]: RuleRow }) {
  return defineRulesWith({}, rows);
}

/** Creates rules from rows by their ids; each row has the members that all of them `share` unless it states others. */
export function defineRulesWith<const Id extends string, Shared extends Partial<RuleRow>>(
  share: Shared,
  rows: { readonly [id in Id]: Omit<RuleRow, keyof Shared> & Partial<RuleRow> },
): { readonly [id in Id]: CompatibilityRule<id> } {
  const sameRule = { none: "reported by the same rule" };
  const rules = Object.entries<object>(rows).map(([id, row]) => [
    id,
    { id, mirror: sameRule, ...share, ...row },
  ]);
  return Object.fromEntries(rules);
}

/** The file of the event in most examples. */
export const SERVED = "events/tea.served.schema.json";
/** Schemas of fields in examples. */
export const [text, cups] = [{ type: "string" }, { type: "integer" }];
/** A field with known values in examples. */
export const sort = { type: "string", enum: ["green", "black"] };
/** The label of an experimental part in examples. */
export const EXPERIMENTAL = { "x-stability": "experimental" };

/** Creates an example about the payload of one event: its fields before and after, all optional except those listed. */
export function createPayloadExample(
  before: JsonObject,
  after: JsonObject,
  required: { readonly before?: readonly string[]; readonly after?: readonly string[] } = {},
): Rule["example"] {
  const file = (properties: JsonObject, names: readonly string[] = []) => ({
    [SERVED]: { properties, ...(names.length > 0 && { required: names }) },
  });
  return { before: file(before, required.before), after: file(after, required.after) };
}

/** Creates an example about one field. */
export function createFieldExample(before: JsonObject, after: JsonObject): Rule["example"] {
  return createPayloadExample({ sort: before }, { sort: after });
}

/** The event types that a change removes. */
export const listRemovedEvents: NonNullable<Rule["removedNames"]> = ({ occurrences }) =>
  occurrences.map(({ event }) => ({ kind: "event", event, path: "", name: event }));

/** The fields that a change removes from the object at its place. */
export const listRemovedFields: NonNullable<Rule["removedNames"]> = (change) =>
  combineNamesAndPlaces(change, ({ event, path }, name) => ({ kind: "field", event, path, name }));

/** The values that a change removes from a list. */
export const listRemovedValues: NonNullable<Rule["removedNames"]> = (change) =>
  combineNamesAndPlaces(change, ({ event, path }, name) => ({ kind: "value", event, path, name }));

/** Combines every place of a change with every name that it mentions as the old one. */
export function combineNamesAndPlaces(
  { name, from, rename, occurrences }: Difference,
  keyOf: (place: Occurrence, name: string) => NameKey,
): NameKey[] {
  const names = rename?.members?.map(([old]) => old) ?? [from ?? name].flat().map(String);
  return occurrences.flatMap((place) => names.map((each) => keyOf(place, each)));
}

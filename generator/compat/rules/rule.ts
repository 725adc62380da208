import type { JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { ComparedChange, NameKey, Place, Rule, UnclassifiedChange } from "../change.js";
import type { AspectComparer } from "../diff/record-changes.js";
import type { ReleasedNames } from "../history/released-names.js";

/** A rule with its detection. */
export interface CompatibilityRule<Id extends string = string> extends Rule<Id> {
  /**
   * Compares one aspect of a value that both versions have, and records the changes of this rule. Several rules may share
   * it. Rules without this member and without `detect` are recorded by the code that compares event types, resources,
   * streams, releases or waivers.
   */
  readonly compareValues?: AspectComparer;
  /** Finds the changes of this rule among the names and promises of a contract. */
  readonly detect?: (evidence: Evidence) => readonly UnclassifiedChange[];
}

/** The input of rules about names and promises. */
export interface Evidence {
  readonly changes: readonly ComparedChange[];
  readonly current: Protocol;
  readonly releasedNames: ReleasedNames;
}

/** A rule as a table states it: its id is the key of its row. */
export type RuleRow = Omit<CompatibilityRule, "id" | "reverse"> & {
  /** If it is absent, the reverse change belongs to the same rule. */
  readonly reverse?: Rule["reverse"];
};

/** Creates rules from rows by their ids. */
export function defineRules<const Id extends string>(rows: { readonly [id in Id]: RuleRow }) {
  return defineRulesWith({}, rows);
}

/** Creates rules from rows by their ids. Each row also has the members of `shared`, unless it states others. */
export function defineRulesWith<const Id extends string, Shared extends Partial<RuleRow>>(
  shared: Shared,
  rows: { readonly [id in Id]: Omit<RuleRow, keyof Shared> & Partial<RuleRow> },
): { readonly [id in Id]: CompatibilityRule<id> } {
  const reverse = { description: "reported by the same rule" };
  const rules = Object.entries<object>(rows).map(([id, row]) => [id, { id, reverse, ...shared, ...row }]);
  return Object.fromEntries(rules);
}

/** The file of the event in most examples. */
export const SERVED = "events/tea.served.schema.json";
/** Schemas of fields in examples. */
export const text = { type: "string" };
export const cups = { type: "integer" };
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

/** Returns the event types that a change removes. */
export const listRemovedEvents: NonNullable<Rule["removedNames"]> = ({ places }) =>
  places.map(({ event }) => ({ kind: "event", event, path: "", name: event }));

/** Returns the fields that a change removes from the object at its place. */
export const listRemovedFields: NonNullable<Rule["removedNames"]> = (change) =>
  combineNamesAndPlaces(change, ({ event, path }, name) => ({ kind: "field", event, path, name }));

/** Returns the values that a change removes from a list. */
export const listRemovedValues: NonNullable<Rule["removedNames"]> = (change) =>
  combineNamesAndPlaces(change, ({ event, path }, name) => ({ kind: "value", event, path, name }));

/** Returns a key for every combination of a place of a change with one of its old names. */
export function combineNamesAndPlaces(
  { name, from, rename, places }: UnclassifiedChange,
  createKey: (place: Place, name: string) => NameKey,
): NameKey[] {
  const names = rename?.members?.map(([old]) => old) ?? [from ?? name].flat().map(String);
  return places.flatMap((place) => names.map((each) => createKey(place, each)));
}

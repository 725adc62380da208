/** Names the events of a union after the fields, or the definitions, that distinguish them. */
import type { Alternative } from "./union.js";

/** The types of events, and their origin. */
export interface EventNames {
  /** The field of the message that holds the event type; undefined if no single field does. */
  readonly field: string | undefined;
  /** The part of a message that distinguishes the events, in words: "the field kind". */
  readonly distinguishedBy: string;
  /** The type of each alternative, in order. */
  readonly types: readonly string[];
}

/** Usual names of the field that holds the event type, the more usual ones first. */
export const TYPE_FIELDS = ["type", "event", "kind", "event_type", "eventType", "name", "method", "action"];

/**
 * Names alternatives whose fixed fields are `fixed`, after the values of one field, or of two, or after the names of the
 * alternatives, which `nameSource` describes in messages. Returns undefined if nothing distinguishes all of them.
 */
export function nameEvents(
  alternatives: readonly Alternative[],
  fixed: readonly ReadonlyMap<string, string>[],
  nameSource: string,
): EventNames | undefined {
  const fields = sortByUse([...new Set(fixed.flatMap((each) => [...each.keys()]))]);
  const commonFields = fields.filter((name) => fixed.every((each) => each.has(name)));
  const listValues = (name: string): (string | undefined)[] => fixed.map((each) => each.get(name));
  // If there is one event only, every constant is different. Then only the usual names show that a field is the type.
  const typeField = commonFields.find(
    (name) => areDistinct(listValues(name)) && (alternatives.length > 1 || TYPE_FIELDS.includes(name)),
  );
  if (typeField !== undefined)
    return {
      field: typeField,
      distinguishedBy: `the field ${typeField}`,
      types: listValues(typeField) as string[],
    };
  const prefixSources = [
    ...commonFields.map((name) => ({ source: `the field ${name}`, prefixes: listValues(name) })),
    { source: nameSource, prefixes: alternatives.map(({ names }) => dropEventSuffix(names[0])) },
  ].filter(({ prefixes }) => !prefixes.includes(undefined));
  for (const { source, prefixes } of prefixSources)
    for (const suffixField of fields) {
      const types = listValues(suffixField).map((value, i) =>
        value === undefined ? prefixes[i] : `${prefixes[i]}.${value}`,
      );
      if (areDistinct(types))
        return {
          field: undefined,
          distinguishedBy: `${source} and the field ${suffixField}`,
          types: types as string[],
        };
    }
  const names = alternatives.map((alternative) => alternative.names.at(-1));
  const types = [names.map(dropEventSuffix), names].find(areDistinct);
  return types && { field: undefined, distinguishedBy: nameSource, types: types as string[] };
}

/** Returns whether all texts are defined, and differ in more than letter case. */
function areDistinct(types: readonly (string | undefined)[]): boolean {
  return (
    !types.includes(undefined) && new Set(types.map((type) => type?.toLowerCase())).size === types.length
  );
}

/** Sorts the names of usual fields first. */
function sortByUse(names: readonly string[]): string[] {
  const rank = (name: string): number =>
    TYPE_FIELDS.includes(name) ? TYPE_FIELDS.indexOf(name) : TYPE_FIELDS.length;
  return [...names].sort((a, b) => rank(a) - rank(b));
}

/** Returns a name without the suffix `event`: `issues_event` becomes `issues`. */
function dropEventSuffix(name: string | undefined): string | undefined {
  return name?.replace(/(?<=.)[._$-]?event$/i, "").replace(/\$/g, ".");
}

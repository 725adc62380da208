/** Names the events of a union after the fields, or the definitions, that distinguish them. */

/** The types of events, and their origin. */
export interface EventNames {
  /** The field of the message that holds the event type; undefined if no single field does. */
  readonly field: string | undefined;
  /** The part of a message that distinguishes the events, in words: "the field kind". */
  readonly distinguishedBy: string;
  /** The types of each alternative, in order. An alternative of any other type has none. */
  readonly types: readonly (readonly string[])[];
}

/** The parts of an alternative of a union that decide how its events are named. */
export interface NamingInput {
  /** The names of the definitions on the way from the root to the alternative, the outermost first. */
  readonly names: readonly string[];
  /** The required fields whose texts are all listed. */
  readonly listed: ReadonlyMap<string, readonly string[]>;
  /** Returns whether the alternative can stand for all other events: it requires the field, or accepts anything. */
  readonly coversOthers: (field: string) => boolean;
}

/** Usual names of the field that holds the event type, the more usual ones first. */
export const TYPE_FIELDS = ["type", "event", "kind", "event_type", "eventType", "name", "method", "action"];

/**
 * Names alternatives after the texts of one field, or of two, or after the names of the alternatives, which `nameSource`
 * describes in messages. Only the field `chosenField` is used if there is one. Returns undefined if nothing distinguishes
 * all of them.
 */
export function nameEvents(
  alternatives: readonly NamingInput[],
  nameSource: string,
  chosenField?: string,
): EventNames | undefined {
  const fields = sortByUse([...new Set(alternatives.flatMap(({ listed }) => [...listed.keys()]))]);
  const candidates = chosenField === undefined ? fields : [chosenField];
  const isUsual = (name: string): boolean => name === chosenField || TYPE_FIELDS.includes(name);
  const typeField = candidates.find((name) => holdsEventType(name, alternatives, isUsual(name)));
  if (typeField !== undefined)
    return {
      field: typeField,
      distinguishedBy: `the field ${typeField}`,
      types: alternatives.map(({ listed }) => listed.get(typeField) ?? []),
    };
  return chosenField === undefined ? combineNames(alternatives, fields, nameSource) : undefined;
}

/**
 * Names alternatives as `nameEvents` does, if some of the listed values are numbers or booleans. No envelope can hold the
 * event type in their field.
 */
export function nameEventsByScalars(
  alternatives: readonly NamingInput[],
  nameSource: string,
  chosenField?: string,
): EventNames | undefined {
  const fields = [...new Set(alternatives.flatMap(({ listed }) => [...listed.keys()]))];
  return combineNames(
    alternatives,
    chosenField === undefined ? sortByUse(fields) : [chosenField],
    nameSource,
  );
}

/**
 * Groups alternatives that are forms of one event: they have the same constant in `chosenField`, or in a usual field where
 * at least half of the alternatives have constants of their own. Returns the indexes of each group. No group has two indexes
 * if some field tells all alternatives apart.
 */
export function groupForms(
  alternatives: readonly NamingInput[],
  chosenField?: string,
): readonly (readonly number[])[] {
  const candidates = chosenField === undefined ? TYPE_FIELDS : [chosenField];
  const separate = alternatives.map((_alternative, index) => [index]);
  const fields = [...new Set(alternatives.flatMap(({ listed }) => [...listed.keys()]))];
  const isDistinguished = (chosenField === undefined ? fields : candidates).some((name) =>
    holdsEventType(name, alternatives, candidates.includes(name)),
  );
  if (isDistinguished) return separate;
  for (const name of candidates) {
    const groups = new Map<string | number, number[]>();
    for (const [index, { listed }] of alternatives.entries()) {
      const [text, ...others] = listed.get(name) ?? [];
      const key = text === undefined || others.length > 0 ? index : text;
      groups.set(key, [...(groups.get(key) ?? []), index]);
    }
    const joined = [...groups.values()];
    const ownCount = joined.filter((group) => group.length === 1).length;
    const representatives = joined.flatMap(([first = 0]) => alternatives[first] ?? []);
    const isUsed = chosenField !== undefined || 2 * ownCount >= alternatives.length;
    if (isUsed && holdsEventType(name, representatives, true)) return joined;
  }
  return separate;
}

/**
 * Returns whether a field names the event type of each alternative. One alternative may accept the events of all other
 * types. If the name of the field is usual, an alternative may be of several types.
 */
function holdsEventType(name: string, alternatives: readonly NamingInput[], isUsual: boolean): boolean {
  const lists = alternatives.map(({ listed }) => listed.get(name));
  const texts = lists.flatMap((list) => list ?? []);
  if (new Set(texts).size < texts.length) return false;
  const withoutTexts = alternatives.filter((_alternative, i) => lists[i] === undefined);
  if (withoutTexts.length > 1 || !withoutTexts.every(({ coversOthers }) => coversOthers(name))) return false;
  // If there is one event only, every constant is different. Then only the usual names show that a field is the type.
  return isUsual
    ? texts.length > 0
    : texts.length > 1 && texts.length === alternatives.length - withoutTexts.length;
}

/** Names alternatives after their definitions and a field, or after two fields, or after their definitions. */
function combineNames(
  alternatives: readonly NamingInput[],
  fields: readonly string[],
  nameSource: string,
): EventNames | undefined {
  const constants = alternatives.map(
    ({ listed }) =>
      new Map([...listed].flatMap(([name, texts]) => (texts.length === 1 ? [[name, texts[0]]] : []))),
  );
  const commonFields = fields.filter((name) => constants.every((fieldValues) => fieldValues.has(name)));
  const listValues = (name: string): (string | undefined)[] =>
    constants.map((fieldValues) => fieldValues.get(name));
  const nameAfter = (distinguishedBy: string, types: readonly (string | undefined)[]): EventNames => ({
    field: undefined,
    distinguishedBy,
    types: types.map((type) => [type ?? ""]),
  });
  const prefixSources = [
    ...commonFields.map((name) => ({ source: `the field ${name}`, prefixes: listValues(name) })),
    { source: nameSource, prefixes: alternatives.map(({ names }) => dropEventSuffix(names[0])) },
  ].filter(({ prefixes }) => !prefixes.includes(undefined));
  for (const { source, prefixes } of prefixSources) {
    if (areDistinct(prefixes)) return nameAfter(source, prefixes);
    for (const suffixField of fields) {
      const types = listValues(suffixField).map((value, i) =>
        value === undefined ? prefixes[i] : `${prefixes[i]}.${value}`,
      );
      if (areDistinct(types)) return nameAfter(`${source} and the field ${suffixField}`, types);
    }
  }
  const names = alternatives.map((alternative) => alternative.names[0]);
  const innerNames = alternatives.map((alternative) => alternative.names.at(-1));
  const types = [names, innerNames].flatMap((each) => [each.map(dropEventSuffix), each]).find(areDistinct);
  return types && nameAfter(nameSource, types);
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

/** The suffix `event`, and the character that separates it. A name is not only a suffix. */
const EVENT_SUFFIX = /(?<=.)[._$-]?event$/i;

/** Drops the suffix `event` and separates words by a period instead of `$`: `issues$opened_event` becomes `issues.opened`. */
function dropEventSuffix(name: string | undefined): string | undefined {
  return name?.replace(EVENT_SUFFIX, "").replaceAll("$", ".");
}

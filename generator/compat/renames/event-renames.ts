/** Finds renames among removed and added event types and resources, and groups those that follow one pattern. */
import { canonical, isObject, type Json } from "../../json.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { mapSubschemas } from "../../schema/walk.js";
import type { Rule } from "../change.js";
import { inlineReferences } from "../diff/view.js";
import { EVENT_RULES } from "../rules/events.js";
import { RESOURCE_RULES } from "../rules/resources.js";
import type { Subject } from "../subjects.js";
import { findRegrouping, type Regrouping, type ShapesOfBoth } from "./event-splits.js";
import { findFamilies } from "./families.js";
import { normalizeName, prepareSpelling, scoreSpellingLikeness, stripAnnotations } from "./likeness.js";
import {
  type Candidate,
  findFollowers,
  LEAST_SCORE,
  type Match,
  matchNames,
  matchWithFollowers,
  PATTERN_LIKENESS,
} from "./match.js";

/** An event type or resource under a new name, a family of event types, or event types that were split or merged. */
export interface SubjectRename {
  readonly rule: Rule;
  /** The old name; the pattern `approval.*` for a family, or several names if event types were merged. */
  readonly from: string | readonly string[];
  /** The new name; a pattern for a family, or several names if an event type was split. */
  readonly to: string | readonly string[];
  readonly members: readonly (readonly [from: Subject, to: Subject])[];
  readonly declared: boolean;
  readonly score: number;
  readonly ties: readonly string[];
}

/** A version of a protocol, and the new names of its renamed fields. */
interface ProtocolWithRenames {
  readonly protocol: Protocol;
  readonly renamed: ReadonlyMap<string, string>;
}

/** The contributions of the fields, the names and an equal stability to a score of 100. */
const SHAPE_WEIGHT = 60;
const NAME_WEIGHT = 30;
const STABILITY_WEIGHT = 10;
/** The likeness of the fields of two events without fields. */
const LIKENESS_WITHOUT_FIELDS = 0.8;

/** Two events with at least this many equal fields may be a rename, whatever their names are. */
const MANY_FIELDS = 3;

/** Returns the renames among event types that only one side has. */
export function findEventRenames(
  removed: readonly EventType[],
  added: readonly EventType[],
  before: ProtocolWithRenames,
  after: Protocol,
): SubjectRename[] {
  const getOldShapes = createFieldShapes(before);
  const getNewShapes = createFieldShapes({ protocol: after, renamed: new Map() });
  const spellings = new Map([...removed, ...added].map(({ type }) => [type, prepareSpelling(type)]));
  const getSpelling = ({ type }: EventType) => spellings.get(type) ?? prepareSpelling(type);
  const createCandidates = (from: EventType, to: EventType, minNameLikeness = 0): Candidate<EventType>[] => {
    const declared = to.renamedFrom === from.type;
    if (!declared && to.renamedFrom !== undefined) return [];
    const scoreNames = () =>
      Math.max(minNameLikeness, scoreSpellingLikeness(getSpelling(from), getSpelling(to)));
    const score = declared
      ? 100
      : scoreLikeness(scoreNames, getOldShapes(from), getNewShapes(to), from.stability === to.stability);
    return score >= LEAST_SCORE ? [{ from, to, score, declared }] : [];
  };
  const getName = ({ type }: EventType) => type;
  const candidates = removed.flatMap((from) => added.flatMap((to) => createCandidates(from, to)));
  const findFollowingCandidates = (found: readonly Match<EventType>[]) =>
    findFollowers(found, removed, added, getName).flatMap(([from, to]) =>
      createCandidates(from, to, PATTERN_LIKENESS),
    );
  const matches = matchWithFollowers(candidates, findFollowingCandidates, getName);
  const { regrouped, renamed } = separateRegroupings(matches, removed, added, {
    getOld: getOldShapes,
    getNew: getNewShapes,
  });
  return [...regrouped, ...groupFamilies(renamed)];
}

/** Separates renames from event types that were split or merged. A declared rename is always a rename. */
function separateRegroupings(
  matches: readonly Match<EventType>[],
  removed: readonly EventType[],
  added: readonly EventType[],
  shapes: ShapesOfBoth,
): { readonly regrouped: readonly SubjectRename[]; readonly renamed: readonly Match<EventType>[] } {
  const matched = new Set(matches.flatMap(({ from, to }) => [from, to]));
  const isFree = (event: EventType): boolean => !matched.has(event);
  const regrouped: SubjectRename[] = [];
  const renamed: Match<EventType>[] = [];
  for (const match of matches) {
    const free = { removed: removed.filter(isFree), added: added.filter(isFree) };
    const found = match.declared ? undefined : findRegrouping(match.from, match.to, free, shapes);
    if (found === undefined) {
      renamed.push(match);
      continue;
    }
    for (const event of [...found.from, ...found.to]) matched.add(event);
    regrouped.push(describeRegrouping(found, match));
  }
  return { regrouped, renamed };
}

function describeRegrouping({ rule, from, to }: Regrouping, { score }: Match<EventType>): SubjectRename {
  const listSortedNames = (events: readonly EventType[]): string[] => events.map(({ type }) => type).sort();
  return {
    rule,
    from: listSortedNames(from),
    to: listSortedNames(to),
    declared: false,
    score,
    ties: [],
    members: from.flatMap((old) => to.map((now) => [old, now] as const)),
  };
}

/** Returns the score of a suspected rename. Compares the names only if the fields make a rename possible. */
function scoreLikeness(
  scoreNames: () => number,
  old: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  sameStability: boolean,
): number {
  const equalFields = [...old].filter(([name, shape]) => now.get(name) === shape).length;
  const shapeLikeness =
    old.size + now.size === 0 ? LIKENESS_WITHOUT_FIELDS : (2 * equalFields) / (old.size + now.size);
  const maxScore = Math.round(
    shapeLikeness * SHAPE_WEIGHT + NAME_WEIGHT + (sameStability ? STABILITY_WEIGHT : 0),
  );
  if (maxScore < LEAST_SCORE) return 0;
  const nameLikeness = scoreNames();
  // The names of two events of one group (tool.a, tool.b) already score 0.5, so events with few fields must score more.
  const hasFewFields = Math.min(old.size, now.size) < 2;
  const isLikely = hasFewFields ? nameLikeness > 0.5 : nameLikeness > 0 || equalFields >= MANY_FIELDS;
  return isLikely ? Math.round(maxScore - NAME_WEIGHT * (1 - nameLikeness)) : 0;
}

/** Returns the payload fields of an event type by normalized name, each with a text that is equal for equal schemas. */
function createFieldShapes({
  protocol,
  renamed,
}: ProtocolWithRenames): (event: EventType) => ReadonlyMap<string, string> {
  const common = new Set(protocol.envelope.payloadFields);
  const known = new Map<EventType, ReadonlyMap<string, string>>();
  const normalizeField = (name: string): string => normalizeName(renamed.get(name) ?? name);
  return (event) => {
    const { properties } = event.payload;
    const eventFields = Object.entries(isObject(properties) ? properties : {}).filter(
      ([name]) => !common.has(name),
    );
    const describeShape = (schema: Json) =>
      canonical(normalizeFieldsIn(inlineReferences(schema, protocol.definitions), normalizeField));
    const shapes =
      known.get(event) ??
      new Map(eventFields.map(([name, schema]) => [normalizeField(name), describeShape(schema)]));
    known.set(event, shapes);
    return shapes;
  };
}

/** Returns a schema without annotations, in which the names of fields are normalized at every depth. */
function normalizeFieldsIn(schema: Json, normalizeField: (name: string) => string): Json {
  if (!isObject(schema)) return schema;
  const plain = stripAnnotations(mapSubschemas(schema, (sub) => normalizeFieldsIn(sub, normalizeField)));
  if (!isObject(plain)) return plain;
  const { properties, required, ...rest } = plain;
  const fields = Object.entries(isObject(properties) ? properties : {});
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(fields.map(([name, sub]) => [normalizeField(name), sub])),
    }),
    ...(Array.isArray(required) && { required: required.map((name) => normalizeField(String(name))).sort() }),
  };
}

/** Groups renames that follow one pattern. Declared and suspected renames are not in one family. */
function groupFamilies(matches: readonly Match<EventType>[]): SubjectRename[] {
  return [true, false].flatMap((declared) => {
    const members = matches.filter((match) => match.declared === declared);
    const getNames = ({ from, to }: Match<EventType>) => ({ from: from.type, to: to.type });
    const { families, single } = findFamilies(members, getNames, 2);
    return [
      ...families.map((family) => createRename(family.from, family.to, family.members)),
      ...single.map((match) => createRename(match.from.type, match.to.type, [match])),
    ];
  });
}

function createRename(from: string, to: string, members: readonly Match<EventType>[]): SubjectRename {
  return {
    rule: EVENT_RULES["event-renamed"],
    from,
    to,
    declared: members.every(({ declared }) => declared),
    members: members
      .map((each) => [each.from, each.to] as const)
      .sort(([a], [b]) => (a.type < b.type ? -1 : 1)),
    score: Math.min(...members.map(({ score }) => score)),
    ties: members.flatMap(({ ties }) => ties.map(({ type }) => type)),
  };
}

/** Returns the renames of resources that `x-renamed-from` declares, and new resources that are equal to removed ones. */
export function findResourceRenames(
  { removed, added }: { readonly removed: readonly Subject[]; readonly added: readonly Subject[] },
  { before, after }: { readonly before: Protocol; readonly after: Protocol },
): SubjectRename[] {
  const candidates = removed.flatMap((from) =>
    added.flatMap((to) => {
      const declared = to.renamedFrom === from.resource;
      const isSame =
        to.renamedFrom === undefined && inlineResource(from, before) === inlineResource(to, after);
      return declared || isSame ? [{ from, to, declared, score: 100 }] : [];
    }),
  );
  return matchNames(candidates, ({ type }) => type).map(({ from, to, declared, score, ties }) => ({
    rule: RESOURCE_RULES["resource-renamed"],
    from: from.resource ?? "",
    to: to.resource ?? "",
    members: [[from, to]],
    declared,
    score,
    ties: ties.map(({ resource = "" }) => resource),
  }));
}

/** Returns the schema of a resource as a text, with references resolved, without texts, stability and x-since. */
function inlineResource({ payload }: Subject, { definitions }: Protocol): string {
  const { "x-stability": _stability, "x-since": _since, $schema: _dialect, ...rest } = payload;
  return canonical(inlineReferences(rest, definitions));
}

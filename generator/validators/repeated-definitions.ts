/**
 * Marks the definitions of which a validator would check a value again and again: several alternatives of a union lead to them at
 * one place, and they have such unions below them. The time would be multiplied with each level.
 */
import { isObject, type Json, type JsonObject } from "../json.js";
import type { Schema } from "../schema/json-schema.js";
import type { Reading } from "../schema/readings.js";
import { createDefinitions, type Definitions, getDefinitionName } from "../schema/reference.js";
import { collectDefinitionsBelow, listReferences, listSubschemas, walk } from "../schema/walk.js";
import { markRecursiveUnions, TAG } from "./recursive-unions.js";

/** The keyword that says that a definition is checked once for each value of an event. Its value is `true`. */
export const ONCE = "x-accrete-once";

/** Returns a reading whose repeated definitions have the keyword `ONCE`, and whose recursive unions are marked, too. */
export function markUnions({ schema, $defs: unmarked }: Reading): Reading {
  const { $defs, definitions, shared } = findMarks(unmarked);
  const shares = (name: string): boolean => (shared.get(name)?.size ?? 0) > 0;
  const repeated = new Set(
    [...shared.values(), findSharedDefinitions(schema, definitions)].flatMap((names) => [...names]),
  );
  const isMarked = (name: string): boolean =>
    repeated.has(name) && [name, ...collectDefinitionsBelow(name, definitions)].some(shares);
  if (!Object.keys($defs).some(isMarked)) return { schema, $defs };
  const mark = ([name, definition]: [string, Schema]): [string, Schema] =>
    isObject(definition) && isMarked(name) ? [name, { ...definition, [ONCE]: true }] : [name, definition];
  return { schema, $defs: Object.fromEntries(Object.entries($defs).map(mark)) };
}

/** What the definitions of a reading are, whatever schema refers to them. */
interface Marks {
  /** The definitions with marked recursive unions. */
  readonly $defs: Reading["$defs"];
  readonly definitions: Definitions;
  /** The results of `findSharedDefinitions`, by definition. */
  readonly shared: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The marks of the last definitions, by their text. Definitions that refer to each other have readings with equal ones. */
const lastMarks = new Map<string, Marks>();
const MAX_MARKS = 20;

function findMarks(unmarked: Reading["$defs"]): Marks {
  const text = JSON.stringify(unmarked);
  const known = lastMarks.get(text);
  if (known !== undefined) return known;
  const { $defs } = markRecursiveUnions({ schema: true, $defs: unmarked });
  const definitions = createDefinitions($defs);
  const shared = new Map(
    Object.keys($defs).map((name) => [name, findSharedDefinitions($defs[name] ?? true, definitions)]),
  );
  const marks = { $defs, definitions, shared };
  if (lastMarks.size >= MAX_MARKS) lastMarks.clear();
  lastMarks.set(text, marks);
  return marks;
}

/** Keywords whose schemas apply to the same value. */
const SAME_VALUE = new Set(["anyOf", "oneOf", "allOf", "if", "then", "else", "not", "dependentSchemas"]);

/** Returns the definitions to which two schemas for the same value lead, at the same place in it. */
function findSharedDefinitions(schema: Json, definitions: Definitions): Set<string> {
  const found = new Set<string>();
  walk(schema, (node) => {
    // A tagged union checks one alternative.
    if (node[TAG] !== undefined) return;
    const alternatives = listSubschemas(node).filter(({ keyword }) => SAME_VALUE.has(keyword));
    if (alternatives.length === 0) return;
    const own = { ...node };
    for (const keyword of SAME_VALUE) delete own[keyword];
    const parts = [own, ...alternatives.map((each) => each.schema)].map((part) =>
      listPlaces(part, definitions),
    );
    for (const [index, places] of parts.entries())
      for (const earlier of parts.slice(0, index))
        for (const [place, names] of places)
          for (const [other, others] of earlier)
            if (areOverlapping(place, other)) for (const name of names) if (others.has(name)) found.add(name);
  });
  return found;
}

/** The place of items, and of fields without a declaration. */
const ANY = "*";

function areOverlapping(a: string, b: string): boolean {
  return a === b || (a !== "" && b !== "" && (a === ANY || b === ANY));
}

/**
 * Returns the definitions to which a schema leads, by the field of the value at which it does, and "" for the value itself.
 */
function listPlaces(schema: Json, definitions: Definitions): ReadonlyMap<string, ReadonlySet<string>> {
  const places = new Map<string, Set<string>>();
  const entered = new Set<string>();
  const add = (place: string, name: string): void => {
    const names = places.get(place) ?? new Set<string>();
    places.set(place, names.add(name));
  };
  const enter = (node: Json): void => {
    if (!isObject(node)) return;
    enterReference(node);
    for (const { keyword, schema: sub, pointer } of listSubschemas(node))
      if (SAME_VALUE.has(keyword)) enter(sub);
      else
        for (const name of listReferences(sub).map(getDefinitionName)) {
          const place = keyword === "properties" ? pointer : ANY;
          for (const each of [name, ...collectDefinitionsBelow(name, definitions)]) add(place, each);
        }
  };
  const enterReference = ({ $ref }: JsonObject): void => {
    if (typeof $ref !== "string") return;
    const name = getDefinitionName($ref);
    add("", name);
    if (entered.has(name)) return;
    entered.add(name);
    enter(definitions[name]?.schema ?? true);
  };
  enter(schema);
  return places;
}

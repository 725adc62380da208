/**
 * Definitions whose code stands once in a module, whatever refers to them. A reference to one becomes a call.
 *
 * Law: which definition is shared, and where it is called, depends on that definition and on the schema that refers to
 * it alone; so a new event moves no line of another.
 */
import { isObject, type Json, own } from "../json.js";
import type { Schema } from "../schema/json-schema.js";
import { IN_PLACE } from "../schema/keywords.js";
import { type Profile, type Reading, readAs } from "../schema/readings.js";
import { type Definitions, referenceTo, targetName } from "../schema/reference.js";
import { mapSubschemas, someSchema, subschemas, walk } from "../schema/walk.js";

/** The keyword that stands for a call: its value is the name of a function. */
export const CALL = "x-accrete-call";

/** How many subschemas a definition has at least that is shared: with fewer, a call gains little. */
const WORTH_SHARING = 12;

/** Readings of definitions by the names that these have in the `$defs` of other readings. */
export type Shared = { readonly [name: string]: Reading };

/** A reading that calls what is shared, and the names in `$defs` of what it calls. */
interface Calling {
  readonly reading: Reading;
  readonly calls: readonly string[];
}

/** The name that a shared definition's function has in a module; nothing else there begins so. */
export function sharedName(name: string): string {
  return `$${name.replaceAll(".", "$")}`;
}

/** The definitions that are worth a function of their own under `profile`, wherever they stand. */
export function sharedReadings(profile: Profile, definitions: Definitions, worth = WORTH_SHARING): Shared {
  const readings = Object.keys(definitions).flatMap((definition) =>
    FORMS.map((form) => {
      const { schema, $defs } = readAs(profile, { $ref: referenceTo(definition) }, definitions, form);
      const name = isObject(schema) ? (targetName(schema) ?? definition) : definition;
      return [name, { schema: $defs[name] ?? true, $defs }] as const;
    }),
  );
  return Object.fromEntries(readings.filter(([, { schema }]) => size(schema) >= worth));
}

const FORMS = ["value", "branch"] as const;

/** Keywords below which a schema describes a value of its own, so that nothing beside it asks what it evaluated. */
const APART = new Set(["properties", "patternProperties", "additionalProperties", "items", "prefixItems"]);

/** `reading` with a call in place of each lone reference to what is shared, where that accepts the same. */
export function sharing({ schema, $defs }: Reading, shared: Shared): Calling {
  const calls = new Set<string>();
  const kept: { [name: string]: Schema } = {};
  const same = sameReadings($defs, shared);
  const asks = [schema, ...Object.values($defs)].some(asksForEvaluated);
  const change = (node: Json, apart: boolean): Json => {
    if (!isObject(node)) return node;
    const name = targetName(node);
    const target = name === undefined || !same.has(name) ? undefined : own($defs, name);
    if (name !== undefined && isObject(target) && Object.keys(node).length === 1) {
      const tells = target.type === "object" && Object.hasOwn(target, "additionalProperties");
      if (apart || !asks || tells) {
        calls.add(name);
        // Such a definition evaluates every field: whoever asks beside the call is told so by a keyword.
        return { [CALL]: sharedName(name), ...(!apart && tells && { additionalProperties: true }) };
      }
    }
    if (name !== undefined) keep(name);
    return mapSubschemas(node, (sub, keyword) =>
      APART.has(keyword) || IN_PLACE.has(keyword) ? change(sub, APART.has(keyword)) : asItStands(sub),
    );
  };
  const keep = (name: string): void => {
    if (Object.hasOwn(kept, name)) return;
    kept[name] = true;
    kept[name] = change(own($defs, name) ?? true, false) as Schema;
  };
  const asItStands = (node: Json): Json => {
    walk(node, (below) => {
      const name = targetName(below);
      if (name !== undefined) keep(name);
    });
    return node;
  };
  return { reading: { schema: change(schema, false) as Schema, $defs: kept }, calls: [...calls].sort() };
}

/** Names of what reads the same here as in `shared`: a reading may depend on the schema that is read with it. */
function sameReadings($defs: Reading["$defs"], shared: Shared): Set<string> {
  const same = ([name, schema]: [string, Schema]): boolean =>
    Object.hasOwn(shared, name) && JSON.stringify(shared[name]?.schema) === JSON.stringify(schema);
  return new Set(Object.entries($defs).flatMap((entry) => (same(entry) ? [entry[0]] : [])));
}

function size(schema: Json): number {
  return isObject(schema) ? subschemas(schema).reduce((sum, sub) => sum + size(sub.schema), 1) : 1;
}

function asksForEvaluated(schema: Schema): boolean {
  return someSchema(
    schema,
    (node) => Object.hasOwn(node, "unevaluatedProperties") || Object.hasOwn(node, "unevaluatedItems"),
  );
}

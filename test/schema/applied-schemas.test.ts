/** If this fails, schemas pass with which a validator takes for ever, or harmless ones are refused. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { createAppliedSchemaCounter } from "../../generator/schema/applied-schemas.js";

const NAMES = ["a", "b", "c", "d", "e"];

/** Definitions of which each refers only to later ones, so that no schema applies itself. */
const definitions = fc
  .tuple(...NAMES.map((_, index) => createPart(NAMES.slice(index + 1))))
  .map((parts): JsonObject => Object.fromEntries(parts.map((part, index) => [NAMES[index], part])));

function createPart(later: readonly string[]): fc.Arbitrary<JsonObject> {
  const leaf: fc.Arbitrary<JsonObject> =
    later.length === 0
      ? fc.constant({ type: "string" })
      : fc.constantFrom(...later).map((name) => ({ $ref: `#/$defs/${name}` }));
  return fc.letrec<{ part: JsonObject }>((tie) => ({
    part: fc.oneof(
      { depthSize: "small" },
      leaf,
      ...["allOf", "anyOf", "oneOf"].map((keyword) =>
        fc.array(tie("part"), { minLength: 1, maxLength: 3 }).map((parts) => ({ [keyword]: parts })),
      ),
      tie("part").map((part) => ({ if: part, then: part, else: leafOf(part) })),
      tie("part").map((part) => ({ type: "array", items: part })),
      fc.tuple(tie("part"), tie("part")).map(([x, y]) => ({ properties: { x, y }, not: x })),
      tie("part").map((part) => ({ dependentSchemas: { x: part }, additionalProperties: part })),
    ),
  })).part;
}

function leafOf(part: JsonObject): Json {
  return part.$ref === undefined ? true : { $ref: part.$ref };
}

const getTargets = (schema: JsonObject, all: JsonObject): Json[] =>
  typeof schema.$ref === "string" ? [all[schema.$ref.slice("#/$defs/".length)] ?? true] : [];

/** Lists every schema that applies to one value, again for each way that leads to it, and collects the schemas of parts. */
function listApplied(schema: Json, all: JsonObject, parts: Json[]): Json[] {
  if (!isObject(schema)) return [schema];
  const same = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => (schema[keyword] ?? []) as Json[]);
  const single = ["if", "then", "else", "not"].flatMap((keyword) => schema[keyword] ?? []);
  const dependent = Object.values((schema.dependentSchemas ?? {}) as JsonObject);
  parts.push(...Object.values((schema.properties ?? {}) as JsonObject));
  parts.push(...[schema.items ?? [], schema.additionalProperties ?? []].flat());
  return [
    schema,
    ...[...same, ...single, ...dependent, ...getTargets(schema, all)].flatMap((part) =>
      listApplied(part, all, parts),
    ),
  ];
}

it("counts the schemas that apply to one value as often as they are reached", () => {
  fc.assert(
    fc.property(definitions, (all) => {
      const root: JsonObject = { $ref: "#/$defs/a" };
      const parts: Json[] = [root];
      let greatest = 0;
      for (const part of parts) greatest = Math.max(greatest, listApplied(part, all, parts).length);
      const count = createAppliedSchemaCounter("protocol", (schema) => getTargets(schema, all));
      expect(count(root)).toBe(greatest);
    }),
    { numRuns: 300 },
  );
});

it("ends for sixty definitions that refer twice to the next one", () => {
  const all = Object.fromEntries(
    Array.from({ length: 60 }, (_, index): [string, JsonObject] => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { anyOf: [next, { ...next }] }];
    }),
  );
  const count = createAppliedSchemaCounter("protocol", (schema) => getTargets(schema, all));
  expect(count({ $ref: "#/$defs/d0" })).toBeGreaterThan(2 ** 60);
});

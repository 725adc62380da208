/** If this fails, a removed name is taken for one in use, or the reverse, at places to which several definitions lead. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { collectProtocolNames } from "../../generator/compat/history/released-names.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createDefinitions } from "../../generator/schema/reference.js";
import { PROTOCOLS } from "../emit/fixtures.js";

const NAMES = ["A", "B", "C", "D"];
const FIELDS = ["x", "y", "z"];

const value: fc.Arbitrary<JsonObject> = fc.letrec<{ value: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonObject>({ type: "string" }, { enum: ["p", "q"] }),
    fc.constantFrom(...NAMES).map((name) => ({ $ref: `#/$defs/${name}` })),
    tie("value").map((items) => ({ type: "array", items })),
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc
      .dictionary(fc.constantFrom(...FIELDS), tie("value"), { maxKeys: 3 })
      .map((properties) => ({ type: "object", properties })),
  ),
})).value;

function createProtocol(payload: JsonObject, definitions: JsonObject): Protocol {
  const protocol = PROTOCOLS.find(({ id }) => id === "hecate/v1");
  const [event] = protocol?.events ?? [];
  if (!protocol || !event) throw new Error("there is no protocol");
  return {
    ...protocol,
    events: [{ ...event, type: "e", payload }],
    resources: [],
    definitions: createDefinitions(definitions),
  };
}

/** Lists the schemas that may apply to the same value, and the names that they declare. */
function listSame(schema: Json, definitions: JsonObject, met: Json[] = []): JsonObject[] {
  if (!isObject(schema) || met.includes(schema)) return [];
  met.push(schema);
  const target = typeof schema.$ref === "string" ? [definitions[schema.$ref.slice(8)] ?? true] : [];
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return [schema, ...[...target, ...branches].flatMap((each) => listSame(each, definitions, met))];
}

/** Lists the fields and listed values at all places of at most `depth` steps, in the form `path name`. */
function listNames(
  schemas: readonly JsonObject[],
  definitions: JsonObject,
  path: string,
  depth: number,
): string[] {
  const names = schemas.flatMap((schema) => [
    ...Object.keys(isObject(schema.properties) ? schema.properties : {}).map(
      (name) => `field ${path} ${name}`,
    ),
    ...(Array.isArray(schema.enum) ? schema.enum : []).map((name) => `value ${path} ${name}`),
  ]);
  if (depth === 0) return names;
  const steps = schemas.flatMap((schema): [string, Json][] => [
    ...Object.entries(isObject(schema.properties) ? schema.properties : {}),
    ...(schema.items === undefined ? [] : [["*", schema.items] as [string, Json]]),
  ]);
  return [
    ...names,
    ...steps.flatMap(([token, below]) =>
      listNames(listSame(below, definitions), definitions, `${path}/${token}`, depth - 1),
    ),
  ];
}

const contracts = fc.tuple(
  fc.dictionary(fc.constantFrom(...FIELDS), value, { minKeys: 1, maxKeys: 3 }),
  fc.tuple(...NAMES.map(() => value)),
);

it("finds the names at every place, and no others", () => {
  fc.assert(
    fc.property(
      contracts,
      fc.array(fc.constantFrom(...FIELDS, "*"), { maxLength: 4 }),
      ([fields, parts], steps) => {
        const payload: JsonObject = { type: "object", properties: fields };
        const definitions: JsonObject = Object.fromEntries(parts.map((part, index) => [NAMES[index], part]));
        const index = collectProtocolNames(createProtocol(payload, definitions));
        const all = new Set(listNames([payload], definitions, "", 4));
        const find = (kind: "field" | "value", path: string, name: string) =>
          index.find({ kind, event: "e", path: `/data${path}`, name });
        for (const each of all) {
          const [kind = "", path = "", name = ""] = each.split(" ");
          expect([each, find(kind === "field" ? "field" : "value", path, name)?.name]).toEqual([each, name]);
        }
        const path = steps.map((step) => `/${step}`).join("");
        for (const name of FIELDS)
          expect([path, name, find("field", path, name) !== undefined]).toEqual([
            path,
            name,
            all.has(`field ${path} ${name}`),
          ]);
      },
    ),
    { numRuns: 300 },
  );
});

it("lists a bounded number of names of definitions that refer twice to the next one", () => {
  const definitions = Object.fromEntries(
    Array.from({ length: 60 }, (_, index): [string, JsonObject] => {
      const next = { $ref: `#/$defs/D${index + 1}` };
      return [`D${index}`, { type: "object", properties: { a: next, b: { ...next } } }];
    }),
  );
  const payload = { type: "object", properties: { v: { $ref: "#/$defs/D0" } } };
  const { listed, find } = collectProtocolNames(
    createProtocol(payload, { ...definitions, D60: { enum: ["p"] } }),
  );
  expect(listed.size).toBeLessThan(500);
  const path = `/data/v${"/b".repeat(60)}`;
  expect(find({ kind: "value", event: "e", path, name: "p" })?.name).toBe("p");
  expect(find({ kind: "value", event: "e", path: `${path}/b`, name: "p" })).toBeUndefined();
});

/** If this fails, a small schema whose definitions refer to each other many times keeps a command busy for ever. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { enterProject } from "./inside.js";
import type { Files } from "./project.js";

type Form = (next: JsonObject) => JsonObject;

/** Definitions that apply the next one several times to the same value, so that validators would never end. */
const SAME_VALUE: { readonly [name: string]: Form } = {
  allOf: (next) => ({ allOf: [next, next] }),
  anyOf: (next) => ({ anyOf: [next, next] }),
  if: (next) => ({ if: next, then: next, else: next }),
  dependentSchemas: (next) => ({ dependentSchemas: { a: next, b: next } }),
};

/** Definitions that apply the next one to several parts of the value, or to one of them in each alternative. */
const PARTS: { readonly [name: string]: Form } = {
  properties: (next) => createObject({ a: next, b: next }),
  items: (next) => createObject({ a: { type: "array", items: next }, b: { type: "array", items: next } }),
  map: (next) => ({ ...createObject({ a: next }), additionalProperties: next }),
  oneOf: (next) => ({ oneOf: [next, { ...createObject({ k: next }), required: ["k"] }] }),
  tagged: (next) => ({
    anyOf: ["x", "y"].map((tag) => ({
      ...createObject({ t: { const: tag }, [tag]: next }),
      required: ["t"],
    })),
  }),
};

const LEAF = createObject({ x: { type: "string" } });

function createObject(properties: JsonObject): JsonObject {
  return { type: "object", properties };
}

/** Returns `depth` definitions of a form, of which each refers to the next one; the last one refers to `last`. */
function chain(form: Form, depth: number, last: JsonObject): JsonObject {
  const names = Array.from({ length: depth }, (_, index) => `d${index}`);
  const definitions = names.map((name, index): [string, JsonObject] => [
    name,
    { description: "D.", ...form({ $ref: `#/$defs/d${index + 1}` }) },
  ]);
  return { ...Object.fromEntries(definitions), [`d${depth}`]: { description: "D.", ...last } };
}

/** Returns definitions of which each refers to five others, so that there are paths of every kind between them. */
function connect(count: number): JsonObject {
  const refer = (index: number): JsonObject => ({ $ref: `#/$defs/d${index % count}` });
  const create = (index: number): JsonObject => ({
    description: "D.",
    ...createObject({
      a: refer(index + 1),
      b: { anyOf: [refer(index + 2), { type: "null" }] },
      c: { type: "array", items: refer(index + 5) },
      d: refer(index + 17),
      e: { anyOf: [refer(index + 40), { type: "null" }] },
    }),
  });
  return Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, JsonObject] => [`d${index}`, create(index)]),
  );
}

const ROOT = { $ref: "#/$defs/d0" };

function createProtocol($defs: JsonObject): Files {
  const text = (value: JsonObject): string => JSON.stringify(value);
  const described = { description: "D." };
  return {
    "schemas/big/v1/protocol.json": text({
      ...{ name: "big", major: 1, version: "1.0", title: "B", description: "B." },
      envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
    }),
    "schemas/big/v1/envelope.schema.json": text({
      ...{ title: "E", description: "E.", type: "object", required: ["type", "data"] },
      properties: { type: { type: "string", ...described }, data: { type: "object", ...described } },
    }),
    "schemas/big/v1/events/e.schema.json": text({
      ...{ title: "E", description: "E.", "x-since": "1.0", "x-stability": "stable" },
      ...{ type: "object", properties: { v: { ...ROOT, ...described } }, $defs },
    }),
  };
}

/** Returns the exit codes of commands over definitions and over changed ones. */
async function runCommands(before: JsonObject, after: JsonObject): Promise<{ [command: string]: number }> {
  enterProject("big", {
    ...createProtocol(before),
    "a.json": JSON.stringify({ ...ROOT, $defs: before }),
    "b.json": JSON.stringify({ ...ROOT, $defs: after }),
  });
  const exitCodes: { [command: string]: number } = {};
  for (const argv of [
    ["lint"],
    ["generate"],
    ["compat"],
    ["subset", "a.json", "b.json"],
    ["diff", "a.json", "b.json"],
  ])
    exitCodes[argv[0] ?? ""] = (await runAccrete(argv)).exitCode;
  return exitCodes;
}

const STRICT_LEAF = { ...LEAF, required: ["x"] };

it.each(Object.entries(SAME_VALUE))("26 definitions with %s twice are refused", async (_name, form) => {
  expect(await runCommands(chain(form, 26, LEAF), chain(form, 26, STRICT_LEAF))).toEqual({
    ...{ lint: 1, generate: 1, compat: 2, diff: 2 },
    // Undecided, because the validators that confirm an answer would never end.
    subset: 3,
  });
});

it.each(Object.entries(PARTS))("26 definitions with %s twice have a result", async (_name, form) => {
  const { subset, diff, ...others } = await runCommands(chain(form, 26, LEAF), chain(form, 26, STRICT_LEAF));
  expect(others).toEqual({ lint: 0, generate: 0, compat: 0 });
  // A difference, or an answer that says why it is undecided.
  expect([1, 3]).toContain(subset);
  expect([1, 3]).toContain(diff);
});

it("20 definitions in cycles have a result", async () => {
  const before = connect(20);
  const after = { ...before, d5: { ...LEAF, description: "D." } };
  const { subset, diff, ...others } = await runCommands(before, after);
  expect(others).toEqual({ lint: 0, generate: 0, compat: 0 });
  expect([1, 3]).toContain(subset);
  expect(diff).toBe(1);
});

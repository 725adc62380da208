/**
 * If this fails, a plan with declared renames loses a value, or puts it under the name of another field, and has no gap. Schemas
 * and statements are random; a substitution on the data itself says what is right.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { areEqual, createObject, isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { composePlans } from "../../generator/upcast/plan-chain.js";
import { planDowncast } from "../../generator/upcast/plan-downcast.js";
import { planUpcast } from "../../generator/upcast/plan-upcast.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { writeTea } from "../compat/tea.js";
import { createSharedFolder } from "../folders.js";
import { loadVersionPair } from "./cases.js";

const NAMES = ["a", "b", "c", "d"];
const TAGS = ["p", "q"];

/** What a value is: a number, an object, several values, or one of two objects, told apart by the field `kind`. */
type Shape =
  | { readonly kind: "number" }
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "list" | "map"; readonly value: Shape }
  | { readonly kind: "tuple"; readonly first: Shape; readonly rest: Shape }
  | { readonly kind: "union"; readonly branches: readonly [readonly Member[], readonly Member[]] }
  /** The object around it that is a definition. */
  | { readonly kind: "self" }
  | { readonly kind: "node"; readonly members: readonly Member[] };

/** A field: its name before and afterwards. */
interface Member {
  readonly name: string;
  readonly newName: string;
  readonly shape: Shape;
}

const createMembers = (shape: fc.Arbitrary<Shape>): fc.Arbitrary<readonly Member[]> =>
  fc
    .tuple(
      fc.subarray(NAMES, { minLength: 1, maxLength: 3 }),
      fc.shuffledSubarray([...NAMES, "e"], { minLength: 5, maxLength: 5 }),
      fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      fc.array(shape, { minLength: 3, maxLength: 3 }),
    )
    .map(([names, newNames, isRenamed, shapes]) => {
      const kept = names.filter((_, index) => !isRenamed[index]);
      // A field that keeps its name is in nobody's way.
      const free = newNames.filter((name) => !kept.includes(name));
      return names.map((name, index) => ({
        name,
        newName: isRenamed[index] ? (free[index] ?? name) : name,
        shape: shapes[index] ?? { kind: "number" },
      }));
    })
    .filter((members) => new Set(members.map(({ newName }) => newName)).size === members.length);

const createShape = (depth: number, isInNode: boolean): fc.Arbitrary<Shape> => {
  const number = fc.constant<Shape>({ kind: "number" });
  if (depth === 0) return isInNode ? fc.oneof(number, fc.constant<Shape>({ kind: "self" })) : number;
  const inner = fc.memo(() => createShape(depth - 1, isInNode))();
  const members = createMembers(inner);
  const nodes = isInNode
    ? []
    : [createMembers(createShape(depth - 1, true)).map((each): Shape => ({ kind: "node", members: each }))];
  return fc.oneof(
    number,
    members.map((each): Shape => ({ kind: "object", members: each })),
    inner.map((value): Shape => ({ kind: "list", value })),
    inner.map((value): Shape => ({ kind: "map", value })),
    fc.tuple(inner, inner).map(([first, rest]): Shape => ({ kind: "tuple", first, rest })),
    fc.tuple(members, members).map((branches): Shape => ({ kind: "union", branches })),
    ...nodes,
  );
};

/** Returns the schema of one version. Definitions are collected in `definitions`. */
function createSchema(
  shape: Shape,
  isAfter: boolean,
  definitions: { [name: string]: Json },
  self = "",
): Json {
  const createObjectSchema = (
    members: readonly Member[],
    more: JsonObject = {},
    node = self,
  ): JsonObject => ({
    type: "object",
    properties: createObject([
      ...Object.entries(more),
      ...members.map(({ name, newName, shape: member }): [string, Json] => {
        const schema = createSchema(member, isAfter, definitions, node) as JsonObject;
        const isRenamed = isAfter && newName !== name;
        return [isAfter ? newName : name, isRenamed ? { ...schema, "x-renamed-from": name } : schema];
      }),
    ]),
    required: Object.keys(more),
  });
  switch (shape.kind) {
    case "number":
      return { type: "integer" };
    case "object":
      return createObjectSchema(shape.members);
    case "list":
      return { type: "array", items: createSchema(shape.value, isAfter, definitions, self) };
    case "map":
      return { type: "object", additionalProperties: createSchema(shape.value, isAfter, definitions, self) };
    case "tuple":
      return {
        type: "array",
        prefixItems: [createSchema(shape.first, isAfter, definitions, self)],
        items: createSchema(shape.rest, isAfter, definitions, self),
      };
    case "union":
      return {
        oneOf: shape.branches.map((members, index) =>
          createObjectSchema(members, { kind: { const: TAGS[index] ?? "" } }),
        ),
      };
    case "self":
      return { $ref: `#/$defs/${self}` };
    case "node": {
      const name = `Node${Object.keys(definitions).length}`;
      definitions[name] = true;
      definitions[name] = createObjectSchema(shape.members, {}, name);
      return { $ref: `#/$defs/${name}` };
    }
  }
}

/** Returns a value of a shape, of which each number is another one. `choose` returns a number below its argument. */
function createValue(
  shape: Shape,
  choose: (count: number) => number,
  next: () => number,
  depth = 0,
  self: readonly Member[] = [],
): Json {
  const create = (each: Shape, node = self): Json => createValue(each, choose, next, depth + 1, node);
  const createMembersOf = (members: readonly Member[], node = self): JsonObject =>
    createObject(
      members.flatMap(({ name, shape: member }): [string, Json][] =>
        choose(5) === 0 || depth > 7 ? [] : [[name, create(member, node)]],
      ),
    );
  switch (shape.kind) {
    case "number":
      return next();
    case "object":
      return createMembersOf(shape.members);
    case "list":
      return Array.from({ length: choose(3) }, () => create(shape.value));
    case "map":
      return createObject(["x", "b"].slice(choose(3)).map((name) => [name, create(shape.value)] as const));
    case "tuple":
      return [shape.first, shape.rest, shape.rest].slice(0, choose(4)).map((each) => create(each));
    case "union": {
      const branch = choose(2);
      return { kind: TAGS[branch] ?? "", ...createMembersOf(shape.branches[branch] ?? []) };
    }
    case "self":
      return createMembersOf(self);
    case "node":
      return createMembersOf(shape.members, shape.members);
  }
}

/** Returns the value with all its members under their new names. */
function substitute(value: Json, shape: Shape, self: readonly Member[] = []): Json {
  const substituteMembers = (object: Json, members: readonly Member[], node = self): Json => {
    if (!isObject(object)) return object;
    return createObject(
      Object.entries(object).map(([name, each]): [string, Json] => {
        const member = members.find((other) => other.name === name);
        return member === undefined ? [name, each] : [member.newName, substitute(each, member.shape, node)];
      }),
    );
  };
  switch (shape.kind) {
    case "number":
      return value;
    case "object":
      return substituteMembers(value, shape.members);
    case "node":
      return substituteMembers(value, shape.members, shape.members);
    case "self":
      return substituteMembers(value, self);
    case "union":
      return substituteMembers(
        value,
        shape.branches[isObject(value) ? TAGS.indexOf(String(value.kind)) : 0] ?? [],
      );
    case "list":
      return Array.isArray(value) ? value.map((each: Json) => substitute(each, shape.value, self)) : value;
    case "tuple":
      return Array.isArray(value)
        ? value.map((each: Json, index) => substitute(each, index === 0 ? shape.first : shape.rest, self))
        : value;
    case "map":
      return isObject(value)
        ? createObject(
            Object.entries(value).map(([name, each]) => [name, substitute(each, shape.value, self)] as const),
          )
        : value;
  }
}

const root = createSharedFolder();
for (const major of [1, 2]) writeTea(root, { "protocol.json": { major, version: `${major}.0` } });
const pair = await loadVersionPair(root, "tea/v1", "tea/v2");

function createVersion(protocol: Protocol, shape: Shape, isAfter: boolean): Protocol {
  const definitions: { [name: string]: Json } = {};
  const value = createSchema(shape, isAfter, definitions);
  return {
    ...protocol,
    definitions: Object.fromEntries(
      Object.entries(definitions).map(([name, schema]) => [
        name,
        { schema, at: { file: "defs.json", pointer: `/${name}` } },
      ]),
    ) as never,
    events: protocol.events.map((event) => ({
      ...event,
      payload: { type: "object", properties: { o: value }, required: ["o"] },
    })),
  };
}

it("carries random statements out at once, or names one that it leaves out", () => {
  const counts = { complete: 0, reversible: 0, gaps: 0, steps: 0, values: 0 };
  const context = { type: "tea.served", discriminator: "type", streamTypes: new Set<string>() };
  fc.assert(
    fc.property(
      createShape(3, false),
      fc.array(fc.nat(59), { minLength: 97, maxLength: 97 }),
      (shape, choices) => {
        const [from, to] = [createVersion(pair.from, shape, false), createVersion(pair.to, shape, true)];
        const plan = planUpcast(from, to);
        const { steps, gaps } = plan;
        counts[gaps.length === 0 ? "complete" : "gaps"]++;
        counts.steps += steps.length;
        if (gaps.length > 0) return;
        const back = planDowncast(to, from);
        const both = composePlans([
          { from, to, plan },
          { from: to, to: from, plan: back },
        ]);
        const isReversible = back.gaps.length === 0;
        counts.reversible += Number(isReversible);
        expect(both.gaps.length).toBe(back.gaps.length);
        let [position, number] = [0, 0];
        const choose = (count: number): number => (choices[position++ % choices.length] ?? 0) % count;
        for (let index = 0; index < 10; index++) {
          const o = createValue(shape, choose, () => number++);
          const result = upcastEvent(
            { type: "tea.served", data: { o } },
            steps.map(({ step }) => step),
            context,
          );
          const data = result.kind === "done" ? result.event.data : result.message;
          const expected = { o: substitute(o, shape) };
          if (!areEqual(data ?? null, expected))
            expect({ o, steps, data }).toEqual({ o, steps, data: expected });
          counts.values++;
          const event = { type: "tea.served", data: { o } };
          if (!isReversible) continue;
          for (const [start, inverse] of [
            [{ type: "tea.served", data: expected }, back],
            [event, both],
          ] as const) {
            const original = upcastEvent(
              start,
              inverse.steps.map(({ step }) => step),
              context,
            );
            const found = original.kind === "done" ? original.event : original.message;
            if (!areEqual(found, event)) expect({ o, inverse, found }).toEqual({ o, inverse, found: event });
          }
        }
      },
    ),
    { numRuns: 100 * Number(process.env.RUNS ?? 1), seed: Number(process.env.SEED ?? 1) },
  );
  if (process.env.RUNS) console.log(counts);
  expect(counts.steps).toBeGreaterThan(200);
  // Gaps are rare: most statements can be carried out.
  expect(counts.gaps).toBeLessThan(counts.complete / 3);
  expect(counts.reversible).toBeGreaterThan(counts.complete * 0.75);
});

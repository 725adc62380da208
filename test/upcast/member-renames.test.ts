/** If this fails, a plan loses a value, or puts it under the name of another field, where fields of one object are renamed at once. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createObject, isObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { certifyPlan } from "../../generator/upcast/certify-plan.js";
import { orderRenames } from "../../generator/upcast/member-renames.js";
import { planUpcast } from "../../generator/upcast/plan-upcast.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { writeTea } from "../compat/tea.js";
import { createSharedFolder } from "../folders.js";
import { loadVersionPair } from "./cases.js";

/** The fields of an object, each with the name that it had before, or with those of an object in it. */
interface Fields {
  readonly [name: string]: { readonly was?: string; readonly fields?: Fields; readonly isDeprecated?: true };
}

function createSchema(fields: Fields): JsonObject {
  const members = Object.entries(fields).map(
    ([name, { was, fields: inner, isDeprecated }]): [string, Json] => [
      name,
      {
        ...(inner ? createSchema(inner) : { type: "integer" }),
        ...(was !== undefined && { "x-renamed-from": was }),
        ...(isDeprecated && { deprecated: true, "x-deprecated-since": "2.0" }),
      },
    ],
  );
  return { type: "object", properties: createObject(members) };
}

const root = createSharedFolder();
for (const major of [1, 2]) writeTea(root, { "protocol.json": { major, version: `${major}.0` } });
const pair = await loadVersionPair(root, "tea/v1", "tea/v2");

/** Returns a version whose only event has these fields in its payload. */
function createVersion(protocol: Protocol, fields: Fields): Protocol {
  return {
    ...protocol,
    events: protocol.events.map((event) => ({ ...event, payload: createSchema(fields) })),
  };
}

/** Plans the way from one payload to another one, and carries payloads over. Returns the message of a step that fails. */
function plan(before: Fields, after: Fields) {
  const from = createVersion(pair.from, before);
  const to = createVersion(pair.to, after);
  const { steps, gaps } = planUpcast(from, to);
  const question = { from, to, steps: steps.map(({ step }) => step) };
  const context = { type: "tea.served", discriminator: "type", streamTypes: new Set<string>() };
  const carry = (data: JsonObject): Json => {
    const result = upcastEvent({ type: "tea.served", data }, question.steps, context);
    return result.kind === "done" ? (result.event.data ?? null) : result.message;
  };
  return { question, gaps, carry };
}

interface RenameCase {
  readonly before: Fields;
  readonly after: Fields;
  readonly data: JsonObject;
  readonly result: JsonObject;
}

const CASES: { readonly [name: string]: RenameCase } = {
  "a chain": {
    before: { a: {}, b: {} },
    after: { b: { was: "a" }, c: { was: "b" } },
    data: { a: 1, b: 2 },
    result: { b: 1, c: 2 },
  },
  "a chain that is declared in the other order": {
    before: { a: {}, b: {} },
    after: { c: { was: "b" }, b: { was: "a" } },
    data: { a: 1, b: 2 },
    result: { b: 1, c: 2 },
  },
  "a swap": {
    before: { a: {}, b: {} },
    after: { a: { was: "b" }, b: { was: "a" } },
    data: { a: 1, b: 2 },
    result: { a: 2, b: 1 },
  },
  "a swap of which one field is absent": {
    before: { a: {}, b: {} },
    after: { a: { was: "b" }, b: { was: "a" } },
    data: { a: 1 },
    result: { b: 1 },
  },
  "a circle of three, and a field with the name of the temporary one": {
    before: { a: {}, b: {}, c: {}, old_a: {} },
    after: { b: { was: "a" }, c: { was: "b" }, a: { was: "c" }, old_a: {} },
    data: { a: 1, b: 2, c: 3, old_a: 4 },
    result: { b: 1, c: 2, a: 3, old_a: 4 },
  },
  "a new field takes the old name over": {
    before: { a: {} },
    after: { a: {}, b: { was: "a" } },
    data: { a: 1 },
    result: { b: 1 },
  },
  "the old name stays for a while": {
    before: { a: {} },
    after: { a: { isDeprecated: true }, b: { was: "a" } },
    data: { a: 1 },
    result: { a: 1 },
  },
  "objects are swapped, and a field in one of them is renamed": {
    before: { a: { fields: { x: {} } }, b: { fields: { x: {} } } },
    after: {
      a: { was: "b", fields: { x: {} } },
      b: { was: "a", fields: { y: { was: "x" } } },
    },
    data: { a: { x: 1 }, b: { x: 2 } },
    result: { a: { x: 2 }, b: { y: 1 } },
  },
  "a new object takes the name of another one over, and has a field with a former name": {
    before: { a: { fields: { x: {} } } },
    after: { a: { fields: { y: { was: "x" } } }, b: { was: "a", fields: { x: {} } } },
    data: { a: { x: 1 } },
    result: { b: { x: 1 } },
  },
};

it.each(Object.entries(CASES))("%s", async (_name, { before, after, data, result }) => {
  const { question, gaps, carry } = plan(before, after);
  expect(carry(data)).toEqual(result);
  expect(gaps).toEqual([]);
  expect(await certifyPlan(question)).toEqual([{ type: "tea.served", kind: "proven" }]);
});

it("names a field from which two fields are renamed", () => {
  const { gaps } = plan({ a: {} }, { b: { was: "a" }, c: { was: "a" } });
  expect(gaps).toEqual([
    {
      type: "tea.served",
      place: "/data/c",
      statement: "x-renamed-from of c",
      reason: "names a, which has another new name.",
    },
  ]);
});

it("does not overwrite a field whose name another one gets", async () => {
  const { question, carry } = plan({ a: {}, b: {} }, { b: { was: "a" } });
  expect(carry({ a: 1, b: 2 })).toContain("is in the way");
  expect(await certifyPlan(question)).toMatchObject([
    { kind: "impossible", event: { data: { a: 0, b: 0 } } },
  ]);
});

const NAMES = ["a", "b", "c", "d"];

/** Fields of an object before and after random renames. */
const randomRenames = fc
  .tuple(fc.subarray(NAMES, { minLength: 1 }), fc.shuffledSubarray([...NAMES, "e"], { minLength: 1 }))
  .chain(([before, after]) =>
    fc
      .tuple(fc.shuffledSubarray(before), fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }))
      .map(([sources, isRenamed]) => {
        const renamed = after.map(
          (name, index) => [name, isRenamed[index] ? sources[index] : undefined] as const,
        );
        return {
          before,
          after: renamed.map(([name, was]) => [name, was === name ? undefined : was] as const),
        };
      }),
  );

type Side = readonly (readonly [name: string, was: string | undefined])[];

/**
 * Returns what becomes of an object if all renames happen at once: each value stands under its new name, and a value without one
 * stays. Undefined if two values would have one name.
 */
function substitute(data: JsonObject, after: Side): JsonObject | undefined {
  const newNames = new Map(after.flatMap(([name, was]) => (was === undefined ? [] : [[was, name] as const])));
  const members = Object.entries(data).map(([name, value]) => [newNames.get(name) ?? name, value] as const);
  return new Set(members.map(([name]) => name)).size < members.length ? undefined : createObject(members);
}

it("carries random renames out at once, or fails", () => {
  const counts = { done: 0, failed: 0 };
  fc.assert(
    fc.property(
      randomRenames,
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      ({ before, after }, present) => {
        const toField = ([name, was]: Side[number]) => [name, was === undefined ? {} : { was }] as const;
        const { carry } = plan(
          createObject(before.map((name) => [name, {}] as const)),
          createObject(after.map(toField)),
        );
        const data = createObject(
          before.map((name, index) => [name, index] as const).filter((_, i) => present[i]),
        );
        const expected = substitute(data, after);
        const result = carry(data);
        if (expected === undefined) expect(result).toContain("is in the way");
        else expect(result).toEqual(expected);
        counts[isObject(result) ? "done" : "failed"]++;
      },
    ),
    { numRuns: 2_000, seed: 1 },
  );
  expect(Math.min(counts.done, counts.failed)).toBeGreaterThan(20);
});

it("leads each rename from the old name to the new one, also if several share a name", () => {
  const names = fc.constantFrom(...NAMES, "old_a");
  const renames = fc.array(fc.record({ from: names, to: names }), { maxLength: 6 });
  fc.assert(
    fc.property(renames, (pairs) => {
      const all = pairs.map((pair, id) => ({ ...pair, id }));
      const moves = orderRenames(all, (name) => NAMES.includes(name));
      for (const { from, to, id } of all) {
        const own = moves.filter((move) => move.id === id);
        expect(own.map((move) => move.from)).toEqual([from, ...own.map((move) => move.to)].slice(0, -1));
        expect(own.at(-1)?.to).toBe(to);
      }
    }),
    { numRuns: 1_000, seed: 1 },
  );
});

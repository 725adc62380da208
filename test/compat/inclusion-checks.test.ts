/** If this fails, a broken inclusion of a whole event passes because its parts were compared instead. */

import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import {
  checkAddedType,
  checkInclusion,
  prepareInclusionChecks,
} from "../../generator/compat/proof/inclusion-checks.js";
import {
  createContainmentCache,
  createMessageSchema,
  createUnknownMessageSchema,
} from "../../generator/compat/proof/readings.js";
import { checkContainment } from "../../generator/contain/contain.js";
import type { JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createTemporaryFolder } from "../folders.js";
import { loadOnlyProtocol } from "./examples.js";
import { writeTea } from "./tea.js";

const cache = createContainmentCache();

async function loadContract(files: ExampleFiles): Promise<Protocol> {
  const schemas = createTemporaryFolder();
  writeTea(schemas, files);
  return await loadOnlyProtocol(schemas);
}

const text = { type: "string", description: "Text." };
const short = { ...text, maxLength: 3 };

/** A contract with a field `id` in its envelope and a field `sort` in its event. */
function createContract(id: JsonObject, sort: JsonObject): ExampleFiles {
  return {
    "envelope.schema.json": {
      properties: { type: text, id, data: { type: "object", description: "The payload." } },
    },
    "events/tea.served.schema.json": { properties: { sort } },
  };
}

const KINDS = [text, short];
const CONTRACTS = KINDS.flatMap((id) => KINDS.map((sort) => createContract(id, sort)));
const PAIRS = CONTRACTS.flatMap((before) => CONTRACTS.map((after) => ({ before, after })));

describe("the checks of parts", () => {
  it.each(PAIRS)("agree with the check of complete messages (%#)", async ({ before, after }) => {
    const [old, now] = [await loadContract(before), await loadContract(after)];
    const sides = prepareInclusionChecks(old, now, cache);
    const [a, b] = [old.events[0], now.events[0]];
    if (!a || !b) throw new Error("the contracts have an event each");
    const [was, is] = [createMessageSchema("writer", old, a), createMessageSchema("writer", now, b)];
    const left = await checkContainment(was, is);
    const right = await checkContainment(is, createMessageSchema("reader", old, a));
    const unknown = await checkContainment(is, createUnknownMessageSchema("reader", old));
    expect((await checkInclusion(sides, { before: a, after: b }, "backward")).verdict).toBe(left.verdict);
    expect((await checkInclusion(sides, { before: a, after: b }, "forward")).verdict).toBe(right.verdict);
    expect((await checkAddedType(sides, b)).verdict).toBe(unknown.verdict);
  });

  it("are tried on contracts of every kind", () => expect(PAIRS).toHaveLength(16));
});

describe("a witness", () => {
  const text = { type: "string" };
  it.each(["constructor", "toString", "valueOf", "hasOwnProperty"])("may lack the field %s", async (name) => {
    const [a, b] = [{ a: true }, { a: text }].map((properties) => ({
      type: "object",
      properties: { ...properties, [name]: text },
      required: ["a"],
    }));
    expect(await cache.checkSubset(a ?? false, b ?? false)).toMatchObject({ verdict: "not-contained" });
  });
});

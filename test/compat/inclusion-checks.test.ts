/** If this fails, a broken inclusion of a whole event passes because its parts were compared instead. */

import { expect, it } from "vitest";
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
import type { Json, JsonObject } from "../../generator/json.js";
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

/** Creates a contract with a field `id` in its envelope and a field `sort` in its event. */
function createContract(id: JsonObject, sort: JsonObject): ExampleFiles {
  return {
    "envelope.schema.json": {
      properties: { type: text, id, data: { type: "object", description: "The payload." } },
    },
    "events/tea.served.schema.json": { properties: { sort } },
  };
}

const TEXTS = [text, short];
const CONTRACTS = TEXTS.flatMap((id) => TEXTS.map((sort) => createContract(id, sort)));
const PAIRS = CONTRACTS.flatMap((before) => CONTRACTS.map((after) => ({ before, after })));

it.each(PAIRS)("checks of parts agree with checks of complete messages (%#)", async ({ before, after }) => {
  const old = await loadContract(before);
  const current = await loadContract(after);
  const [oldEvent] = old.events;
  const [currentEvent] = current.events;
  if (!oldEvent || !currentEvent) throw new Error("each contract has an event");
  const sent = createMessageSchema("writer", current, currentEvent);
  const backward = await checkContainment(createMessageSchema("writer", old, oldEvent), sent);
  const forward = await checkContainment(sent, createMessageSchema("reader", old, oldEvent));
  const added = await checkContainment(sent, createUnknownMessageSchema("reader", old));
  const checks = prepareInclusionChecks(old, current, cache);
  const events = { before: oldEvent, after: currentEvent };
  expect((await checkInclusion(checks, events, "backward")).verdict).toBe(backward.verdict);
  expect((await checkInclusion(checks, events, "forward")).verdict).toBe(forward.verdict);
  expect((await checkAddedType(checks, currentEvent)).verdict).toBe(added.verdict);
});

it.each(["constructor", "toString", "valueOf", "hasOwnProperty"])(
  "finds a witness although every object inherits a member %s",
  async (name) => {
    const createObjectSchema = (a: Json): Json => ({
      type: "object",
      properties: { a, [name]: text },
      required: ["a"],
    });
    expect(await cache.checkSubset(createObjectSchema(true), createObjectSchema(text))).toMatchObject({
      verdict: "not-contained",
    });
  },
);

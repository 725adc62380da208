/** If this fails, a small schema whose definitions refer to each other many times keeps a command busy for ever. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { createRandom } from "../../generator/random.js";
import { runAccrete } from "../commands/run-in-process.js";
import {
  connectDefinitions,
  createChain,
  createHostileProtocol,
  createHostileRoot,
  createRandomDefinitions,
  LEAF,
  PARTS,
  SAME_VALUE,
  STRICT_LEAF,
} from "./hostile-schemas.js";
import { enterProject } from "./inside.js";

/** Returns the exit codes of commands over definitions and over changed ones. */
async function runCommands(before: JsonObject, after: JsonObject): Promise<{ [command: string]: number }> {
  enterProject("big", {
    ...createHostileProtocol(before),
    "a.json": createHostileRoot(before),
    "b.json": createHostileRoot(after),
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

it.each(Object.entries(SAME_VALUE))("26 definitions with %s twice are refused", async (_name, form) => {
  expect(await runCommands(createChain(form, 26, LEAF), createChain(form, 26, STRICT_LEAF))).toEqual({
    ...{ lint: 1, generate: 1, compat: 2, diff: 2 },
    // Undecided, because the validators that confirm an answer would never end.
    subset: 3,
  });
});

it.each(Object.entries(PARTS))("26 definitions with %s twice have a result", async (_name, form) => {
  const { subset, diff, ...others } = await runCommands(
    createChain(form, 26, LEAF),
    createChain(form, 26, STRICT_LEAF),
  );
  expect(others).toEqual({ lint: 0, generate: 0, compat: 0 });
  // A difference, or an answer that says why it is undecided.
  expect([1, 3]).toContain(subset);
  expect([1, 3]).toContain(diff);
});

it("20 definitions in cycles have a result", async () => {
  const before = connectDefinitions(20);
  const after = { ...before, d5: { ...LEAF, description: "D." } };
  const { subset, diff, ...others } = await runCommands(before, after);
  expect(others).toEqual({ lint: 0, generate: 0, compat: 0 });
  expect([1, 3]).toContain(subset);
  expect(diff).toBe(1);
});

it("random definitions that refer to each other have a result", { timeout: 600_000 }, async () => {
  const property = fc.asyncProperty(fc.nat(), fc.integer({ min: 2, max: 30 }), async (seed, count) => {
    const before = createRandomDefinitions(createRandom(seed), count);
    const after = { ...before, [`d${count}`]: { ...STRICT_LEAF, description: "D." } };
    const { lint, generate, ...others } = await runCommands(before, after);
    expect([0, 1]).toContain(lint);
    expect(generate).toBe(lint);
    // Nothing is compared if lint refuses the definitions.
    expect(lint === 0 ? [0] : [2]).toContain(others.compat);
    expect(lint === 0 ? [0, 1] : [2]).toContain(others.diff);
    expect([0, 1, 3]).toContain(others.subset);
  });
  await fc.assert(property, { numRuns: Number(process.env.ACCRETE_TEST_GRAPHS ?? 6), seed: 41 });
});

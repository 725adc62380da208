/** If this fails, shortening the code that Ajv writes changes the verdicts of generated validators. */
import fc from "fast-check";
import { describe, expect } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { createBodyReading, createEnvelopeReading } from "../../generator/protocol/message-readings.js";
import { PROFILES, type Reading } from "../../generator/schema/readings.js";
import { deep, quick } from "../depth.js";
import { compileGeneratedCode, compileWithAjv } from "../emit/evaluate.js";
import { PROTOCOLS, readValidFixtures } from "../emit/fixtures.js";
import { mutateValue } from "../emit/mutations.js";
import { anyReading, anyValue } from "../emit/schemas.js";

/** Readings, some of them with one schema in many places, whose code is shared. */
const anyUse: fc.Arbitrary<Reading> = fc.oneof(
  anyReading,
  fc.tuple(anyReading, anyReading).map(([{ schema, $defs }, { schema: other }]) => {
    const ref = { $ref: "#/$defs/N" };
    const inside = { type: "object", properties: { a: schema, b: ref, c: other } };
    return {
      schema: {
        properties: { a: schema, b: ref, valueOf: schema, fail: inside, data: inside },
        anyOf: [inside, { items: inside }, true],
      },
      $defs,
    };
  }),
);

describe("generated validators give the same issues as plain Ajv", () => {
  describe.each(PROTOCOLS.map((protocol) => [protocol.id, protocol] as const))("%s", (_id, protocol) => {
    quick.it.each(PROFILES)("for each fixture and all its mutations as a %s", (profile) => {
      const envelope = createEnvelopeReading(profile, protocol);
      const readings = protocol.events.map((event) => createBodyReading(profile, protocol, event));
      const [first, ...bodies] = [envelope, ...readings].map(
        (reading) => [compileGeneratedCode(reading), compileWithAjv(reading)] as const,
      );
      const seen = { accepted: 0, refused: 0 };
      protocol.events.forEach(({ type }, index) => {
        for (const fixture of readValidFixtures(protocol, type))
          for (const value of [fixture, ...mutateValue(fixture)])
            for (const pair of [first, bodies[index]]) {
              const [mine, theirs] = pair?.map((listIssues) => listIssues(value)) ?? [];
              if (mine?.join() !== theirs?.join())
                expect({ type, value, issues: mine }).toEqual({ type, value, issues: theirs });
              seen[mine?.length === 0 ? "accepted" : "refused"]++;
            }
      });
      expect(seen.accepted).toBeGreaterThan(100);
      expect(seen.refused).toBeGreaterThan(100);
    });
  });

  quick.it("but do not count fields as evaluated that only another item evaluates", () => {
    const branch = (name: string, more: JsonObject) => ({
      properties: { [name]: true, ...more },
      required: [name],
    });
    const items = { anyOf: [branch("a", { b: true }), branch("z", {})], unevaluatedProperties: false };
    const listIssues = compileGeneratedCode({ schema: { items }, $defs: {} });
    expect(listIssues([{ a: 1, b: 2 }, { z: 1 }])).toEqual([]);
    expect(
      listIssues([
        { a: 1, b: 2 },
        { z: 1, b: 2 },
      ]),
    ).toEqual(['["/1","unevaluatedProperties","is not declared here","b"]']);
  });

  deep.it("for random schemas full of text that looks like code", () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(anyUse, fc.array(anyValue, { minLength: 4, maxLength: 8 }), (reading, values) => {
        const [mine, theirs] = [compileGeneratedCode(reading), compileWithAjv(reading)];
        for (const value of values) {
          const issues = mine(value);
          expect(issues).toEqual(theirs(value));
          seen[issues.length === 0 ? "accepted" : "refused"]++;
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 600) },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(500);
  });
});

/** Random pairs of schemas: the difference accepts a value exactly if the first schema accepts it and the second does not. */
import { describe, expect, it } from "vitest";
import { checkContainment } from "../../generator/contain/contain.js";
import { type DecideSubset, findDifference } from "../../generator/contain/difference/find-difference.js";
import { isObject, type Json } from "../../generator/json.js";
import { createRandom, type Random } from "../../generator/random.js";
import { createFamilyPair } from "./families.js";
import { createInstances } from "./guided.js";
import { createOracle } from "./oracle.js";
import { createRandomDocument, mutateSchema } from "./random.js";

/** The number of differences that are examined. */
const COUNT = Number(process.env.ACCRETE_TEST_DIFFERENCES ?? 60);
const decideSubset: DecideSubset = (a, b) => checkContainment(a, b, { maxSteps: 60_000 });

interface Pair {
  readonly a: Json;
  readonly b: Json;
  /** All relevant values, if they are few. */
  readonly values?: readonly Json[];
}

function createPair(random: Random): Pair {
  if (random.chance(0.4)) return createFamilyPair(random, "2020-12");
  const a = createRandomDocument(random, 1 + random.below(3), "2020-12");
  const b = mutateSchema(random, a, "2020-12");
  return random.chance(0.5) ? { a, b } : { a: b, b: a };
}

/** Returns a schema with its definitions below `$defs`, where a contract has them. */
function moveDefinitions(schema: Json): Json {
  const text = JSON.stringify(schema).replaceAll("#/definitions/", "#/$defs/");
  const moved: Json = JSON.parse(text);
  if (!isObject(moved) || moved.definitions === undefined) return moved;
  const { definitions, ...rest } = moved;
  return { ...rest, $defs: definitions };
}

/** Returns whether all references lead to definitions. */
function hasPlainReferences(schema: Json): boolean {
  return !/"\$(dynamic|recursive)?[rR]ef":"(?!#\/\$defs\/[^/"]*")/.test(JSON.stringify(schema));
}

describe("the difference of random schemas", () => {
  it("has a value exactly if one schema accepts it and the other does not", {
    timeout: 3_600_000,
  }, async () => {
    const random = createRandom(20_261_129);
    const counts = { examined: 0, pairs: 0, described: 0, values: 0, inside: 0 };
    const wrong: unknown[] = [];
    while (counts.examined < COUNT) {
      const pair = createPair(random);
      const [a, b] = [moveDefinitions(pair.a), moveDefinitions(pair.b)];
      if (!hasPlainReferences(a) || !hasPlainReferences(b)) continue;
      counts.pairs++;
      if ((await decideSubset(a, b)).verdict !== "not-contained") continue;
      counts.examined++;
      const difference = await findDifference(a, b, decideSubset);
      if (difference === undefined) continue;
      counts.described++;
      const oracles = await Promise.all(
        [a, b, difference.schema].map((each) => createOracle(each, "2020-12")),
      );
      const [inA, inB, inDifference] = oracles;
      if (!inA || !inB || !inDifference) continue;
      const values = pair.values ?? [
        ...createInstances(random, a, 20),
        ...createInstances(random, b, 10),
        ...oracles.flatMap((each) => each?.samples ?? []),
      ];
      for (const value of values) {
        const verdicts = [inA, inB, inDifference].map((each) => each.getVerdict(value));
        if (!verdicts.every((each) => typeof each === "boolean")) continue;
        const [ofA, ofB, actual] = verdicts;
        counts.values++;
        if (actual) counts.inside++;
        if (actual !== (ofA === true && ofB === false)) wrong.push({ a, b, difference, value });
      }
    }
    console.log(counts);
    expect(wrong).toEqual([]);
    expect(counts.described / counts.examined).toBeGreaterThan(0.5);
    expect(counts.inside / counts.values).toBeGreaterThan(0.05);
  });
});

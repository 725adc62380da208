/** If this fails, compat proves a change of stream rules although a short stream breaks. All short streams are tried. */
import { describe, expect, it } from "vitest";
import type { Direction } from "../../../generator/compat/change.js";
import { decideStreams, STREAM_TRIES } from "../../../generator/compat/streams/decide-streams.js";
import { makeSides } from "../../../generator/compat/streams/stream-sides.js";
import type { JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { createRandom, type Random } from "../../../generator/random.js";
import { chooseCases, quick } from "../../depth.js";
import { createSharedFolder } from "../../folders.js";
import { loadOnlyProtocol } from "../examples.js";
import { writeTea } from "../tea.js";
import { replaceStreamRules } from "./stream-mutations.js";
import { findFirstError } from "./stream-oracle.js";

const TYPES = ["tea.brewed", "tea.cleared", "tea.poured", "tea.served"] as const;
/** The number of pairs that are tried. The variable STREAM_PAIRS changes it. */
const PAIRS = Number(process.env.STREAM_PAIRS ?? 24);
const MAX_LENGTH = 3;

const fields = { cup: { type: "string" }, level: { type: "integer" }, mood: { enum: ["calm", "wild"] } };
const root = createSharedFolder();
writeTea(root, {
  "protocol.json": { stream: { key: ["id"] } },
  ...Object.fromEntries(TYPES.map((type) => [`events/${type}.schema.json`, { properties: fields }])),
});
const base = await loadOnlyProtocol(root);

type CreateDeclaration = (random: Random) => JsonObject;
const pickType = (random: Random): string => random.pick(TYPES);
const pickTypes = (random: Random): string[] => TYPES.filter(() => random.chance(0.4));
const pickOneOrMoreTypes = (random: Random): string[] => [
  ...new Set([pickType(random), ...pickTypes(random)]),
];

/** Functions that create random declarations. */
const KINDS: { readonly [member: string]: CreateDeclaration } = {
  lifecycles: (n) => ({
    key: "cup",
    start: pickOneOrMoreTypes(n),
    end: pickTypes(n),
    needsStart: n.chance(0.5),
  }),
  pairs: (n) => ({
    open: TYPES[n.below(2)] as string,
    close: TYPES[2 + n.below(2)] as string,
    same: n.chance(0.5) ? ["mood"] : [],
  }),
  exclusives: (n) => ({ types: pickOneOrMoreTypes(n), reset: pickTypes(n) }),
  openings: (n) => ({ type: pickType(n), after: pickTypes(n) }),
  rising: (n) => ({ type: pickType(n), fields: ["level"] }),
  only: (n) => ({
    types: pickOneOrMoreTypes(n),
    field: "mood",
    of: { type: pickType(n), key: "cup" },
    is: ["calm"],
  }),
};

function createRandomRules(random: Random): JsonObject {
  const members = Object.entries(KINDS).filter(() => random.chance(0.3));
  const rules = Object.fromEntries(members.map(([member, make]) => [member, [make(random)]]));
  const terminal = {
    opens: [pickType(random)],
    types: [pickType(random)],
    final: random.chance(0.5),
    once: random.chance(0.5),
  };
  return { ...rules, ...(random.chance(0.6) && { terminal }) } as JsonObject;
}

/** Replaces one member of the rules by a random one, so that most rules of a pair are equal. */
function editRules(rules: JsonObject, random: Random): JsonObject {
  const other = createRandomRules(random);
  const names = [...new Set([...Object.keys(rules), ...Object.keys(other)])];
  const changed = names[random.below(Math.max(1, names.length))] ?? "terminal";
  const { [changed]: _old, ...rest } = rules;
  return other[changed] === undefined ? rest : { ...rest, [changed]: other[changed] };
}

/** Events with every combination of values that the rules of this test read. */
const LETTERS: readonly JsonObject[] = TYPES.flatMap((type) =>
  [
    {},
    { cup: "a" },
    { level: 0 },
    { level: 1 },
    { cup: "a", mood: "calm" },
    { cup: "a", mood: "wild" },
    { mood: "calm" },
  ].map((data) => ({ type, id: "x", data })),
);

/** Returns the shortest stream of at most three events that one side allows and the other refuses. */
function findShortestBreak(
  before: Protocol,
  after: Protocol,
  direction: Direction,
): readonly JsonObject[] | undefined {
  const [sender, receiver] = direction === "forward" ? [after, before] : [before, after];
  const profile = direction === "forward" ? "reader" : "writer";
  let words: (readonly JsonObject[])[] = [[]];
  for (let length = 1; length <= MAX_LENGTH; length++) {
    words = words.flatMap((word) => LETTERS.map((letter) => [...word, letter]));
    words = words.filter((word) => findFirstError(sender, "writer", word) === undefined);
    const refused = words.find((word) => findFirstError(receiver, profile, word) !== undefined);
    if (refused) return refused;
    // All streams of the greatest length would take minutes. A third of them is enough to find most breaks.
    if (length === MAX_LENGTH - 1) words = words.filter((_, index) => index % 3 === 0);
  }
  return undefined;
}

describe("random pairs of small contracts", () => {
  const seeds = Array.from({ length: PAIRS }, (_, index) => index + 1);
  let broken = 0;

  it.each(chooseCases(seeds, 6))("are proven only if no short stream breaks (%i)", async (seed) => {
    const random = createRandom(seed * 7919);
    const rules = createRandomRules(random);
    const [before, after] = [
      replaceStreamRules(base, rules),
      replaceStreamRules(base, editRules(rules, random)),
    ];
    for (const direction of ["forward", "backward"] as const) {
      const answer = await decideStreams(makeSides(before, after, direction), {
        remainingTries: STREAM_TRIES,
      });
      const shortest = findShortestBreak(before, after, direction);
      if (answer.verdict === "broken") broken++;
      if (shortest !== undefined)
        expect(
          answer.verdict,
          JSON.stringify({ direction, shortest, before: before.stream?.rules, after: after.stream?.rules }),
        ).not.toBe("contained");
    }
  });

  quick.it("have enough breaks", () => expect(broken).toBeGreaterThan(PAIRS / 4));
});

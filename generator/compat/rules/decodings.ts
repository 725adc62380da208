/** Compares how the values of a message are decoded, and proves what can be proven about it. */
import type { Containment } from "../../contain/contain.js";
import type { Protocol } from "../../protocol/protocol.js";
import { buildDocument, type Profile, readAs } from "../../schema/readings.js";
import type { Change, Proof } from "../change.js";
import {
  type DecodedPlace,
  describeContent,
  dropCases,
  findDecodingDifference,
  findPlace,
  listCases,
  listDecodedPlaces,
  mergeCases,
  stateDecoding,
  wrapContent,
} from "../diff/decodings.js";
import { createPair, type Pair, recordChange, type Walk } from "../diff/walk.js";
import { describeValue, quoteList } from "../phrases.js";
import type { InclusionChecks } from "../proof/inclusion-checks.js";
import type { Spot } from "../side.js";
import { defineRules, oneField, text } from "./rule.js";

/** Rules about how values are decoded. */
export const DECODING_RULES = defineRules({
  "decoding-changed": {
    effect: "reinterprets",
    summary: "a value is decoded differently",
    explanation:
      "The keywords contentEncoding, contentMediaType and contentSchema and formats such as int32, byte or iri say how to decode a value. Validators ignore them, but readers of the baseline decode the value wrongly. Adding, removing or changing an encoding or a media type is a break, and so is replacing one format by another. Adding or removing a format that only informs, such as int64, is not. A contentSchema is compared like any schema.",
    hint: "Restore the old decoding, and put values of the new kind in a new field.",
    example: oneField({ ...text, contentEncoding: "base64" }, { ...text, contentEncoding: "base64url" }),
    describe: (change) =>
      change.name === "contentSchema"
        ? `${describeValue(change)} has other content (contentSchema). Validators ignore the keyword, but readers decode the value by it.`
        : `${describeValue(change)} is decoded differently: ${change.name} ${quoteList(change.from)} → ${quoteList(change.to)}. Validators ignore this, but readers decode the value wrongly.`,
  },
});

/** Notes every value below the pair's value that both sides have and decode differently. */
export function compareDecodings(walk: Walk, pair: Pair): void {
  const { at } = pair;
  const sides = [
    stateDecoding(pair.before.nodes, walk.before.protocol),
    stateDecoding(pair.after.nodes, walk.after.protocol),
  ];
  if (!sides.includes(true)) return;
  const before = listDecodedPlaces(pair.before, walk.before.protocol, at.stability);
  const after = listDecodedPlaces(pair.after, walk.after.protocol, at.stability);
  const pairs = matchPlaces(before, after);
  // Alternatives and conditions that both sides have are compared in pairs, and the others as a set.
  const inCases = pairs.filter(([old]) => listCases(old.path).length > 0);
  const rest = [before, after].map((places, side) => {
    const matched = new Set(inCases.map((each) => each[side]));
    return mergeCases([...places.values()].filter((place) => !matched.has(place)));
  });
  const others = matchPlaces(rest[0] ?? new Map(), rest[1] ?? new Map());
  for (const [old, now] of [...inCases, ...others]) comparePlaces(walk, pair, old, now);
}

type Places = ReadonlyMap<string, DecodedPlace>;

/** Returns the places that mean the same value on both sides, each pair once. */
function matchPlaces(before: Places, after: Places): (readonly [old: DecodedPlace, now: DecodedPlace])[] {
  const found = new Map<string, readonly [DecodedPlace, DecodedPlace]>();
  const add = (old: DecodedPlace | undefined, now: DecodedPlace | undefined): void => {
    if (old && now) found.set(`${old.path}\n${now.path}`, [old, now]);
  };
  for (const place of before.values()) add(place, findPlace(after, place.path));
  // An undeclared field that is declared now had the meaning of undeclared fields.
  for (const place of after.values()) add(findPlace(before, place.path), place);
  return [...found.values()];
}

function comparePlaces(walk: Walk, { at }: Pair, old: DecodedPlace, now: DecodedPlace): void {
  const place = { ...at, path: at.path + dropCases(old.path), stability: old.stability };
  const cases = listCases(old.path);
  const noteAt = (details: Parameters<typeof recordChange>[4], before: Spot, after: Spot): void =>
    recordChange(
      walk,
      createPair(walk, [before], [after], place),
      DECODING_RULES["decoding-changed"],
      {},
      { ...details, ...(cases.length > 0 && { content: cases }), before, after },
    );
  const difference = findDecodingDifference(old, now);
  if (difference) noteAt(difference, old.spot, now.spot);
  const [from, to] = [contentsIn(old, walk.before.protocol), contentsIn(now, walk.after.protocol)];
  if (from.join() === to.join()) return;
  const [content, next] = [old.contents[0], now.contents[0]];
  noteAt({ name: "contentSchema", from, to }, content ?? old.spot, next ?? now.spot);
  // Of several contents it is not known which became which; their change is a break as such.
  const isSingle = from.length === 1 && to.length === 1;
  if (isSingle && content && next) compareDecodings(walk, createPair(walk, [content], [next], place));
}

function contentsIn({ contents }: DecodedPlace, protocol: Protocol): string[] {
  return [...new Set(contents.map((spot) => describeContent(spot, protocol)))].sort();
}

/** Proves a change of decoding. Readers misunderstand the value, but no message shows it. */
export async function proveDecoding(sides: InclusionChecks, change: Change): Promise<Proof> {
  const broken: Proof = { unwitnessed: true, affects: [] };
  const { name, from, to, before, after } = change;
  const isSingle = [from, to].every((side) => !Array.isArray(side) || side.length <= 1);
  if (name !== "contentSchema" || !isSingle) return broken;
  const contentIn = (side: typeof from, spot: Spot | undefined) =>
    wrapContent(Array.isArray(side) && side.length > 0 ? spot : undefined);
  const [old, now] = [contentIn(from, before), contentIn(to, after)];
  const reading = (profile: Profile, schema: typeof old, { definitions }: Protocol) =>
    buildDocument(readAs(profile, schema, definitions));
  const sent = reading("writer", old, sides.before);
  const sends = reading("writer", now, sides.after);
  const read = reading("reader", old, sides.before);
  const answers: Containment[] = [
    await sides.cache.checkSubset(sent, sends),
    await sides.cache.checkSubset(sends, read),
  ];
  return answers.every(({ verdict }) => verdict === "contained") ? { affects: [] } : broken;
}

/** Compares how the values of a message are decoded, and proves what can be proven about it. */
import type { Containment } from "../../contain/contain.js";
import { equal, isObject, type Json, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { buildDocument, type Profile, readAs } from "../../schema/readings.js";
import type { Change, Proof } from "../change.js";
import {
  type DecodedPlace,
  type Decoding,
  describeContent,
  dropCases,
  findPlace,
  hasDecodings,
  listCases,
  listDecodedPlaces,
  mergeCases,
  sortUniqueDecodings,
} from "../diff/decodings.js";
import { createPair, type Pair, recordChange, type Walk } from "../diff/walk.js";
import { describeValue, quoteList } from "../phrases.js";
import type { InclusionChecks } from "../proof/inclusion-checks.js";
import type { Spot } from "../side.js";
import { createFieldExample, defineRules, text } from "./rule.js";

/** Rules about how values are decoded. */
export const DECODING_RULES = defineRules({
  "decoding-changed": {
    effect: "reinterprets",
    summary: "a value is decoded differently",
    explanation:
      "The keywords contentEncoding, contentMediaType and contentSchema and formats such as int32, byte or iri say how to decode a value. Validators ignore them, but readers of the baseline decode the value wrongly. Adding, removing or changing an encoding or a media type is a break, and so is replacing one format by another. Adding or removing a format that only informs, such as int64, is not. A contentSchema is compared like any schema.",
    hint: "Restore the old decoding, and put values of the new kind in a new field.",
    example: createFieldExample(
      { ...text, contentEncoding: "base64" },
      { ...text, contentEncoding: "base64url" },
    ),
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
    hasDecodings(pair.before.nodes, walk.before.protocol),
    hasDecodings(pair.after.nodes, walk.after.protocol),
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
  const difference = findDifference(old, now);
  if (difference) noteAt(difference, old.spot, now.spot);
  const [from, to] = [
    listContentTexts(old, walk.before.protocol),
    listContentTexts(now, walk.after.protocol),
  ];
  if (from.join() === to.join()) return;
  const [content, next] = [old.contents[0], now.contents[0]];
  noteAt({ name: "contentSchema", from, to }, content ?? old.spot, next ?? now.spot);
  // Of several contents it is not known which became which; their change is a break as such.
  const isSingle = from.length === 1 && to.length === 1;
  if (isSingle && content && next) compareDecodings(walk, createPair(walk, [content], [next], place));
}

/** The formats that change the value of a text; other formats only describe it. */
const ENCODING_FORMATS: ReadonlySet<string> = new Set(["binary"]);

/**
 * Returns the keywords in which two places differ, with both values: all keywords about encodings, and formats that only
 * inform if one replaced another. Adding or removing such a format changes nothing that can be sent.
 */
function findDifference(before: DecodedPlace, after: DecodedPlace) {
  if (![...before.types].some((type) => after.types.has(type))) return undefined;
  const [old, now] = [before.decodings, after.decodings];
  const [oldFormats, formats] = [listInformingFormats(old), listInformingFormats(now)];
  const isReplaced = oldFormats.length > 0 && formats.length > 0 && !equal(oldFormats, formats);
  if (equal(listEncodings(old), listEncodings(now)) && !isReplaced) return undefined;
  const valuesOf = (decodings: readonly Decoding[], keyword: string): Json =>
    decodings.map((decoding) => decoding[keyword] ?? null);
  const keywords = ["contentEncoding", "contentMediaType", "format"].filter(
    (keyword) => !equal(valuesOf(old, keyword), valuesOf(now, keyword)),
  );
  return { name: keywords.join(", "), from: formatValues(old, keywords), to: formatValues(now, keywords) };
}

function listEncodings(decodings: readonly Decoding[]): Decoding[] {
  return sortUniqueDecodings(
    decodings.map(({ format = [], ...rest }) => {
      const encoding = format.filter((name) => ENCODING_FORMATS.has(name));
      return encoding.length === 0 ? rest : { ...rest, format: encoding };
    }),
  );
}

function listInformingFormats(decodings: readonly Decoding[]): string[] {
  const formats = decodings.flatMap(({ format = [] }) => format);
  return [...new Set(formats.filter((name) => !ENCODING_FORMATS.has(name)))].sort();
}

/** Returns the values of these keywords: "none" for a plain value. */
function formatValues(decodings: readonly Decoding[], keywords: readonly string[]): Json {
  const texts = decodings.map((decoding) => {
    const values = keywords.flatMap((keyword) => decoding[keyword] ?? []);
    return values.length === 0 ? "none" : values.join(" ");
  });
  const all = [...new Set(texts)].sort();
  return all.length === 1 ? (all[0] ?? "none") : all;
}

function listContentTexts({ contents }: DecodedPlace, protocol: Protocol): string[] {
  return [...new Set(contents.map((spot) => describeContent(spot, protocol)))].sort();
}

/** Proves a change of decoding. Readers misunderstand the value, but no message shows it. */
export async function proveDecoding(sides: InclusionChecks, change: Change): Promise<Proof> {
  const broken: Proof = { unwitnessed: true, affects: [] };
  const { name, from, to, before, after } = change;
  const isSingle = [from, to].every((side) => !Array.isArray(side) || side.length <= 1);
  if (name !== "contentSchema" || !isSingle) return broken;
  // A reading needs an object schema.
  const contentIn = (side: typeof from, spot: Spot | undefined): JsonObject => {
    const schema = Array.isArray(side) && side.length > 0 ? (spot?.schema ?? true) : true;
    return isObject(schema) ? schema : { allOf: [schema] };
  };
  const [old, now] = [contentIn(from, before), contentIn(to, after)];
  const reading = (profile: Profile, schema: JsonObject, { definitions }: Protocol) =>
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

/** Compares how the values of a message are decoded, and proves what can be proven about it. */
import type { Containment } from "../../contain/contain.js";
import { areEqual, isObject, type Json, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Spot } from "../../schema/describe.js";
import { buildDocument, type Profile, readAs } from "../../schema/readings.js";
import { type Change, NO_BREAK, type Proof } from "../change.js";
import {
  type DecodedValue,
  type Decoding,
  describeContent,
  dropCases,
  findDecodedValue,
  hasDecodings,
  listCases,
  listDecodedValues,
  mergeCases,
  sortUniqueDecodings,
} from "../diff/decodings.js";
import { type ComparisonContext, createPair, recordChange, type ViewPair } from "../diff/record-changes.js";
import { describeValue, quoteList } from "../phrases.js";
import type { InclusionChecks } from "../proof/inclusion-checks.js";
import { createFieldExample, defineRules, text } from "./rule.js";

/** The name of a change that stands for values which are too many to be compared. */
const NOT_COMPARED = "values";

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
    describe: describeDecoding,
  },
});

function describeDecoding(change: Change): string {
  const value = describeValue(change);
  if (change.name === NOT_COMPARED)
    return `${value} and the values below it are too many to compare how they are decoded.`;
  if (change.name === "contentSchema")
    return `${value} has other content (contentSchema). Validators ignore the keyword, but readers decode the value by it.`;
  return `${value} is decoded differently: ${change.name} ${quoteList(change.from)} → ${quoteList(change.to)}. Validators ignore this, but readers decode the value wrongly.`;
}

/** Records every value at or below the value of the pair that both sides have and decode differently. */
export function compareDecodings(context: ComparisonContext, pair: ViewPair): void {
  const { stability } = pair.place;
  const isDecoded =
    hasDecodings(pair.before.spots, context.before.protocol) ||
    hasDecodings(pair.after.spots, context.after.protocol);
  if (!isDecoded) return;
  const before = listDecodedValues(pair.before, context.before.protocol, stability);
  const after = listDecodedValues(pair.after, context.after.protocol, stability);
  if (before === undefined || after === undefined) {
    recordChange(context, pair, DECODING_RULES["decoding-changed"], {}, { name: NOT_COMPARED });
    return;
  }
  const pairs = matchDecodedValues(before, after);
  // Alternatives and conditions that both sides have are compared in pairs, and the others as a set.
  const pairsInCases = pairs.filter(([old]) => listCases(old.path).length > 0);
  const matchedValues = new Set(pairsInCases.flat());
  const mergeOthers = (values: DecodedValues) =>
    mergeCases([...values.values()].filter((value) => !matchedValues.has(value)));
  const otherPairs = matchDecodedValues(mergeOthers(before), mergeOthers(after));
  for (const [old, now] of [...pairsInCases, ...otherPairs]) compareDecodedValues(context, pair, old, now);
}

type DecodedValues = ReadonlyMap<string, DecodedValue>;

/** Returns the pairs of values that can be the same value of a message, each pair once. */
function matchDecodedValues(
  before: DecodedValues,
  after: DecodedValues,
): (readonly [old: DecodedValue, now: DecodedValue])[] {
  const pairs = new Map<string, readonly [DecodedValue, DecodedValue]>();
  const add = (old: DecodedValue | undefined, now: DecodedValue | undefined): void => {
    if (old && now) pairs.set(`${old.path}\n${now.path}`, [old, now]);
  };
  for (const value of before.values()) add(value, findDecodedValue(after, value.path));
  // An undeclared field that is declared now had the meaning of undeclared fields.
  for (const value of after.values()) add(findDecodedValue(before, value.path), value);
  return [...pairs.values()];
}

function compareDecodedValues(
  context: ComparisonContext,
  pair: ViewPair,
  old: DecodedValue,
  now: DecodedValue,
): void {
  const place = {
    ...pair.place,
    path: pair.place.path + dropCases(old.path),
    stability: old.stability,
  };
  const cases = listCases(old.path);
  const recordDifference = (details: Parameters<typeof recordChange>[4], before: Spot, after: Spot): void =>
    recordChange(
      context,
      createPair(context, [before], [after], place),
      DECODING_RULES["decoding-changed"],
      {},
      { ...details, ...(cases.length > 0 && { content: cases }), before, after },
    );
  const difference = findDecodingDifference(old, now);
  if (difference) recordDifference(difference, old.spot, now.spot);
  const from = listContentTexts(old, context.before.protocol);
  const to = listContentTexts(now, context.after.protocol);
  if (from.join() === to.join()) return;
  const [oldContent] = old.contents;
  const [newContent] = now.contents;
  recordDifference({ name: "contentSchema", from, to }, oldContent ?? old.spot, newContent ?? now.spot);
  // It is not known which of several contents correspond, so their inner decodings are not compared.
  const isSingle = from.length === 1 && to.length === 1;
  if (isSingle && oldContent && newContent)
    compareDecodings(context, createPair(context, [oldContent], [newContent], place));
}

/** The formats that change the value of a text; other formats only describe it. */
const ENCODING_FORMATS: ReadonlySet<string> = new Set(["binary"]);

/**
 * Returns the keywords in which two decodings differ, with both values. A format that only describes the value is a
 * difference only if it replaced another one. Adding or removing such a format changes nothing that can be sent.
 */
function findDecodingDifference(before: DecodedValue, after: DecodedValue) {
  if (![...before.types].some((type) => after.types.has(type))) return undefined;
  const old = before.decodings;
  const now = after.decodings;
  const oldFormats = listDescribingFormats(old);
  const newFormats = listDescribingFormats(now);
  const isReplaced = oldFormats.length > 0 && newFormats.length > 0 && !areEqual(oldFormats, newFormats);
  if (areEqual(listEncodings(old), listEncodings(now)) && !isReplaced) return undefined;
  const listValues = (decodings: readonly Decoding[], keyword: string): Json =>
    decodings.map((decoding) => decoding[keyword] ?? null);
  const keywords = ["contentEncoding", "contentMediaType", "format"].filter(
    (keyword) => !areEqual(listValues(old, keyword), listValues(now, keyword)),
  );
  return { name: keywords.join(", "), from: formatValues(old, keywords), to: formatValues(now, keywords) };
}

function listEncodings(decodings: readonly Decoding[]): Decoding[] {
  return sortUniqueDecodings(
    decodings.map(({ format = [], ...rest }) => {
      const encodings = format.filter((name) => ENCODING_FORMATS.has(name));
      return encodings.length === 0 ? rest : { ...rest, format: encodings };
    }),
  );
}

function listDescribingFormats(decodings: readonly Decoding[]): string[] {
  const formats = decodings.flatMap(({ format = [] }) => format);
  return [...new Set(formats.filter((name) => !ENCODING_FORMATS.has(name)))].sort();
}

/** Returns the values of these keywords: "none" for a plain value. */
function formatValues(decodings: readonly Decoding[], keywords: readonly string[]): Json {
  const texts = decodings.map((decoding) => {
    const values = keywords.flatMap((keyword) => decoding[keyword] ?? []);
    return values.length === 0 ? "none" : values.join(" ");
  });
  const unique = [...new Set(texts)].sort();
  const [first = "none"] = unique;
  return unique.length === 1 ? first : unique;
}

function listContentTexts({ contents }: DecodedValue, protocol: Protocol): string[] {
  return [...new Set(contents.map((spot) => describeContent(spot, protocol)))].sort();
}

/** Proves a change of decoding. Readers misunderstand the value, but no message shows it. */
export async function proveDecoding(checks: InclusionChecks, change: Change): Promise<Proof> {
  const breakProof: Proof = { unwitnessed: true, affects: [] };
  const { name, from, to, before, after } = change;
  const hasSingleContents = [from, to].every((contents) => !Array.isArray(contents) || contents.length <= 1);
  if (name !== "contentSchema" || !hasSingleContents) return breakProof;
  // A value without a content schema has any content.
  const getContentSchema = (contents: Json | undefined, spot: Spot | undefined): JsonObject => {
    const schema = Array.isArray(contents) && contents.length > 0 ? (spot?.schema ?? true) : true;
    // A reading needs an object schema.
    return isObject(schema) ? schema : { allOf: [schema] };
  };
  const old = getContentSchema(from, before);
  const now = getContentSchema(to, after);
  const createReading = (profile: Profile, schema: JsonObject, { definitions }: Protocol) =>
    buildDocument(readAs(profile, schema, definitions));
  const sentBefore = createReading("writer", old, checks.before);
  const sentNow = createReading("writer", now, checks.after);
  const readBefore = createReading("reader", old, checks.before);
  const answers: Containment[] = [
    await checks.cache.checkSubset(sentBefore, sentNow),
    await checks.cache.checkSubset(sentNow, readBefore),
  ];
  return answers.every(({ verdict }) => verdict === "contained") ? NO_BREAK : breakProof;
}

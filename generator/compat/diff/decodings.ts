/**
 * Lists how the values of a message are decoded: `contentEncoding`, `contentMediaType`, `contentSchema` and the formats
 * that no validator asserts. If a decoding changes, the same messages stay valid but mean something else, so no event can prove the change.
 * Decodings are therefore compared separately.
 */

import { groupBy } from "../../group-by.js";
import {
  formatCanonicalJson,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  splitPointer,
} from "../../json.js";
import type { Protocol, Stability } from "../../protocol/protocol.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { createSpotBelow, listHeldSchemas, listStatements, type Spot } from "../../schema/describe.js";
import { ANNOTATION_FORMATS } from "../../schema/formats.js";
import type { KeywordName } from "../../schema/keywords.js";
import { deriveTypes, mergeFields } from "../../schema/merge.js";
import { getTargetName } from "../../schema/reference.js";
import { walk } from "../../schema/walk.js";
import { findMostStable, findStatedStability } from "../side.js";
import { findTag } from "./match-alternatives.js";
import { createView, inlineReferences, type View } from "./view.js";

/** One way to decode a value: the values of each keyword that applies, sorted; none for a plain value. */
export type Decoding = { readonly [keyword: string]: readonly string[] };

/** A value of a message and how it is decoded. */
export interface DecodedValue {
  /**
   * The path of the value below the root; `*` stands for items and undeclared fields. A token that begins with `CASE`
   * names the alternative or the condition that the rest of the path belongs to.
   */
  readonly path: string;
  readonly decodings: readonly Decoding[];
  /** The schemas of the decoded content. */
  readonly contents: readonly Spot[];
  readonly types: ReadonlySet<string>;
  readonly stability: Stability;
  readonly spot: Spot;
}

/**
 * The prefix of tokens of alternatives and conditions. A field whose name begins with it is treated like one of them.
 */
const CASE = "\0case ";

/** Returns the alternatives and conditions that a path leads through. */
export function listCases(path: string): string[] {
  return splitPointer(path).filter((token) => token.startsWith(CASE));
}

/** Returns the path without alternatives and conditions. */
export function dropCases(path: string): string {
  return joinPointer("", ...splitPointer(path).filter((token) => !token.startsWith(CASE)));
}

/** Merges the decodings of one value under several cases, or under none. */
export function mergeCases(values: Iterable<DecodedValue>): ReadonlyMap<string, DecodedValue> {
  const decodedValues = new Map<string, DecodedValue>();
  for (const value of values) {
    const path = dropCases(value.path);
    decodedValues.set(path, mergeDecodedValues(decodedValues.get(path), { ...value, path }));
  }
  return decodedValues;
}

function mergeDecodedValues(known: DecodedValue | undefined, added: DecodedValue): DecodedValue {
  if (!known) return added;
  return {
    ...known,
    decodings: sortUniqueDecodings([...known.decodings, ...added.decodings]),
    contents: [...known.contents, ...added.contents],
    types: new Set([...known.types, ...added.types]),
    stability: findMostStable([known.stability, added.stability]),
  };
}

/** The most values that are listed. Definitions that refer to each other can put a value at a number of paths that grows exponentially. */
const MAX_VALUES = 20_000;

/** Returns the value of `view` and every value below it, by their paths; undefined if there are too many. */
export function listDecodedValues(
  view: View,
  protocol: Protocol,
  stability: Stability,
): ReadonlyMap<string, DecodedValue> | undefined {
  const collection: ValueCollection = { protocol, found: new Map(), visits: 0 };
  collectDecodedValues(collection, view, { path: "", stability, outer: new Map(), ancestors: [] });
  return collection.visits > MAX_VALUES ? undefined : collection.found;
}

/** Returns whether these schemas, or those that they refer to, state any decoding. Most contracts do not. */
export function hasDecodings(spots: readonly Spot[], { definitions }: Protocol): boolean {
  const visitedNames = new Set<string>();
  const statesDecoding = (schema: Json): boolean => {
    let hasDecoding = isObject(schema) && hasOwnDecoding(schema);
    walk(schema, (part) => {
      const name = getTargetName(part);
      if (hasDecoding || name === undefined || visitedNames.has(name)) return;
      visitedNames.add(name);
      hasDecoding = statesDecoding(getOwn(definitions, name)?.schema ?? true);
    });
    return hasDecoding;
  };
  return spots.some(({ schema }) => statesDecoding(schema));
}

/** Returns whether the schema itself states a decoding, without the schemas that it refers to. Remembers the answers. */
const hasOwnDecoding = memoizeByObject((schema: JsonObject): boolean => {
  let hasDecoding = false;
  walk(schema, (part) => {
    hasDecoding ||=
      CONTENT_KEYWORDS.some((keyword) => part[keyword] !== undefined) ||
      ANNOTATION_FORMATS.has(String(part.format));
  });
  return hasDecoding;
});

const CONTENT_KEYWORDS = ["contentEncoding", "contentMediaType", "contentSchema"] as const;

/** The decoded values that were found so far. */
interface ValueCollection {
  readonly protocol: Protocol;
  readonly found: Map<string, DecodedValue>;
  /** The number of values and alternatives that were entered. */
  visits: number;
}

/** The path of a value, and what it inherits from the schemas around it. */
interface ValueContext {
  readonly path: string;
  readonly stability: Stability;
  /** Fields that the schemas around an alternative declare for the same object. */
  readonly outer: ReadonlyMap<string, readonly Spot[]>;
  /** The schemas entered on the way here. A schema that is among them is not entered again. */
  readonly ancestors: readonly Json[];
}

/** Adds a value and its parts. */
function collectDecodedValues(collection: ValueCollection, view: View, context: ValueContext): void {
  if (view.parts.some(({ schema }) => context.ancestors.includes(schema))) return;
  if (collection.visits > MAX_VALUES) return;
  addDecodedValue(collection, view, context);
  collectParts(collection, view, context);
}

/**
 * Adds the parts of a value. Then enters its alternatives, which apply to the same value and inherit the fields declared
 * around them.
 */
function collectParts(collection: ValueCollection, view: View, context: ValueContext): void {
  const { protocol } = collection;
  collection.visits++;
  if (collection.visits > MAX_VALUES) return;
  const ancestors = [...context.ancestors, ...view.parts.map(({ schema }) => schema)];
  const fields = new Map([...mergeFields(view)].map(([name, { spots }]) => [name, spots]));
  const outerOfBranches = new Map([...context.outer, ...fields]);
  for (const [name, spots] of fields) {
    const all = [...spots, ...(context.outer.get(name) ?? []).filter((spot) => !spots.includes(spot))];
    collectPart(all, joinPointer(context.path, name), findStatedStability(all) ?? context.stability);
  }
  for (const [keyword, token] of PART_KEYWORDS)
    for (const spot of listHeldSchemas(view, keyword)) {
      const path = keyword === "patternProperties" ? addCase(context.path, getLastToken(spot)) : context.path;
      collectPart([spot], joinPointer(path, token ?? getLastToken(spot)), context.stability);
    }
  for (const keyword of ALTERNATIVE_KEYWORDS)
    for (const spot of listHeldSchemas(view, keyword)) {
      const branch = createView([spot], protocol);
      if (branch.parts.some(({ schema }) => ancestors.includes(schema))) continue;
      const path = addCase(context.path, identifyCase(view, keyword, spot, protocol));
      collectParts(collection, branch, { ...context, path, outer: outerOfBranches, ancestors });
    }
  function collectPart(spots: readonly Spot[], path: string, stability: Stability): void {
    collectDecodedValues(collection, createView(spots, protocol), {
      path,
      stability,
      outer: new Map(),
      ancestors,
    });
  }
}

function getLastToken({ pointer }: Spot): string {
  return splitPointer(pointer).at(-1) ?? "";
}

function addCase(path: string, name: string | undefined): string {
  return name === undefined ? path : joinPointer(path, CASE + name);
}

/**
 * Returns the name of a case: the tag of an alternative, or the condition of `then` and `else`. Undefined if the alternative
 * has no tag.
 */
function identifyCase(view: View, keyword: string, spot: Spot, protocol: Protocol): string | undefined {
  if (keyword === "dependentSchemas") return `${keyword} ${getLastToken(spot)}`;
  if (keyword !== "then" && keyword !== "else") return findTag(protocol, spot);
  const conditions = listStatements(view, "if").map(({ value }) =>
    inlineReferences(value, protocol.definitions),
  );
  return `${keyword} ${formatCanonicalJson(conditions)}`;
}

/**
 * Keywords whose schemas apply to parts of the value, and the token of these parts. It is undefined if the token of each
 * part is its index.
 */
const PART_KEYWORDS: readonly (readonly [keyword: KeywordName, token: string | undefined])[] = [
  ["prefixItems", undefined],
  ["items", "*"],
  ["unevaluatedItems", "*"],
  ["contains", "*"],
  ["additionalProperties", "*"],
  ["unevaluatedProperties", "*"],
  ["patternProperties", "*"],
  ["propertyNames", "(names)"],
];

/** Keywords whose schemas apply to the same value. */
const ALTERNATIVE_KEYWORDS = ["anyOf", "oneOf", "then", "else", "dependentSchemas"] as const;

function addDecodedValue(
  { protocol, found }: ValueCollection,
  view: View,
  { path, stability }: ValueContext,
): void {
  const [spot] = view.spots;
  if (!spot) return;
  const value = {
    path,
    stability,
    types: deriveTypes(view).set,
    spot: findKeywordSpot(view) ?? spot,
    decodings: sortUniqueDecodings(listDecodings(view, protocol, [])),
    contents: listContents(view, protocol, []),
  };
  found.set(path, mergeDecodedValues(found.get(path), value));
}

/** Returns the spot of the keyword that states the decoding of the value outside of alternatives. */
function findKeywordSpot(view: View): Spot | undefined {
  return CONTENT_KEYWORDS.flatMap((keyword) => listStatements(view, keyword)).map(({ spot }) => spot)[0];
}

/** Returns the ways to decode the value: the one that its schemas state, or those of its alternatives. */
function listDecodings(view: View, protocol: Protocol, ancestors: readonly Json[]): Decoding[] {
  const unconditional = readDecoding(view);
  const visitedSchemas = [...ancestors, ...view.parts.map(({ schema }) => schema)];
  const groupDecodings = listAlternativeGroups(view).flatMap((group) => {
    const branches = group
      .filter(({ schema }) => !visitedSchemas.includes(schema))
      .map((spot) => createView([spot], protocol))
      .map((branch) => ({
        types: deriveTypes(branch).set,
        decodings: branch.isNever ? [] : listDecodings(branch, protocol, visitedSchemas),
      }));
    const decodedBranches = branches.filter(({ decodings }) => decodings.some((each) => !isPlain(each)));
    const types = new Set(decodedBranches.flatMap((branch) => [...branch.types]));
    // Plain alternatives count only if they share a type with a decoded one: null beside an encoded string does not.
    const relevant = branches.filter(
      (branch) => decodedBranches.includes(branch) || [...branch.types].some((type) => types.has(type)),
    );
    return decodedBranches.length === 0 ? [] : relevant.flatMap(({ decodings }) => decodings);
  });
  if (groupDecodings.length === 0) return [unconditional];
  return sortUniqueDecodings(groupDecodings.map((each) => mergeDecodings(unconditional, each)));
}

/** Returns the alternatives of a value in groups. A condition without `then` or `else` gets an empty alternative. */
function listAlternativeGroups(view: View): Spot[][] {
  const createEmptyAlternative = (spot: Spot): Spot => ({ ...spot, schema: true });
  const conditions = view.parts.flatMap((part) => {
    const { then: thenSchema, else: elseSchema } = part.schema;
    if (thenSchema === undefined && elseSchema === undefined) return [];
    return [
      [createSpotBelow(part, thenSchema ?? true, "then"), createSpotBelow(part, elseSchema ?? true, "else")],
    ];
  });
  return [
    ...(["anyOf", "oneOf"] as const).flatMap((keyword) =>
      listStatements(view, keyword).map(({ value, spot }) =>
        Array.isArray(value) ? value.map((schema, index) => createSpotBelow(spot, schema, index)) : [],
      ),
    ),
    ...conditions,
    ...listHeldSchemas(view, "dependentSchemas").map((spot) => [spot, createEmptyAlternative(spot)]),
  ];
}

/** Returns the decoding that the unconditional schemas state. */
function readDecoding(view: View): Decoding {
  const listTexts = (keyword: "contentEncoding" | "contentMediaType" | "format"): string[] =>
    listStatements(view, keyword).map(({ value }) => String(value));
  // Letter case makes no difference in the names of encodings and media types.
  const encodings = listTexts("contentEncoding").map((name) => name.toLowerCase());
  const formats = listTexts("format").filter((name) => ANNOTATION_FORMATS.has(name));
  const decoding: [keyword: string, values: readonly string[]][] = [
    // OpenAPI uses "byte" for base64.
    ["contentEncoding", [...encodings, ...formats.filter((name) => name === "byte").map(() => "base64")]],
    ["contentMediaType", listTexts("contentMediaType").map((name) => name.toLowerCase())],
    ["format", formats.filter((name) => name !== "byte")],
  ];
  return Object.fromEntries(
    decoding.flatMap(([keyword, values]) =>
      values.length === 0 ? [] : [[keyword, [...new Set(values)].sort()]],
    ),
  );
}

function mergeDecodings(a: Decoding, b: Decoding): Decoding {
  const keywords = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    keywords.map((keyword) => [keyword, [...new Set([...(a[keyword] ?? []), ...(b[keyword] ?? [])])].sort()]),
  );
}

function isPlain(decoding: Decoding): boolean {
  return Object.keys(decoding).length === 0;
}

/** Returns the decodings without duplicates, sorted. */
export function sortUniqueDecodings(decodings: readonly Decoding[]): Decoding[] {
  return [...new Map(decodings.map((each) => [formatCanonicalJson(each), each]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, each]) => each);
}

/** Returns the schemas of the content, including those of alternatives. Of equal schemas, only one is returned. */
function listContents(view: View, protocol: Protocol, ancestors: readonly Json[]): Spot[] {
  const visitedSchemas = [...ancestors, ...view.parts.map(({ schema }) => schema)];
  const branches = ALTERNATIVE_KEYWORDS.flatMap((keyword) => listHeldSchemas(view, keyword)).filter(
    ({ schema }) => !visitedSchemas.includes(schema),
  );
  const all = [
    ...listStatements(view, "contentSchema").map(({ spot }) => spot),
    ...branches.flatMap((spot) => listContents(createView([spot], protocol), protocol, visitedSchemas)),
  ];
  return [...new Map(all.map((spot) => [describeContent(spot, protocol), spot])).values()];
}

/** Returns a content schema as a text, without titles and descriptions. */
export function describeContent({ schema }: Spot, { definitions }: Protocol): string {
  return formatCanonicalJson(inlineReferences(schema, definitions));
}

/**
 * Returns the value with this path. If there is none, returns a value whose path matches with `*` in place of a name, if
 * its schema is not `true`.
 */
export function findDecodedValue(
  values: ReadonlyMap<string, DecodedValue>,
  path: string,
): DecodedValue | undefined {
  const knownValue = values.get(path);
  if (knownValue) return knownValue;
  const tokens = path.split("/");
  return groupByLength(values)
    .get(tokens.length)
    ?.find((other) => other.tokens.every((token, index) => matchesToken(token, tokens[index] ?? "")))?.value;
}

/** Groups the values whose schema is not `true` by the number of tokens of their paths. */
const groupByLength = memoizeByObject((values: ReadonlyMap<string, DecodedValue>) =>
  groupBy(
    [...values.values()].flatMap((value) =>
      value.spot.schema === true ? [] : [{ value, tokens: value.path.split("/") }],
    ),
    ({ tokens }) => tokens.length,
  ),
);

/** Returns whether two tokens can name the same part: `*` matches every token except a case. */
function matchesToken(a: string, b: string): boolean {
  if (a === b) return true;
  return (a === "*" || b === "*") && !a.startsWith(CASE) && !b.startsWith(CASE);
}

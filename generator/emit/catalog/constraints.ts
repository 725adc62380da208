/** Formats the constraints of a schema on one value. rules.ts formats the rules between several fields. */
import { isObject, type Json } from "../../json.js";
import {
  CONJUNCTION,
  FAMILY,
  listHeldSchemas,
  listStatements,
  readFirstValue,
} from "../../schema/describe.js";
import type { KeywordName } from "../../schema/keywords.js";
import { readListedValues } from "../../schema/listed-values.js";
import { BOUNDS, findFixedValue, findStrictestBound } from "../../schema/merge.js";
import { formatCount, formatLiteral } from "../../text.js";
import { ANY_VALUE, formatType } from "./format-type.js";
import type { CatalogDescription, Renderer } from "./renderer.js";

/** The constraint of an object that also allows fields beside those that it declares. */
export const ANY_OTHER_FIELD = "any other field";
/** The constraint of an object that declares no fields and allows all. */
export const ANY_FIELD = "any field";

/** The bounds that are stated together, and the unit that they count. The bounds of numbers have no unit. */
const RANGES = [
  ["minimum", "maximum", undefined],
  ["minLength", "maxLength", "character"],
  ["minItems", "maxItems", "item"],
  ["minProperties", "maxProperties", "field"],
] as const;

type FormatKeyword = (value: Json, renderer: Renderer, described: CatalogDescription) => string;

/** Formats each other keyword, in the order of the catalogue. An empty text is left out. */
const KEYWORD_FORMATTERS: { readonly [K in KeywordName]?: FormatKeyword } = {
  multipleOf: (value) => `a multiple of ${formatLiteral(value)}`,
  pattern: (value, renderer) => `matches ${renderer.code(String(value))}`,
  format: (value, renderer) => `format ${renderer.code(String(value))}`,
  contentEncoding: (value, renderer) => `encoded as ${renderer.code(String(value))}`,
  contentMediaType: (value, renderer) => `holds ${renderer.code(String(value))}`,
  contentSchema: (value, renderer) => `holds JSON: ${formatType(value, renderer)}`,
  uniqueItems: (value) => (value === true ? "no equal items" : ""),
  contains: (value, renderer, described) => {
    const least = findBound(described, "minContains")?.value ?? 1;
    const most = findBound(described, "maxContains")?.value;
    return `${formatCounts("item", least, most)} such as this: ${formatPhrase(value, renderer)}`;
  },
  propertyNames: (value, renderer) => `field names: ${formatPhrase(value, renderer)}`,
  additionalProperties: formatOtherFields,
  unevaluatedProperties: formatOtherFields,
  unevaluatedItems: (value) => (value === false ? "no other items" : ""),
  readOnly: (value) => (value === true ? "read only" : ""),
  writeOnly: (value) => (value === true ? "write only" : ""),
  default: (value, renderer) => `default ${renderer.json(value)}`,
};

/**
 * Lists the constraints on a value of `schema` as Markdown. Follows references and `allOf`. `ancestors` are the schemas
 * that are being formatted; they are not formatted again, so that recursion ends.
 */
export function listConstraints(
  schema: Json,
  renderer: Renderer,
  ancestors: ReadonlySet<Json> = new Set(),
): string[] {
  if (ancestors.has(schema)) return [];
  const description = renderer.describe(schema, CONJUNCTION);
  const visitedSchemas = new Set([...ancestors, ...description.parts.map((part) => part.schema)]);
  const listHeld = (keyword: "not" | "x-writer"): Json[] =>
    listHeldSchemas(description, keyword).map((node) => node.schema);
  const keywords = Object.entries(KEYWORD_FORMATTERS) as [KeywordName, FormatKeyword][];
  const stated = new Set(description.parts.flatMap((part) => Object.keys(part.schema)));
  const words = [
    ...description.parts.flatMap((part) => formatLists(part.schema, renderer)),
    ...RANGES.flatMap(([low, high, unit]) => formatRange(description, low, high, unit)),
    ...keywords
      .filter(([keyword]) => stated.has(keyword))
      .flatMap(([keyword, write]) =>
        listStatements(description, keyword).map(({ value }) => write(value, renderer, description)),
      ),
    ...(["anyOf", "oneOf"] as const).flatMap((keyword) =>
      listStatements(description, keyword).map(({ value }) =>
        formatAlternatives([value].flat(), keyword, renderer, visitedSchemas),
      ),
    ),
    ...listHeld("not")
      .filter((negated) => isObject(negated) && !concernsFields(negated, renderer))
      .map((negated) => `never ${formatPhrase(negated, renderer)}`),
    ...listHeld("x-writer").flatMap((writer) =>
      listConstraints(writer, renderer, visitedSchemas).map((constraint) => `writer: ${constraint}`),
    ),
  ];
  return [...new Set(words)].filter((text) => text !== "");
}

/** Formats `schema` as one phrase: its type and its constraints. */
export function formatPhrase(
  schema: Json,
  renderer: Renderer,
  ancestors: ReadonlySet<Json> = new Set(),
): string {
  const constraints = listConstraints(schema, renderer, ancestors);
  const description = renderer.describe(schema, CONJUNCTION);
  const fixedValue = findFixedValue(description);
  if (fixedValue !== undefined) return renderer.json(fixedValue);
  if (readFirstValue(description, "enum") !== undefined) return constraints.join(", ");
  const type = formatType(schema, renderer);
  return (constraints.length > 0 && type === ANY_VALUE ? constraints : [type, ...constraints]).join(", ");
}

const FIELD_KEYWORDS = ["required", "properties", "dependentRequired", "dependentSchemas"] as const;

/** Returns whether `schema`, or a part of it that applies to the same value, constrains fields. */
export function concernsFields(schema: Json, renderer: Renderer): boolean {
  const description = renderer.describe(schema, FAMILY);
  return FIELD_KEYWORDS.some((keyword) => listStatements(description, keyword).length > 0);
}

function formatLists(schema: Json, renderer: Renderer): string[] {
  return readListedValues(schema).map(({ keyword, values, isOpen }) => {
    const texts = values.map((value) => renderer.json(value));
    if (keyword === "const") return `always ${texts.join()}`;
    if (!isOpen) return `one of ${renderer.list(texts, "or")}`;
    return `known value${texts.length === 1 ? "" : "s"} ${renderer.list(texts, "and")}; others may come`;
  });
}

function findBound(described: CatalogDescription, name: string) {
  const kind = BOUNDS.find((each) => each.name === name);
  return kind && findStrictestBound(described, kind);
}

function formatRange(
  described: CatalogDescription,
  lowest: string,
  highest: string,
  unit: string | undefined,
): string[] {
  const low = findBound(described, lowest);
  const high = findBound(described, highest);
  if (unit !== undefined)
    return low === undefined && high === undefined ? [] : [formatCounts(unit, low?.value ?? 0, high?.value)];
  if (low && high && !low.isExclusive && !high.isExclusive)
    return [`${formatLiteral(low.value)} to ${formatLiteral(high.value)}`];
  return [
    ...(low ? [`${low.isExclusive ? "above" : "≥"} ${formatLiteral(low.value)}`] : []),
    ...(high ? [`${high.isExclusive ? "below" : "≤"} ${formatLiteral(high.value)}`] : []),
  ];
}

function formatCounts(unit: string, from: number, to: number | undefined): string {
  if (to === undefined) return `at least ${formatCount(from, unit)}`;
  if (from === to) return `exactly ${formatCount(to, unit)}`;
  return from === 0
    ? `at most ${formatCount(to, unit)}`
    : `${formatLiteral(from)} to ${formatCount(to, unit)}`;
}

/** Formats alternatives. Returns an empty text if they differ only in their types, which the type column shows. */
function formatAlternatives(
  branches: readonly Json[],
  keyword: "anyOf" | "oneOf",
  renderer: Renderer,
  ancestors: ReadonlySet<Json>,
): string {
  if (branches.some((branch) => concernsFields(branch, renderer))) return "";
  if (!branches.some((branch) => listConstraints(branch, renderer, ancestors).length > 0)) return "";
  const [only, ...others] = branches.filter((branch) => formatType(branch, renderer) !== "null");
  if (only !== undefined && others.length === 0) return listConstraints(only, renderer, ancestors).join("; ");
  const words = branches.map((branch) => formatPhrase(branch, renderer, ancestors)).join("; or ");
  return `${keyword === "oneOf" ? "exactly one of these: " : "either "}${words}`;
}

function formatOtherFields(value: Json, _renderer: Renderer, described: CatalogDescription): string {
  if (value !== true && !(isObject(value) && Object.keys(value).length === 0)) return "";
  return listHeldSchemas(described, "properties").length > 0 ? ANY_OTHER_FIELD : ANY_FIELD;
}

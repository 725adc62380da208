/** Checks the values in schemas against the keywords beside them: lists of values, bounds, defaults, examples of fields, versions. */
import { createErrorFinding, type Finding, type Location } from "../../finding.js";
import {
  formatCanonicalJson,
  getJsonType,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
} from "../../json.js";
import { compareVersions } from "../../protocol/version.js";
import { EXACT_KEYWORDS, IN_PLACE_KEYWORDS } from "../../schema/keywords.js";
import { LIST_KEYWORDS, readKnownValues, readListedValues } from "../../schema/listed-values.js";
import { addIntegers } from "../../schema/merge.js";
import { readAs } from "../../schema/readings.js";
import { walk } from "../../schema/walk.js";
import { formatCount } from "../../text.js";
import { createExampleCheck } from "./examples.js";
import { type LintInput, listRootSchemas, locateInFiles } from "./input.js";
import { listRestrictions } from "./plain-schemas.js";

/** Calls `visit` for each schema of the protocol, with its place. */
function visitSchemas(
  input: LintInput,
  visit: (schema: JsonObject, at: Location, isRoot: boolean, keyword: string | undefined) => void,
): void {
  // A definition may be a whole file that is also a payload.
  const visited = new Set<string>();
  for (const { schema: root, at } of listRootSchemas(input.protocol))
    walk(root, (schema, pointer, keyword) => {
      const place = { file: at.file, pointer: at.pointer + pointer };
      const id = `${place.file}#${place.pointer}`;
      if (visited.has(id)) return;
      visited.add(id);
      visit(schema, place, pointer === "", keyword);
    });
}

/** Reports listed values that the keywords beside the list refuse, and values that a list has twice. */
export function lintListedValues(input: LintInput): Finding[] {
  const findings: Finding[] = [];
  visitSchemas(input, (schema, at) => {
    const known = readKnownValues(schema);
    const lists = [
      ...readListedValues(schema),
      ...(known === undefined ? [] : [{ keyword: "x-known-values" as const, values: known }]),
    ];
    if (lists.length === 0) return;
    const accepts = createBesideCheck(schema, input);
    for (const { keyword, values } of lists) {
      const locate = (index: number): Location =>
        locateInFiles(input, {
          ...at,
          pointer: joinPointer(at.pointer, keyword, ...(keyword === "const" ? [] : [index])),
        });
      const texts = values.map(formatCanonicalJson);
      const refused = [...values.keys()].filter((index) => !accepts(values[index] ?? null));
      const report = (excluded: readonly Json[], subject: string, place: Location, hint?: string): void => {
        const reason = explainType(excluded, schema);
        const message = `The schema refuses ${subject} of its ${keyword}${reason}.`;
        const finding = createErrorFinding("value-excluded", message, place, hint);
        // Keywords such as `not` may exclude listed values on purpose, and types follow them.
        findings.push(reason === "" ? { ...finding, severity: "warning" } : finding);
      };
      if (refused.length === values.length && values.length > 1)
        report(
          values,
          "all values",
          locateInFiles(input, { ...at, pointer: joinPointer(at.pointer, keyword) }),
        );
      else
        for (const index of refused) {
          const value = values[index] ?? null;
          report([value], `the value ${texts[index]}`, locate(index), suggestValue(value, schema));
        }
      for (const [index, text] of texts.entries())
        if (texts.indexOf(text) < index)
          findings.push({
            ...createErrorFinding(
              "value-repeated",
              `The value ${text} is in ${keyword} twice.`,
              locate(index),
              "Remove one of the two.",
            ),
            severity: "warning",
          });
    }
  });
  return findings;
}

/** Returns the end of a sentence that says which type a schema states, if that excludes the values. */
function explainType(values: readonly Json[], { type }: JsonObject): string {
  if (type === undefined) return "";
  const types = [type].flat().map(String);
  const allowed = new Set(addIntegers(types));
  return values.some((value) => allowed.has(getJsonType(value)))
    ? ""
    : `, because its type is ${types.join(" or ")}`;
}

/** Returns how to write a value with the type that the schema states, if that is probably meant. */
function suggestValue(value: Json, { type }: JsonObject): string | undefined {
  const types = [type ?? []].flat().map(String);
  if (value === null && types.length > 0)
    return `To allow null, write "type": ${JSON.stringify([...types, "null"])}.`;
  if (types.includes("string") && value !== null && typeof value !== "object" && typeof value !== "string")
    return `Write ${JSON.stringify(String(value))}, with quotes, if the text is meant.`;
  const isNumber = types.includes("integer") || types.includes("number");
  if (isNumber && typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)))
    return `Write ${Number(value)}, without quotes, if the number is meant.`;
  return undefined;
}

/** Returns a check of a value against the keywords of a schema, apart from its lists of values. */
function createBesideCheck(schema: JsonObject, { protocol }: LintInput): (value: Json) => boolean {
  const others = listRestrictions(schema).filter(
    (keyword) => !LIST_KEYWORDS.some((each) => each === keyword),
  );
  if (others.length === 0) return () => true;
  if (others.every((keyword) => keyword === "type")) {
    const types = new Set<string>(addIntegers([schema.type].flat().map(String)));
    return (value) => types.has(getJsonType(value));
  }
  const rest = Object.fromEntries(others.map((keyword) => [keyword, schema[keyword] ?? null]));
  return createExampleCheck(() => readAs("writer", rest, protocol.definitions));
}

/** The pairs of keywords for a lower and an upper bound. A strict one excludes the bound itself. */
const BOUND_PAIRS: readonly (readonly [low: string, high: string, isStrict: boolean])[] = [
  ["minimum", "maximum", false],
  ["exclusiveMinimum", "maximum", true],
  ["minimum", "exclusiveMaximum", true],
  ["exclusiveMinimum", "exclusiveMaximum", true],
  ["minLength", "maxLength", false],
  ["minItems", "maxItems", false],
  ["minContains", "maxContains", false],
  ["minProperties", "maxProperties", false],
];

/** Reports lower bounds above upper bounds, once for each schema and kind of bound. */
export function lintBounds(input: LintInput): Finding[] {
  const findings: Finding[] = [];
  visitSchemas(input, (schema, at) => {
    const crossed = BOUND_PAIRS.filter(([low, high, isStrict]) => {
      const [lower, upper] = [schema[low], schema[high]];
      if (typeof lower !== "number" || typeof upper !== "number") return false;
      return lower > upper || (isStrict && lower === upper);
    });
    const [pair] = crossed;
    if (pair === undefined) return;
    const [low, high] = pair;
    findings.push(
      createErrorFinding(
        "bounds-crossed",
        `No value is between ${low} ${schema[low]} and ${high} ${schema[high]}.`,
        locateInFiles(input, { ...at, pointer: joinPointer(at.pointer, low) }),
        `Exchange the two, or correct one of them.`,
      ),
    );
  });
  return findings;
}

/** Reports defaults and examples of fields that their own schema refuses. Neither is a part of the contract. */
export function lintDefaults(input: LintInput): Finding[] {
  const { definitions } = input.protocol;
  const findings: Finding[] = [];
  const report = (rule: "default-invalid" | "example-invalid", message: string, at: Location): void => {
    findings.push({ ...createErrorFinding(rule, message, locateInFiles(input, at)), severity: "warning" });
  };
  visitSchemas(input, (schema, at, isRoot) => {
    const { default: preset, examples } = schema;
    const listed = !isRoot && Array.isArray(examples) ? examples : [];
    if (preset === undefined && listed.length === 0) return;
    const accepts = createExampleCheck(() => readAs("writer", schema, definitions));
    const explain = (): string => {
      const error = accepts.errors?.[0];
      return `${error?.pointer || "it"} ${error?.message ?? "is refused"}`;
    };
    if (preset !== undefined && !accepts(preset))
      report(
        "default-invalid",
        `The schema refuses its own default ${JSON.stringify(preset)}: ${explain()}.`,
        { ...at, pointer: joinPointer(at.pointer, "default") },
      );
    for (const [index, example] of listed.entries())
      if (!accepts(example))
        report("example-invalid", `The schema refuses its own example: ${explain()}.`, {
          ...at,
          pointer: joinPointer(at.pointer, "examples", index),
        });
  });
  return findings;
}

/** Reports parts that were introduced by a version after that of the protocol. */
export function lintSince(input: LintInput): Finding[] {
  const { version } = input.protocol;
  const findings: Finding[] = [];
  visitSchemas(input, ({ "x-since": since }, at) => {
    if (typeof since !== "string" || !/^\d+\.\d+$/.test(since) || compareVersions(since, version) <= 0)
      return;
    findings.push({
      ...createErrorFinding(
        "since-later",
        `x-since says ${since}, but the version in protocol.json is ${version}.`,
        locateInFiles(input, { ...at, pointer: joinPointer(at.pointer, "x-since") }),
        `Write ${JSON.stringify(version)}, or raise the version in protocol.json.`,
      ),
      severity: "warning",
    });
  });
  return findings;
}

/** Reports the first of the objects that the author closed as other tools need it, with the number of others. */
export function lintClosedObjects(input: LintInput): Finding[] {
  const places: Location[] = [];
  visitSchemas(input, (schema, at, _isRoot, keyword) => {
    const isPart =
      (keyword !== undefined && IN_PLACE_KEYWORDS.has(keyword)) || EXACT_KEYWORDS.has(keyword ?? "");
    const isCombined = Object.keys(schema).some((name) => name === "$ref" || IN_PLACE_KEYWORDS.has(name));
    const isClosed = schema.additionalProperties === false && isObject(schema.properties);
    if (isClosed && !isPart && !isCombined) places.push(at);
  });
  // `buildProtocol` opens the envelope, so the keyword is only in its file.
  for (const { kind, source } of input.files)
    if (kind === "envelope" && isObject(source.document) && source.document.additionalProperties === false)
      places.unshift(source.locate(""));
  const [first, ...others] = places;
  if (first === undefined) return [];
  const more =
    others.length === 0 ? "" : ` The same holds for ${formatCount(others.length, "other object")}.`;
  const message = `additionalProperties: false has no effect: writers may send declared fields only, and readers accept others, so that a field can be added later.${more}`;
  const at = locateInFiles(input, { ...first, pointer: `${first.pointer}/additionalProperties` }, "name");
  return [{ ...createErrorFinding("closed-needlessly", message, at, "Remove it."), severity: "note" }];
}

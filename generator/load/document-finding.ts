import type { ErrorObject } from "ajv/dist/2020.js";
import { createErrorFinding, type Finding, type RuleId } from "../finding.js";
import { getOwn, getValueAtPointer, isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { Source } from "../source/source.js";

/** The words for a document in messages. */
export interface DocumentWords {
  readonly rule: RuleId;
  /** The noun for the document at the beginning of a sentence, with its article. */
  readonly document: string;
  /** The noun for a value of an `enum`: "output". Without one, the message about another value lists the values. */
  readonly value?: string;
}

/**
 * Returns the finding for an error of a `createDocumentCheck` function. The checked value is at `pointer` in `source`. For an
 * unknown name, the finding suggests the nearest known name, and its hint lists all known names.
 */
export function createDocumentFinding(
  error: ErrorObject,
  { rule, document, value }: DocumentWords,
  source: Source,
  pointer = "",
): Finding {
  const { instancePath, keyword, params, parentSchema, message } = error;
  const valuePointer = pointer + instancePath;
  const subject = instancePath === "" ? document : nameMember(instancePath);
  const createFinding = (text: string, hint?: string): Finding =>
    createErrorFinding(rule, text, source.locate(valuePointer), hint);
  const found = getValueAtPointer(source.document, valuePointer);
  if (keyword === "additionalProperties") {
    const name = String(params.additionalProperty);
    const knownKeys = Object.keys(parentSchema?.properties ?? {}).filter((key) => key !== "$schema");
    const beginning = instancePath === "" ? `${document} has no key` : "There is no key";
    const text = `${beginning} ${JSON.stringify(name)}${didYouMean(name, knownKeys)}`;
    const at = source.locateKey(joinPointer(valuePointer, name));
    return createErrorFinding(rule, text, at, `The keys are ${knownKeys.join(", ")}.`);
  }
  if (keyword === "enum") {
    const near = typeof found === "string" ? didYouMean(found, params.allowedValues) : ".";
    const values = params.allowedValues.join(", ");
    return value === undefined || typeof found !== "string"
      ? createFinding(`${subject} must be one of ${values}, not ${shorten(found)}${near}`)
      : createFinding(`Unknown ${value} ${JSON.stringify(found)}${near}`, `There are ${values}.`);
  }
  const refused = keyword === "not" && isObject(error.schema as Json) ? (error.schema as JsonObject) : {};
  if (Array.isArray(refused.required)) {
    const names = refused.required.map((name) => JSON.stringify(name)).join(", ");
    return createFinding(`${subject} must not have the key ${names} beside its other values.`);
  }
  const form = keyword === "pattern" ? getOwn(PATTERN_WORDS, String(params.pattern)) : undefined;
  if (form !== undefined)
    return createFinding(`${subject} must be ${form}, not ${shorten(found)}.`, suggestForm(found));
  const types = keyword === "type" ? [params.type].flat().map(String) : [];
  if (types.includes("string") && typeof found === "number")
    return createFinding(
      `${subject} must be a string, in double quotes.`,
      `Write ${JSON.stringify(source.getText(valuePointer) ?? "")}.`,
    );
  if (types.includes("integer") && typeof found === "string" && /^\d+$/.test(found))
    return createFinding(`${subject} must be a number.`, `Write ${found}, without quotes.`);
  if (types.includes("array") && typeof found === "string")
    return createFinding(`${subject} must be a list.`, `Write [${JSON.stringify(found)}].`);
  if (keyword === "const")
    return createFinding(`${subject} must be ${JSON.stringify(params.allowedValue)}, not ${shorten(found)}.`);
  return createFinding(`${subject} ${message}.`);
}

/** The words for the patterns of documents. */
const PATTERN_WORDS: { readonly [pattern: string]: string } = {
  "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$": 'a version of two numbers, such as "1.0"',
  "^[a-z][a-z0-9_-]*$": "of lower-case letters, digits, _ and -, and begin with a letter",
};

/** Returns how to write a version or a name in the form that documents have. */
function suggestForm(value: Json | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  const [version] = /^\d+(?:\.\d+)?/.exec(value.replace(/^v/i, "")) ?? [];
  if (version !== undefined)
    return `Write ${JSON.stringify(version.includes(".") ? version : `${version}.0`)}.`;
  const name = value.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, "-");
  return /^[a-z]/.test(name) ? `Write ${JSON.stringify(name)}.` : undefined;
}

/** Returns the name at the end of a pointer, for the beginning of a sentence; "It" for an item of a list. */
function nameMember(pointer: string): string {
  const last = pointer.split("/").at(-1) ?? "";
  return /^\d+$/.test(last) ? "It" : JSON.stringify(last);
}

function shorten(value: Json | undefined): string {
  if (isObject(value)) return "an object";
  return Array.isArray(value) ? "a list" : JSON.stringify(value);
}

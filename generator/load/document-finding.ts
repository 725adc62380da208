import type { ErrorObject } from "ajv/dist/2020.js";
import { errorFinding, type Finding, type RuleId } from "../finding.js";
import { isObject, type Json, type JsonObject, join, valueAt } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { Source } from "../source/source.js";

/** The words for a document in messages. */
export interface DocumentWords {
  readonly rule: RuleId;
  /** The noun for the document at the beginning of a sentence, with its article. */
  readonly document: string;
  /** The noun for a value that is not in a list: "no output". Without one, the message lists the values. */
  readonly value?: string;
}

/**
 * Returns the finding for an error that `createDocumentCheck` found, whose value is at `pointer` in `source`. For an unknown name, it
 * suggests the nearest known one, and its hint lists all of them.
 */
export function createDocumentFinding(
  error: ErrorObject,
  { rule, document, value }: DocumentWords,
  source: Source,
  pointer = "",
): Finding {
  const { instancePath, keyword, params, parentSchema, message } = error;
  const at = pointer + instancePath;
  const what = instancePath === "" ? document : nameMember(instancePath);
  if (keyword === "additionalProperties") {
    const name = String(params.additionalProperty);
    const known = Object.keys(parentSchema?.properties ?? {}).filter((key) => key !== "$schema");
    const subject = instancePath === "" ? `${document} has no key` : "There is no key";
    const text = `${subject} ${JSON.stringify(name)}${didYouMean(name, known)}`;
    return errorFinding(rule, text, source.locateKey(join(at, name)), `The keys are ${known.join(", ")}.`);
  }
  if (keyword === "enum") {
    const found = valueAt(source.document, at);
    const near = typeof found === "string" ? didYouMean(found, params.allowedValues) : ".";
    const values = params.allowedValues.join(", ");
    if (value === undefined)
      return errorFinding(
        rule,
        `${what} must be one of ${values}, not ${shorten(found)}${near}`,
        source.locate(at),
      );
    return errorFinding(
      rule,
      `${capitalize(shorten(found))} is ${value}${near}`,
      source.locate(at),
      `There are ${values}.`,
    );
  }
  const refusedNames =
    keyword === "not" && isObject(error.schema as Json) ? (error.schema as JsonObject).required : undefined;
  if (Array.isArray(refusedNames)) {
    const names = refusedNames.map((name) => JSON.stringify(name)).join(", ");
    const text = `${what} must not have the key ${names} beside its other values.`;
    return errorFinding(rule, text, source.locate(at));
  }
  if (keyword === "const") {
    const found = shorten(valueAt(source.document, at));
    const text = `${what} must be ${JSON.stringify(params.allowedValue)}, not ${found}.`;
    return errorFinding(rule, text, source.locate(at));
  }
  return errorFinding(rule, `${what} ${message}.`, source.locate(at));
}

/** Returns the name that a pointer ends with; "It" for an item of a list. */
function nameMember(pointer: string): string {
  const last = pointer.split("/").at(-1) ?? "";
  return /^\d+$/.test(last) ? "It" : JSON.stringify(last);
}

function shorten(value: Json | undefined): string {
  if (isObject(value)) return "an object";
  return Array.isArray(value) ? "a list" : JSON.stringify(value);
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

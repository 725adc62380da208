import type { ErrorObject } from "ajv/dist/2020.js";
import { errorFinding, type Finding, type RuleId } from "../finding.js";
import { isObject, type Json, type JsonObject, join, valueAt } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { Source } from "../source/source.js";

/** What a document is called in sentences. */
export interface DocumentWords {
  readonly rule: RuleId;
  /** With its article, at the beginning of a sentence. */
  readonly document: string;
  /** The noun for a value that is not in a list: "no output". Without one, the message lists the values. */
  readonly value?: string;
}

/**
 * What an error of `documentCheck` says, at its place. `pointer` is where the checked value stands in `source`. A name
 * that is not known comes with the one that was most likely meant, and with all of them as the hint.
 */
export function documentFault(
  error: ErrorObject,
  { rule, document, value }: DocumentWords,
  source: Source,
  pointer = "",
): Finding {
  const { instancePath, keyword, params, parentSchema, message } = error;
  const at = pointer + instancePath;
  const last = instancePath.split("/").at(-1) ?? "";
  const what = instancePath === "" ? document : /^\d+$/.test(last) ? "It" : JSON.stringify(last);
  if (keyword === "additionalProperties") {
    const name = String(params.additionalProperty);
    const known = Object.keys(parentSchema?.properties ?? {}).filter((key) => key !== "$schema");
    const subject = instancePath === "" ? `${document} has no key` : "There is no key";
    const text = `${subject} ${JSON.stringify(name)}${didYouMean(name, known)}`;
    return errorFinding(rule, text, source.locateKey(join(at, name)), `The keys are ${known.join(", ")}.`);
  }
  if (keyword === "enum") {
    const said = valueAt(source.document, at);
    const near = typeof said === "string" ? didYouMean(said, params.allowedValues) : ".";
    const values = params.allowedValues.join(", ");
    if (value === undefined)
      return errorFinding(
        rule,
        `${what} must be one of ${values}, not ${short(said)}${near}`,
        source.locate(at),
      );
    return errorFinding(
      rule,
      `${upperFirst(short(said))} is ${value}${near}`,
      source.locate(at),
      `There are ${values}.`,
    );
  }
  const refused =
    keyword === "not" && isObject(error.schema as Json) ? (error.schema as JsonObject).required : undefined;
  if (Array.isArray(refused)) {
    const names = refused.map((name) => JSON.stringify(name)).join(", ");
    const text = `${what} must not have the key ${names} beside its other values.`;
    return errorFinding(rule, text, source.locate(at));
  }
  if (keyword === "const") {
    const said = short(valueAt(source.document, at));
    const text = `${what} must be ${JSON.stringify(params.allowedValue)}, not ${said}.`;
    return errorFinding(rule, text, source.locate(at));
  }
  return errorFinding(rule, `${what} ${message}.`, source.locate(at));
}

function short(said: Json | undefined): string {
  return isObject(said) ? "an object" : Array.isArray(said) ? "a list" : JSON.stringify(said);
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

import type { ErrorObject } from "ajv/dist/2020.js";
import { errorFinding, type Finding } from "../finding.js";
import { isObject, type Json, join, valueAt } from "../json.js";
import { didYouMean } from "../model/nearest.js";
import type { Source } from "./source.js";

/** What a document is called in sentences. */
export interface DocumentWords {
  readonly rule: string;
  /** With its article, at the beginning of a sentence. */
  readonly document: string;
  /** What a value is that is not in a list: "no output". */
  readonly value: string;
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
    const hint = `There are ${params.allowedValues.join(", ")}.`;
    return errorFinding(rule, `${short(said)} is ${value}${near}`, source.locate(at), hint);
  }
  const last = instancePath.split("/").at(-1) ?? "";
  const what = instancePath === "" ? document : /^\d+$/.test(last) ? "It" : JSON.stringify(last);
  return errorFinding(rule, `${what} ${message}.`, source.locate(at));
}

function short(said: Json | undefined): string {
  return isObject(said) || Array.isArray(said) ? "This" : JSON.stringify(said);
}

import { readFileSync } from "node:fs";
import type { ErrorObject } from "ajv/dist/2020.js";
import { errorFinding, type Finding } from "../finding.js";
import { isObject, type Json, join, valueAt } from "../json.js";
import { didYouMean } from "../model/nearest.js";
import { documentCheck } from "./document-check.js";
import type { Source } from "./source.js";

/** What a project says of its folders and outputs; absent where the defaults do. */
export interface Config {
  readonly schemas?: string;
  readonly out?: string;
  readonly fixtures?: string;
  /** Names of outputs besides those that every protocol has. */
  readonly emit?: readonly string[];
}

const configSchema = JSON.parse(readFileSync(new URL("./config.schema.json", import.meta.url), "utf8"));

const errorsOf = documentCheck(configSchema);

/** The configuration at `pointer` of a document, or every fault of it at its place. */
export function parseConfig(
  source: Source,
  pointer: string,
): { readonly config: Config } | { readonly findings: readonly Finding[] } {
  const value = valueAt(source.document, pointer);
  const errors = errorsOf(value);
  if (errors.length === 0) return { config: value as Config };
  return { findings: errors.map((error) => fault(error, value, source, pointer)) };
}

function fault(error: ErrorObject, value: Json | undefined, source: Source, pointer: string): Finding {
  const { instancePath, keyword, params, message } = error;
  const at = pointer + instancePath;
  if (keyword === "additionalProperties") {
    const name = String(params.additionalProperty);
    const known = Object.keys(configSchema.properties).filter((key) => key !== "$schema");
    const text = `The configuration has no key ${JSON.stringify(name)}${didYouMean(name, known)}`;
    const place = source.locateKey(join(at, name));
    return errorFinding("config-invalid", text, place, `The keys are ${known.join(", ")}.`);
  }
  if (keyword === "enum") {
    const said = valueAt(value ?? null, instancePath);
    const near = typeof said === "string" ? didYouMean(said, params.allowedValues) : ".";
    const text = `${JSON.stringify(said)} is no output${near}`;
    return errorFinding(
      "config-invalid",
      text,
      source.locate(at),
      `There are ${params.allowedValues.join(", ")}.`,
    );
  }
  const what = isObject(value) && instancePath !== "" ? `"${instancePath.slice(1)}"` : "The configuration";
  return errorFinding("config-invalid", `${what} ${message}.`, source.locate(at));
}

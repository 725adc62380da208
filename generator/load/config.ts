import { readFileSync } from "node:fs";
import type { Finding } from "../finding.js";
import { getValueAtPointer } from "../json.js";
import type { Source } from "../source/source.js";
import { createDocumentCheck } from "./document-check.js";
import { createDocumentFinding, type DocumentWords } from "./document-finding.js";

/** The configuration of a project: its folders and outputs. Members that are absent have defaults. */
export interface Config {
  readonly schemas?: string;
  readonly out?: string;
  readonly fixtures?: string;
  /** Names of outputs in addition to those that every protocol has. */
  readonly emit?: readonly string[];
  /** The folders of outputs of `emit` that have their own. */
  readonly folders?: { readonly [output: string]: string };
}

const configSchema = JSON.parse(readFileSync(new URL("../load/config.schema.json", import.meta.url), "utf8"));

const checkConfig = createDocumentCheck<Config>(configSchema);

const WORDS: DocumentWords = {
  rule: "config-invalid",
  document: "The configuration",
  value: "output",
};

/** Returns the configuration at `pointer` of a document, or all its errors. */
export function parseConfig(
  source: Source,
  pointer: string,
): { readonly config: Config } | { readonly findings: readonly Finding[] } {
  const { value, errors } = checkConfig(getValueAtPointer(source.document, pointer));
  if (value !== undefined) return { config: value };
  return { findings: errors.map((error) => createDocumentFinding(error, WORDS, source, pointer)) };
}

/** Reads the lint cases, and writes their schemas folders. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";

/** A case of test/cases/lint: a small schemas folder, and the findings for it. */
export interface LintCase {
  readonly about: string;
  /** The folder that `files` changes: a file of test/cases/lint/base, "nested" if absent, or "none". */
  readonly base?: string;
  /**
   * The contents by path below schemas/demo/v1. Text and bytes (`{"$hex": "ff"}`) are written unchanged. `{"$link": "…"}` is
   * a symbolic link. null removes a file of the base. Everything else is written as JSON with an indent of two. The members
   * of `{"$base": {…}}` replace those of the file in the base, or are added. `$event` and `$protocol` do the same with a
   * common event or protocol.json.
   */
  readonly files: { readonly [path: string]: Json };
  /** All findings in any order, each as `file:line:column severity rule pointer`. */
  readonly expect: readonly string[];
  /** All hints of these findings, in any order. */
  readonly hints?: readonly string[];
}

const COMMON: { readonly [marker: string]: JsonObject } = {
  $event: { title: "T", description: "D", "x-stability": "stable", type: "object" },
  $protocol: {
    name: "demo",
    major: 1,
    version: "1.0",
    title: "Demo",
    description: "D.",
    envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
  },
};

const cases = path.join(import.meta.dirname, "../cases/lint");

/** Reads all cases with their names, in the order of the names. */
export function readLintCases(): [string, LintCase][] {
  return readdirSync(cases)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => [file.slice(0, -".json".length), readJson(path.join(cases, file)) as unknown as LintCase]);
}

/** Reads a JSON file. */
export function readJson(file: string): Json {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Writes the files of a case below `<folder>/schemas` and returns that path. */
export function writeCase(
  folder: string,
  { base = "nested", files }: Omit<LintCase, "about" | "expect">,
): string {
  const common =
    base === "none" ? {} : (readJson(path.join(cases, "base", `${base}.json`)) as LintCase["files"]);
  const schemas = path.join(folder, "schemas");
  mkdirSync(schemas);
  for (const [name, content] of Object.entries({ ...common, ...files }))
    if (content !== null) writeFile(path.join(schemas, "demo/v1", name), applyMarker(content, common[name]));
  return schemas;
}

/** Returns the content of a file. A content with a marker is merged into the common content of the marker. */
function applyMarker(content: Json, base: Json = {}): Json {
  if (!isObject(content)) return content;
  for (const [marker, common] of Object.entries({ ...COMMON, $base: base }))
    if (isObject(content[marker])) return { ...(common as JsonObject), ...content[marker] };
  return content;
}

function writeFile(file: string, content: Json): void {
  mkdirSync(path.dirname(file), { recursive: true });
  if (isObject(content) && typeof content.$link === "string") symlinkSync(content.$link, file);
  else if (isObject(content) && typeof content.$hex === "string")
    writeFileSync(file, Buffer.from(content.$hex, "hex"));
  else writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

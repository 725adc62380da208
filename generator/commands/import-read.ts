import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Finding } from "../finding.js";
import { importFolder } from "../import/import-folder.js";
import { importSamples, type Sample } from "../import/import-samples.js";
import { type Identity, type Imported, importUnion } from "../import/import-union.js";
import { Refused } from "../import/refused.js";
import { isObject, type Json } from "../json.js";
import { type Files, openFiles } from "../load/files.js";
import { parseSource } from "../load/source.js";
import { UsageError } from "./failure.js";
import { look } from "./tree-paths.js";

const SAMPLES = /\.(jsonl|ndjson)$/i;

/** How many bytes of samples are read at most: enough for a first schema. */
const MOST_SAMPLES = 256 * 1024 * 1024;

/**
 * Makes a protocol of what `operand` names: a schema, or a part of one (`file#/pointer`), a folder of schemas, or
 * samples. Faults in them are usage errors.
 */
export function readImport(given: string, identity: Identity): Imported {
  const { operand, fragment } = partOf(given);
  const stats = statSync(operand, { throwIfNoEntry: false });
  if (stats === undefined || !(stats.isFile() || stats.isDirectory()))
    throw new UsageError(`${operand} is no file or folder that can be read.`);
  const name = path.basename(path.resolve(operand));
  if (stats.isFile() && SAMPLES.test(operand))
    return mendable([], () => importSamples(name, samplesOf(operand), identity));
  const files = openFiles(stats.isFile() ? path.dirname(operand) : operand);
  // What is not there is no fault of a file, but of the reference that leads to it.
  const read = (file: string): Json | undefined =>
    files.has(file) || files.leadsOut(file) ? files.read(file)?.document : undefined;
  return mendable(files.findings, () =>
    stats.isFile() ? importUnion(name, { read }, identity, fragment) : importAll(name, files, read, identity),
  );
}

/** The file of `events.json#/$defs/Event`, and the fragment behind it; a file may itself have such a name. */
export function partOf(operand: string): { readonly operand: string; readonly fragment: string | undefined } {
  const hash = operand.lastIndexOf("#");
  if (hash === -1 || look(operand)) return { operand, fragment: undefined };
  return { operand: operand.slice(0, hash), fragment: operand.slice(hash + 1) };
}

/** All schemas of a folder, or where it has none, its samples. */
function importAll(
  name: string,
  files: Files,
  read: (file: string) => Json | undefined,
  identity: Identity,
): Imported {
  const visible = files.list("").filter((file) => !/(^|\/)(\.|node_modules\/)/.test(file));
  const schemas = visible.filter(
    (file) => /\.json$/.test(file) && !/(^|\/)package(-lock)?\.json$/.test(file),
  );
  const samples = visible.filter((file) => SAMPLES.test(file));
  if (schemas.length === 0 && samples.length > 0)
    return importSamples(
      name,
      samples.flatMap((file) => samplesOf(files.display(file))),
      identity,
    );
  for (const file of schemas) if (read(file) === undefined) throw new Refused(`${file} cannot be read.`);
  return importFolder(name, schemas, read, identity);
}

/** The events of a file, one a line; empty lines are passed over. */
function samplesOf(file: string): Sample[] {
  if (statSync(file).size > MOST_SAMPLES)
    throw new UsageError(`${file} has more than 256 MiB; a part of it gives a first schema as well.`);
  const bytes = readFileSync(file);
  const samples: Sample[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const found = bytes.indexOf(0x0a, start);
    const end = found === -1 ? bytes.length : found;
    const text = bytes.subarray(start, end);
    start = end + 1;
    if (!text.every(isBlank)) samples.push(sampleOf(file, line, text));
  }
  return samples;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function sampleOf(file: string, line: number, bytes: Uint8Array): Sample {
  const parsed = parseSource(file, bytes);
  if ("findings" in parsed) throw new UsageError(said(parsed.findings[0], line));
  const { document } = parsed.source;
  if (!isObject(document)) throw new UsageError(`${file}:${line}:1: The sample is no JSON object.`);
  return { value: document, text: new TextDecoder().decode(bytes).trim() };
}

/** Runs `work`; what it refuses is said with the first fault of the files, if there is one. */
function mendable(findings: readonly Finding[], work: () => Imported): Imported {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new UsageError(findings[0] ? said(findings[0]) : error.message);
  }
}

function said(finding: Finding | undefined, line = finding?.at.line ?? 1): string {
  return `${finding?.at.file}:${line}:${finding?.at.column ?? 1}: ${finding?.message}`;
}

import { statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { findInputs } from "../ingest/inputs.js";
import { lstatIfExists } from "../io.js";
import { isObject, type Json, own } from "../json.js";
import { type Files, openFiles } from "../load/files.js";
import type { Source } from "../source/source.js";
import { isBare } from "../stream/unwrap.js";
import { importFolder } from "./import-folder.js";
import { Refused } from "./import-refusal.js";
import { importSamples } from "./import-samples.js";
import { type Identity, type Imported, importUnion } from "./import-union.js";
import { isRecording, type ReadSamples, readSamples, SAMPLES } from "./read-samples.js";
import { roundedNumbers, sayRounded } from "./rounded-numbers.js";
import { USUAL } from "./tell-apart.js";

type Stdin = AsyncIterable<Uint8Array>;
type Read = (file: string) => Json | undefined;

/**
 * Makes a protocol of what `operand` names: a schema, or a part of one (`file#/pointer`), a folder of schemas, or
 * samples, `-` being those of standard input. Faults in them are usage errors.
 */
export async function readImport(given: string, identity: Identity, stdin: Stdin): Promise<Imported> {
  const { operand, fragment } = partOf(given);
  const fromSamples = async (source: string, operands: readonly string[]): Promise<Imported> => {
    const { samples, rounded } = await samplesOf(operands, stdin);
    return withNotes(
      withFileErrors([], () => importSamples(source, samples, identity)),
      sayRounded(rounded),
    );
  };
  if (operand === "-") return fromSamples("standard input", [operand]);
  const stats = statSync(operand, { throwIfNoEntry: false });
  if (stats === undefined || !(stats.isFile() || stats.isDirectory()))
    throw new UsageError(`${operand} is not a readable file or folder.`);
  const isFile = stats.isFile();
  const name = path.basename(path.resolve(operand));
  if (isFile && isRecording(operand)) return fromSamples(name, [operand]);
  const files = openFiles(isFile ? path.dirname(operand) : operand);
  // What is not there is no fault of a file, but of the reference that leads to it.
  const sources = new Set<Source>();
  const read: Read = (file) => {
    const source = files.has(file) || files.leadsOut(file) ? files.read(file) : undefined;
    if (source !== undefined) sources.add(source);
    return source?.document;
  };
  if (isFile && fragment === undefined && isEvents(read(name))) return fromSamples(name, [operand]);
  const recordings = isFile ? [] : recordingsIn(files, read);
  if (recordings.length > 0) return fromSamples(name, recordings);
  const imported = withFileErrors(files.findings, () =>
    isFile ? importUnion(name, { read }, identity, fragment) : importSchemas(name, files, read, identity),
  );
  return withNotes(imported, sayRounded([...sources].flatMap(roundedNumbers)));
}

function withNotes(imported: Imported, notes: readonly string[]): Imported {
  return { ...imported, notes: [...imported.notes, ...notes] };
}

/** The file of `events.json#/$defs/Event`, and the fragment behind it; a file may itself have such a name. */
export function partOf(operand: string): { readonly operand: string; readonly fragment: string | undefined } {
  const hash = operand.lastIndexOf("#");
  if (hash === -1 || lstatIfExists(operand)) return { operand, fragment: undefined };
  return { operand: operand.slice(0, hash), fragment: operand.slice(hash + 1) };
}

async function samplesOf(operands: readonly string[], stdin: Stdin): Promise<ReadSamples> {
  const { inputs, unreadable } = findInputs(operands);
  if (unreadable.length > 0) throw new UsageError(unreadable.join("; "));
  const all: ReadSamples = { samples: [], rounded: [] };
  for (const input of inputs) await readSamples(input, stdin, all);
  return all;
}

/** Whether a document holds events, not a schema: a list, a page, or an object with the name of an event. */
function isEvents(document: Json | undefined): boolean {
  if (Array.isArray(document)) return true;
  if (!isObject(document)) return false;
  if (!isBare(document, USUAL)) return true;
  const names = USUAL.map((field) => own(document, field)).filter((name) => typeof name === "string");
  return names.some((name) => !TYPES.has(name)) && !Object.keys(document).some((each) => SPEAKING.has(each));
}

/** What the root of a schema has, and an event hardly. */
const SPEAKING = new Set("$schema $id $ref $defs definitions oneOf anyOf allOf".split(" "));

/** What the keyword `type` of a schema says. */
const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** The recordings of a folder without schemas. */
function recordingsIn(files: Files, read: Read): string[] {
  const [documents, others] = [jsonFiles(files), visible(files).filter((file) => SAMPLES.test(file))];
  return documents.every((file) => isEvents(read(file))) ? [...documents, ...others].map(files.display) : [];
}

/** All schemas of a folder. */
function importSchemas(name: string, files: Files, read: Read, identity: Identity): Imported {
  const schemas = jsonFiles(files);
  for (const file of schemas) if (read(file) === undefined) throw new Refused(`${file} cannot be read.`);
  return importFolder(name, schemas, read, identity);
}

function jsonFiles(files: Files): string[] {
  return visible(files).filter((file) => file.endsWith(".json"));
}

/** The files of a folder but for those of packages and hidden ones. */
function visible(files: Files): string[] {
  return files.list("").filter((file) => !/(^|\/)(\.|node_modules\/|package(-lock)?\.json$)/.test(file));
}

/** Runs `work`; what it refuses is said with the first fault of the files, if there is one. */
function withFileErrors(findings: readonly Finding[], work: () => Imported): Imported {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new UsageError(findings[0] ? said(findings[0]) : error.message);
  }
}

function said({ at, message }: Finding): string {
  return `${at.file}:${at.line ?? 1}:${at.column ?? 1}: ${message}`;
}

import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { type Finding, formatLocatedMessage } from "../finding.js";
import { findInputs } from "../ingest/inputs.js";
import { lstatIfExists, toForwardSlashes } from "../io.js";
import { getOwn, isObject, type Json } from "../json.js";
import { type Files, openFiles } from "../load/files.js";
import type { Source } from "../source/source.js";
import { isYamlFile, parseByName } from "../source/yaml-source.js";
import { isEnvelope } from "../stream/unwrap.js";
import { convertApiDocument } from "./api-documents.js";
import { ImportError } from "./import-error.js";
import { importFile } from "./import-file.js";
import { importFolder, isSchemaList, SCHEMA_KEYWORDS } from "./import-folder.js";
import { importSamples } from "./import-samples.js";
import type { Imported, ImportSettings } from "./import-union.js";
import { TYPE_FIELDS } from "./name-events.js";
import { isRecording, RECORDING_NAME, readSamples, type SampleCollection } from "./read-samples.js";
import type { Documents } from "./resources.js";
import { describeRoundedNumbers, findRoundedNumbers } from "./rounded-numbers.js";

type Stdin = AsyncIterable<Uint8Array>;
type ReadDocument = (file: string) => Json | undefined;

/**
 * Imports what the operand names: a schema or a part of one (`file#/pointer`), a folder of schemas, or samples, where `-`
 * is standard input. Throws a usage error for errors in what the operand names.
 */
export async function readImport(
  operandWithFragment: string,
  settings: ImportSettings,
  stdin: Stdin,
): Promise<Imported> {
  const { operand, fragment } = splitOperand(operandWithFragment);
  const importRecordings = async (source: string, operands: readonly string[]): Promise<Imported> => {
    const { samples, rounded } = await readAllSamples(operands, stdin);
    return addNotes(
      reportImportErrors([], settings, () => importSamples(source, samples, settings)),
      describeRoundedNumbers(rounded),
    );
  };
  if (operand === "-") return importRecordings("standard input", [operand]);
  const stats = statSync(operand, { throwIfNoEntry: false });
  if (stats === undefined || !(stats.isFile() || stats.isDirectory()))
    throw new UsageError(`${operand} is not a readable file or folder.`);
  const isFile = stats.isFile();
  if (isFile && isRecording(operand)) return importRecordings(path.basename(operand), [operand]);
  const root = settings.root ?? findOwnFolder(operand);
  const place = locateBelow(root, operand);
  const name = place === "" ? path.basename(path.resolve(operand)) : place;
  const files = openFiles(root, parseByName);
  const mapped = new Map([...(settings.map ?? [])].map(([uri, file]) => [uri, locateFrom(root, file)]));
  // A file that does not exist is not read, since the reference to it is reported instead.
  const sources = new Set<Source>();
  const converted = new Map<string, Json | undefined>();
  const read: ReadDocument = (file) => {
    if (converted.has(file)) return converted.get(file);
    const mappedFile = [...(settings.map?.values() ?? [])].find((each) => locateFrom(root, each) === file);
    const source =
      mappedFile !== undefined
        ? readMappedFile(mappedFile)
        : files.has(file) || files.leadsOut(file)
          ? files.read(file)
          : undefined;
    if (source !== undefined) sources.add(source);
    const document = source && convertApiDocument(source.document);
    converted.set(file, document);
    return document;
  };
  if (isFile && fragment === undefined && holdsEvents(read(name))) return importRecordings(name, [operand]);
  const recordings = isFile ? [] : listRecordings(files, place, read);
  if (recordings.length > 0) return importRecordings(name, recordings);
  // Documents are only searched for an `$id` in another reader, which reports nothing about those that cannot be read.
  const searched = openFiles(root, parseByName);
  const documents: Documents = {
    read,
    listFiles: () =>
      settings.root === undefined && isFile
        ? searched.listDirectly("").files.filter(isSchemaFile)
        : listSchemaFiles(searched, ""),
    peek: (file) => searched.read(file)?.document,
    mapped,
  };
  const imported = reportImportErrors(files.findings, settings, () =>
    isFile
      ? importFile(name, documents, settings, fragment)
      : importSchemas(name, listSchemaFiles(files, place), documents, settings),
  );
  return addNotes(imported, describeRoundedNumbers([...sources].flatMap(findRoundedNumbers)));
}

/** Returns the folder of an operand: the folder itself, or the folder of the file. */
export function findOwnFolder(operand: string): string {
  return statSync(operand).isDirectory() ? operand : path.dirname(operand);
}

/** Returns the path of the operand below `root`, with forward slashes; an empty one for `root` itself. */
function locateBelow(root: string, operand: string): string {
  const place = path.relative(realpathSync(root), realpathSync(operand));
  if (place.split(path.sep)[0] === ".." || path.isAbsolute(place))
    throw new UsageError(`${operand} is not in the folder ${root}, which --root names.`);
  return toForwardSlashes(place);
}

/** Returns the path from `root` to a file that may be elsewhere, with forward slashes. */
function locateFrom(root: string, file: string): string {
  return toForwardSlashes(path.relative(path.resolve(root), path.resolve(file)));
}

/** Reads a file that stands for a URL. Throws a usage error if it cannot be read. */
function readMappedFile(file: string): Source {
  if (!lstatIfExists(file)) throw new UsageError(`${file} does not exist; --map names it for a URL.`);
  const files = openFiles(path.dirname(file), parseByName);
  const source = files.read(path.basename(file));
  if (source === undefined)
    throw new UsageError(
      files.findings[0] ? formatLocatedMessage(files.findings[0]) : `${file} cannot be read.`,
    );
  return source;
}

function addNotes(imported: Imported, notes: readonly string[]): Imported {
  return { ...imported, notes: [...imported.notes, ...notes] };
}

/** Splits an operand such as `events.json#/$defs/Event` into file and fragment, unless a file has this name. */
export function splitOperand(operand: string): {
  readonly operand: string;
  readonly fragment: string | undefined;
} {
  const hash = operand.lastIndexOf("#");
  if (hash === -1 || lstatIfExists(operand)) return { operand, fragment: undefined };
  return { operand: operand.slice(0, hash), fragment: operand.slice(hash + 1) };
}

async function readAllSamples(operands: readonly string[], stdin: Stdin): Promise<SampleCollection> {
  const { inputs, unreadable } = await findInputs(operands);
  if (unreadable.length > 0) throw new UsageError(unreadable.join("; "));
  const collection: SampleCollection = { samples: [], rounded: [] };
  for (const input of inputs) await readSamples(input, stdin, collection);
  return collection;
}

/** Returns whether a document holds events and is not a schema: a list, a page, or an object with an event type. */
function holdsEvents(document: Json | undefined): boolean {
  if (Array.isArray(document)) return !isSchemaList(document);
  if (!isObject(document)) return false;
  if (!isEnvelope(document, TYPE_FIELDS)) return true;
  const names = TYPE_FIELDS.map((field) => getOwn(document, field)).filter(
    (name) => typeof name === "string",
  );
  return (
    names.some((name) => !SCHEMA_TYPES.has(name)) &&
    !Object.keys(document).some((each) => SCHEMA_KEYWORDS.has(each))
  );
}

/** Values of the keyword `type`. */
const SCHEMA_TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** Lists the recordings in a folder. Returns none if the folder holds schemas. */
function listRecordings(files: Files, folder: string, read: ReadDocument): string[] {
  const documents = listSchemaFiles(files, folder);
  const others = listVisibleFiles(files, folder).filter((file) => RECORDING_NAME.test(file));
  return documents.every((file) => holdsEvents(read(file)))
    ? [...documents, ...others].map(files.formatPath)
    : [];
}

/** Imports all schemas of a folder. Throws an ImportError if one cannot be read. */
function importSchemas(
  name: string,
  schemas: readonly string[],
  documents: Documents,
  settings: ImportSettings,
): Imported {
  for (const file of schemas)
    if (documents.read(file) === undefined) throw new ImportError(`${file} cannot be read.`);
  return importFolder(name, schemas, documents, settings);
}

/** Lists the files of a folder that may be schemas. Beside JSON, YAML is left out: it is often the same in another form. */
function listSchemaFiles(files: Files, folder: string): string[] {
  const visible = listVisibleFiles(files, folder);
  const json = visible.filter((file) => file.endsWith(".json"));
  return json.length > 0 ? json : visible.filter(isYamlFile);
}

function isSchemaFile(file: string): boolean {
  return file.endsWith(".json") || isYamlFile(file);
}

/** Lists the files of a folder except hidden files and the files of packages. */
function listVisibleFiles(files: Files, folder: string): string[] {
  return files
    .listBelow(folder)
    .filter((file) => !/(^|\/)(\.|node_modules\/|package(-lock)?\.json$)/.test(file));
}

/** Runs an import. Turns an ImportError into a usage error, with the first finding of the files if there is one. */
function reportImportErrors(
  findings: readonly Finding[],
  { isCompared = false }: ImportSettings,
  runImport: () => Imported,
): Imported {
  try {
    return runImport();
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    const message = isCompared || error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
    throw new UsageError(findings[0] ? formatLocatedMessage(findings[0]) : message);
  }
}

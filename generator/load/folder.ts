import path from "node:path";
import { createErrorFinding, type Finding, type Location, type RuleId } from "../finding.js";
import { isObject } from "../json.js";
import { derivePayloadName, deriveResourceName } from "../protocol/names.js";
import type { Source } from "../source/source.js";
import type { Files } from "./files.js";

/** A schema file of a protocol folder, with the kind and name that follow from its path. */
export interface SchemaFile {
  readonly kind: "envelope" | "event" | "shared" | "resource";
  /** The name of the file without `.schema.json`. An event type has this name unless `x-type` states another one. */
  readonly name: string;
  readonly relative: string;
  readonly source: Source;
}

/** The subfolders with schemas, and the kind of their files. */
const FOLDERS = [
  { folder: "events", kind: "event" },
  { folder: "shared", kind: "shared" },
  { folder: "resources", kind: "resource" },
] as const;

/** Reads the schema files of the protocol folder `id`. `isComplete` is false if one of them could not be read. */
export function readSchemaFiles(
  files: Files,
  id: string,
): { files: SchemaFile[]; isComplete: boolean; findings: Finding[] } {
  const found: SchemaFile[] = [];
  let isComplete = true;
  const findings: Finding[] = [];
  const add = (relative: string, kind: SchemaFile["kind"], name: string): void => {
    const source = files.read(relative);
    if (source) found.push({ kind, name, relative, source });
    else isComplete = false;
  };
  const report = (relative: string, rule: RuleId, message: string): void => {
    findings.push(createErrorFinding(rule, message, { file: files.formatPath(relative), pointer: "" }));
  };
  const envelope = `${id}/envelope.schema.json`;
  if (files.has(envelope) || files.leadsOut(envelope)) add(envelope, "envelope", "envelope");
  else report(envelope, "envelope-missing", "The protocol has no envelope.schema.json.");
  for (const { folder, kind } of FOLDERS)
    for (const relative of files.listBelow(`${id}/${folder}`)) {
      const base = path.posix.basename(relative);
      if (base.startsWith(".")) continue;
      if (base.endsWith(".schema.json")) add(relative, kind, base.slice(0, -".schema.json".length));
      else report(relative, "file-unexpected", "The file is not named *.schema.json, so it is not read.");
    }
  const misplaced = "The schema is in none of the folders events, shared and resources, so it is not read.";
  for (const relative of files.listBelow(id))
    if (relative !== envelope && isMisplaced(relative.slice(id.length + 1)))
      report(relative, "file-unexpected", misplaced);
  return { files: found, isComplete, findings };
}

/** Returns the event type that a schema file of an event describes: its `x-type`, or else the name of the file. */
export function readEventType({ name, source }: Pick<SchemaFile, "name" | "source">): string {
  const statedType = isObject(source.document) ? source.document["x-type"] : undefined;
  return typeof statedType === "string" ? statedType : name;
}

/** Returns the place that states the event type: `x-type`, or else the whole file. */
export function locateEventType(file: SchemaFile): Location {
  return file.source.locate(readEventType(file) === file.name ? "" : "/x-type");
}

/** Returns the event types of the protocol folder `id`. */
export function listEventTypes(files: Files, id: string): string[] {
  return files
    .listBelow(`${id}/events`)
    .filter((relative) => relative.endsWith(".schema.json"))
    .map((relative) => {
      const name = path.posix.basename(relative, ".schema.json");
      const source = files.read(relative);
      return source === undefined ? name : readEventType({ name, source });
    });
}

function isMisplaced(relative: string): boolean {
  return (
    relative.endsWith(".schema.json") && !FOLDERS.some(({ folder }) => relative.startsWith(`${folder}/`))
  );
}

/** Returns the TypeScript name of a schema that is a whole file; undefined if the name is derived from the path. */
export function nameWholeFile(file: SchemaFile | undefined): string | undefined {
  if (file?.kind === "envelope") return "Envelope";
  if (file?.kind === "event") return derivePayloadName({ type: file.name });
  return file?.kind === "resource" ? deriveResourceName(file.name) : undefined;
}

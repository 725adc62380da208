/** Merges a new import into an existing protocol: what was added by hand stays, and everything else follows the source. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { lstatIfExists, toForwardSlashes } from "../io.js";
import { areEqual, createObject, getMembers, getOwn, isObject, type Json, type JsonObject } from "../json.js";
import type { OutputFile } from "../protocol/protocol.js";
import { getNextReleaseVersion } from "../protocol/version.js";
import { getKeywords } from "../schema/keywords.js";
import { OPEN_LIST } from "../schema/listed-values.js";
import { walk } from "../schema/walk.js";
import { joinFirst } from "../text.js";
import { IMPORTED_FILES, isDefaultText } from "./protocol-files.js";

/** The files of a protocol before it is imported again. */
interface ExistingProtocol {
  /** The folder below that of all schemas, such as `shop/v1`. */
  readonly id: string;
  /** The documents and texts by path below the folder of all schemas, without releases. */
  readonly files: ReadonlyMap<string, { readonly text: string; readonly document: Json }>;
  /** The version of the protocol, and the one under which a change of it is released. */
  readonly version: string;
  readonly nextVersion: string;
  /** The fields of the envelope. */
  readonly envelopeFields: ReadonlySet<string>;
}

/** Reads the protocol that is imported again. Throws a usage error if there is none, or if it is not readable. */
export function readExisting(schemas: string, id: string): ExistingProtocol {
  const folder = path.join(schemas, id);
  if (!lstatIfExists(path.join(folder, "protocol.json")))
    throw new UsageError(`${folder} holds no protocol to import again; import it without --again first.`);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map(({ parentPath, name }) => toForwardSlashes(path.join(path.relative(folder, parentPath), name)));
  const files = new Map(
    names
      .filter((name) => !name.startsWith("releases/"))
      .map((name) => [`${id}/${name}`, readDocument(path.join(folder, name))]),
  );
  const { version } = getMembers(files.get(`${id}/protocol.json`)?.document);
  const released = names.flatMap((name) => /^releases\/(\d+\.\d+)\.json$/.exec(name)?.[1] ?? []);
  const envelope = getMembers(files.get(`${id}/envelope.schema.json`)?.document);
  return {
    id,
    files,
    version: String(version),
    nextVersion: getNextReleaseVersion(String(version), released),
    envelopeFields: new Set(Object.keys(getMembers(envelope.properties))),
  };
}

function readDocument(file: string): { readonly text: string; readonly document: Json } {
  const text = readFileSync(file, "utf8");
  try {
    return { text, document: JSON.parse(text) };
  } catch {
    throw new UsageError(`${file} is not JSON; accrete lint prints the place.`);
  }
}

/** The files of an import that was merged, and what happened to those that existed. */
export interface MergedImport {
  readonly files: readonly OutputFile[];
  readonly notes: readonly string[];
  /** The names of the events whose fixtures stay, because neither their schemas nor shared ones changed. */
  readonly unchangedEvents: ReadonlySet<string>;
}

/**
 * Merges the files of a new import into those that exist. Annotations that the source does not state stay, as do open
 * enumerations and everything in protocol.json except for the envelope. A file whose content does not change keeps its text.
 */
export function mergeImport(created: readonly OutputFile[], existing: ExistingProtocol): MergedImport {
  const { id, files, version, nextVersion } = existing;
  const manifestPath = `${id}/protocol.json`;
  const lost: string[] = [];
  const merged = created
    .filter((file) => file.path !== manifestPath)
    .map((file): OutputFile => {
      const before = files.get(file.path);
      if (before === undefined) return file;
      const document = mergeSchema(JSON.parse(file.content), before.document, (pointer) =>
        lost.push(`${file.path}#${pointer}`),
      );
      return { ...file, content: formatLike(document, before) };
    });
  const writtenPaths = new Set(created.map((file) => file.path));
  const states = [
    ...merged.map((file) => ({ file: file.path, state: describeState(file, files.get(file.path)?.text) })),
    ...[...files.keys()]
      .filter((file) => !writtenPaths.has(file) && isImported(file, id))
      .map((file) => ({ file, state: "removed" })),
  ];
  const changed = states.filter(({ state }) => state !== "unchanged");
  const manifest = getMembers(files.get(manifestPath)?.document);
  const newManifest = getMembers(
    JSON.parse(created.find((file) => file.path === manifestPath)?.content ?? "{}"),
  );
  const mergedManifest = {
    ...manifest,
    version: changed.length > 0 ? nextVersion : version,
    envelope: { ...getMembers(manifest.envelope), ...getMembers(newManifest.envelope) },
  };
  const oldManifest = files.get(manifestPath) ?? { text: "", document: {} };
  const isEvent = (file: string): boolean => file.startsWith(`${id}/events/`);
  const unchanged = changed.every(({ file }) => isEvent(file))
    ? states.filter(({ state }) => state === "unchanged")
    : [];
  return {
    files: [{ path: manifestPath, content: formatLike(mergedManifest, oldManifest) }, ...merged],
    unchangedEvents: new Set(unchanged.map(({ file }) => path.posix.basename(file, ".schema.json"))),
    notes: [
      ...(changed.length === 0 ? ["nothing changed in the source"] : []),
      ...changed.map(({ file, state }) => `${state}: ${file}`),
      ...(changed.length > 0 && nextVersion !== version
        ? [`${version} is released, so the version in protocol.json is now ${nextVersion}`]
        : []),
      ...(lost.length > 0
        ? [`annotations were removed together with their places: ${joinFirst(lost, MAX_PLACES)}`]
        : []),
    ],
  };
}

/** The maximum number of places that a note lists. */
const MAX_PLACES = 10;

/** Returns whether an import wrote a file, so that one without a source is removed. */
export function isImported(file: string, id: string): boolean {
  return file.startsWith(`${id}/events/`) || IMPORTED_FILES.includes(file.slice(id.length + 1));
}

function describeState({ content }: OutputFile, before: string | undefined): string {
  if (before === undefined) return "new";
  return content === before ? "unchanged" : "changed";
}

/** Formats a document with the indentation and the order of members of its earlier text, which stays if nothing changed. */
function formatLike(
  value: Json,
  { text, document }: { readonly text: string; readonly document: Json },
): string {
  if (areEqual(value, document)) return text;
  const [, indentation = "  "] = /\n([ \t]+)"/.exec(text) ?? [];
  return `${JSON.stringify(orderLike(value, document), undefined, indentation)}\n`;
}

/** Returns the value with the members of its objects in the order of another value; new members follow. */
function orderLike(value: Json, model: Json): Json {
  if (Array.isArray(value))
    return value.map((item, index) =>
      orderLike(item, (Array.isArray(model) ? model[index] : undefined) ?? null),
    );
  if (!isObject(value)) return value;
  const known = getMembers(model);
  const names = new Set([
    ...Object.keys(known).filter((name) => Object.hasOwn(value, name)),
    ...Object.keys(value),
  ]);
  return createObject(
    [...names].map(
      (name) => [name, orderLike(getOwn(value, name) ?? null, getOwn(known, name) ?? null)] as const,
    ),
  );
}

/** Returns the new schema with the annotations and open enumerations of the old one, place by place. */
function mergeSchema(created: Json, before: Json, reportLost: (pointer: string) => void): Json {
  const annotated = new Map<string, JsonObject>();
  walk(before, (schema, pointer) => annotated.set(pointer, schema));
  const merged = structuredClone(created) as Json;
  const places = new Map<string, { [keyword: string]: Json }>();
  walk(merged, (schema, pointer) => places.set(pointer, schema as { [keyword: string]: Json }));
  for (const [pointer, old] of annotated) {
    const place = places.get(pointer);
    if (place === undefined) {
      if (Object.keys(old).some((name) => name.startsWith("x-"))) reportLost(pointer);
      continue;
    }
    for (const [name, value] of Object.entries(old)) {
      if (isKept(name, place)) place[name] = value;
    }
    // Lists that were opened by hand stay open, with the values of the source.
    if (old[OPEN_LIST] !== undefined && Array.isArray(place.enum) && place[OPEN_LIST] === undefined) {
      place[OPEN_LIST] = place.enum;
      delete place.enum;
    }
  }
  return merged;
}

/** Returns whether an old keyword replaces what the new schema says: an annotation that the source does not state. */
function isKept(name: string, created: JsonObject): boolean {
  if (name === "$schema" || name === "x-stability" || name === "x-since") return true;
  const facet = getKeywords().get(name)?.facet;
  if (facet !== "annotations" && !(facet === undefined && name.startsWith("x-"))) return false;
  const current = getOwn(created, name);
  return current === undefined || (typeof current === "string" && isDefaultText(name, current));
}

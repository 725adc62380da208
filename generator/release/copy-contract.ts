/** Copies the contract of a major version for the next one, and removes what a release has deprecated. */
import type { Name, NameIndex } from "../compat/history/released-names.js";
import type { Finding } from "../finding.js";
import {
  getOwn,
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  splitPointer,
  toJson,
} from "../json.js";
import { setInJson, setInManifest } from "../load/edit-json.js";
import { createFilesInMemory } from "../load/files.js";
import { loadFiles } from "../load/load.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import { TOOL_MEMBERS } from "../protocol/tool-members.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { type EventChanges, raiseVersion, removeField, type VersionChange } from "./adapt-events.js";

/** The major version that is copied. */
export interface EarlierMajor {
  readonly protocol: Protocol;
  /** The texts of its files without releases, by their paths below its folder. */
  readonly files: ReadonlyMap<string, string>;
  /** Its newest release. */
  readonly release: Protocol;
  /** The releases of all majors, oldest first. */
  readonly history: readonly Protocol[];
  readonly schemas: string;
}

/** A deprecated event type, or a deprecated field at one place of a schema file. */
export interface DeprecatedName {
  /** The names of the event type or field; a field of a shared schema has one for each event type. */
  readonly names: readonly [Name, ...Name[]];
}

/** A deprecated name that the next major version still has. */
interface KeptName extends DeprecatedName {
  readonly reason: string;
}

/** The contract of the next major version. */
export interface CopiedContract {
  readonly protocol: Protocol;
  /** The texts of its files by their paths below its folder. */
  readonly files: ReadonlyMap<string, string>;
  readonly removed: readonly DeprecatedName[];
  readonly kept: readonly KeptName[];
  readonly changes: EventChanges;
}

/** Copies a contract. Returns the errors if the copy does not load. */
export async function copyContract(earlier: EarlierMajor): Promise<CopiedContract | readonly Finding[]> {
  const { collectProtocolNames } = await import("../compat/history/released-names.js");
  const released = collectProtocolNames(earlier.release);
  let changes = createEventChanges(earlier);
  const drafted = copyFiles(earlier, changes);
  const draft = await loadCopy(earlier, drafted);
  if (!("protocol" in draft)) return draft.errors;
  let files: ReadonlyMap<string, string> = drafted;
  const removed: DeprecatedName[] = [];
  const kept: KeptName[] = [];
  for (const { names } of listDeprecatedNames(draft.protocol, collectProtocolNames)) {
    const isAnnounced = released.find(names[0])?.deprecated === true;
    const result: Removal | { readonly reason: string } = isAnnounced
      ? await tryRemoval({ earlier, files, changes, names })
      : { reason: `release ${earlier.release.version} does not deprecate it` };
    if ("reason" in result) kept.push({ names, reason: result.reason });
    else {
      ({ files, changes } = result);
      removed.push({ names });
    }
  }
  const reduced = await loadCopy(earlier, files);
  if (!("protocol" in reduced)) return reduced.errors;
  const tombstones = await createTombstones(reduced.protocol, earlier);
  const upcast = {
    from: earlier.protocol.major,
    steps: toJson(listUpcastSteps(reduced.protocol, removed, changes)),
  };
  const manifest = tombstones.reduce(
    (text, tombstone) => setInManifest(text, "tombstones", undefined, tombstone),
    files.get("protocol.json") ?? "",
  );
  const finished = new Map(files).set("protocol.json", setInJson(manifest, ["upcasts"], [upcast]));
  const loaded = await loadCopy(earlier, finished);
  if (!("protocol" in loaded)) return loaded.errors;
  return { protocol: loaded.protocol, files: finished, removed, kept, changes };
}

/** Returns the differences that follow from the declared version field. */
function createEventChanges({ protocol, files }: EarlierMajor): EventChanges {
  const manifest = JSON.parse(files.get("protocol.json") ?? "");
  const stated = manifest.envelope.version;
  const version = stated && {
    field: stated.field,
    from: stated.value,
    to: stated.value.replace(/^(v?)\d+/, `$1${protocol.major + 1}`),
  };
  const { discriminator } = protocol.envelope;
  return { discriminator, ...(version && { version }), removedTypes: [], removedFields: [] };
}

/** Returns the files with the next major version in protocol.json, in the envelope and in examples. */
function copyFiles({ protocol, files }: EarlierMajor, changes: EventChanges): Map<string, string> {
  const { version } = changes;
  const major = protocol.major + 1;
  const copied = new Map(
    [...files].map(([file, text]) => [file, mapExamples(text, (example) => raiseVersion(example, changes))]),
  );
  const edits: (readonly [path: readonly string[], value: Json | undefined])[] = [
    [["major"], major],
    [["version"], `${major}.0`],
    [["waivers"], undefined],
    [["withdrawn"], undefined],
    [["upcasts"], undefined],
  ];
  if (version) {
    edits.push([["envelope", "version", "value"], version.to]);
    const envelope = copied.get("envelope.schema.json") ?? "";
    copied.set("envelope.schema.json", raiseVersionInSchema(envelope, version));
    const rowValue = getValueAtPointer(
      JSON.parse(files.get("protocol.json") ?? ""),
      joinPointer("/rows/values", version.field),
    );
    if (rowValue === version.from) edits.push([["rows", "values", version.field], version.to]);
  }
  const manifest = copied.get("protocol.json") ?? "";
  return copied.set(
    "protocol.json",
    edits.reduce(
      (text, [path, value]) =>
        value === undefined && !Object.hasOwn(JSON.parse(text), path[0] ?? "")
          ? text
          : setInJson(text, [...path], value),
      manifest,
    ),
  );
}

/** Changes the only value of the version field, if the envelope itself states it. Otherwise the lint rules report it. */
function raiseVersionInSchema(envelope: string, { field, from, to }: VersionChange): string {
  const document: Json = JSON.parse(envelope);
  const places = [joinPointer("/properties", field, "const"), joinPointer("/properties", field, "enum", 0)];
  const place = places.find((each) => getValueAtPointer(document, each) === from);
  return place === undefined ? envelope : setAtPointer(envelope, place, to);
}

/** Returns the text of a schema with its examples changed. */
function mapExamples(text: string, change: (example: Json) => Json): string {
  const document: Json = JSON.parse(text);
  const examples = isObject(document) ? getOwn(document, "examples") : undefined;
  if (!Array.isArray(examples)) return text;
  const changed = examples.map(change);
  return JSON.stringify(changed) === JSON.stringify(examples) ? text : setInJson(text, ["examples"], changed);
}

/** Loads files as the next major version, beside the earlier one. */
async function loadCopy(
  { protocol: { name, major }, files: earlierFiles, schemas }: EarlierMajor,
  files: ReadonlyMap<string, string>,
): Promise<{ readonly protocol: Protocol } | { readonly errors: readonly Finding[] }> {
  const id = `${name}/v${major + 1}`;
  const place = (folder: string, texts: ReadonlyMap<string, string>) =>
    [...texts].map(([file, content]) => ({ path: `${folder}/${file}`, content }));
  const inMemory = createFilesInMemory(schemas, [
    ...place(`${name}/v${major}`, earlierFiles),
    ...place(id, files),
  ]);
  const { protocols, findings } = await loadFiles(inMemory, schemas, [id]);
  const [protocol] = protocols;
  return protocol ? { protocol } : { errors: findings.filter(({ severity }) => severity === "error") };
}

/** Returns the deprecated event types and fields, without those inside of others. A place of a file is listed once. */
function listDeprecatedNames(
  protocol: Protocol,
  collectNames: (protocol: Protocol) => NameIndex,
): DeprecatedName[] {
  const deprecated = [...collectNames(protocol).listed.values()].filter((name) => name.deprecated);
  const isInside = (name: Name): boolean =>
    name.kind !== "event" &&
    deprecated.some(
      (other) =>
        other !== name &&
        other.event === name.event &&
        (other.kind === "event" || `${name.path}/`.startsWith(`${other.path}/${other.name}/`)),
    );
  const bySpot = new Map<string, [Name, ...Name[]]>();
  for (const name of deprecated.filter((each) => !isInside(each))) {
    const key = `${name.kind} ${name.spot.file}#${name.spot.pointer}`;
    const group = bySpot.get(key);
    if (group) group.push(name);
    else bySpot.set(key, [name]);
  }
  return [...bySpot.values()].map((names) => ({ names }));
}

/** A contract after a removal. */
interface Removal {
  readonly files: ReadonlyMap<string, string>;
  readonly changes: EventChanges;
}

/** The largest number of places that declare one field: branches of a schema, for instance. */
const MAX_PLACES = 20;

/** Removes a name everywhere, or returns why the contract has errors without it. */
async function tryRemoval({
  earlier,
  files,
  changes,
  names,
}: Removal & DeprecatedName & { readonly earlier: EarlierMajor }): Promise<
  Removal | { readonly reason: string }
> {
  const { collectProtocolNames } = await import("../compat/history/released-names.js");
  const [first] = names;
  const nextChanges: EventChanges =
    first.kind === "event"
      ? { ...changes, removedTypes: [...changes.removedTypes, first.name] }
      : {
          ...changes,
          removedFields: [
            ...changes.removedFields,
            ...names.map(({ event, path, name }) => ({ event, path, name })),
          ],
        };
  const folder = `${earlier.protocol.name}/v${earlier.protocol.major + 1}/`;
  let current = files;
  let remaining: Name | undefined = first;
  for (let places = 0; remaining !== undefined && places < MAX_PLACES; places++) {
    const file = remaining.spot.file.slice(remaining.spot.file.lastIndexOf(folder) + folder.length);
    current =
      first.kind === "event"
        ? removeEventFile(current, file, first.name)
        : removeFieldAt(current, file, remaining);
    const loaded = await loadCopy(earlier, dropFieldsFromExamples(current, earlier.protocol, names));
    if (!("protocol" in loaded)) {
      const [error] = loaded.errors;
      return { reason: error ? `${error.at.file} ${error.at.pointer}: ${error.message}` : "" };
    }
    const present = collectProtocolNames(loaded.protocol);
    remaining = names.map((name) => present.find(name)).find((name) => name !== undefined);
  }
  if (remaining !== undefined) return { reason: "too many places declare it" };
  return { files: dropFieldsFromExamples(current, earlier.protocol, names), changes: nextChanges };
}

/** Removes the file of an event type, and the type from lists of protocol.json. */
function removeEventFile(
  files: ReadonlyMap<string, string>,
  file: string,
  type: string,
): Map<string, string> {
  const rest = new Map([...files].filter(([path]) => path !== file));
  const manifest = rest.get("protocol.json") ?? "";
  const document = JSON.parse(manifest);
  const mentions = ["stream", ...TOOL_MEMBERS].flatMap((member) =>
    listMentions(document[member] ?? null, type, `/${member}`),
  );
  // The last mention is removed first, so that the pointers of the others stay right.
  return rest.set(
    "protocol.json",
    mentions.reverse().reduce((text, pointer) => setAtPointer(text, pointer), manifest),
  );
}

/**
 * Returns the pointers of the items of lists and the members that are about an event type, in the order of the document. A
 * list or object that would become empty is returned itself.
 */
function listMentions(value: Json, type: string, pointer = ""): string[] {
  const isMention = (key: string, child: Json): boolean =>
    Array.isArray(value) ? child === type || (isObject(child) && child.type === type) : key === type;
  const children = isObject(value) || Array.isArray(value) ? Object.entries<Json>({ ...value }) : [];
  const mentions = children.flatMap(([key, child]) =>
    isMention(key, child)
      ? [joinPointer(pointer, key)]
      : listMentions(child, type, joinPointer(pointer, key)),
  );
  const isEmptied =
    children.length > 0 && children.every(([key]) => mentions.includes(joinPointer(pointer, key)));
  return isEmptied ? [pointer] : mentions;
}

/** Removes the property that a name stands for, and its name from the required ones. */
function removeFieldAt(
  files: ReadonlyMap<string, string>,
  file: string,
  { name, spot: { pointer } }: Name,
): Map<string, string> {
  const text = files.get(file) ?? "";
  const owner = pointer.slice(0, pointer.lastIndexOf("/properties/"));
  const required = getValueAtPointer(JSON.parse(text), `${owner}/required`);
  const withoutField = setAtPointer(text, pointer);
  if (!Array.isArray(required) || !required.includes(name)) return new Map(files).set(file, withoutField);
  const place = required.length === 1 ? `${owner}/required` : `${owner}/required/${required.indexOf(name)}`;
  return new Map(files).set(file, setAtPointer(withoutField, place));
}

/** Removes fields from the examples of payloads. */
function dropFieldsFromExamples(
  files: ReadonlyMap<string, string>,
  { envelope, events }: Protocol,
  names: readonly Name[],
): Map<string, string> {
  const changed = new Map(files);
  for (const { kind, event: type, path, name } of names) {
    const event = events.find((each) => each.type === type);
    if (kind !== "field" || event === undefined) continue;
    const carrier = findPayloadCarrier(envelope, event);
    const inPayload = splitPointer(path).slice(carrier === undefined ? 0 : 1);
    const file = `events/${event.name ?? event.type}.schema.json`;
    const text = changed.get(file);
    if (text !== undefined)
      changed.set(
        file,
        mapExamples(text, (example) => removeField(example, inPayload, name)),
      );
  }
  return changed;
}

/** Returns a JSON text with the value at a pointer replaced, or removed if there is none. */
function setAtPointer(text: string, pointer: string, value?: Json): string {
  const document: Json = JSON.parse(text);
  const parts = splitPointer(pointer);
  const path = parts.map((part, depth) =>
    Array.isArray(getValueAtPointer(document, joinPointer("", ...parts.slice(0, depth))))
      ? Number(part)
      : part,
  );
  return setInJson(text, path, value);
}

/**
 * Returns a tombstone for each name of a release that the contract does not have: the removed ones, and those that a hotfix
 * added to an older major.
 */
async function createTombstones(protocol: Protocol, { history }: EarlierMajor): Promise<JsonObject[]> {
  const [{ formatTombstonePlace }, { collectReleasedNames }, { coversName }, { findRemovedNames }] =
    await Promise.all([
      import("../compat/advice.js"),
      import("../compat/history/collect-released-names.js"),
      import("../compat/history/released-names.js"),
      import("../compat/history/removed-names.js"),
    ]);
  const releasedNames = collectReleasedNames(protocol, [], history);
  return findRemovedNames({ releasedNames, changes: [], current: protocol })
    .filter(({ name }) => !protocol.tombstones.some((tombstone) => coversName(tombstone, name)))
    .map(({ name, version }) => ({
      kind: name.kind,
      name: name.name,
      ...(name.kind !== "event" && { in: formatTombstonePlace(name, protocol) }),
      removedIn: protocol.version,
      ...(typeof name.replacedBy === "string" && { replacedBy: name.replacedBy }),
      reason:
        name.deprecatedSince === undefined
          ? `Not in ${protocol.id}; last in ${version.label}.`
          : `Deprecated since ${name.deprecatedSince}.`,
    }));
}

/** Returns the steps that follow from the version field and from replacements of the same contract. */
function listUpcastSteps(
  { events }: Protocol,
  removed: readonly DeprecatedName[],
  { version }: EventChanges,
): UpcastStep[] {
  const steps: UpcastStep[] = [];
  if (version)
    steps.push({
      step: "constant",
      to: joinPointer("", version.field),
      value: version.to,
      replaces: version.from,
    });
  for (const { kind, event, path, name, replacedBy } of removed.flatMap(({ names }) => names)) {
    if (typeof replacedBy !== "string") continue;
    const isFieldName = kind === "field" && /^[\w-]+$/.test(replacedBy);
    if (isFieldName)
      steps.push({
        step: "move",
        ...(event !== "" && { types: [event] }),
        from: path + joinPointer("", name),
        to: path + joinPointer("", replacedBy),
        // While a field is deprecated, writers send it together with its replacement.
        alias: true,
      });
    if (kind === "event" && events.some(({ type }) => type === replacedBy))
      steps.push({ step: "rename-type", types: [name], to: replacedBy });
  }
  return steps;
}

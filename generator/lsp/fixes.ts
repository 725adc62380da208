/** Proposes edits that fix findings. Whether an edit makes the findings better is checked by who offers it. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Finding, RuleId } from "../finding.js";
import {
  getMembers,
  getOwn,
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  listItems,
} from "../json.js";
import { setInManifest } from "../load/edit-json.js";
import { readJsonFile } from "../load/read-bytes.js";
import { readReleases } from "../load/releases/release-history.js";
import { getEventName } from "../protocol/names.js";
import type { Protocol } from "../protocol/protocol.js";
import { getNextReleaseVersion } from "../protocol/version.js";
import { makeFixtures } from "../sample/make-fixtures.js";
import { findField, findInVersion, findPart, getFieldPointer, locatePlace } from "./parts.js";
import { readText, renameMember, setAtPointer, type Texts } from "./texts.js";

/** An edit that may fix a finding. */
export interface Fix {
  readonly title: string;
  readonly texts: Texts;
}

/** A protocol and the folders of its project. */
export interface Project {
  readonly schemas: string;
  readonly fixtures: string;
  readonly protocol: Protocol;
}

/** A finding, with the missing tombstones of one that is about them, and its event types if it comes from a comparison. */
export interface FixableFinding extends Finding {
  readonly tombstones?: readonly JsonObject[];
  readonly events?: readonly string[];
}

type ProposeFix = (finding: FixableFinding, project: Project) => Fix | undefined;

/** What may fix the findings of each rule. */
const FIXES: { readonly [rule in RuleId]?: ProposeFix } = {
  "tombstone-missing": addTombstones,
  "field-removed-optional": restoreField,
  "field-removed-required": restoreField,
  "field-renamed": restoreField,
  "event-removed": restoreEvent,
  "field-added-required": makeOptional,
  "enum-closed": openEnum,
  "enum-value-added-closed": openEnum,
  "version-bump-insufficient": raiseVersion,
  "fixture-incomplete": addFixtures,
};

/** Returns the edit that may fix a finding; undefined if there is none. */
export function proposeFix(finding: FixableFinding, project: Project): Fix | undefined {
  return Object.hasOwn(FIXES, finding.rule) ? FIXES[finding.rule as RuleId]?.(finding, project) : undefined;
}

/** Collects changes of files. A change gets the text that earlier ones have left. */
export function startEdit() {
  const texts = new Map<string, string>();
  const edit = (file: string, change: (text: string) => string): void =>
    void texts.set(file, change(texts.get(file) ?? readText(file) ?? ""));
  const set = (file: string, pointer: string, value: Json | undefined): void =>
    edit(file, (text) => setAtPointer(text, pointer, value));
  return { texts, edit, set };
}

/** Returns the version under which the contract will be released next. */
function findNextVersion({ schemas, protocol: { name, major, version } }: Project): string {
  const { releases } = readReleases(schemas, name);
  const own = releases.filter((release) => release.protocol.major === major);
  return getNextReleaseVersion(
    version,
    own.map((release) => release.version),
  );
}

/** Gives protocol.json the version under which the contract will be released next, and returns that. */
export function setNextVersion(project: Project, edits: ReturnType<typeof startEdit>): string {
  const next = findNextVersion(project);
  if (next !== project.protocol.version) edits.set(project.protocol.at.file, "/version", next);
  return next;
}

/** Marks the schema at a pointer as deprecated in `since`. A replacement of null states that nothing replaces it. */
export function createDeprecation(since: string, replacedBy: string | null): JsonObject {
  return { deprecated: true, "x-deprecated-since": since, "x-replaced-by": replacedBy };
}

function raiseVersion(_finding: FixableFinding, project: Project): Fix {
  const edits = startEdit();
  const next = setNextVersion(project, edits);
  return { title: `Raise the version to ${next}`, texts: edits.texts };
}

function addTombstones({ tombstones = [] }: FixableFinding, project: Project): Fix | undefined {
  if (tombstones.length === 0) return undefined;
  const { texts, edit } = startEdit();
  for (const tombstone of tombstones)
    edit(project.protocol.at.file, (text) => setInManifest(text, "tombstones", undefined, tombstone));
  const title = tombstones.length === 1 ? "Add a tombstone" : `Add ${tombstones.length} tombstones`;
  return { title, texts };
}

/** Restores a field of a release as deprecated. Of a renamed field, the new name stays beside the old one. */
function restoreField({ rule, at, baseline }: FixableFinding, project: Project): Fix | undefined {
  const { schemas, protocol } = project;
  const released = baseline && readReleases(schemas, protocol.name).releases;
  const before = baseline && findPart(released?.map((release) => release.protocol) ?? [], baseline);
  const field = before && findField(before.pointer);
  const target = field && findInVersion(protocol, { ...before, pointer: field.object });
  const old = field && getValueAtPointer(before.part.schema, getFieldPointer(field));
  if (!target || !isObject(target.schema) || !isObject(old)) return undefined;
  const { name } = field;
  const replacedBy = rule === "field-renamed" ? (findField(at.pointer)?.name ?? null) : null;
  const { file, pointer } = locatePlace(target);
  const restored = replaceReferences(old, file, protocol);
  if (restored === undefined) return undefined;
  const edits = startEdit();
  const next = setNextVersion(project, edits);
  edits.set(file, joinPointer(pointer, "properties", name), {
    ...(restored as JsonObject),
    ...createDeprecation(next, replacedBy),
  });
  const holder = getMembers(getValueAtPointer(before.part.schema, field.object));
  const required = listItems(target.schema.required).filter((each) => each !== replacedBy);
  const isRequired = listItems(holder.required).includes(name);
  if (target.schema.required !== undefined || isRequired)
    edits.set(file, joinPointer(pointer, "required"), [...required, ...(isRequired ? [name] : [])]);
  if (replacedBy !== null)
    edits.set(file, joinPointer(pointer, "properties", replacedBy, "x-renamed-from"), name);
  for (const [index, example] of listItems(target.schema.examples).entries()) {
    const value =
      getOwn(getMembers(example), replacedBy ?? name) ??
      getOwn(getMembers(listItems(holder.examples)[index]), name);
    if (value !== undefined) edits.set(file, joinPointer(pointer, "examples", index, name), value);
  }
  return { title: `Restore ${JSON.stringify(name)}, deprecated`, texts: edits.texts };
}

/** Restores an event type of a release as deprecated, in a file of its own. */
function restoreEvent({ events = [] }: FixableFinding, project: Project): Fix | undefined {
  const { schemas, protocol } = project;
  const [type] = events;
  const released = readReleases(schemas, protocol.name).releases.findLast(
    (release) => release.protocol.major === protocol.major,
  );
  const event = released?.protocol.events.find((each) => each.type === type);
  if (event === undefined || events.length !== 1) return undefined;
  const file = path.posix.join(schemas, protocol.id, "events", `${getEventName(event)}.schema.json`);
  const restored = replaceReferences(event.payload, file, protocol);
  if (restored === undefined || existsSync(file)) return undefined;
  const edits = startEdit();
  const next = setNextVersion(project, edits);
  const statedType = getEventName(event) === event.type ? {} : { "x-type": event.type };
  const schema = { ...(restored as JsonObject), ...statedType, ...createDeprecation(next, null) };
  const text = `${JSON.stringify(schema, undefined, 2)}\n`;
  return {
    title: `Restore ${JSON.stringify(type)}, deprecated`,
    texts: new Map([...edits.texts, [file, text]]),
  };
}

/** Makes references to definitions lead to the files that hold them. Returns undefined if one of them is gone. */
function replaceReferences(value: Json, file: string, { definitions }: Protocol): Json | undefined {
  let isComplete = true;
  const replace = (name: string, member: Json): Json => {
    if (name !== "$ref" || typeof member !== "string") return visit(member);
    const target = getOwn(definitions, member.replace(/^#\/\$defs\//, ""));
    if (target === undefined) isComplete = false;
    const { at } = target ?? { at: { file, pointer: "" } };
    const relative = at.file === file ? "" : path.posix.relative(path.posix.dirname(file), at.file);
    return at.pointer === "" && relative !== "" ? relative : `${relative}#${at.pointer}`;
  };
  const visit = (each: Json): Json => {
    if (Array.isArray(each)) return each.map(visit);
    if (!isObject(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [name, replace(name, member)]));
  };
  const replaced = visit(value);
  return isComplete ? replaced : undefined;
}

function makeOptional({ at }: FixableFinding): Fix | undefined {
  const field = findField(at.pointer);
  if (field === undefined) return undefined;
  const pointer = joinPointer(field.object, "required");
  const names = listItems(getValueAtPointer(readJsonFile(at.file).document, pointer));
  if (!names.includes(field.name)) return undefined;
  const { texts, set } = startEdit();
  const rest = names.filter((name) => name !== field.name);
  set(at.file, pointer, rest.length > 0 ? rest : undefined);
  return { title: `Make ${JSON.stringify(field.name)} optional`, texts };
}

function openEnum({ at }: FixableFinding): Fix | undefined {
  const schema = at.pointer.replace(/\/enum$/, "");
  const list = getOwn(getMembers(getValueAtPointer(readJsonFile(at.file).document, schema)), "enum");
  if (list === undefined) return undefined;
  const { texts, edit } = startEdit();
  edit(at.file, (text) => renameMember(text, `${schema}/enum`, "x-extensible-enum"));
  return { title: "Mark the enum as open", texts };
}

/** Adds the fixtures that an event type lacks. */
function addFixtures({ at }: FixableFinding, { fixtures, protocol }: Project): Fix | undefined {
  const event = protocol.events.find((each) => each.at.file === at.file);
  if (event === undefined) return undefined;
  const hasFixture = (folder: string): boolean => {
    const file = path.join(fixtures, protocol.id, folder);
    return existsSync(file) && readdirSync(file).some((name) => name.endsWith(".json"));
  };
  const { files } = makeFixtures({ ...protocol, events: [event] }, hasFixture);
  if (files.length === 0) return undefined;
  const texts = new Map(files.map((file) => [path.posix.join(fixtures, file.path), file.content]));
  return { title: `Add ${files.length === 1 ? "a fixture" : "fixtures"} of ${event.type}`, texts };
}

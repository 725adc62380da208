/**
 * Plans how events of an earlier version become events of a later one. Every step has a reason in the contracts: a declared
 * step, a declared rename, a replacement, a role of the layout, a default, or the only value that a field may have.
 */
import { createView } from "../compat/diff/view.js";
import { collectProtocolNames, coversName, type Name } from "../compat/history/released-names.js";
import { getItem } from "../get-item.js";
import { groupBy } from "../group-by.js";
import { formatCanonicalJson, type Json, toJson } from "../json.js";
import { coversType, isFamilyName } from "../protocol/event-families.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { EventType, Protocol, Stream, Tombstone } from "../protocol/protocol.js";
import { enterList, listPlaces, matchesType, type UpcastStep } from "../protocol/upcast.js";
import { createSpot, type Spot } from "../schema/describe.js";
import { findFixedValue, mergeFields, readAnnotation } from "../schema/merge.js";
import { findMemberRenames, type MemberRename, orderRenames } from "./member-renames.js";
import { findNewType } from "./upcast-event.js";

/** A step, and the statement of the contracts from which it follows. */
interface PlannedStep {
  readonly step: UpcastStep;
  readonly reason: string;
}

/** The steps, and the differences for which the contracts state no step. */
export interface UpcastPlan {
  readonly steps: readonly PlannedStep[];
  /** Declared replacements that no step can carry out, as sentences. */
  readonly gaps: readonly string[];
}

/** Plans the steps from `from` to `to`. The declared ones come first. */
export function planUpcast(from: Protocol, to: Protocol): UpcastPlan {
  const declaration = to.upcasts?.find((each) => each.from === from.major && from.major !== to.major);
  const declared = (declaration?.steps ?? []).map((step) => ({ step, reason: "upcasts of protocol.json" }));
  const declaredSteps = declared.map(({ step }) => step);
  const gaps: string[] = [];
  const typeSteps = planTypes(from, to, declaredSteps);
  const newTypes = [...declaredSteps, ...typeSteps.map(({ step }) => step)];
  const fieldSteps = from.events.flatMap((event): PlannedStep[] => {
    const newType = findNewType(event.type, newTypes);
    const target = to.events.find(({ type }) => type === newType);
    if (target === undefined) return [];
    const pair: EventPair = { from, to, event, target };
    const names = planNames(pair, gaps);
    const planned = [...planLayout(pair), ...names, ...planRequiredFields(pair, names)];
    return planned
      .filter(({ step }) => !declaredSteps.some((other) => concernSamePlace(step, other, event.type)))
      .map(({ step, reason }) => ({ step: { ...step, types: [event.type] }, reason }));
  });
  return {
    steps: [...declared, ...typeSteps, ...mergeTypes(fieldSteps, from)],
    gaps: [...new Set(gaps)],
  };
}

/** Returns the steps that give events of removed types the types that replace them. */
function planTypes(from: Protocol, to: Protocol, declared: readonly UpcastStep[]): PlannedStep[] {
  const types = new Set(to.events.map(({ type }) => type));
  return from.events.flatMap((event): PlannedStep[] => {
    if (types.has(event.type) || findNewType(event.type, declared) !== event.type) return [];
    const replacement = findReplacingType(event, to);
    if (replacement === undefined || !types.has(replacement.type)) return [];
    const step: UpcastStep = { step: "rename-type", types: [event.type], to: replacement.type };
    return [{ step, reason: replacement.reason }];
  });
}

function findReplacingType(
  event: EventType,
  to: Protocol,
): { readonly type: string; readonly reason: string } | undefined {
  const renamed = to.events.filter(({ renamedFrom }) => renamedFrom === event.type);
  const [only, ...others] = renamed;
  if (only && others.length === 0) return { type: only.type, reason: `x-renamed-from of ${only.type}` };
  // Several types have the old name, so only a declared step says which of them an event gets.
  if (only) return undefined;
  const tombstone = to.tombstones.find(({ kind, name }) => kind === "event" && coversType(name, event.type));
  const type = tombstone && resolveFamily(tombstone, event.type);
  if (type !== undefined) return { type, reason: `tombstone of ${tombstone?.name}` };
  const replacedBy = event.deprecated?.replacedBy;
  return typeof replacedBy === "string"
    ? { type: replacedBy, reason: `x-replaced-by of ${event.type}` }
    : undefined;
}

/** Returns the type that replaces one of a family: `turn.*` replaced by `call.*` makes `call.started` of `turn.started`. */
function resolveFamily({ name, replacedBy }: Tombstone, type: string): string | undefined {
  if (replacedBy === undefined || !isFamilyName(replacedBy)) return replacedBy;
  return isFamilyName(name) ? replacedBy.slice(0, -1) + type.slice(name.length - 1) : undefined;
}

/** An event type of the earlier version, and the one that its events get. */
interface EventPair {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly event: EventType;
  readonly target: EventType;
}

/** The members of `stream` that name one envelope field each. */
const STREAM_ROLES = ["sequence", "id", "time"] as const satisfies readonly (keyof Stream)[];

/** Returns the steps for names of the layout that differ: fields with a role, and the place of the payload. */
function planLayout({ from, to, event, target }: EventPair): PlannedStep[] {
  const roles = STREAM_ROLES.flatMap((role): PlannedStep[] =>
    moveRole(from.stream?.[role], to.stream?.[role], `stream.${role} of protocol.json`),
  );
  const discriminator = moveRole(
    from.envelope.discriminator,
    to.envelope.discriminator,
    "envelope.discriminator of protocol.json",
  );
  return [...roles, ...discriminator, ...movePayload(from, to, event, target)];
}

function moveRole(old: string | undefined, now: string | undefined, reason: string): PlannedStep[] {
  if (old === undefined || now === undefined || old === now) return [];
  return [{ step: { step: "move", from: `/${old}`, to: `/${now}` }, reason }];
}

/** Returns the steps that move the payload from its old place to the new one. */
function movePayload(from: Protocol, to: Protocol, event: EventType, target: EventType): PlannedStep[] {
  const [old, now] = [findPayloadPath(from, event), findPayloadPath(to, target)];
  const reason = "envelope.payload of protocol.json";
  if (old === now) return [];
  if (old !== "" && now !== "") return [{ step: { step: "move", from: old, to: now }, reason }];
  const names = collectNames(from, event).filter(({ event: holder, path }) => holder !== "" && path === old);
  const moves = names
    .filter(({ kind }) => kind === "field")
    .map(({ name }): PlannedStep => {
      return { step: { step: "move", from: `${old}/${name}`, to: `${now}/${name}` }, reason };
    });
  return now === "" ? moves : [...moves, { step: { step: "default", to: now, value: {} }, reason }];
}

/** Returns the pointer to the payload: "" if its fields are beside those of the envelope. */
function findPayloadPath({ envelope }: Protocol, event: EventType): string {
  const carrier = findPayloadCarrier(envelope, event);
  return carrier === undefined ? "" : `/${carrier}`;
}

/** Returns the names of the envelope and of one event type. Pointers to them need no escapes. */
function collectNames(protocol: Protocol, { type }: EventType): Name[] {
  return [...collectProtocolNames(protocol).listed.values()].filter(
    ({ kind, event, name }) =>
      (kind === "value" || (kind === "field" && !/[/~]/.test(name))) && (event === "" || event === type),
  );
}

/** Returns the steps for declared renames and replacements of fields and values. */
function planNames(pair: EventPair, gaps: string[]): PlannedStep[] {
  const { from, to, event, target } = pair;
  const olds = collectNames(from, event);
  const news = collectNames(to, target);
  const findName = (
    names: readonly Name[],
    kind: string,
    path: string | undefined,
    name: string,
  ): Name | undefined => names.find((each) => each.kind === kind && each.path === path && each.name === name);
  const oldPaths: OldPaths = new Map([[findPayloadPath(to, target), findPayloadPath(from, event)]]);
  const steps: PlannedStep[] = [];
  const moved = new Set<Name>();
  const add = (old: Name, step: UpcastStep, reason: string): void => {
    moved.add(old);
    if (listPlaces(step).some((place) => place.includes("/*")) && enterList(step).step !== "each")
      gaps.push(`${event.type}: ${reason} leads out of a list or into one, which no step does.`);
    else steps.push({ step, reason });
  };
  const fields = news.filter(({ kind }) => kind === "field");
  const objects = [...groupBy(fields, ({ path }) => path)];
  // The names of an object change before those in its members.
  for (const [path, members] of objects.sort(([a], [b]) => a.split("/").length - b.split("/").length)) {
    const oldPath = findOldPath(path, oldPaths);
    const oldMembers = olds.filter((each) => each.kind === "field" && each.path === oldPath);
    const { renames, repeated, added } = findMemberRenames(oldMembers, members);
    for (const { name } of added) oldPaths.set(`${path}/${name}`, undefined);
    for (const { old, now } of renames) oldPaths.set(`${path}/${now.name}`, `${oldPath}/${old.name}`);
    const keptMembers = oldMembers.filter((member) => !renames.some(({ old }) => old === member));
    const isTaken = (name: string): boolean =>
      [...oldMembers, ...members].some((member) => member.name === name);
    for (const { from: source, to: place, rename } of orderRenames(renames, isTaken))
      add(
        rename.old,
        createMove(`${path}/${source}`, `${path}/${place}`, isAlias(rename, keptMembers, to)),
        `x-renamed-from of ${rename.now.name}`,
      );
    for (const { old, now } of repeated)
      gaps.push(
        `${event.type}: x-renamed-from of ${now.name} names ${old.name}, which has another new name.`,
      );
  }
  for (const old of olds) {
    const path = findNewPath(old.path, oldPaths);
    if (moved.has(old) || findName(news, old.kind, path, old.name) !== undefined) continue;
    const replacement = findReplacement(old, to) ?? findOnlyValue(old, news, path);
    if (replacement === undefined) continue;
    const { text, reason } = replacement;
    if (old.kind === "value") {
      const isKnown = old.meaning() === "string" && findName(news, "value", path, text) !== undefined;
      const step: UpcastStep = { step: "map", at: path, values: { [old.name]: text } };
      if (isKnown) add(old, step, reason);
      continue;
    }
    const place = text.startsWith("/") ? text : `${path}/${text}`;
    const [parent, name] = [place.slice(0, place.lastIndexOf("/")), place.slice(place.lastIndexOf("/") + 1)];
    const hasBoth = findName(olds, "field", findOldPath(parent, oldPaths), name) !== undefined;
    if (findName(news, "field", parent, name) !== undefined)
      add(old, createMove(`${path}/${old.name}`, place, hasBoth), reason);
    else gaps.push(`${event.type}: ${reason} names ${text}, which is not a field there.`);
  }
  return steps;
}

/**
 * Paths of the earlier version by those of the later one, as far as objects were renamed; undefined for an object that the
 * earlier version has under no name.
 */
type OldPaths = Map<string, string | undefined>;

/** Returns the path of the earlier version for one of the later version; undefined if there is none. */
function findOldPath(path: string, oldPaths: OldPaths): string | undefined {
  if (oldPaths.has(path)) return oldPaths.get(path);
  if (path === "") return path;
  const slash = path.lastIndexOf("/");
  const parent = findOldPath(path.slice(0, slash), oldPaths);
  return parent === undefined ? undefined : parent + path.slice(slash);
}

/** Returns whether the earlier version has a field under both names, and a statement that both hold the same thing. */
function isAlias({ old, now }: MemberRename, keptMembers: readonly Name[], to: Protocol): boolean {
  const other = keptMembers.find(({ name }) => name === now.name);
  if (other === undefined) return false;
  return other.renamedFrom === old.name || findReplacement(old, to)?.text === now.name;
}

function createMove(from: string, to: string, isAlias: boolean): UpcastStep {
  return isAlias ? { step: "move", from, to, alias: true } : { step: "move", from, to };
}

/** Returns the path of the later version for one of the earlier version. */
function findNewPath(oldPath: string, oldPaths: OldPaths): string {
  let [best, length] = [oldPath, -1];
  for (const [now, old] of oldPaths)
    if (
      old !== undefined &&
      `${oldPath}/`.startsWith(`${old}/`) &&
      old.length > length &&
      (old !== "" || now === "")
    )
      [best, length] = [now + oldPath.slice(old.length), old.length];
  return best;
}

/** What to use instead of a name, and the statement that says so. */
interface Replacement {
  readonly text: string;
  readonly reason: string;
}

/** Returns what a tombstone of the later version, or the deprecation in the earlier one, says to use instead of a name. */
function findReplacement(old: Name, to: Protocol): Replacement | undefined {
  const tombstone = to.tombstones.find((each) => each.replacedBy !== undefined && coversName(each, old));
  if (tombstone?.replacedBy !== undefined)
    return { text: tombstone.replacedBy, reason: `tombstone of ${old.name}` };
  return typeof old.replacedBy === "string"
    ? { text: old.replacedBy, reason: `x-replaced-by of ${old.name}` }
    : undefined;
}

/** Returns the only value that a place has in the later version, if it has another one in the earlier version. */
function findOnlyValue(old: Name, news: readonly Name[], path: string): Replacement | undefined {
  if (old.isOnlyValue !== true) return undefined;
  const [now, ...others] = news.filter((each) => each.kind === "value" && each.path === path);
  return now?.isOnlyValue === true && others.length === 0
    ? { text: now.name, reason: `the only value of ${path}` }
    : undefined;
}

/** A field that each event of a type has. */
interface RequiredField {
  readonly pointer: string;
  /** The default, or the only value that the field may have. */
  readonly value: Json | undefined;
  readonly reason: string;
}

/**
 * Returns the steps for fields that the later version requires and the earlier one does not, where their value is stated.
 * `names` are the steps for renames, which may take a field away.
 */
function planRequiredFields(
  { from, to, event, target }: EventPair,
  names: readonly PlannedStep[],
): PlannedStep[] {
  const isRequiredBefore = new Set(listRequiredFields(from, event).map(({ pointer }) => pointer));
  for (const { step } of names) if (step.step === "move") isRequiredBefore.delete(step.from);
  return listRequiredFields(to, target).flatMap(({ pointer, value, reason }): PlannedStep[] =>
    value === undefined || isRequiredBefore.has(pointer)
      ? []
      : [{ step: { step: "default", to: pointer, value }, reason }],
  );
}

function listRequiredFields(protocol: Protocol, event: EventType): RequiredField[] {
  const { envelope } = protocol;
  const root = listRequiredBelow(protocol, [createSpot(envelope.schema, envelope.at)], "", []);
  const payload = listRequiredBelow(
    protocol,
    [createSpot(event.payload, event.at)],
    findPayloadPath(protocol, event),
    [],
  );
  return [...root, ...payload].filter(({ pointer }) => pointer !== `/${envelope.discriminator}`);
}

function listRequiredBelow(
  protocol: Protocol,
  spots: readonly Spot[],
  path: string,
  ancestors: readonly Json[],
): RequiredField[] {
  const view = createView(spots, protocol);
  if (view.parts.some(({ schema }) => ancestors.includes(schema))) return [];
  return [...mergeFields(view).values()].flatMap((field): RequiredField[] => {
    if (!field.isRequired || /[/~]|^\*$/.test(field.name)) return [];
    const pointer = `${path}/${field.name}`;
    const below = createView(field.spots, protocol);
    const preset = readAnnotation(below, "default");
    const value = preset ?? findFixedValue(below);
    const reason = preset === undefined ? `the only value of ${field.name}` : `default of ${field.name}`;
    const visited = [...ancestors, ...view.parts.map(({ schema }) => schema)];
    return [{ pointer, value, reason }, ...listRequiredBelow(protocol, field.spots, pointer, visited)];
  });
}

/** Returns whether a declared step already reads or writes a place of a planned step. */
function concernSamePlace(step: UpcastStep, declared: UpcastStep, type: string): boolean {
  const { types } = declared;
  if (types !== undefined && !matchesType(types, type)) return false;
  const places = listPlaces(declared);
  return listPlaces(step).some((place) => places.includes(place));
}

/** Merges equal steps of several event types into one, if the steps of each type keep their order. A step of all types names none. */
function mergeTypes(planned: readonly PlannedStep[], { events }: Protocol): PlannedStep[] {
  const merged: { readonly key: string; readonly planned: PlannedStep; readonly types: string[] }[] = [];
  const lastIndexes = new Map<string, number>();
  for (const each of planned) {
    const { types = [], ...rest } = each.step;
    const key = formatCanonicalJson(toJson(rest));
    const last = Math.max(...types.map((type) => lastIndexes.get(type) ?? -1));
    const found = merged.findIndex((entry, index) => index > last && entry.key === key);
    const index = found === -1 ? merged.push({ key, planned: each, types: [] }) - 1 : found;
    getItem(merged, index).types.push(...types);
    for (const type of types) lastIndexes.set(type, index);
  }
  return merged.map(({ planned: { step, reason }, types }) => {
    const { types: _types, ...rest } = step;
    return { step: types.length === events.length ? rest : { ...rest, types }, reason };
  });
}

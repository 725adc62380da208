/**
 * Plans how events of an earlier version become events of a later one. Every step has a reason in the contracts: a declared
 * step, a declared rename, a replacement, a role of the layout, a default, or the only value that a field may have.
 */
import { createView } from "../compat/diff/view.js";
import { getItem } from "../get-item.js";
import { formatCanonicalJson, type Json, joinPointer, toJson } from "../json.js";
import { coversType, isFamilyName } from "../protocol/event-families.js";
import type { EventType, Protocol, Stream, Tombstone } from "../protocol/protocol.js";
import { isSelector, listPlacesOf } from "../protocol/step-places.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import { createSpot, type Spot } from "../schema/describe.js";
import { findFixedValue, mergeFields, readAnnotation } from "../schema/merge.js";
import { collectSites, MAX_SITES } from "./collect-sites.js";
import { findMisplacedRenames } from "./misplaced-renames.js";
import { findPayloadPath } from "./payload-path.js";
import { planNames } from "./plan-names.js";
import { type EventPair, GAP_REASONS, type Gap, type PlannedStep } from "./planned-step.js";
import { dropDepths } from "./site-conditions.js";
import { findUnreadStatements } from "./unread-statements.js";
import { findNewType, listNewTypes } from "./upcast-event.js";

/** The steps, and the differences for which the contracts state no step. */
export interface UpcastPlan {
  readonly steps: readonly PlannedStep[];
  /** The statements that the steps do not carry out everywhere. */
  readonly gaps: readonly Gap[];
}

/**
 * Plans the steps from `from` to `to`. The declared ones come first. With `isReversible`, a rename in one branch of a union has
 * the condition of the branch if another branch has a field of the new name.
 */
export function planUpcast(from: Protocol, to: Protocol, isReversible = false): UpcastPlan {
  const declaredSteps = listDeclaredSteps(from, to);
  const declared = declaredSteps.map((step) => ({ step, reason: "upcasts of protocol.json" }));
  const types = planTypes(from, to, declaredSteps);
  const newTypes = [...declaredSteps, ...types.steps.map(({ step }) => step)];
  const allPairs = from.events.flatMap((event): EventPair[] => {
    const names = listNewTypes(event.type, newTypes);
    return to.events
      .filter(({ type }) => names.includes(type))
      .map((target) => ({ from, to, event, target, ...(names.length > 1 && { isConditional: true }) }));
  });
  const pairs = allPairs.filter(hasListedPlaces);
  const plans = pairs.map((pair) => ({ pair, names: planNames(pair, isReversible, declaredSteps) }));
  const typePlans = plans.map(({ pair, names }) => {
    const isFirst = pairs.find(({ event }) => event === pair.event) === pair;
    const required = planRequiredFields(pair, [...declared, ...names.steps]);
    const planned = [
      ...(isFirst ? planLayout(pair) : []),
      ...[...names.steps, ...required].map((each) => limitToType(each, pair)),
    ];
    return selectPlanned(planned, declaredSteps, pair.event.type);
  });
  const steps = [
    ...declared,
    ...types.steps,
    ...mergeTypes(
      typePlans.flatMap((each) => each.steps),
      from,
    ),
  ];
  const gaps = [
    ...types.gaps,
    ...allPairs.filter((pair) => !hasListedPlaces(pair)).map(createSizeGap),
    ...plans.flatMap(({ names }) => names.gaps),
    ...typePlans.flatMap((each) => each.gaps),
    ...findUnreadStatements(pairs),
    // With more conditions, the ledger has ways that no value takes.
    ...(isReversible ? [] : findMisplacedRenames(pairs, steps)),
  ];
  return { steps, gaps };
}

/** Returns a step that changes events of the new type only, if the events of the old type get several ones. */
function limitToType({ step, reason }: PlannedStep, { to, target, isConditional }: EventPair): PlannedStep {
  if (isConditional !== true) return { step, reason };
  const when = { ...step.when, [joinPointer("", to.envelope.discriminator)]: [target.type] };
  return { step: { ...step, when }, reason };
}

/** Returns the steps that the later version declares for events of the earlier one. */
export function listDeclaredSteps(from: Protocol, to: Protocol): readonly UpcastStep[] {
  const isOther = (major: number) => major === from.major && major !== to.major;
  return to.upcasts?.find((each) => isOther(each.from))?.steps ?? [];
}

/** Returns whether the places of both versions are listed completely. */
function hasListedPlaces({ from, to, event, target }: EventPair): boolean {
  return collectSites(from, event).isComplete && collectSites(to, target).isComplete;
}

function createSizeGap({ event }: EventPair): Gap {
  const reason = `the event type has more than ${MAX_SITES} places, which are not listed.`;
  return { type: event.type, place: "", statement: "what its fields and values state", reason };
}

/** Returns the steps that no declared step stands for, and the statements that declared steps contradict. */
function selectPlanned(
  planned: readonly PlannedStep[],
  declared: readonly UpcastStep[],
  type: string,
): { readonly steps: readonly PlannedStep[]; readonly gaps: readonly Gap[] } {
  const applicable = declared.filter(({ types }) => types === undefined || matchesType(types, type));
  const steps: PlannedStep[] = [];
  const gaps: Gap[] = [];
  for (const each of planned) {
    const overriding = applicable.filter((other) => isOverridden(each.step, other));
    if (overriding.length === 0) {
      const { step, reason } = each;
      steps.push({ step: { ...step, types: [type] }, reason });
    } else if (each.step.step === "move" && !overriding.some((other) => takesFrom(other, each.step))) {
      const reason = "a step of upcasts puts another value there.";
      gaps.push({ type, place: each.step.to, statement: each.reason, reason });
    }
  }
  return { steps, gaps };
}

/** Returns whether a declared step stands for a planned one: it moves or replaces the same value, or writes to the same place. */
function isOverridden(planned: UpcastStep, declared: UpcastStep): boolean {
  if (takesFrom(declared, planned)) return true;
  if (planned.step === "map") return declared.step === "map" && declared.at === planned.at;
  const written = new Set(listPlacesOf(declared, "puts"));
  return listPlacesOf(planned, "puts").some((each) => written.has(each));
}

/** Returns whether a declared step moves the value that a planned move takes. */
function takesFrom(declared: UpcastStep, planned: UpcastStep): boolean {
  return planned.step === "move" && listPlacesOf(declared, "takes").includes(planned.from);
}

/** Returns the steps that give events of removed types the types that replace them, and the statements without a step. */
function planTypes(
  from: Protocol,
  to: Protocol,
  declared: readonly UpcastStep[],
): { readonly steps: readonly PlannedStep[]; readonly gaps: readonly Gap[] } {
  const steps: PlannedStep[] = [];
  const gaps: Gap[] = [];
  const types = new Map(to.events.map((event) => [event.type, event]));
  for (const { type, ...event } of from.events) {
    if (findNewType(type, declared) !== type) continue;
    const renamed = to.events.filter(({ renamedFrom }) => renamedFrom === type);
    const kept = types.get(type);
    // A deprecated type with the old name is still the old one. Any other one is new if another type has been renamed from it.
    const isTakenOver = kept !== undefined && kept.deprecated === undefined && renamed.length > 0;
    if (kept !== undefined && !isTakenOver) continue;
    const replacement = findReplacingType({ ...event, type }, to);
    const [first] = renamed;
    const stated = findStatedType({ ...event, type }, to);
    // A former name states more than a tombstone of a family does.
    if (replacement !== undefined && stated?.isFamily === false && stated.type !== replacement.type)
      gaps.push({
        type,
        place: "",
        statement: stated.reason,
        reason: GAP_REASONS.describeRenamedField(type),
      });
    if (replacement === undefined && first !== undefined)
      gaps.push({
        type,
        place: "",
        statement: `x-renamed-from of ${first.type}`,
        reason: `${renamed.map((each) => each.type).join(" and ")} have the same former name; declare a step rename-type.`,
      });
    else if (replacement !== undefined && !types.has(replacement.type))
      gaps.push({
        type,
        place: "",
        statement: replacement.reason,
        reason: `names ${replacement.type}, which is not an event type.`,
      });
    else if (replacement !== undefined)
      steps.push({
        step: { step: "rename-type", types: [type], to: replacement.type },
        reason: replacement.reason,
      });
  }
  return { steps, gaps };
}

function findReplacingType(
  event: EventType,
  to: Protocol,
): { readonly type: string; readonly reason: string } | undefined {
  const renamed = to.events.filter(({ renamedFrom }) => renamedFrom === event.type);
  const [only, ...others] = renamed;
  if (only && others.length === 0) return { type: only.type, reason: `x-renamed-from of ${only.type}` };
  // Several types have the old name, so only a declared step says which of them an event gets.
  return only ? undefined : findStatedType(event, to);
}

/** Returns a greater number for a name that covers fewer event types. */
function rankName(name: string): number {
  return isFamilyName(name) ? name.length : Number.POSITIVE_INFINITY;
}

/** Returns the type that a tombstone of the later version, or the deprecation in the earlier one, says to use instead. */
function findStatedType(
  event: EventType,
  to: Protocol,
): { readonly type: string; readonly reason: string; readonly isFamily: boolean } | undefined {
  const [tombstone] = to.tombstones
    .filter(({ kind, name }) => kind === "event" && coversType(name, event.type))
    .toSorted((a, b) => rankName(b.name) - rankName(a.name));
  const isFamily = tombstone !== undefined && isFamilyName(tombstone.name);
  const type = tombstone && resolveFamily(tombstone, event.type);
  const replacedBy = event.deprecated?.replacedBy;
  // What an event type says about itself comes before what is said about its family.
  if (typeof replacedBy === "string" && (type === undefined || isFamily))
    return { type: replacedBy, reason: `x-replaced-by of ${event.type}`, isFamily: false };
  return type === undefined ? undefined : { type, reason: `tombstone of ${tombstone?.name}`, isFamily };
}

/** Returns the type that replaces one of a family: `turn.*` replaced by `call.*` makes `call.started` of `turn.started`. */
function resolveFamily({ name, replacedBy }: Tombstone, type: string): string | undefined {
  if (replacedBy === undefined || !isFamilyName(replacedBy)) return replacedBy;
  return isFamilyName(name) ? replacedBy.slice(0, -1) + type.slice(name.length - 1) : undefined;
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
  const sites = collectSites(from, event).list.filter(
    ({ owner, path }) => owner !== "" && dropDepths(path) === old,
  );
  const fields = new Set(sites.flatMap((site) => site.fields.map(({ name }) => name)));
  const moves = [...fields].map((name): PlannedStep => {
    const step: UpcastStep = { step: "move", from: joinPointer(old, name), to: joinPointer(now, name) };
    return { step, reason };
  });
  return now === "" ? moves : [...moves, { step: { step: "default", to: now, value: {} }, reason }];
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
export function planRequiredFields(
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
    if (!field.isRequired || isSelector(field.name)) return [];
    const pointer = joinPointer(path, field.name);
    const below = createView(field.spots, protocol);
    const preset = readAnnotation(below, "default");
    const value = preset ?? findFixedValue(below);
    const reason = preset === undefined ? `the only value of ${field.name}` : `default of ${field.name}`;
    const visited = [...ancestors, ...view.parts.map(({ schema }) => schema)];
    return [{ pointer, value, reason }, ...listRequiredBelow(protocol, field.spots, pointer, visited)];
  });
}

/** Merges equal steps of several event types into one, if the steps of each type keep their order. A step of all types names none. */
export function mergeTypes(planned: readonly PlannedStep[], { events }: Protocol): PlannedStep[] {
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

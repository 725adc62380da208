/** Carries one event over to a later major version. A step that would lose a part of the event fails. */
import {
  areEqual,
  createObject,
  getOwn,
  getValueAtPointer,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  splitPointer,
} from "../json.js";
import {
  type DeepStep,
  type EachStep,
  enterList,
  ITEM,
  listDeepSteps,
  type NestedStep,
} from "../protocol/nested-steps.js";
import { MEMBERS, readPositions } from "../protocol/step-places.js";
import { hasCondition, matchesType, type UpcastStep } from "../protocol/upcast.js";
import { type ChangeContext, findField, type StepChange, type Target } from "./steps/step-kind.js";
import { readStep } from "./steps/step-kinds.js";

/** The context of an event. */
export interface EventContext extends ChangeContext {
  readonly type: string;
  /** The event types of the stream of the event. */
  readonly streamTypes: ReadonlySet<string>;
}

/** The reason why an event cannot be carried over. */
interface UpcastFailure {
  readonly kind: "failed";
  /** The place in the original event. */
  readonly pointer: string;
  readonly message: string;
}

/** An event of the later version. */
interface UpcastResult {
  readonly kind: "done";
  readonly event: JsonObject;
  /** Returns the pointer in the original event for a pointer in the new event; "" for a value that a step created. */
  findOrigin(pointer: string): string;
}

/** The event after some steps, and where its moved parts come from. */
interface UpcastState {
  readonly event: JsonObject;
  /** Pointers into the original event, by pointers into `event`. Parts that did not move are absent. */
  readonly origins: ReadonlyMap<string, string>;
}

type StepResult = ({ readonly kind: "done" } & UpcastState) | UpcastFailure;

/** Carries an event over with these steps. */
export function upcastEvent(
  original: JsonObject,
  steps: readonly UpcastStep[],
  context: EventContext,
): UpcastResult | UpcastFailure {
  let state: UpcastState = { event: original, origins: new Map() };
  for (const step of selectSteps(steps, context)) {
    const result = changeEvent(state, step, context);
    if (result.kind === "failed") return result;
    state = result;
  }
  const { event, origins } = state;
  return { kind: "done", event, findOrigin: (pointer) => findOrigin(origins, pointer) };
}

/** Returns the steps whose conditions on the event type and on the stream hold. */
export function selectSteps(
  steps: readonly UpcastStep[],
  { type, streamTypes }: EventContext,
): readonly UpcastStep[] {
  const isInStream = (names: readonly string[]): boolean =>
    [...streamTypes].some((each) => matchesType(names, each));
  return steps.filter(
    ({ types, streamsWith, streamsWithout }) =>
      (types === undefined || matchesType(types, type)) &&
      (streamsWith === undefined || isInStream(streamsWith)) &&
      (streamsWithout === undefined || !isInStream(streamsWithout)),
  );
}

/** Returns the event type that events of a type get. */
export function findNewType(type: string, steps: readonly UpcastStep[]): string {
  return steps.reduce(
    (name, step) => (step.step === "rename-type" && matchesType(step.types ?? ["*"], type) ? step.to : name),
    type,
  );
}

/** Returns the event types that events of a type may get. There are several if a step has conditions on values or streams. */
export function listNewTypes(type: string, steps: readonly UpcastStep[]): readonly string[] {
  const types = new Set([type]);
  for (const step of steps) {
    if (step.step !== "rename-type" || !matchesType(step.types ?? ["*"], type)) continue;
    if (!hasCondition(step)) types.clear();
    types.add(step.to);
  }
  return [...types];
}

function hasValues(event: JsonObject, when: UpcastStep["when"] = {}): boolean {
  return Object.entries(when).every(([pointer, values]) => {
    const value = findField(event, pointer);
    return value !== undefined && values.some((each) => areEqual(each, value));
  });
}

/** Carries out a step if the values of its conditions are there. */
function changeEvent(state: UpcastState, declared: NestedStep, context: EventContext): StepResult {
  const step = enterList(declared);
  if (!hasValues(state.event, step.when)) return { kind: "done", ...state };
  if (step.step === "each") return changeSelected(state, step, context);
  if (step.step === "deep") return changeDeep(state, step, context);
  const change = readStep(step).change(state.event, context);
  if (change === undefined) return { kind: "done", ...state };
  if (change.kind === "changed") return replaceFields(state, change);
  return { kind: "failed", pointer: findOrigin(state.origins, change.place), message: change.message };
}

function changeSelected(state: UpcastState, step: EachStep, context: EventContext): StepResult {
  const { list, selector, inner } = step;
  const value = findField(state.event, list);
  const keys = listSelected(value, selector);
  if (value === undefined || keys.length === 0) return { kind: "done", ...state };
  const change: ValueChange = { list, places: keys.map((key) => joinPointer(list, key)), steps: inner };
  return changeValues(state, change, context, (results) => {
    if (!Array.isArray(value))
      return createObject(keys.map((key, index) => [String(key), results[index] ?? null] as const));
    const [start = 0] = keys;
    return [...value.slice(0, Number(start)), ...results, ...value.slice(Number(start) + results.length)];
  });
}

/** Returns the positions in a list, or the names in a map, that a selector selects. */
function listSelected(value: Json | undefined, selector: string): readonly (string | number)[] {
  if (selector === MEMBERS) return isObject(value) ? Object.keys(value) : [];
  if (!Array.isArray(value)) return [];
  const { start, isOpen } = readPositions(selector);
  return [...value.keys()].slice(start, isOpen ? undefined : start + 1);
}

/** Changes a value after those below it. */
function changeDeep(state: UpcastState, step: DeepStep, context: EventContext): StepResult {
  const { list } = step;
  if (findField(state.event, list) === undefined) return { kind: "done", ...state };
  const change: ValueChange = { list, places: [list], steps: listDeepSteps(step) };
  return changeValues(state, change, context, ([result = null]) => result);
}

/** Steps for values at some places, which are `list` or lie directly below it. */
interface ValueChange {
  readonly list: string;
  readonly places: readonly string[];
  readonly steps: readonly NestedStep[];
}

/** Changes each value as the only member of an object of its own. `rebuild` returns the new value at `list`. */
function changeValues(
  state: UpcastState,
  { list, places, steps }: ValueChange,
  context: EventContext,
  rebuild: (results: readonly Json[]) => Json,
): StepResult {
  const origins = new Map<string, string>();
  const isChanged = new Set(places);
  // The origins of parts of the values, by the places of the values.
  const partsByPlace = new Map<string, [string, string][]>();
  for (const [pointer, origin] of state.origins) {
    const next = pointer.indexOf("/", list.length + 1);
    const child = isChanged.has(list) ? list : pointer.slice(0, next === -1 ? undefined : next);
    const isPart = pointer.startsWith(`${list}/`) && isChanged.has(child) && pointer !== child;
    if (isPart)
      partsByPlace.set(child, [
        ...(partsByPlace.get(child) ?? []),
        [`/${ITEM}${pointer.slice(child.length)}`, origin],
      ]);
    else if (!isChanged.has(pointer)) origins.set(pointer, origin);
  }
  const results: Json[] = [];
  for (const place of places) {
    const start: [string, string] = [`/${ITEM}`, findOrigin(state.origins, place)];
    let item: UpcastState = {
      event: { [ITEM]: findValue(state.event, place) },
      origins: new Map([start, ...(partsByPlace.get(place) ?? [])]),
    };
    for (const step of steps) {
      const result = changeEvent(item, step, context);
      if (result.kind === "failed") return result;
      item = result;
    }
    results.push(item.event[ITEM] ?? null);
    for (const [pointer, origin] of item.origins) {
      const newPlace = place + pointer.slice(`/${ITEM}`.length);
      if (newPlace !== origin) origins.set(newPlace, origin);
    }
  }
  const path = splitPointer(list);
  const value = rebuild(results);
  const event = path.length > 0 ? replaceMember(state.event, path, [[path.at(-1) ?? "", value]]) : value;
  return { kind: "done", event: isObject(event) ? event : state.event, origins };
}

/** Returns the value at a pointer, which may lead through lists. */
function findValue(event: JsonObject, pointer: string): Json {
  return getValueAtPointer(event, pointer) ?? null;
}

/** Removes fields, and adds the targets. Fails if a target exists already. */
function replaceFields(state: UpcastState, { removed, targets }: StepChange): StepResult {
  const remaining = removed.reduce(
    (event, from) =>
      findField(event, from) === undefined ? event : replaceMember(event, splitPointer(from), []),
    state.event,
  );
  const blockingPlace = targets
    .map(({ to }) => findBlockingPlace(remaining, to))
    .find((place) => place !== undefined);
  if (blockingPlace !== undefined)
    return {
      kind: "failed",
      pointer: findOrigin(state.origins, blockingPlace),
      message: `The value at ${blockingPlace} is in the way: a step puts another value there.`,
    };
  const origins = moveOrigins(state.origins, removed, targets);
  return { kind: "done", event: insertTargets(state.event, remaining, removed, targets), origins };
}

/** Returns the origins after the removed values became the targets, with all their parts. Several become one or none. */
function moveOrigins(
  origins: ReadonlyMap<string, string>,
  removed: readonly string[],
  targets: readonly Target[],
): Map<string, string> {
  const moved = new Map<string, string>();
  for (const [pointer, origin] of origins) {
    const from = removed.find((each) => `${pointer}/`.startsWith(`${each}/`));
    if (from === undefined) moved.set(pointer, origin);
    else for (const { to } of targets) moved.set(to + pointer.slice(from.length), origin);
  }
  const [first] = removed;
  const origin = first === undefined ? "" : findOrigin(origins, first);
  for (const { to } of targets) moved.set(to, origin);
  return moved;
}

/** Adds the targets: in the place of the only removed field if all are siblings of it, else at the end of `remaining`. */
function insertTargets(
  event: JsonObject,
  remaining: JsonObject,
  [from, ...others]: readonly string[],
  targets: readonly Target[],
): JsonObject {
  const createMember = ({ to, value }: Target) => [splitPointer(to).at(-1) ?? "", value] as const;
  if (
    from !== undefined &&
    others.length === 0 &&
    targets.every(({ to }) => getParent(to) === getParent(from))
  )
    return replaceMember(event, splitPointer(from), targets.map(createMember));
  return targets.reduce(
    (result, target) => replaceMember(result, splitPointer(target.to), [createMember(target)]),
    remaining,
  );
}

function getParent(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}

/** Returns the place of a value that prevents adding one at `pointer`: the value there, or an ancestor that is not an object. */
function findBlockingPlace(event: JsonObject, pointer: string): string | undefined {
  const path = pointer.split("/").slice(1);
  for (let length = 1; length <= path.length; length++) {
    const place = `/${path.slice(0, length).join("/")}`;
    const value = findField(event, place);
    if (value === undefined) return undefined;
    if (length === path.length || !isObject(value)) return place;
  }
  return undefined;
}

/** Returns a copy of `object` with these members in the place of the member at `path`, or at the end. Creates missing objects on the way. */
function replaceMember(
  object: JsonObject,
  path: readonly string[],
  members: readonly (readonly [string, Json])[],
): JsonObject {
  const [name = "", ...rest] = path;
  const child = getOwn(object, name);
  const replacement: readonly (readonly [string, Json])[] =
    rest.length === 0 ? members : [[name, replaceMember(isObject(child) ? child : {}, rest, members)]];
  const entries = Object.entries(object).flatMap((entry) => (entry[0] === name ? replacement : [entry]));
  return createObject(child === undefined ? [...entries, ...replacement] : entries);
}

/** Returns the place in the original event of a place in the current one. */
function findOrigin(origins: ReadonlyMap<string, string>, pointer: string): string {
  for (let place = pointer; place !== ""; place = getParent(place)) {
    const origin = origins.get(place);
    if (origin !== undefined) return origin === "" ? "" : `${origin}${pointer.slice(place.length)}`;
  }
  return pointer;
}

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
  type ConstantStep,
  type DeepStep,
  type DefaultStep,
  type EachStep,
  enterList,
  ITEM,
  listDeepSteps,
  type MapStep,
  MEMBERS,
  type MoveStep,
  matchesType,
  type NestedStep,
  type RenameTypeStep,
  readPositions,
  type ScaleStep,
  type SplitStep,
  type UpcastStep,
} from "../protocol/upcast.js";

/** The context of an event. */
export interface EventContext {
  readonly type: string;
  /** The event types of the stream of the event. */
  readonly streamTypes: ReadonlySet<string>;
  /** The field with the event type. */
  readonly discriminator: string;
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

function hasValues(event: JsonObject, when: UpcastStep["when"] = {}): boolean {
  return Object.entries(when).every(([pointer, values]) => {
    const value = findField(event, pointer);
    return value !== undefined && values.some((each) => areEqual(each, value));
  });
}

/** Carries out a step if the values of its conditions are there. */
function changeEvent(state: UpcastState, declared: NestedStep, context: EventContext): StepResult {
  const step = enterList(declared);
  return hasValues(state.event, step.when)
    ? runStep(step.step, state, step, context)
    : { kind: "done", ...state };
}

/** The steps by their names. */
type StepByName = { readonly [step in NestedStep as step["step"]]: step };

/** The functions that carry out steps, by the names of the steps. */
const STEPS: {
  readonly [name in keyof StepByName]: (
    state: UpcastState,
    step: StepByName[name],
    context: EventContext,
  ) => StepResult;
} = {
  "rename-type": renameType,
  move: moveField,
  split: splitField,
  constant: addConstant,
  default: addDefault,
  map: mapField,
  scale: scaleField,
  each: changeSelected,
  deep: changeDeep,
};

function runStep<Name extends keyof StepByName>(
  name: Name,
  state: UpcastState,
  step: StepByName[Name],
  context: EventContext,
): StepResult {
  return STEPS[name](state, step, context);
}

function renameType(
  { event, origins }: UpcastState,
  { to }: RenameTypeStep,
  { discriminator }: EventContext,
): StepResult {
  return { kind: "done", event: replaceMember(event, [discriminator], [[discriminator, to]]), origins };
}

function moveField(state: UpcastState, { from, to, alias = false }: MoveStep): StepResult {
  const value = findField(state.event, from);
  if (value !== undefined && alias && findField(state.event, to) !== undefined)
    return replaceField(state, from, []);
  return value === undefined ? { kind: "done", ...state } : replaceField(state, from, [{ to, value }]);
}

function splitField(state: UpcastState, { from, separator, to }: SplitStep): StepResult {
  const value = findField(state.event, from);
  if (value === undefined) return { kind: "done", ...state };
  const parts = typeof value === "string" ? value.split(separator) : [];
  if (parts.length < to.length) {
    const message = `The value has no ${to.length} parts separated by ${JSON.stringify(separator)}.`;
    return { kind: "failed", pointer: findOrigin(state.origins, from), message };
  }
  // The last field gets the rest of the text, which may contain the separator.
  const lastValue = parts.slice(to.length - 1).join(separator);
  const values = [...parts.slice(0, to.length - 1), lastValue];
  return replaceField(
    state,
    from,
    to.map((pointer, index) => ({ to: pointer, value: values[index] ?? "" })),
  );
}

function addConstant(state: UpcastState, { to, value, replaces }: ConstantStep): StepResult {
  const present = findField(state.event, to);
  const isReplaced = replaces !== undefined && present !== undefined && areEqual(present, replaces);
  return replaceField(state, isReplaced ? to : undefined, [{ to, value }]);
}

function addDefault(state: UpcastState, { to, value }: DefaultStep): StepResult {
  if (findField(state.event, to) !== undefined) return { kind: "done", ...state };
  return replaceField(state, undefined, [{ to, value }]);
}

function mapField(state: UpcastState, { at, values }: MapStep): StepResult {
  const value = findField(state.event, at);
  const mapped = typeof value === "string" ? getOwn(values, value) : undefined;
  return mapped === undefined
    ? { kind: "done", ...state }
    : replaceField(state, at, [{ to: at, value: mapped }]);
}

function scaleField(state: UpcastState, { at, by }: ScaleStep): StepResult {
  const value = findField(state.event, at);
  if (value === undefined) return { kind: "done", ...state };
  const scaled = Number.isFinite(value) ? scaleNumber(Number(value), by) : Number.NaN;
  if (Number.isFinite(scaled)) return replaceField(state, at, [{ to: at, value: scaled }]);
  const message =
    typeof value === "number" ? "The product is too large for a number." : "The value is not a number.";
  return { kind: "failed", pointer: findOrigin(state.origins, at), message };
}

/** Returns the product of two numbers as they are written in decimal digits, rounded once. */
function scaleNumber(value: number, by: number): number {
  const [a, b] = [readDecimal(value), readDecimal(by)];
  return Number(`${a.digits * b.digits}e${a.exponent + b.exponent}`);
}

/** Returns the number as it is written: digits times a power of ten. */
export function readDecimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [coefficient = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = coefficient.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
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

/** A value for a new place. */
interface Target {
  readonly to: string;
  readonly value: Json;
}

/** Removes the field at `from`, if there is one, and adds the targets. Fails if a target exists already. */
function replaceField(state: UpcastState, from: string | undefined, targets: readonly Target[]): StepResult {
  const remaining = from === undefined ? state.event : replaceMember(state.event, splitPointer(from), []);
  const blockingPlace = targets
    .map(({ to }) => findBlockingPlace(remaining, to))
    .find((place) => place !== undefined);
  if (blockingPlace !== undefined)
    return {
      kind: "failed",
      pointer: findOrigin(state.origins, blockingPlace),
      message: `The value at ${blockingPlace} is in the way: the later version puts another value there.`,
    };
  const origins = moveOrigins(state.origins, from, targets);
  return { kind: "done", event: insertTargets(state.event, remaining, from, targets), origins };
}

/** Returns the origins after the value at `from` moved to the targets, with all its parts. */
function moveOrigins(
  origins: ReadonlyMap<string, string>,
  from: string | undefined,
  targets: readonly Target[],
): Map<string, string> {
  const moved = new Map<string, string>();
  for (const [pointer, origin] of origins) {
    const isPart = from !== undefined && `${pointer}/`.startsWith(`${from}/`);
    if (!isPart) moved.set(pointer, origin);
    else for (const { to } of targets) moved.set(to + pointer.slice(from.length), origin);
  }
  const origin = from === undefined ? "" : findOrigin(origins, from);
  for (const { to } of targets) moved.set(to, origin);
  return moved;
}

/** Adds the targets: in the place of the removed field if all are siblings of it, else at the end of `remaining`. */
function insertTargets(
  event: JsonObject,
  remaining: JsonObject,
  from: string | undefined,
  targets: readonly Target[],
): JsonObject {
  const createMember = ({ to, value }: Target) => [splitPointer(to).at(-1) ?? "", value] as const;
  if (from !== undefined && targets.every(({ to }) => getParent(to) === getParent(from)))
    return replaceMember(event, splitPointer(from), targets.map(createMember));
  return targets.reduce(
    (result, target) => replaceMember(result, splitPointer(target.to), [createMember(target)]),
    remaining,
  );
}

/** Returns the field at a pointer, which leads through objects only. */
function findField(event: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = event;
  for (const token of splitPointer(pointer)) value = isObject(value) ? getOwn(value, token) : undefined;
  return value;
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

/**
 * Writes the state of a checker as JSON, and reads it again. The memories of machines hold lists, maps, JSON values and
 * absent values; an object stands for each of them that JSON cannot tell apart.
 */
import { hashText } from "../hash.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import type { Profile } from "../schema/readings.js";
import { createIdMaps, type IdGeneration } from "../stream/id-memory.js";
import type { TrackedStream, TrackerState } from "../stream/tracker.js";
import type { Plan } from "./check-plan.js";
import type { CheckerState } from "./checker-state.js";
import type { MachineState } from "./machine/interpret.js";
import { createStream, type Stream } from "./open-streams.js";

/** Everything that a checker of events remembers. */
export interface EventCheckerState {
  /** The number of values so far. */
  count: number;
  readonly tracker: TrackerState;
  readonly ids: ReturnType<typeof createIdMaps>;
  readonly streams: CheckerState;
}

/** What a state depends on. Another checker cannot continue from it. */
interface StateOrigin {
  readonly protocol: string;
  readonly profile: Profile;
  /** A hash of the machines. */
  readonly machines: string;
}

/** The version of the format. */
const FORMAT = 1;

const machineHashes = new WeakMap<Plan, string>();

/** Returns the origin of the states of a plan. */
export function describeOrigin(protocol: string, profile: Profile, plan: Plan): StateOrigin {
  const machines = machineHashes.get(plan) ?? hashMachines(plan);
  machineHashes.set(plan, machines);
  return { protocol, profile, machines };
}

function hashMachines({ checkers }: Plan): string {
  const text = JSON.stringify(checkers.map(({ machine }) => machine));
  return `${text.length}-${hashText(text)}`;
}

/** Returns a state as a JSON value, which later events do not change. */
export function saveState(
  { count, tracker, ids, streams }: EventCheckerState,
  origin: StateOrigin,
): JsonObject {
  const { states, retiredCursors, clock, streamCount, newIds } = tracker;
  return {
    format: FORMAT,
    ...origin,
    count,
    tracker: {
      clock,
      streamCount,
      newIds,
      streams: [...states.values()].map((state) => toJsonObject({ ...state })),
      retired: [...retiredCursors],
      ids: ids
        .list()
        .map((generation) =>
          [...generation].map(([stream, contents]): Json => [stream, [...contents] as [string, number][]]),
        ),
    },
    forgotten: { ...streams.forgotten },
    refusals: toJsonObject(streams.refusals),
    memories: streams.memories.map(encode),
    streams: streams.streams.map((stream) => saveStream(stream, streams.memories)),
  };
}

function saveStream({ slots, suspects, ...stream }: Stream, memories: CheckerState["memories"]): JsonObject {
  return {
    ...toJsonObject(stream),
    slots: slots.map((slot, index) =>
      slot !== undefined && slot === memories[index] ? { shared: true } : encode(slot),
    ),
    ...(suspects && { suspects: [...suspects] }),
  };
}

/** Returns an object without its absent members. */
function toJsonObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

/** Reads a state that `saveState` returned. Throws if it is of another origin. */
export function readState(saved: unknown, origin: StateOrigin): EventCheckerState {
  if (!isObject(saved as Json)) throw new Error("The state is not one that `save` returned.");
  const { format, protocol, profile, machines } = saved as JsonObject;
  if (format !== FORMAT)
    throw new Error(`The state has the format ${JSON.stringify(format)}, not ${FORMAT}.`);
  if (protocol !== origin.protocol || profile !== origin.profile)
    throw new Error(
      `The state was saved for ${protocol} with the profile ${profile}, not for ${origin.protocol} with ${origin.profile}.`,
    );
  if (machines !== origin.machines)
    throw new Error(`The state was saved with other stream rules of ${protocol}. Begin without a state.`);
  return decodeState(saved as SavedState);
}

/** The members of a saved state, as far as they are decoded. */
interface SavedState {
  readonly count: number;
  readonly tracker: {
    readonly clock: number;
    readonly streamCount: number;
    readonly newIds: number;
    readonly streams: readonly TrackedStream[];
    readonly retired: readonly [string, number][];
    readonly ids: readonly (readonly [stream: number, contents: readonly [string, number][]])[][];
  };
  readonly forgotten: CheckerState["forgotten"];
  readonly refusals: CheckerState["refusals"];
  readonly memories: readonly Json[];
  readonly streams: readonly (Omit<Stream, "slots" | "suspects"> & {
    readonly slots: readonly Json[];
    readonly suspects?: readonly [number, number][];
  })[];
}

function decodeState({
  count,
  tracker,
  forgotten,
  refusals,
  memories,
  streams,
}: SavedState): EventCheckerState {
  const { clock, streamCount, newIds } = tracker;
  const [young, old] = tracker.ids.map(
    (generation): IdGeneration => new Map(generation.map(([stream, ids]) => [stream, new Map(ids)])),
  );
  const shared = memories.map((memory) => decode(memory) as MachineState | undefined);
  return {
    count,
    tracker: {
      clock,
      streamCount,
      newIds,
      // An absent member is undefined, as it was before.
      states: new Map(tracker.streams.map((state) => [state.key, { ...state }])),
      retiredCursors: new Map(tracker.retired),
    },
    ids: createIdMaps(young, old),
    streams: {
      forgotten: { ...forgotten },
      refusals: { ...refusals },
      memories: shared,
      streams: streams.map(({ slots, suspects, ...stream }) => ({
        ...createStream(),
        ...stream,
        slots: slots.map((slot, index) =>
          isObject(slot) && slot.shared === true ? shared[index] : decode(slot),
        ),
        suspects: suspects && new Map(suspects),
      })),
    },
  };
}

/** Encodes a memory: lists and maps at every depth, with JSON values in them. */
function encode(value: unknown): Json {
  if (value === undefined) return {};
  if (value instanceof Map) return { map: [...value].map(([key, each]) => [key, encode(each)]) };
  // Absent items of a list are encoded, too.
  if (Array.isArray(value)) return Array.from(value, encode);
  if (typeof value === "number" && !Number.isFinite(value)) return { number: String(value) };
  return typeof value === "object" && value !== null ? { json: value as JsonObject } : (value as Json);
}

function decode(value: Json): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (!isObject(value)) return value;
  const { map, json, number } = value;
  if (Array.isArray(map)) return new Map((map as [string, Json][]).map(([key, each]) => [key, decode(each)]));
  return number === undefined ? json : Number(number);
}

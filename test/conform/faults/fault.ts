/** The type of a fault, and the parts that several tables of faults share. */
import type { JsonObject } from "../../../generator/json.js";
import {
  type FaultyStream,
  findNextIndex,
  haveSameFields,
  pickIndex,
  renumberEvents,
  replaceEvent,
  streamOf,
  type TargetStream,
  typeOf,
} from "../fault-tools.js";

/** The rules of which one must report the fault, or the reason why none may report it. */
export type Answer =
  | readonly string[]
  | {
      readonly tolerated: string;
      /** Rules that may report it by chance. */
      readonly unless?: readonly string[];
    };

export interface Fault {
  readonly name: string;
  readonly of: readonly string[];
  readonly reader: Answer;
  readonly writer: Answer;
  inject(target: TargetStream): FaultyStream;
}

export const HECATE = ["hecate/v1"];
export const FRAMES = ["frames/v1", "frames/v2"];
export const EVVA = ["evva/v0"];
export const NUMBERED = [...HECATE, ...FRAMES];
export const holes = {
  tolerated: "numbers may be missing for readers: pruned, filtered, or counted over all runs",
};
export const legal = { tolerated: "it is legal" };
export const unnumbered = { tolerated: "nothing in the stream numbers or names its events" };
export const notPromised = { tolerated: "emitters keep it, but it is no promise to readers" };

export const sequence = (event: JsonObject) => ("sequence" in event ? "sequence" : "seq");
export const number = (event: JsonObject) => Number(event[sequence(event)]);
export const renumber = (event: JsonObject, by: number) => ({
  ...event,
  [sequence(event)]: number(event) + by,
});
export const inner = (target: TargetStream) =>
  pickIndex(target, (_event, at) => findNextIndex(target, at) !== undefined);
/** Whether the number before that of `event` is there. */
export const follows = ({ id, events }: TargetStream, event: JsonObject, at: number) =>
  events
    .slice(0, at)
    .some((other) => streamOf(id, other) === streamOf(id, event) && number(other) === number(event) - 1);

export function drop(target: TargetStream): FaultyStream {
  const at = inner(target);
  return at === undefined ? undefined : replaceEvent(target.events, at);
}

/** Drops one event of `types` and numbers the events again, as an emitter that lost it would. */
export const loseEvent =
  (types: readonly string[], fits: (target: TargetStream, at: number) => boolean = () => true) =>
  (target: TargetStream) => {
    const at = pickIndex(target, (event, index) => types.includes(typeOf(event)) && fits(target, index));
    return at === undefined ? undefined : renumberEvents(target.id, replaceEvent(target.events, at));
  };

export function repeat(target: TargetStream): FaultyStream {
  const at = pickIndex(target);
  const later = Math.min(target.events.length, (at ?? 0) + 1 + Math.floor(target.random() * 4));
  const event = target.events[at ?? 0] as JsonObject;
  return [...target.events.slice(0, later), event, ...target.events.slice(later)];
}

export function swap(target: TargetStream): FaultyStream {
  const at = inner(target);
  const next = at === undefined ? undefined : findNextIndex(target, at);
  if (at === undefined || next === undefined) return undefined;
  const [one, other] = [target.events[at] as JsonObject, target.events[next] as JsonObject];
  return replaceEvent(replaceEvent(target.events, at, other), next, one);
}

/** Moves the first event of `type` behind the next of `behind`, and numbers the events again. */
export const moveEvent =
  (type: string, behind: string) =>
  (target: TargetStream): FaultyStream => {
    const at = pickIndex(
      target,
      (event, index) =>
        typeOf(event) === type &&
        findNextIndex(target, index, (each) => typeOf(each) === behind) !== undefined,
    );
    const next =
      at === undefined ? undefined : findNextIndex(target, at, (event) => typeOf(event) === behind);
    if (at === undefined || next === undefined) return undefined;
    const [moved, stay] = [target.events[at] as JsonObject, target.events[next] as JsonObject];
    return renumberEvents(target.id, replaceEvent(replaceEvent(target.events, next, stay, moved), at));
  };

export const ends = (types: readonly string[], key: string) => (event: JsonObject, original: JsonObject) =>
  types.includes(typeOf(event)) && haveSameFields(key)(event, original);
/** Returns the same answer for both profiles. */
export const inBothProfiles = (...rules: readonly string[]) => ({ reader: rules, writer: rules });

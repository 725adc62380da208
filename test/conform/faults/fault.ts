/** The type of a fault, and the parts that several tables of faults share. */
import type { JsonObject } from "../../../generator/json.js";
import {
  type FaultyStream,
  findNextIndex,
  formatStreamKey,
  getEventType,
  haveSameFields,
  pickIndex,
  renumberEvents,
  replaceEvent,
  type TargetStream,
} from "../fault-tools.js";

/** The rules of which one must report the fault, or the reason why none may report it. */
export type Answer =
  | readonly string[]
  | {
      readonly tolerated: string;
      /** The rules that may report it nevertheless, depending on the place of the fault. */
      readonly mayReport?: readonly string[];
    };

export interface Fault {
  readonly name: string;
  /** The ids of the protocols whose streams it fits. */
  readonly protocols: readonly string[];
  readonly reader: Answer;
  readonly writer: Answer;
  inject(target: TargetStream): FaultyStream;
}

export const HECATE = ["hecate/v1"];
export const FRAMES = ["frames/v1", "frames/v2"];
export const EVVA = ["evva/v0"];
export const NUMBERED = [...HECATE, ...FRAMES];
export const GAPS_TOLERATED = {
  tolerated: "numbers may be missing for readers: pruned, filtered, or counted over all runs",
};
export const LEGAL = { tolerated: "it is legal" };
export const UNNUMBERED_TOLERATED = { tolerated: "nothing in the stream numbers or names its events" };
export const NOT_PROMISED = { tolerated: "emitters keep it, but it is no promise to readers" };

export const getSequenceField = (event: JsonObject) => ("sequence" in event ? "sequence" : "seq");
export const getSequence = (event: JsonObject) => Number(event[getSequenceField(event)]);
export const shiftSequence = (event: JsonObject, by: number) => ({
  ...event,
  [getSequenceField(event)]: getSequence(event) + by,
});
export const pickInnerIndex = (target: TargetStream) =>
  pickIndex(target, (_event, at) => findNextIndex(target, at) !== undefined);
/** Returns whether an earlier event of the stream has the number before that of `event`. */
export const hasPredecessor = ({ id, events }: TargetStream, event: JsonObject, at: number) =>
  events
    .slice(0, at)
    .some(
      (other) =>
        formatStreamKey(id, other) === formatStreamKey(id, event) &&
        getSequence(other) === getSequence(event) - 1,
    );

/** Drops an event that has a successor in its stream. */
export function dropEvent(target: TargetStream): FaultyStream {
  const at = pickInnerIndex(target);
  return at === undefined ? undefined : replaceEvent(target.events, at);
}

/** Drops one event of `types` and numbers the events again, as an emitter that lost it would. */
export const loseEvent =
  (types: readonly string[], fits: (target: TargetStream, at: number) => boolean = () => true) =>
  (target: TargetStream) => {
    const at = pickIndex(
      target,
      (event, index) => types.includes(getEventType(event)) && fits(target, index),
    );
    return at === undefined ? undefined : renumberEvents(target.id, replaceEvent(target.events, at));
  };

/** Delivers an event again, after up to four other events. */
export function repeatEvent(target: TargetStream): FaultyStream {
  const at = pickIndex(target);
  const later = Math.min(target.events.length, (at ?? 0) + 1 + Math.floor(target.random() * 4));
  const event = target.events[at ?? 0] as JsonObject;
  return [...target.events.slice(0, later), event, ...target.events.slice(later)];
}

/** Exchanges an event and its successor. */
export function swapEvents(target: TargetStream): FaultyStream {
  const at = pickInnerIndex(target);
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
        getEventType(event) === type &&
        findNextIndex(target, index, (each) => getEventType(each) === behind) !== undefined,
    );
    const next =
      at === undefined ? undefined : findNextIndex(target, at, (event) => getEventType(event) === behind);
    if (at === undefined || next === undefined) return undefined;
    const [moved, stay] = [target.events[at] as JsonObject, target.events[next] as JsonObject];
    return renumberEvents(target.id, replaceEvent(replaceEvent(target.events, next, stay, moved), at));
  };

/** Returns a function that tells whether an event has one of `types` and the same payload field `key` as another one. */
export const createEndTest =
  (types: readonly string[], key: string) => (event: JsonObject, original: JsonObject) =>
    types.includes(getEventType(event)) && haveSameFields(key)(event, original);
/** Returns the same answer for both profiles. */
export const inBothProfiles = (...rules: readonly string[]) => ({ reader: rules, writer: rules });

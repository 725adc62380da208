/** What a fault is, and parts that several tables share. */
import type { JsonObject } from "../../../generator/json.js";
import {
  following,
  pick,
  put,
  renumbered,
  type Spoiled,
  same,
  streamOf,
  typeOf,
  type Victim,
} from "../fault-tools.js";

/** Rules of which one must name the fault, or the reason why nothing may be said. */
export type Answer =
  | readonly string[]
  | {
      readonly tolerated: string;
      /** Rules that may see it by chance. */
      readonly unless?: readonly string[];
    };

export interface Fault {
  readonly name: string;
  readonly of: readonly string[];
  readonly reader: Answer;
  readonly writer: Answer;
  inject(victim: Victim): Spoiled;
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
export const inner = (victim: Victim) => pick(victim, (_event, at) => following(victim, at) !== undefined);
/** Whether the number before that of `event` is there. */
export const follows = ({ id, events }: Victim, event: JsonObject, at: number) =>
  events
    .slice(0, at)
    .some((other) => streamOf(id, other) === streamOf(id, event) && number(other) === number(event) - 1);

export function drop(victim: Victim): Spoiled {
  const at = inner(victim);
  return at === undefined ? undefined : put(victim.events, at);
}

/** Drops one event of `types` and numbers anew, as an emitter that lost it would. */
export const losing =
  (types: readonly string[], fits: (victim: Victim, at: number) => boolean = () => true) =>
  (victim: Victim) => {
    const at = pick(victim, (event, index) => types.includes(typeOf(event)) && fits(victim, index));
    return at === undefined ? undefined : renumbered(victim.id, put(victim.events, at));
  };

export function repeat(victim: Victim): Spoiled {
  const at = pick(victim);
  const later = Math.min(victim.events.length, (at ?? 0) + 1 + Math.floor(victim.random() * 4));
  const event = victim.events[at ?? 0] as JsonObject;
  return [...victim.events.slice(0, later), event, ...victim.events.slice(later)];
}

export function swap(victim: Victim): Spoiled {
  const at = inner(victim);
  const next = at === undefined ? undefined : following(victim, at);
  if (at === undefined || next === undefined) return undefined;
  const [one, other] = [victim.events[at] as JsonObject, victim.events[next] as JsonObject];
  return put(put(victim.events, at, other), next, one);
}

/** Moves the first event of `type` behind the next of `behind`, and numbers anew. */
export const moving =
  (type: string, behind: string) =>
  (victim: Victim): Spoiled => {
    const at = pick(
      victim,
      (event, index) =>
        typeOf(event) === type && following(victim, index, (each) => typeOf(each) === behind) !== undefined,
    );
    const next = at === undefined ? undefined : following(victim, at, (event) => typeOf(event) === behind);
    if (at === undefined || next === undefined) return undefined;
    const [moved, stay] = [victim.events[at] as JsonObject, victim.events[next] as JsonObject];
    return renumbered(victim.id, put(put(victim.events, next, stay, moved), at));
  };

export const ends = (types: readonly string[], key: string) => (event: JsonObject, original: JsonObject) =>
  types.includes(typeOf(event)) && same(key)(event, original);
/** The same answer in both profiles. */
export const both = (...rules: readonly string[]) => ({ reader: rules, writer: rules });

/** Follows the values at a place through a step. */
import type { Json } from "../json.js";
import { hasCondition, type UpcastStep } from "../protocol/upcast.js";
import { matchPlace, movePlace } from "./match-place.js";
import type { Fate } from "./steps/step-kind.js";
import { readStep } from "./steps/step-kinds.js";

/** What a step does with the values at a place. */
interface TracedValue {
  readonly fate: Fate;
  /** The places of the values, or of their parts, afterwards. */
  readonly places: readonly string[];
  /** True if the step concerns only some of the values at the place. */
  readonly isPartial: boolean;
}

/** Returns what a step does with the values at a place; undefined if it leaves them alone. */
export function followStep(place: string, step: UpcastStep, discriminator: string): TracedValue | undefined {
  const trace = readStep(step).follow((each) => matchPlace(each, step.through ?? [], place), discriminator);
  if (trace === undefined) return undefined;
  const { fate, found, move } = trace;
  const places = move === undefined ? [place] : move.to.map((to) => movePlace(to, found, move.from));
  return { fate, places, isPartial: found.isPartial };
}

/** What a step does with places and values. */
export interface Follower {
  /** Returns the places of a value afterwards. There are several if the step moves it in some events only, or divides it. */
  readonly follow: (place: string) => readonly string[];
  /** Returns what the values at a place may become. */
  readonly replace: (place: string, value: Json) => readonly Json[];
}

/** Returns what a step does with places and values. */
export function createFollower(step: UpcastStep, discriminator: string): Follower {
  const isConditional = hasCondition(step);
  return {
    follow: (place) => {
      const trace = followStep(place, step, discriminator);
      if (trace === undefined) return [place];
      return [...new Set([...(isConditional || trace.isPartial ? [place] : []), ...trace.places])];
    },
    replace: (place, value) => {
      const now = findNewValue(step, place, value);
      if (now === undefined) return [value];
      return isConditional ? [value, now] : [now];
    },
  };
}

/** Returns the value that a step gives to events with a value at a place; undefined if it leaves the value as it is. */
function findNewValue(step: UpcastStep, place: string, value: Json): Json | undefined {
  const isAt = (at: string): boolean => matchPlace(at, step.through ?? [], place)?.rest.length === 0;
  if (step.step === "map" && typeof value === "string" && isAt(step.at))
    return Object.hasOwn(step.values, value) ? step.values[value] : undefined;
  return step.step === "constant" && step.replaces === value && isAt(step.to) ? step.value : undefined;
}

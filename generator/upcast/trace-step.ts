/** Follows the values at a place through a step. */
import type { UpcastStep } from "../protocol/upcast.js";
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

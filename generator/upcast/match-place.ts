/** Compares the places of steps with places of a schema. */
import { EVERY_DEPTH, isSelector, MEMBERS, readPositions } from "../protocol/step-places.js";

/** How the place of a step leads to a value, or to an object or a list around it. */
export interface PlaceMatch {
  /** The part of the place of the value that the place of the step leads to. */
  readonly start: readonly string[];
  /** The rest of the place of the value. */
  readonly rest: readonly string[];
  /** True if the step concerns only some of the values at the place. */
  readonly isPartial: boolean;
}

/**
 * Returns how the place of a step with the loops `through` leads to the value at `place`, which is a place of a schema. Undefined
 * if it does not.
 */
export function matchPlace(
  stepPlace: string,
  through: readonly string[],
  place: string,
): PlaceMatch | undefined {
  const wanted = stepPlace.split("/").slice(1);
  return match(wanted, 0, place.split("/").slice(1), 0);

  function match(
    step: readonly string[],
    stepIndex: number,
    tokens: readonly string[],
    index: number,
  ): PlaceMatch | undefined {
    const token = step[stepIndex];
    if (token === undefined)
      return { start: tokens.slice(0, index), rest: tokens.slice(index), isPartial: false };
    if (token === EVERY_DEPTH) return matchDepths(step, stepIndex, tokens, index);
    // A place of the schema may stand for every depth where the step enters one level only.
    if (tokens[index] === EVERY_DEPTH) {
      const found = match(step, stepIndex, tokens, index + 1);
      return found && { ...found, isPartial: true };
    }
    const overlap = compareTokens(token, tokens[index]);
    if (overlap === undefined) return undefined;
    const found = match(step, stepIndex + 1, tokens, index + 1);
    return found && { ...found, isPartial: found.isPartial || overlap === "some" };
  }

  function matchDepths(
    step: readonly string[],
    stepIndex: number,
    tokens: readonly string[],
    index: number,
  ): PlaceMatch | undefined {
    const start = `/${step.slice(0, stepIndex + 1).join("/")}/`;
    const loops = through
      .filter((each) => each.startsWith(start) && !each.slice(start.length).split("/").includes(EVERY_DEPTH))
      .map((each) => each.slice(start.length).split("/"));
    const here = tokens[index] === EVERY_DEPTH ? index + 1 : index;
    const direct = match(step, stepIndex + 1, tokens, here);
    if (direct !== undefined) return { ...direct, isPartial: direct.isPartial };
    for (const loop of loops.length === 0 ? [["*"], [MEMBERS]] : loops) {
      const enters = loop.every((token, offset) => compareTokens(token, tokens[here + offset]) !== undefined);
      const found = enters ? matchDepths(step, stepIndex, tokens, here + loop.length) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Returns whether two places, which select values in different ways, may lead to one value. */
export function areOverlapping(a: string, b: string): boolean {
  const [first, second] = [a.split("/"), b.split("/")];
  return (
    a !== b &&
    first.length === second.length &&
    first.every((token, index) => {
      const other = second[index] ?? "";
      return (compareTokens(token, other) ?? compareTokens(other, token)) !== undefined;
    })
  );
}

/** Returns whether a part of the place of a step stands for all or for some of the values of a part of a schema's place. */
function compareTokens(step: string, token: string | undefined): "all" | "some" | undefined {
  if (token === undefined) return undefined;
  if (step === token) return "all";
  if (step === MEMBERS) return isSelector(token) ? undefined : "all";
  if (token === MEMBERS) return isSelector(step) ? undefined : "some";
  if (!isSelector(step) || !isSelector(token) || token === EVERY_DEPTH) return undefined;
  const [a, b] = [readPositions(step), readPositions(token)];
  const isPart = b.start >= a.start && (a.isOpen || (!b.isOpen && a.start === b.start));
  if (isPart) return "all";
  return b.isOpen && (a.isOpen || a.start >= b.start) ? "some" : undefined;
}

/** Returns the place that a value has after a step moved what is at `from` to `to`. */
export function movePlace(to: string, { start, rest }: PlaceMatch, from: string): string {
  // The selected values stay the same ones, as the place of the schema names them.
  const common = from.split("/").slice(1).findLastIndex(isSelector) + 1;
  const own = from.split("/").slice(1 + common).length;
  const selected = start.slice(0, start.length - own);
  return ["", ...selected, ...to.split("/").slice(1 + common), ...rest].join("/");
}

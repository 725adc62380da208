/**
 * Treats moves of the fields of one object that follow each other, such as those of a chain or of a circle, as one change of
 * this object. The condition before it is far smaller than that before each move.
 */
import { and, not, type Places } from "../contain/preimage/predicate.js";
import type { Path } from "../contain/preimage/presence.js";
import { isPresent, type Source } from "../contain/preimage/pull-back-schema.js";
import { getItem } from "../get-item.js";
import { formatCanonicalJson, splitPointer, toJson } from "../json.js";
import type { NestedStep } from "../protocol/nested-steps.js";
import { isSelector } from "../protocol/step-places.js";
import type { MoveStep, StepConditions, UpcastStep } from "../protocol/upcast.js";
import { findParent } from "./site-conditions.js";
import type { PlacedSource, StepEffect } from "./steps/step-kind.js";

/** Moves of the fields of one object, which have the same conditions. */
export interface Substitution extends Pick<StepConditions, "when"> {
  readonly step: "substitution";
  readonly moves: readonly MoveStep[];
}

/** Returns the steps where at least two moves of the fields of one object that follow each other are one step. */
export function mergeMoves(steps: readonly NestedStep[]): (NestedStep | Substitution)[] {
  const runs: NestedStep[][] = [];
  for (const step of steps) {
    const run = runs.at(-1);
    const previous = run?.at(-1);
    if (run !== undefined && previous !== undefined && areMergeable(previous, step)) run.push(step);
    else runs.push([step]);
  }
  return runs.flatMap((run): (NestedStep | Substitution)[] => {
    const moves = run.filter(isPlainMove);
    const { when } = getItem(run, 0);
    return run.length > 1 ? [{ step: "substitution", moves, ...(when && { when }) }] : run;
  });
}

function areMergeable(first: NestedStep, second: NestedStep): boolean {
  if (!isPlainMove(first) || !isPlainMove(second)) return false;
  return (
    findParent(first.from) === findParent(second.from) &&
    formatCanonicalJson(toJson(first.when ?? {})) === formatCanonicalJson(toJson(second.when ?? {}))
  );
}

/** Returns whether a step renames a field of an object, and its conditions do not depend on the field. */
function isPlainMove(step: NestedStep): step is MoveStep & UpcastStep {
  if (step.step !== "move" || step.alias === true) return false;
  const { from, to, when = {} } = step;
  const isOutside = (pointer: string): boolean =>
    [from, to].every(
      (each) => !`${pointer}/`.startsWith(`${each}/`) && !`${each}/`.startsWith(`${pointer}/`),
    );
  return (
    findParent(from) === findParent(to) &&
    !from.split("/").some(isSelector) &&
    !to.split("/").some(isSelector) &&
    Object.keys(when).every(isOutside)
  );
}

/** Returns the effect of moves together. A name that a circle uses for a while must be free, which may be stricter than needed. */
export function describeSubstitution({ moves }: Substitution, places: Places): StepEffect {
  const sources = new Map<string, Source>();
  const read = (pointer: string): Source =>
    sources.get(pointer) ?? { kind: "same", path: splitPointer(pointer) };
  const conditions = moves.map(({ from, to }, index) => {
    const [moved, present] = [read(from), read(to)];
    const isThere = isPresent(moved, places);
    const isInTheWay = isPresent(present, places);
    const isTemporary = !sources.has(to) && moves.slice(index + 1).some((later) => later.from === to);
    const stays = isInTheWay === false || isTemporary;
    sources.set(to, stays ? moved : { kind: "choice", if: isThere, then: moved, else: present });
    sources.set(from, { kind: "absent" });
    return isTemporary ? not(isInTheWay) : not(and(isThere, isInTheWay));
  });
  const changes = [...sources].map(([pointer, source]): PlacedSource => {
    const path: Path = splitPointer(pointer);
    return { path, source };
  });
  return { isActive: true, domain: and(...conditions), changes };
}

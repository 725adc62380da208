/** The steps of a plan so far, and the places that values of the earlier version have after them. */
import { EVERY_DEPTH } from "../protocol/step-places.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { findPayloadPath } from "./payload-path.js";
import type { PlacePairs } from "./place-pairs.js";
import { GAP_REASONS, type PlannedStep } from "./planned-step.js";
import { areCompatible, type Condition, isSameCondition } from "./site-conditions.js";

/** A move of a field, with places as the steps before it left them. */
interface FieldMove {
  readonly from: string;
  readonly to: string;
  /** True if the field may already stand at its new place, too. */
  readonly isAlias: boolean;
  /** The object of the earlier version that has the field. */
  readonly oldObject: string;
  readonly conditions: readonly Condition[];
  readonly reason: string;
}

/** The steps of a plan so far. */
export class StepList {
  readonly planned: PlannedStep[] = [];
  private readonly moves: FieldMove[] = [];

  constructor(private readonly places: PlacePairs) {}

  /** Adds the step of a move, unless there is an equal one. Returns the reason if there can be none. */
  addMove(move: FieldMove): string | undefined {
    const { from, to, isAlias, oldObject, conditions, reason } = move;
    const plain: UpcastStep = { step: "move", from, to, ...(isAlias && { alias: true }) };
    const step = this.completeStep(plain, oldObject, conditions);
    if (step === undefined) return GAP_REASONS.renamedTag;
    const text = JSON.stringify(step);
    if (this.planned.some((each) => JSON.stringify(each.step) === text)) return undefined;
    this.planned.push({ step, reason });
    this.moves.push(move);
    return undefined;
  }

  /**
   * Returns a step with its conditions and with the places to which `**` leads. `oldObject` is the object of the earlier version
   * with the value. Undefined if a condition has no place, or more than one.
   */
  completeStep(
    step: UpcastStep,
    oldObject: string,
    conditions: readonly Condition[],
  ): UpcastStep | undefined {
    const tokens = oldObject.split("/");
    const through = tokens.flatMap((token, index) => {
      const place = tokens.slice(0, index + 1).join("/");
      const loops = token === EVERY_DEPTH ? (this.places.before.loops.get(place) ?? []) : [];
      return loops.flatMap((loop) => this.locate(place + loop));
    });
    const when: [string, Condition["values"]][] = [];
    for (const { place, values } of conditions) {
      const [at, ...others] = this.locate(place, conditions);
      if (at === undefined || others.length > 0) return undefined;
      when.push([at, values]);
    }
    return {
      ...step,
      ...(when.length > 0 && { when: Object.fromEntries(when) }),
      ...(through.length > 0 && { through: [...new Set(through)] }),
    };
  }

  /**
   * Returns the places that a place of the earlier version has after the moves so far, at least one. There are several if moves
   * depend on more than these conditions.
   */
  locate(path: string, conditions: readonly Condition[] = []): string[] {
    const { from, event, to, target } = this.places.pair;
    const payload = findPayloadPath(from, event);
    const isInPayload = payload !== "" && isBelow(path, payload);
    let places = [isInPayload ? findPayloadPath(to, target) + path.slice(payload.length) : path];
    for (const move of this.moves)
      places = places.flatMap((place) => {
        if (!isBelow(place, move.from) || !areCompatible(move.conditions, conditions)) return [place];
        const moved = move.to + place.slice(move.from.length);
        const isCertain = move.conditions.every((each) =>
          conditions.some((other) => isSameCondition(each, other)),
        );
        return isCertain ? [moved] : [place, moved];
      });
    return places;
  }
}

/** Returns why no step can lead from a place of the earlier version to one of the later version; undefined if one can. */
export function findBlockedPlace(
  { before, after }: PlacePairs,
  old: string,
  now: string,
): string | undefined {
  if (countDepths(old) > countDepths(now))
    return "the earlier version has the object at every depth, and the later version does not.";
  const find = (blocked: ReadonlyMap<string, string>, path: string): string | undefined =>
    [...blocked].find(([place]) => isBelow(path, place))?.[1];
  const reason = find(before.blocked, old) ?? find(after.blocked, now);
  return reason && `${reason}.`;
}

function countDepths(path: string): number {
  return path.split("/").filter((token) => token === EVERY_DEPTH).length;
}

function isBelow(path: string, place: string): boolean {
  return `${path}/`.startsWith(`${place}/`);
}

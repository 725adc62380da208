/** Follows the values at a place of the earlier version through the steps of a plan, in each branch on its own. */
import { areEqual } from "../json.js";
import { hasCondition, type UpcastStep } from "../protocol/upcast.js";
import { hasField, type Site } from "./collect-sites.js";
import type { PlannedStep } from "./planned-step.js";
import { belongsTo, type Condition, contradict, dropDepths, listOldConditions } from "./site-conditions.js";
import type { Fate } from "./steps/step-kind.js";
import { createFollower, followStep } from "./trace-step.js";

/** A way that a value takes through the steps. */
export interface Way {
  /** The place of the value, or those of its parts. */
  readonly places: readonly string[];
  readonly changes: ReadonlySet<Fate>;
  readonly reasons: readonly string[];
  readonly isConditional: boolean;
  /** What is known about the objects whose values take this way, one list for each branch of them. */
  readonly branches: readonly (readonly Condition[])[];
}

/** Returns what is known about the objects that hold values, one list for each of them. `sites` are all of the version. */
export function listBranches(
  holders: readonly Site[],
  sites: readonly Site[],
): readonly (readonly Condition[])[] {
  return holders.map((holder) => {
    const isRequired = (parent: string, name: string): boolean =>
      sites.some(
        (site) =>
          site.path === parent &&
          belongsTo(holder, site) &&
          hasField(site, name) &&
          site.fields.some((field) => field.name === name && field.isRequired),
      );
    const branches = holder.branches.filter(
      ({ tag }) => tag !== undefined && isRequired(tag.parent, tag.name),
    );
    return listOldConditions({ branches });
  });
}

/** Returns the ways that the values at a place take through steps. */
export function traceValue(
  place: string,
  steps: readonly PlannedStep[],
  discriminator: string,
  branches: readonly (readonly Condition[])[],
): Way[] {
  const start: Way = { places: [place], changes: new Set(), reasons: [], isConditional: false, branches };
  return steps.reduce<Way[]>(
    (ways, planned) => ways.flatMap((way) => followWay(way, planned, discriminator)),
    [start],
  );
}

function followWay(way: Way, { step, reason }: PlannedStep, discriminator: string): Way[] {
  const traces = way.places.map((each) => followStep(each, step, discriminator));
  const { changed, kept } = divideBranches(way.branches, step, discriminator);
  if (traces.every((trace) => trace === undefined)) return [{ ...way, branches: [...changed, ...kept] }];
  if (changed.length === 0 && way.branches.length > 0) return [way];
  const isPartial = traces.some((trace) => trace?.isPartial);
  const isConditional = isPartial || hasCondition(step);
  const moved: Way = {
    places: [...new Set(traces.flatMap((trace, index) => trace?.places ?? way.places[index] ?? []))],
    changes: new Set([...way.changes, ...traces.flatMap((trace) => trace?.fate ?? [])]),
    reasons: [...new Set([...way.reasons, reason])],
    isConditional: way.isConditional || isConditional,
    branches: changed,
  };
  const stays = isPartial ? way.branches : kept;
  const isEverywhere = !isPartial && way.branches.length > 0 && kept.length === 0;
  return isConditional && !isEverywhere ? [{ ...way, isConditional: true, branches: stays }, moved] : [moved];
}

/** Returns what is known about the objects that a step changes, after it, and about those that it leaves alone. */
function divideBranches(
  branches: Way["branches"],
  step: UpcastStep,
  discriminator: string,
): { readonly changed: Way["branches"]; readonly kept: Way["branches"] } {
  const wanted = Object.entries(step.when ?? {}).map(
    ([place, values]): Condition => ({ place, values, isExcluded: false }),
  );
  const follower = createFollower(step, discriminator);
  const follow = (conditions: readonly Condition[]): Condition[] =>
    conditions.map(({ place, values, isExcluded }) => ({
      place: follower.follow(place).at(-1) ?? place,
      values: values.flatMap((value) => follower.replace(place, value).at(-1) ?? value),
      isExcluded,
    }));
  const changed: (readonly Condition[])[] = [];
  const kept: (readonly Condition[])[] = [];
  const dependsOnStream = (step.streamsWith ?? step.streamsWithout) !== undefined;
  for (const branch of branches) {
    if (branch.some((known) => wanted.some((each) => contradict(known, each)))) {
      kept.push(branch);
      continue;
    }
    const open = wanted.filter((each) => !branch.some((known) => isWithin(known, each)));
    changed.push(follow([...branch, ...open]));
    const [only, ...others] = open;
    if (only === undefined && !dependsOnStream) continue;
    // Without one of several values, nothing is known about the others.
    kept.push(only !== undefined && others.length === 0 && !dependsOnStream ? exclude(branch, only) : branch);
  }
  return { changed, kept };
}

/** Returns whether all values of a condition are among those of another one. */
function isWithin(known: Condition, wanted: Condition): boolean {
  return (
    !known.isExcluded &&
    dropDepths(known.place) === dropDepths(wanted.place) &&
    known.values.every((value) => wanted.values.some((each) => areEqual(each, value)))
  );
}

/** Returns what is known about objects for which a condition does not hold. */
function exclude(branch: readonly Condition[], { place, values }: Condition): readonly Condition[] {
  const isAt = (each: Condition) => dropDepths(each.place) === dropDepths(place) && !each.isExcluded;
  if (!branch.some(isAt)) return [...branch, { place, values, isExcluded: true }];
  return branch.map((each) =>
    isAt(each)
      ? { ...each, values: each.values.filter((value) => !values.some((other) => areEqual(other, value))) }
      : each,
  );
}

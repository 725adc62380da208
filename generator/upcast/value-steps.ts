/** Plans the steps for values that the later version replaces. */
import type { Json } from "../json.js";
import { listPlaces } from "../protocol/step-places.js";
import type { UpcastStep } from "../protocol/upcast.js";
import type { Site, SiteValue } from "./collect-sites.js";
import { countTokens, type PlacePairs } from "./place-pairs.js";
import { GAP_REASONS, type Gap, listDistinct, type PlannedStep } from "./planned-step.js";
import { canTellApart } from "./rename-conditions.js";
import { findReplacement, type Replacement } from "./replacements.js";
import { areCompatible, type Condition, dropDepths, listOldConditions } from "./site-conditions.js";
import { findBlockedPlace, type StepList } from "./step-list.js";

/** Returns the steps for replaced values, and the statements that no step carries out. `steps` are those for fields. */
export function planValues(
  places: PlacePairs,
  steps: StepList,
): { readonly planned: readonly PlannedStep[]; readonly gaps: readonly Gap[] } {
  const gaps: Gap[] = [];
  const planned: PlannedStep[] = [];
  for (const site of places.before.list)
    for (const value of site.values) {
      const result = planValue(places, steps, site, value);
      if (result === undefined) continue;
      if ("step" in result) planned.push(result);
      else gaps.push(result);
    }
  const distinct = listDistinct(planned, ({ step }) => JSON.stringify(step));
  return { planned: orderValueSteps(distinct), gaps };
}

/** Returns the step for a value of the earlier version, or a gap; undefined if no statement replaces the value. */
function planValue(
  places: PlacePairs,
  steps: StepList,
  site: Site,
  { value, isFixed }: SiteValue,
): PlannedStep | Gap | undefined {
  if (value === null) return undefined;
  const name = String(value);
  const conditions = listOldConditions(site);
  const [at = "", ...others] = steps.locate(site.path, conditions);
  const news = listNewAlternatives(places, at, conditions);
  const values = news.flatMap((each) => each.values);
  const replacement =
    findReplacement(places.pair, { kind: "value", name, site }) ?? findOnlyValue(isFixed, values, at);
  if (replacement === undefined || hasValue(values, name)) return undefined;
  const { text, reason: statement } = replacement;
  const createGap = (reason: string): Gap => ({
    type: places.pair.event.type,
    place: site.path,
    statement,
    reason,
  });
  const blocked = findBlockedPlace(places, site.path, news[0]?.path ?? site.path);
  if (blocked !== undefined) return createGap(blocked);
  if (others.length > 0) return createGap("the place of the value depends on the branch.");
  const now = values.find((each) => String(each.value) === text);
  if (now === undefined) return createGap(`names ${text}, which is not a value there.`);
  const isUnconditional = isReplacedEverywhere(places, steps, { site, name, text });
  if (!isUnconditional && !canTellApart(places, conditions)) return createGap(GAP_REASONS.sameBranches);
  const change = createChange(at, value, now.value);
  const step = steps.completeStep(change, site.path, isUnconditional ? [] : conditions);
  if (step === undefined) return createGap(GAP_REASONS.sameBranches);
  // A condition names the value that a step `constant` replaces.
  const when = step.step === "constant" && { when: { ...step.when, [at]: [value] } };
  return { step: { ...step, ...when }, reason: statement };
}

function createChange(at: string, value: Json, now: Json): UpcastStep {
  return typeof value === "string"
    ? { step: "map", at, values: { [value]: now } }
    : { step: "constant", to: at, value: now, replaces: value };
}

/** Returns the sites of the later version at a place that hold under conditions. */
function listNewAlternatives(places: PlacePairs, at: string, conditions: readonly Condition[]): Site[] {
  return places
    .listNewSites(dropDepths(at))
    .filter((now) => areCompatible(conditions, places.listNewConditions(now)));
}

function hasValue(values: readonly SiteValue[], name: string): boolean {
  return values.some(({ value }) => String(value) === name);
}

/** Returns the only value that a place has in the later version, if it has another one in the earlier version. */
function findOnlyValue(
  isFixed: boolean,
  values: readonly SiteValue[],
  path: string,
): Replacement | undefined {
  const [now, ...others] = values;
  return isFixed && now?.isFixed === true && others.length === 0
    ? { text: String(now.value), reason: `the only value of ${path}` }
    : undefined;
}

/** Returns whether a value has the same replacement in all alternatives of its place. */
function isReplacedEverywhere(
  places: PlacePairs,
  steps: StepList,
  { site, name, text }: { readonly site: Site; readonly name: string; readonly text: string },
): boolean {
  const others = places
    .listOldSites(dropDepths(site.path))
    .filter((other) => other !== site && hasValue(other.values, name));
  return others.every((other) => {
    const conditions = listOldConditions(other);
    const [at = ""] = steps.locate(other.path, conditions);
    const news = listNewAlternatives(places, at, conditions);
    return (
      !news.some(({ values }) => hasValue(values, name)) &&
      findReplacement(places.pair, { kind: "value", name, site: other })?.text === text
    );
  });
}

/** Returns the steps for values, the inner ones first. Fields that tell branches apart change last. */
function orderValueSteps(planned: readonly PlannedStep[]): PlannedStep[] {
  const tags = new Set(planned.flatMap(({ step }) => Object.keys(step.when ?? {})));
  const isTag = ({ step }: PlannedStep): boolean => listPlaces(step).some((place) => tags.has(place));
  const depth = ({ step }: PlannedStep): number => countTokens(listPlaces(step)[0] ?? "");
  return [...planned].sort((a, b) => Number(isTag(a)) - Number(isTag(b)) || depth(b) - depth(a));
}

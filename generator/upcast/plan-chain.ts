/** Composes the plans between versions that follow each other to one plan, which uses the event types of the first version. */
import { getItem } from "../get-item.js";
import type { Protocol } from "../protocol/protocol.js";
import { hasCondition, matchesType, type UpcastStep } from "../protocol/upcast.js";
import { compareVersions } from "../protocol/version.js";
import { collectSites } from "./collect-sites.js";
import { findIdleSteps } from "./idle-steps.js";
import { createLedger, findFields } from "./ledger.js";
import { planDowncast } from "./plan-downcast.js";
import { listDeclaredSteps, planUpcast, type UpcastPlan } from "./plan-upcast.js";
import type { Gap, PlannedStep } from "./planned-step.js";
import { findNewType } from "./upcast-event.js";

/** Two versions that follow each other, and the plan between them. */
export interface Link {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly plan: UpcastPlan;
}

/**
 * Plans the steps between versions that follow each other, in the order of their numbers or the other way round. A declared
 * step that changes no event is a gap, except from a release to the next version, because the step may be about later fields.
 */
export function planLinks(versions: readonly Protocol[], isRelease = false): Link[] {
  return versions.slice(1).map((to, index): Link => {
    const from = getItem(versions, index);
    if (compareVersions(from.version, to.version) > 0) return { from, to, plan: planDowncast(from, to) };
    const { steps, gaps } = planUpcast(from, to);
    const idle = isRelease && index === 0 ? [] : findIdleSteps(from, listDeclaredSteps(from, to));
    return { from, to, plan: { steps, gaps: [...gaps, ...idle] } };
  });
}

/** Returns the plan from the first version to the last one. */
export function composePlans(links: readonly Link[]): UpcastPlan {
  const [first, ...others] = links;
  if (first === undefined || others.length === 0) return first?.plan ?? { steps: [], gaps: [] };
  const steps: PlannedStep[] = [];
  const gaps: Gap[] = [];
  const originals = first.from.events.map(({ type }) => type);
  // The type that events of each type of the first version have at the beginning of a link.
  let types: ReadonlyMap<string, string> = new Map(originals.map((type) => [type, type]));
  for (const link of links) {
    const name = `${link.from.id} to ${link.to.id}`;
    const linkSteps = link.plan.steps.map(({ step }) => step);
    for (const { step, reason } of link.plan.steps) {
      const composed = renameTypes(step, types, originals, first.from, link.from);
      if (composed !== undefined) steps.push({ step: composed, reason: `${name}: ${reason}` });
    }
    gaps.push(...link.plan.gaps.map((gap) => ({ ...gap, statement: `${name}: ${gap.statement}` })));
    if (link !== links.at(-1)) gaps.push(...findConditionalTypes(link));
    types = new Map([...types].map(([original, type]) => [original, findNewType(type, linkSteps)]));
  }
  return { steps, gaps: [...gaps, ...findReusedPlaces(links)] };
}

/** Returns a step with the event types of the first version; undefined if it concerns none of them. */
function renameTypes(
  step: UpcastStep,
  types: ReadonlyMap<string, string>,
  originals: readonly string[],
  first: Protocol,
  from: Protocol,
): UpcastStep | undefined {
  const translate = (names: readonly string[] | undefined): readonly string[] | undefined =>
    names && originals.filter((original) => matchesType(names, types.get(original) ?? original));
  const { types: names, streamsWith, streamsWithout, ...rest } = step;
  const [own, present, absent] = [names, streamsWith, streamsWithout].map(translate);
  if (own?.length === 0 || present?.length === 0) return undefined;
  const { discriminator } = from.envelope;
  const isMoved = discriminator !== first.envelope.discriminator;
  return {
    ...rest,
    ...(rest.step === "rename-type" && isMoved && { field: discriminator }),
    ...(own && own.length < originals.length && { types: own }),
    ...(present && { streamsWith: present }),
    ...(absent && absent.length > 0 && { streamsWithout: absent }),
  };
}

/** Names the event types that a link gives under conditions, so that the event type before it does not tell the one behind it. */
function findConditionalTypes({ from, to, plan }: Link): Gap[] {
  return plan.steps.flatMap(({ step, reason }): Gap[] => {
    if (step.step !== "rename-type" || !hasCondition(step)) return [];
    const explanation = `it depends on values or streams, so the steps behind ${to.id} cannot be chosen; carry events over from one version to the next.`;
    return [
      { type: step.to, place: "", statement: `${from.id} to ${to.id}: ${reason}`, reason: explanation },
    ];
  });
}

/** Names values that one version does not declare any more, and that would stand under the name of a field of a later one. */
function findReusedPlaces(links: readonly Link[]): Gap[] {
  return links.flatMap((link, index) => {
    const steps = link.plan.steps.map(({ step }) => step);
    const left = createLedger(link, link.plan.steps, new Set()).entries.filter(
      // Under the conditions of steps, a value takes one of several ways, and most are those of other branches.
      ({ fate, isConditional }) => !isConditional && (fate === "unread" || fate === "dropped"),
    );
    return left.flatMap((entry): Gap[] => {
      const place = entry.to[0] ?? entry.place;
      let type = findNewType(entry.type, steps);
      for (const { plan, to } of links.slice(index + 1)) {
        type = findNewType(
          type,
          plan.steps.map(({ step }) => step),
        );
        const target = to.events.find((event) => event.type === type);
        if (target === undefined || findFields(collectSites(to, target).list, place).length === 0) continue;
        const statement = `the field of ${to.id}`;
        const reason = `${link.to.id} does not declare the value of ${link.from.id} there, which is another one; move it away by a step.`;
        return [{ type: entry.type, place, statement, reason }];
      }
      return [];
    });
  });
}

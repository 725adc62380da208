/** Finds an order in which the parts of a fleet can be deployed, one after the other, so that no reader ever refuses an event. */
import { UsageError } from "../failure.js";
import type { Archive, Component, Fleet } from "./fleet.js";

/** The deployment of the next version of a component. */
export interface RolloutStep {
  readonly component: Component;
  readonly from: string;
  readonly to: string;
}

/** Events that a reader refuses: those of writers of `sent`, in the stream of a writer or in an archive. */
export interface Refusal {
  readonly origin: Component | Archive;
  readonly sent: string;
  readonly reader: Component;
  readonly read: string;
}

/** A step after which readers refuse events; undefined for the versions that run now. */
export interface FailingMix {
  readonly step: RolloutStep | undefined;
  readonly refusals: readonly Refusal[];
}

/** An order of steps; or the steps that are possible, and the mix to which each further step leads. */
export type RolloutPlan =
  | { readonly kind: "ordered"; readonly steps: readonly RolloutStep[] }
  | {
      readonly kind: "blocked";
      readonly steps: readonly RolloutStep[];
      readonly failures: readonly FailingMix[];
    };

/** Returns whether readers of a version accept all events of writers of another version. */
export type CanRead = (sent: string, read: string) => boolean;

/** The most mixes of versions that are tried. */
const MAX_MIXES = 200_000;

/** The position of each component in the list of its versions. */
type Mix = readonly number[];

/**
 * Returns a safe order of all steps if there is one, with readers before writers where both orders are safe. Otherwise it
 * returns the longest safe order, and why no further step is safe.
 * @throws UsageError if the fleet has too many mixes of versions.
 */
export function planRollout(fleet: Fleet, canRead: CanRead): RolloutPlan {
  const { components } = fleet;
  const start: Mix = components.map(() => 0);
  const refusals = findRefusals(fleet, start, canRead);
  if (refusals.length > 0) return { kind: "blocked", steps: [], failures: [{ step: undefined, refusals }] };
  const order = [...components.keys()].sort(
    (a, b) => Number(components[a]?.role === "writer") - Number(components[b]?.role === "writer"),
  );
  const seen = new Set([start.join()]);
  const pending: { readonly mix: Mix; readonly steps: readonly RolloutStep[] }[] = [
    { mix: start, steps: [] },
  ];
  let longest: RolloutPlan = { kind: "blocked", steps: [], failures: [] };
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    const { mix, steps } = state;
    const nextMixes = order.flatMap((index) => listNextMix(components, mix, index));
    if (nextMixes.length === 0) return { kind: "ordered", steps };
    const failures: FailingMix[] = [];
    // The last one is tried first.
    for (const { step, next } of nextMixes.reverse()) {
      const nextRefusals = findRefusals(fleet, next, canRead);
      if (nextRefusals.length > 0) failures.unshift({ step, refusals: nextRefusals });
      else if (!seen.has(next.join())) {
        seen.add(next.join());
        pending.push({ mix: next, steps: [...steps, step] });
      }
    }
    if (seen.size > MAX_MIXES)
      throw new UsageError(
        `The fleet has more than ${MAX_MIXES} mixes of versions. Describe parts that are deployed together as one.`,
      );
    if (
      failures.length === nextMixes.length &&
      (longest.failures.length === 0 || steps.length > longest.steps.length)
    )
      longest = { kind: "blocked", steps, failures };
  }
  return longest;
}

function listNextMix(
  components: readonly Component[],
  mix: Mix,
  index: number,
): { readonly step: RolloutStep; readonly next: Mix }[] {
  const component = components[index];
  const position = mix[index] ?? 0;
  const [from, to] = component?.versions.slice(position, position + 2) ?? [];
  if (component === undefined || from === undefined || to === undefined) return [];
  return [{ step: { component, from, to }, next: mix.with(index, position + 1) }];
}

/** Returns the events that readers refuse in a mix. */
function findRefusals({ components, archives }: Fleet, mix: Mix, canRead: CanRead): Refusal[] {
  const current = components.map((component, index) => ({
    component,
    version: component.versions[mix[index] ?? 0] ?? "",
    // All versions that it has had so far.
    earlier: component.versions.slice(0, (mix[index] ?? 0) + 1),
  }));
  const writers = current.filter(({ component }) => component.role === "writer");
  const written = writers.flatMap(({ earlier }) => earlier);
  return current
    .filter(({ component }) => component.role === "reader")
    .flatMap(({ component: reader, version: read }) => {
      const opened = archives.filter(({ readers }) => readers.includes(reader.name));
      const sources = [
        ...writers.map(({ component, version }) => ({ origin: component, sent: version })),
        ...opened.flatMap((origin) =>
          [...new Set([...origin.holds, ...written])].map((sent) => ({ origin, sent })),
        ),
      ];
      return sources.filter(({ sent }) => !canRead(sent, read)).map((each) => ({ ...each, reader, read }));
    });
}

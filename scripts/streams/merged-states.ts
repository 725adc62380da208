/**
 * Checks that a search counts two states of a machine as equal only if the machine refuses the same events after both.
 * Compares walks through the states of a search with a checker that runs through whole streams.
 */
import { createQuestion } from "../../generator/compat/streams/decide-streams.js";
import type { EventSample } from "../../generator/compat/streams/event-samples.js";
import {
  type Component,
  createComponent,
  findError,
  placeSample,
} from "../../generator/compat/streams/search-streams.js";
import type { DescribeState } from "../../generator/compat/streams/state-keys.js";
import { listDifferingMachines, type StreamSides } from "../../generator/compat/streams/stream-sides.js";
import { createPlan, type PlannedMachine } from "../../generator/conform/check-plan.js";
import { createStreamChecker } from "../../generator/conform/stream-checker.js";
import type { JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Random } from "../../generator/random.js";
import type { Profile } from "../../generator/schema/readings.js";

/** The greatest number of states that are visited before the walks. */
const STATES = 60;
const WALKS = 40;
const WALK_LENGTH = 10;

/** One machine of a search. */
interface SearchedMachine {
  readonly protocol: Protocol;
  readonly profile: Profile;
  readonly machine: PlannedMachine;
  readonly describe: DescribeState;
}

/** A stream after which a search is wrong about a machine. */
export interface MergeMistake {
  readonly events: readonly JsonObject[];
  readonly why: string;
}

/** Returns a mistake for each machine of the first searches about a change for which a walk shows one. */
export async function findMergeMistakes(sides: StreamSides, random: Random): Promise<MergeMistake[]> {
  const mistakes: MergeMistake[] = [];
  for (const differing of listDifferingMachines(sides)) {
    const { machines, samples } = await createQuestion(sides, differing);
    const { small, large, describeSmall, describeLarge, maxSequence } = machines;
    const searched: SearchedMachine[] = [
      { protocol: sides.large, profile: sides.profile, machine: large, describe: describeLarge },
      ...small.map((machine, index) => ({
        protocol: sides.small,
        profile: "writer" as const,
        machine,
        describe: describeSmall[index] ?? describeLarge,
      })),
    ];
    if (samples.eventSamples.length === 0) continue;
    for (const one of searched) {
      const budget = { remainingTries: Number.POSITIVE_INFINITY };
      const { protocol, profile, machine, describe } = one;
      const component = createComponent(protocol, profile, machine, {
        ...{ sides, describe, maxSequence, budget },
      });
      visitStates(component, samples.eventSamples);
      const mistake = findMistake(component, one, sides.small, samples.eventSamples, random);
      if (mistake !== undefined) mistakes.push(mistake);
    }
  }
  return mistakes;
}

/** Visits states, those after few events first, so that later walks meet states that others are merged with. */
function visitStates(component: Component, samples: readonly EventSample[]): void {
  const states = new Set([component.initial]);
  for (const state of states)
    for (const sample of state.isUnbounded ? [] : samples) {
      const { next } = component.step(state, sample);
      if (typeof next === "object" && states.size < STATES) states.add(next);
    }
}

function findMistake(
  component: Component,
  machine: SearchedMachine,
  numbered: Protocol,
  samples: readonly EventSample[],
  random: Random,
): MergeMistake | undefined {
  for (let walk = 0; walk < WALKS; walk++) {
    const stream = Array.from({ length: WALK_LENGTH }, () => random.pick(samples));
    const merged = runComponent(component, stream).join(", ");
    const { events, refusals } = runStream(machine, numbered, stream);
    const whole = refusals.join(", ");
    if (merged !== whole) return { events, why: `merged states refuse "${merged}" instead of "${whole}"` };
  }
  return undefined;
}

/** Returns the rules that refuse an event or the end of the stream so far, each with the index of the event. */
function runComponent(component: Component, stream: readonly EventSample[]): string[] {
  const refusals: string[] = [];
  let state = component.initial;
  for (const [index, sample] of stream.entries()) {
    const { next } = component.step(state, sample);
    if (next === undefined) continue;
    if (typeof next === "string") return [...refusals, `${index} ${next}`];
    state = next;
    const { rule } = state.end();
    if (rule !== undefined) refusals.push(`end of ${index} ${rule}`);
  }
  return refusals;
}

/** Does the same with a checker of whole streams. */
function runStream(
  { protocol, profile, machine }: SearchedMachine,
  numbered: Protocol,
  stream: readonly EventSample[],
): { readonly events: readonly JsonObject[]; readonly refusals: readonly string[] } {
  const events: JsonObject[] = [];
  const refusals: string[] = [];
  const checker = createStreamChecker(protocol, { profile, plan: createPlan(protocol, [machine]) });
  let nextNumbers: ReadonlyMap<string, number> = new Map();
  for (const [index, sample] of stream.entries()) {
    const placed = placeSample(numbered, sample, nextNumbers);
    if (placed === undefined) continue;
    const { event, delivery } = placed.event;
    events.push(event);
    if (delivery.sequence !== undefined) nextNumbers = new Map(nextNumbers).set(sample.stream, placed.next);
    const refusal = findError(checker.check(event, delivery, 0));
    if (refusal !== undefined) return { events, refusals: [...refusals, `${index} ${refusal}`] };
    const end = findError(checker.fork().end());
    if (end !== undefined) refusals.push(`end of ${index} ${end}`);
  }
  return { events, refusals };
}

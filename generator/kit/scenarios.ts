/** What can happen in streams of a protocol, read off its declared rules, and what all of its streams are generated with. */
import type { Member, Scenario } from "../conform/stream-rule.js";
import { declarationsOf, STREAM_RULES } from "../conform/stream-rules.js";
import type { Protocol } from "../protocol/protocol.js";
import type { EventMaker, KitEvent } from "../sample/event-maker.js";
import type { Operation } from "./script.js";
import type { StreamBase } from "./stream-cursor.js";

/** A scenario of one rule; a scenario without a member is a single event. */
interface StreamScenario extends Scenario {
  readonly member?: Member;
}

/** What all streams of a contract are generated with. */
export interface GeneratorContext {
  readonly maker: EventMaker;
  readonly scenarios: readonly StreamScenario[];
  /** Each event type with the scenario that generates it, in the order in which the kit covers event types. */
  readonly coverageOrder: ReadonlyMap<string, StreamScenario>;
  /** The envelopes of its streams, by their number. */
  readonly bases: StreamBase[];
  /** How a fresh value of a field is made, by event type and field. */
  readonly kinds: Map<string, number>;
  /** Streams that were generated, by their scripts. */
  readonly written: Map<string, readonly KitEvent[]>;
}

/** Returns the context of a contract, with nothing generated. */
export function createGeneratorContext(maker: EventMaker): GeneratorContext {
  const scenarios = createScenarios(maker.model);
  const coverageOrder = orderCoverage(scenarios, maker.model);
  return { maker, scenarios, coverageOrder, bases: [], kinds: new Map(), written: new Map() };
}

/** Returns the scenario of an operation. */
export function scenarioOf(
  { scenarios, coverageOrder }: GeneratorContext,
  { pick }: Operation,
): StreamScenario | undefined {
  return typeof pick === "string" ? coverageOrder.get(pick) : scenarios[pick % scenarios.length];
}

/** Everything that can happen in streams of `model`: single events first. */
function createScenarios(model: Protocol): readonly StreamScenario[] {
  const reserved = new Set<string>();
  const found: StreamScenario[] = [];
  for (const { member, generation } of STREAM_RULES)
    for (const declared of declarationsOf(model.stream?.rules, member)) {
      for (const type of generation?.reservedTypes?.(declared, model) ?? []) reserved.add(type);
      const scenario = generation?.scenario?.(declared, model);
      if (scenario) found.push({ ...scenario, member });
    }
  const single = model.events.map(({ type }) => type).filter((type) => !reserved.has(type));
  // Scenarios of rules are few and matter more than single events: each stands in the table several times.
  const times = Math.max(1, Math.ceil(single.length / 12));
  return [
    ...single.map((type) => ({ name: type, types: [type], propose: () => [{ type, wanted: {} }] })),
    ...Array.from({ length: times }, () => found).flat(),
  ];
}

/**
 * Returns each event type that scenarios generate, with the last and therefore richest of them: chance alone would leave
 * out rare types for long. The kit itself opens and ends streams.
 */
function orderCoverage(
  scenarios: readonly StreamScenario[],
  model: Protocol,
): ReadonlyMap<string, StreamScenario> {
  const found = model.events.flatMap(({ type }) => {
    const scenario = scenarios.findLast(({ types }) => types.includes(type));
    return scenario === undefined ? [] : [[type, scenario] as const];
  });
  return new Map(found);
}

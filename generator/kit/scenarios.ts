/** The scenarios of a protocol, which follow from its stream rules, and the context in which its streams are generated. */
import type { Protocol } from "../protocol/protocol.js";
import { createEventMaker, type EventMaker, type SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import type { Profile } from "../schema/readings.js";
import { listPreferredValues, type PreferredValues } from "./event-order.js";
import { createModel, type KitProtocol, type KitSchemas } from "./kit-protocol.js";
import { deriveScenarios, type Scenario } from "./rule-scenarios.js";
import { getProbedRules, type RuleStates } from "./rule-states.js";
import type { Operation } from "./script.js";
import type { StreamBase } from "./stream-cursor.js";

/** The events that open a stream, and the states of the rules after them. */
interface Opening {
  readonly events: readonly SampleEvent[];
  readonly states: RuleStates;
}

/** Events and fields that scenes do without where the contract allows that. */
export interface Reduction {
  /** Event types, unless a law proposes them, and optional fields, as `listOmissions` names them. */
  readonly names: ReadonlySet<string>;
  /** Returns the events as they may be sent, with other numbers; undefined if the contract does not allow them. */
  renumber(events: readonly SampleEvent[]): readonly SampleEvent[] | undefined;
}

/** Data that the generation of all streams of a contract shares. */
export interface GeneratorContext {
  readonly maker: EventMaker;
  readonly scenarios: readonly Scenario[];
  /** Each event type with the scenario that generates it, in the order in which the kit covers event types. */
  readonly coverageOrder: ReadonlyMap<string, Scenario>;
  /** The values that fields should often have. */
  readonly preferredValues: readonly PreferredValues[];
  /** The values that events need so that the consumer shows them, as its author names them. */
  readonly only?: readonly PreferredValues[];
  /** The envelope fields of the streams, by the index of the stream. */
  readonly bases: StreamBase[];
  /** The index of the form of unused values of a field, by event type and field; -1 if the field accepts no form. */
  readonly valueForms: Map<string, number>;
  /** The states of the rules after streams that were generated. */
  readonly resumed: WeakMap<readonly SampleEvent[], RuleStates>;
  /** What opens a stream, by the index of the stream. */
  readonly openings: Map<number, Opening>;
  /** What scenes lack, and the context of which this one is a copy; absent unless a failure is made smaller. */
  readonly reduction?: Reduction & { readonly base: GeneratorContext };
  /** Generated streams by their scripts. */
  readonly generated: Map<string, readonly SampleEvent[]>;
}

/** Returns the context of a contract, without any streams. */
export function createGeneratorContext(maker: EventMaker): GeneratorContext {
  const scenarios = createScenarios(maker.protocol);
  const coverageOrder = orderCoverage(scenarios, maker.protocol);
  const preferredValues = getProbedRules(maker.protocol).rules.flatMap(({ original, probed }) =>
    listPreferredValues(original, probed.sites),
  );
  return {
    maker,
    scenarios,
    coverageOrder,
    preferredValues,
    bases: [],
    valueForms: new Map(),
    resumed: new WeakMap(),
    openings: new Map(),
    generated: new Map(),
  };
}

/** Returns the payload fields of an event type whose values decide whether the consumer shows the event. */
export function listNeededFields({ preferredValues }: GeneratorContext, type: string): readonly string[] {
  return preferredValues.flatMap((each) => (each.isNeeded && each.type === type ? [each.field] : []));
}

const contexts = memoizeByObject((_protocol: KitProtocol) => new Map<KitSchemas, GeneratorContext>());

/** Returns the context for streams of a version of a protocol, whose events `profile` accepts. It is made once. */
export function prepareContext(
  protocol: KitProtocol,
  schemas: KitSchemas,
  profile: Profile,
): GeneratorContext {
  const knownContext = contexts(protocol).get(schemas);
  if (knownContext) return knownContext;
  const accepts = (event: object): boolean => {
    const { kind } = protocol.decodeEvent(event, { profile });
    return kind === "known" || (profile === "reader" && kind === "unknown");
  };
  const context = createGeneratorContext(createEventMaker(createModel(protocol, schemas), accepts));
  contexts(protocol).set(schemas, context);
  return context;
}

/** Returns the scenario of an operation. */
export function findScenario(
  { scenarios, coverageOrder }: GeneratorContext,
  { pick }: Operation,
): Scenario | undefined {
  return typeof pick === "string" ? coverageOrder.get(pick) : scenarios[pick % scenarios.length];
}

/** Returns all scenarios of a contract: single events first. */
function createScenarios(model: Protocol): readonly Scenario[] {
  const { scenarios, reservedTypes } = deriveScenarios(model);
  const singleTypes = model.events.map(({ type }) => type).filter((type) => !reservedTypes.has(type));
  // Scenarios of rules are few and matter more than single events, so each is listed several times.
  const times = Math.max(1, Math.ceil(singleTypes.length / 12));
  return [
    ...singleTypes.map((type) => ({ name: type, types: [type], propose: () => [{ type, fixedFields: {} }] })),
    ...Array.from({ length: times }, () => scenarios).flat(),
  ];
}

/**
 * Returns each event type that scenarios generate, with the last scenario, which is the richest. Scripts go through these
 * types, because chance alone would leave out rare ones.
 */
function orderCoverage(scenarios: readonly Scenario[], model: Protocol): ReadonlyMap<string, Scenario> {
  return new Map(
    model.events.flatMap(({ type }) => {
      const scenario = scenarios.findLast(({ types }) => types.includes(type));
      return scenario === undefined ? [] : [[type, scenario] as const];
    }),
  );
}

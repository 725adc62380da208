/** Scenarios that follow from the machines of stream rules: the course of a thing, a block that is lifted, and a gap. */
import { listMachines } from "../conform/check-plan.js";
import { listStatements } from "../conform/machine/walk.js";
import type { Member } from "../conform/stream-rule.js";
import { createObject, type Json, type JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Random } from "../random.js";
import { type EventOrder, findEventOrder } from "./event-order.js";
import { getProbedRules } from "./rule-states.js";

/** An event that a scenario wants to send. */
export interface ProposedEvent {
  readonly type: string;
  /** Payload fields that must have these values. */
  readonly fixedFields: JsonObject;
  /** The count of sequence numbers that are skipped before the event, which names them. */
  readonly skip?: number;
  /** True if the rules about the end of a stream have to hold after the event; by default, after skipped numbers. */
  readonly isLast?: boolean;
}

/** The tools of a scenario. */
interface ScenarioContext {
  readonly random: Random;
  readonly size: number;
  /** An event type that must be proposed. If absent, the choice is random. */
  readonly requiredType?: string | undefined;
  /** Returns a valid value of a payload field that no other event has. */
  createUniqueValue(type: string, field: string): Json;
}

/** A sequence of events that the kit can generate. */
export interface Scenario {
  readonly name: string;
  /** The member of `stream.rules` from which the scenario follows; absent for a single event. */
  readonly member?: Member;
  /** The event types that the sequence contains if the context requires them. */
  readonly types: readonly string[];
  propose(context: ScenarioContext): readonly ProposedEvent[];
}

/** The scenarios of the rules of a protocol, and the event types that only they and the kit itself send. */
interface RuleScenarios {
  readonly scenarios: readonly Scenario[];
  readonly reservedTypes: ReadonlySet<string>;
}

/** Derives the scenarios from the machines of a protocol. */
export function deriveScenarios(model: Protocol): RuleScenarios {
  const probedRules = getProbedRules(model);
  const machines = listMachines(model, "writer");
  const orders = machines.map(({ member }, slot) => ({
    member,
    order: findEventOrder(model, probedRules, slot),
  }));
  const plans = new Map(model.events.map(({ type }) => [type, probedRules.getPlan(type).plan] as const));
  const listTypes = (flag: "isGapMarker" | "isTerminal" | "isOpening"): string[] =>
    [...plans].flatMap(([type, plan]) => (plan[flag] ? [type] : []));
  const placedTypes = new Set([
    ...listTypes("isGapMarker"),
    ...listTypes("isTerminal"),
    // The kit begins streams with the first of these types.
    ...listTypes("isOpening").filter((type) => type === model.stream?.rules?.terminal?.opens[0]),
    ...orders.flatMap(({ order: { boundTypes, firstTypes } }) => [...boundTypes, ...firstTypes]),
  ]);
  const openings = new Set(listTypes("isOpening"));
  const isFree = (type: string): boolean => !placedTypes.has(type) && !openings.has(type);
  const isLifter = (type: string): boolean => plans.get(type)?.isTerminal !== true;
  const blockers = orders.flatMap(({ order }) => [...order.blockers.keys()].filter(isFree));
  const namesNumbers = (type: string): boolean =>
    machines.some(({ machine }) =>
      listStatements(machine.clauses, type).some(
        (each) => each.op === "cover" && each.first.op === "payload",
      ),
    );
  return {
    scenarios: [
      ...listTypes("isGapMarker").map((type) => createGapScenario(type, namesNumbers(type))),
      ...orders.flatMap(({ member, order }) =>
        order.phases.length === 0 ? [] : [createCourse(member, order)],
      ),
      ...orders.flatMap(({ member, order }) => createBlock(member, order, isFree, isLifter) ?? []),
    ],
    reservedTypes: new Set([...placedTypes, ...blockers]),
  };
}

/** A gap of some numbers that its marker names, or the marker alone if it names none. */
function createGapScenario(type: string, namesNumbers: boolean): Scenario {
  return {
    name: `gap ${type}`,
    member: "gaps",
    types: [type],
    propose: ({ size }) => [{ type, fixedFields: {}, ...(namesNumbers && { skip: size + 1 }) }],
  };
}

/** Pieces of generated texts: plain words, which tests can find in the output of a consumer. */
const PIECES = ["Hello ", "wörld ", "日本 ", "and 🙂 so ", "on.\n", "one more piece "] as const;

/** The probability of a phase in the course of a thing, except the first one. */
const PHASE_CHANCE = 0.8;

/** The course of one thing: what begins it, what comes in between, and what ends it. */
function createCourse(member: Member, order: EventOrder): Scenario {
  const { phases, textFields, keys } = order;
  const types = phases.flatMap((phase) => phase.types);
  // A whole stream would wait for the end of its course.
  const isStream = types.every((type) => keys.get(type)?.length === 0);
  return {
    name: `course of ${types.join(", ")}`,
    member,
    // The types that a thing with states has occur in other scenarios, too.
    types: order.boundTypes.length === 0 ? [] : types,
    propose({ random, size, requiredType, createUniqueValue }) {
      const fixIds = createIdFixer(order, createUniqueValue);
      const chosen = phases.flatMap((phase, index) => {
        const isRequired = requiredType !== undefined && phase.types.includes(requiredType);
        const required = isRequired ? [requiredType] : [];
        if (!phase.isRepeatable) {
          if (index > 0 && !isStream && !isRequired && !random.chance(PHASE_CHANCE)) return [];
          return isRequired ? required : [random.pick(phase.types)];
        }
        const count = index === 0 ? size + 1 : size;
        return [...required, ...Array.from({ length: count }, () => random.pick(phase.types))];
      });
      return chosen.map((type) => {
        const pieces = (textFields.get(type) ?? []).map((field) => [field, random.pick(PIECES)] as const);
        return { type, fixedFields: { ...fixIds(type), ...createObject(pieces) } };
      });
    },
  };
}

/** Returns a function that gives the events of one thing the same ids. */
function createIdFixer(
  { keys }: EventOrder,
  createUniqueValue: ScenarioContext["createUniqueValue"],
): (type: string) => JsonObject {
  const ids = new Map<string | number, Json>();
  return (type) =>
    createObject(
      (keys.get(type) ?? []).map((field, position) => {
        const value = createUniqueValue(type, field);
        const [unused = value] = Array.isArray(value) ? value : [value];
        const id = ids.get(field) ?? ids.get(position) ?? unused;
        ids.set(field, id);
        ids.set(position, id);
        return [field, Array.isArray(value) ? [id] : id] as const;
      }),
    );
}

/** The probability that a random stream gets a block when its scenario is chosen. It has few events after a block. */
const BLOCK_CHANCE = 0.2;

/** An event after which others must not come, and what lifts the block at once. */
function createBlock(
  member: Member,
  order: EventOrder,
  isFree: (type: string) => boolean,
  isLifter: (type: string) => boolean,
): Scenario | undefined {
  const types = [...order.blockers.keys()].filter(isFree);
  if (types.length === 0) return undefined;
  return {
    name: `block after ${types.join(" or ")}`,
    member,
    types,
    propose({ random, requiredType, createUniqueValue }) {
      const type = types.find((each) => each === requiredType) ?? random.pick(types);
      if (type !== requiredType && !random.chance(BLOCK_CHANCE)) return [];
      const fixIds = createIdFixer(order, createUniqueValue);
      const lifters = (order.blockers.get(type) ?? []).filter(isLifter);
      const sent = lifters.length === 0 ? [type] : [type, random.pick(lifters)];
      return sent.map((each) => ({
        type: each,
        fixedFields: { ...order.effectiveValues.get(each), ...fixIds(each) },
      }));
    },
  };
}

import { isObject, type Json, type JsonObject } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import { type CheckerDescription, type Comparable, sortUnique } from "./comparable.js";
import type { AnyStreamRule, Handler, Member, RuleChecker, StreamFindingKind } from "./stream-rule.js";
import { listDeclarations, STREAM_RULES } from "./stream-rules.js";

/** A checker of one member of `stream.rules`. */
export interface PlannedChecker extends RuleChecker {
  readonly member: Member;
  readonly findings: readonly StreamFindingKind[];
  readonly comparable?: Comparable;
}

/** A check of one event, and the index of its state. */
export interface Check {
  readonly slot: number;
  readonly checker: PlannedChecker;
  readonly handler: Handler<unknown>;
}

/** The checks of events of one type, and the meaning of the type for its stream. */
export interface TypePlan {
  readonly checks: readonly Check[];
  /** The property that holds the payload; undefined if the payload is inline or absent. */
  readonly payload: string | undefined;
  /** True if the type begins a stream that a terminal event ends. */
  readonly isOpening: boolean;
  /** True if the type ends its stream. */
  readonly isTerminal: boolean;
  readonly isGapMarker: boolean;
}

/** The checks of all events of a protocol. */
export interface Plan {
  readonly checkers: readonly PlannedChecker[];
  readonly types: ReadonlyMap<string, TypePlan>;
  /** The plan of every type that the protocol does not declare. */
  readonly undeclared: TypePlan;
  /** The checks of events after the terminal event of their stream. */
  readonly afterTerminal: readonly Check[];
}

const plans = new WeakMap<Protocol, Map<Profile, Plan>>();

/** Returns the plan of a profile, without checkers that report nothing in it. Plans are stateless and made once for each protocol. */
export function planChecks(protocol: Protocol, profile: Profile): Plan {
  const byProfile = plans.get(protocol) ?? new Map<Profile, Plan>();
  plans.set(protocol, byProfile);
  const plan = byProfile.get(profile) ?? createPlan(protocol, profile);
  byProfile.set(profile, plan);
  return plan;
}

/** Returns the plan with only those checkers that `isWanted` accepts. */
export function restrictPlan(plan: Plan, isWanted: (checker: PlannedChecker) => boolean): Plan {
  const checkers = plan.checkers.filter(isWanted);
  const slots = new Map(checkers.map((checker, slot) => [checker, slot]));
  const select = (checks: readonly Check[]): readonly Check[] =>
    checks.flatMap((check) => {
      const slot = slots.get(check.checker);
      return slot === undefined ? [] : [{ ...check, slot }];
    });
  const restrict = (type: TypePlan): TypePlan => ({ ...type, checks: select(type.checks) });
  return {
    checkers,
    types: new Map([...plan.types].map(([name, type]) => [name, restrict(type)])),
    undeclared: restrict(plan.undeclared),
    afterTerminal: select(plan.afterTerminal),
  };
}

/** Returns the checkers of the declarations of one member that apply to the profile, with their descriptions completed. */
function createCheckers(rule: AnyStreamRule, protocol: Protocol, profile: Profile): PlannedChecker[] {
  const declarations = listDeclarations(protocol.stream?.rules, rule.member).filter(
    (declaration) => profile === "writer" || declaration.profile !== "writer",
  );
  const plan = ({ comparable, ...checker }: RuleChecker, declaration: JsonObject): PlannedChecker => ({
    findings: rule.findings,
    ...checker,
    member: rule.member,
    ...(comparable && { comparable: describeChecker(rule, declaration, checker.handlers, comparable) }),
  });
  return [
    ...(rule.createJointCheckers?.(declarations, protocol) ?? []).map((checker) => plan(checker, {})),
    ...declarations.flatMap((declaration) =>
      [rule.createCheckers(declaration, protocol)].flat().map((checker) => plan(checker, declaration)),
    ),
  ];
}

/**
 * Completes the description of a checker. By default, it depends on its whole declaration, may refuse every event type
 * that it handles, remembers and allows none, and does not use epochs.
 */
function describeChecker(
  rule: AnyStreamRule,
  declared: JsonObject,
  handlers: RuleChecker["handlers"],
  description: CheckerDescription,
): Comparable {
  const types = handlers.map((handler) => handler.types);
  return {
    dependsOn: [rule.member, normalizeDeclaration(rule, declared)],
    usesEpochs: false,
    refuses: types.some((each) => typeof each === "string") ? "every" : (types.flat() as string[]),
    remembers: [],
    allows: [],
    ...description,
  };
}

/** Returns a declaration without its profile, without defaults, and with sorted lists if their order has no meaning. */
function normalizeDeclaration({ comparison }: AnyStreamRule, declared: JsonObject): JsonObject {
  const { ordered = [], closed = [] } = comparison;
  const isDefault = (value: Json): boolean =>
    value === false || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(
    Object.entries(declared)
      .filter(([name, value]) => name !== "profile" && (closed.includes(name) || !isDefault(value)))
      .map(([name, value]) => [name, ordered.includes(name) ? value : sortLists(value)]),
  );
}

function sortLists(value: Json): Json {
  if (Array.isArray(value)) return sortUnique(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sortLists(each)]));
}

function createPlan(protocol: Protocol, profile: Profile): Plan {
  const checkers = STREAM_RULES.flatMap((rule) => createCheckers(rule, protocol, profile)).filter(
    ({ findings }) => findings.some(({ severity }) => severity[profile] !== "off"),
  );
  const all = checkers.flatMap((checker, slot) =>
    checker.handlers.map((handler) => ({ slot, checker, handler })),
  );
  const { terminal, gaps = [] } = protocol.stream?.rules ?? {};
  const planFor = (type: string, payload?: string): TypePlan => ({
    checks: all.filter(
      ({ handler }) =>
        handler.types === "every" || (handler.types !== "after-terminal" && handler.types.includes(type)),
    ),
    payload,
    isOpening: terminal?.opens.includes(type) === true,
    isTerminal: terminal?.types.includes(type) === true,
    isGapMarker: gaps.some((marker) => marker.type === type),
  });
  return {
    checkers,
    types: new Map(
      protocol.events.map((event) => [
        event.type,
        planFor(event.type, findPayloadCarrier(protocol.envelope, event)),
      ]),
    ),
    undeclared: planFor(""),
    afterTerminal: all.filter(({ handler }) => handler.types === "after-terminal"),
  };
}

import { payloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import type { Handler, Watch } from "./stream-rule.js";
import { RULE_FILES } from "./stream-rules.js";

/** A check of one event, with the place of the state that it works on. */
export interface Check {
  readonly slot: number;
  readonly watch: Watch;
  readonly handler: Handler<unknown>;
}

/** What there is to do for events of one type. */
export interface TypePlan {
  readonly checks: readonly Check[];
  /** The property that holds the payload; absent where it lies beside the envelope or there is none. */
  readonly payload: string | undefined;
  /** The type begins what a terminal event ends. */
  readonly opens: boolean;
  readonly ends: boolean;
  /** The type says that something is missing. */
  readonly gap: boolean;
}

/** What there is to do for the events of a protocol. */
export interface Plan {
  readonly watches: readonly Watch[];
  readonly types: ReadonlyMap<string, TypePlan>;
  /** For types that the protocol does not declare. */
  readonly other: TypePlan;
  /** For events that come after a terminal one. */
  readonly rest: readonly Check[];
}

const plans = new WeakMap<Protocol, Map<Profile, Plan>>();

/** The plan of a profile: watches that could report nothing in it are left out. Made once for each protocol, as plans remember nothing of events. */
export function planOf(protocol: Protocol, profile: Profile): Plan {
  const known = plans.get(protocol) ?? new Map<Profile, Plan>();
  plans.set(protocol, known);
  const plan = known.get(profile) ?? makePlan(protocol, profile);
  known.set(profile, plan);
  return plan;
}

/** The plan with those watches alone that `keeps` names; what opens, ends and gaps mean stays as it is. */
export function restrictPlan(plan: Plan, keeps: (watch: Watch) => boolean): Plan {
  const kept = (checks: readonly Check[]): readonly Check[] => checks.filter(({ watch }) => keeps(watch));
  const restrict = (type: TypePlan): TypePlan => ({ ...type, checks: kept(type.checks) });
  return {
    watches: plan.watches,
    types: new Map([...plan.types].map(([name, type]) => [name, restrict(type)])),
    other: restrict(plan.other),
    rest: kept(plan.rest),
  };
}

function makePlan(protocol: Protocol, profile: Profile): Plan {
  const watches = RULE_FILES.flatMap((file) => file.watch(protocol)).filter(
    (watch) =>
      (profile === "writer" || watch.profile !== "writer") &&
      watch.rules.some(({ severity }) => severity[profile] !== "off"),
  );
  const all = watches.flatMap((watch, slot) => watch.handlers.map((handler) => ({ slot, watch, handler })));
  const { terminal, gaps = [] } = protocol.stream?.rules ?? {};
  const planFor = (type: string, payload?: string): TypePlan => ({
    checks: all.filter(
      ({ handler }) =>
        handler.types === "every" || (handler.types !== "rest" && handler.types.includes(type)),
    ),
    payload,
    opens: terminal?.opens.includes(type) === true,
    ends: terminal?.types.includes(type) === true,
    gap: gaps.some((marker) => marker.type === type),
  });
  return {
    watches,
    types: new Map(
      protocol.events.map((event) => {
        return [event.type, planFor(event.type, payloadCarrier(protocol.envelope, event))] as const;
      }),
    ),
    other: planFor(""),
    rest: all.filter(({ handler }) => handler.types === "rest"),
  };
}

import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Profile } from "../schema/readings.js";
import {
  type CompiledClause,
  type CompiledMachine,
  compileMachine,
  type ReportStatement,
} from "./machine/interpret.js";
import type { Machine } from "./machine/language.js";
import { listFindings, runsAt } from "./machine/walk.js";
import type { AnyStreamRule, Member, StreamFindingKind } from "./stream-rule.js";
import { listDeclarations, STREAM_RULES } from "./stream-rules.js";

/** A machine of one member of `stream.rules`. */
export interface PlannedMachine {
  readonly member: Member;
  readonly machine: Machine;
  /** The findings that the machine may report. */
  readonly findings: readonly StreamFindingKind[];
}

/** A machine of a plan that can check events. */
interface PlannedChecker extends PlannedMachine {
  readonly compiled: CompiledMachine;
}

/** A check of one event, and the index of its memory. */
export interface Check {
  readonly slot: number;
  readonly checker: PlannedChecker;
  readonly clause: CompiledClause;
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
  /** The checks of refused events. */
  readonly refused: readonly Check[];
}

const plans = new WeakMap<Protocol, Map<Profile, Plan>>();

/** Returns the plan of a profile, without machines that report nothing in it. Plans are stateless and made once for each protocol. */
export function planChecks(protocol: Protocol, profile: Profile): Plan {
  const byProfile = plans.get(protocol) ?? new Map<Profile, Plan>();
  plans.set(protocol, byProfile);
  const plan = byProfile.get(profile) ?? createPlan(protocol, listMachines(protocol, profile));
  byProfile.set(profile, plan);
  return plan;
}

/** Returns the machines of the declarations that bind the profile, without those that report nothing in it. */
export function listMachines(protocol: Protocol, profile: Profile): PlannedMachine[] {
  return STREAM_RULES.flatMap((rule) => createMachines(rule, protocol, profile)).filter(({ findings }) =>
    findings.some(({ severity }) => severity[profile] !== "off"),
  );
}

/** Returns the plan that checks only these machines. `observe` is called before each of their findings. */
export function createPlan(
  protocol: Protocol,
  machines: readonly PlannedMachine[],
  observe?: (planned: PlannedMachine, statement: ReportStatement) => void,
): Plan {
  const checkers = machines.map((planned): PlannedChecker => {
    const kinds = new Map(planned.findings.map((kind) => [kind.id, kind]));
    const compiled = compileMachine(
      planned.machine,
      kinds,
      observe && ((statement) => observe(planned, statement)),
    );
    return { ...planned, compiled };
  });
  const handlers = checkers.flatMap((checker, slot) =>
    checker.compiled.handlers.map((clause) => ({ slot, checker, clause })),
  );
  const { terminal, gaps = [] } = protocol.stream?.rules ?? {};
  const planFor = (type: string, payload?: string): TypePlan => ({
    checks: handlers.filter(({ clause }) => runsAt(clause.types, type)),
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
    afterTerminal: handlers.filter(({ clause }) => clause.types === "after-terminal"),
    refused: handlers.filter(({ clause }) => clause.types === "refused"),
  };
}

/** Returns the machines of the declarations of one member that bind the profile. */
function createMachines(rule: AnyStreamRule, protocol: Protocol, profile: Profile): PlannedMachine[] {
  const declarations = listDeclarations(protocol.stream?.rules, rule.member).filter(
    (declaration) => profile === "writer" || declaration.profile !== "writer",
  );
  const machines = [
    ...(rule.createJointMachines?.(declarations, protocol) ?? []),
    ...declarations.flatMap((declaration) => rule.createMachines(declaration, protocol)),
  ];
  return machines.map((machine) => {
    const ids = listFindings(machine);
    return { member: rule.member, machine, findings: rule.findings.filter(({ id }) => ids.has(id)) };
  });
}

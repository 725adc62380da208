/**
 * The states of the stream rules while streams are generated. An event is tried on copies of the states, which shows what
 * the rules would report and why; an event that is sent replaces the states by the copies.
 */
import { createPlan, listMachines, type TypePlan } from "../conform/check-plan.js";
import { type CompiledMachine, compileMachine, type MachineState } from "../conform/machine/interpret.js";
import type { Clause, Machine } from "../conform/machine/language.js";
import {
  createProbeCollector,
  type Probe,
  type ProbedMachine,
  probeMachine,
  type ReportSite,
} from "../conform/machine/probe.js";
import { findChangedTable, listStatements, runsAt } from "../conform/machine/walk.js";
import { createStream, type Stream } from "../conform/open-streams.js";
import { createStep } from "../conform/shared-step.js";
import type { Step, StreamFindingKind } from "../conform/stream-rule.js";
import type { Severity } from "../finding.js";
import { getItem } from "../get-item.js";
import type { JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { memoizeByObject } from "../sample/memoize.js";
import type { Gap } from "../stream/delivery.js";

/** An event in its stream. */
export interface PlacedEvent {
  readonly type: string;
  readonly event: JsonObject;
  readonly payload: JsonObject;
  /** The key of its stream. */
  readonly key: string;
  readonly sequence: number | undefined;
  readonly gap: Gap | undefined;
}

/** A report that an event would cause, or, if it is traced, that it does not cause. */
export interface Report extends Pick<Probe, "passed" | "values"> {
  /** The index of the machine, and that of the report in it. */
  readonly slot: number;
  readonly index: number;
  readonly machine: Machine;
  readonly site: ReportSite;
  readonly severity: Severity | "off";
}

/** The result of trying an event. */
export interface TriedEvent {
  readonly reports: readonly Report[];
  /** The state of a machine after the event. */
  getState(slot: number): MachineState | undefined;
  /** Sends the event. */
  commit(): void;
}

/** The states of all rules of a protocol. */
export interface RuleStates {
  /** Tries an event. With `isLast`, the reports at the end of the stream are listed, too. */
  try(placed: PlacedEvent, isLast?: boolean): TriedEvent;
  /** Returns states that continue from here and leave these unchanged. */
  fork(): RuleStates;
}

/** The streams by their keys, and the states that all streams share. */
interface KnownStates {
  readonly streams: ReadonlyMap<string, Stream>;
  readonly shared: readonly (MachineState | undefined)[];
}

/** A machine that was rewritten for a solver, and what it means for one event type. */
interface ProbedRule {
  readonly probed: ProbedMachine;
  readonly original: Machine;
  readonly compiled: CompiledMachine;
  readonly severities: readonly (Severity | "off")[];
}

/** The machines of a protocol that can be tried. */
export interface ProbedRules {
  readonly rules: readonly ProbedRule[];
  getPlan(type: string): { readonly plan: TypePlan; readonly slots: readonly ProbedCheck[] };
  readonly afterTerminal: readonly ProbedCheck[];
}

interface ProbedCheck {
  readonly slot: number;
  readonly check: (state: MachineState, step: Step) => void;
  /** The indexes of the tables that the check may change. */
  readonly changedTables: readonly number[];
}

/** Rewrites the machines of a protocol for writers. `isTraced` shows how far events come on the way to each report. */
export function createProbedRules(protocol: Protocol, isTraced = false): ProbedRules {
  const machines = listMachines(protocol, "writer");
  const { types, undeclared } = createPlan(protocol, []);
  const rules = machines.map(({ machine, findings }): ProbedRule => {
    const probed = probeMachine(machine, isTraced);
    const kinds = new Map<string, StreamFindingKind>(findings.map((kind) => [kind.id, kind]));
    // The finding of traces has no id.
    const [any] = findings;
    if (any) kinds.set("", any);
    return {
      probed,
      original: machine,
      compiled: compileMachine(probed.machine, kinds),
      severities: probed.sites.map(({ finding }) => kinds.get(finding)?.severity.writer ?? "off"),
    };
  });
  const checks = rules.flatMap(({ compiled, original }, slot) =>
    compiled.handlers.map((handler, index) => {
      const clause = original.clauses.filter((each) => each.on !== "end")[index];
      return {
        on: handler.types,
        slot,
        check: (state: MachineState, step: Step) => handler.check(state, step),
        changedTables: clause ? listChangedTables(original, clause) : [],
      };
    }),
  );
  const plans = new Map<string, { readonly plan: TypePlan; readonly slots: readonly ProbedCheck[] }>();
  return {
    rules,
    afterTerminal: checks.filter(({ on }) => on === "after-terminal"),
    getPlan(type) {
      const known = plans.get(type);
      if (known) return known;
      const slots = checks.filter(({ on }) => runsAt(on, type));
      const made = { plan: types.get(type) ?? undeclared, slots };
      plans.set(type, made);
      return made;
    },
  };
}

/** Returns the machines of a protocol for writers; they are made once. */
export const getProbedRules = memoizeByObject((protocol: Protocol) => createProbedRules(protocol));

/** Returns the machine with an index alone. No event of its streams can be missing. */
export function selectRule(protocol: Protocol, { rules, getPlan }: ProbedRules, slot: number): ProbedRules {
  const isOpening = protocol.stream?.sequence === undefined;
  const plan = { checks: [], payload: undefined, isOpening, isTerminal: false, isGapMarker: false };
  const slots = new Map<string, readonly ProbedCheck[]>();
  const select = (type: string): readonly ProbedCheck[] => {
    const checks = slots.get(type) ?? getPlan(type).slots.filter((check) => check.slot === slot);
    slots.set(type, checks);
    return checks.map((check) => ({ ...check, slot: 0 }));
  };
  return {
    rules: [getItem(rules, slot)],
    getPlan: (type) => ({ plan, slots: select(type) }),
    afterTerminal: [],
  };
}

/** Returns the indexes of the tables whose rows a clause may change. */
function listChangedTables(machine: Machine, clause: Clause): readonly number[] {
  const changed = listStatements([clause]).map((statement) => findChangedTable(machine, statement) ?? "");
  return [...Object.keys(machine.tables).entries()].flatMap(([index, table]) =>
    changed.includes(table) ? [index] : [],
  );
}

/** Creates the states of a protocol, without events unless those of `known` have been sent. */
export function createRuleStates(
  protocol: Protocol,
  probedRules = getProbedRules(protocol),
  known: KnownStates = { streams: new Map(), shared: [] },
): RuleStates {
  const { stream: contract } = protocol;
  // An event that is sent replaces streams and states, and never changes them.
  const streams = new Map(known.streams);
  const shared = [...known.shared];
  const { step, take } = createSharedStep(probedRules);
  return {
    fork: () => createRuleStates(protocol, probedRules, { streams, shared }),
    try({ type, event, payload, key, sequence, gap }, isLast = false) {
      const { plan, slots } = probedRules.getPlan(type);
      const isFirst = contract?.sequence !== undefined && sequence === contract.first;
      const before = streams.get(key) ?? { ...createStream(), key, epoch: isFirst ? 0 : 1 };
      const epoch = before.epoch + (gap !== undefined || plan.isGapMarker ? 1 : 0);
      const isComplete = plan.isOpening && contract?.sequence === undefined;
      const isAfterEnd = before.hasEnded && !plan.isOpening;
      const stream: Stream = {
        ...before,
        epoch,
        completeEpoch: isComplete ? epoch : before.completeEpoch,
        hasEnded: isAfterEnd,
        index: before.events,
        slots: [...before.slots],
      };
      const sharedAfter = [...shared];
      Object.assign(step, { event, payload, type, sequence, gap, stream, carrier: plan.payload });
      // Several checks may belong to one machine.
      const copied = new Set<MachineState>();
      const run = (slot: number, check: ProbedCheck["check"], changedTables: readonly number[]): void => {
        const { original, compiled } = getItem(probedRules.rules, slot);
        const target = original.shared ? sharedAfter : stream.slots;
        let state = target[slot] as MachineState | undefined;
        if (state === undefined || (changedTables.length > 0 && !copied.has(state))) {
          state = state === undefined ? compiled.start() : [...state];
          copied.add(state);
          target[slot] = state;
        }
        for (const table of changedTables) state[table] = copyTable(state[table]) as MachineState[number];
        step.slot = slot;
        check(state, step);
      };
      if (isAfterEnd)
        for (const { slot, check, changedTables } of probedRules.afterTerminal)
          run(slot, check, changedTables);
      for (const { slot, check, changedTables } of slots) run(slot, check, changedTables);
      if (isLast)
        for (const [slot, { compiled }] of probedRules.rules.entries())
          if (compiled.end && stream.slots[slot] !== undefined) run(slot, compiled.end, []);
      const reports = take();
      return {
        reports,
        getState: (slot) =>
          (probedRules.rules[slot]?.original.shared ? sharedAfter : stream.slots)[slot] as
            | MachineState
            | undefined,
        commit() {
          stream.events++;
          stream.hasEnded = isAfterEnd || plan.isTerminal;
          streams.set(key, stream);
          for (const [slot, state] of sharedAfter.entries()) shared[slot] = state;
        },
      };
    },
  };
}

/** Creates the step that all events share. `take` returns the reports since the last call. */
function createSharedStep({ rules }: ProbedRules) {
  let reports: Report[] = [];
  const add = ({ site: index, passed, values }: Probe): void => {
    const { slot } = step;
    const { probed, original, severities } = getItem(rules, slot);
    const site = getItem(probed.sites, index);
    reports.push({
      slot,
      index,
      machine: original,
      site,
      passed,
      values,
      severity: severities[index] ?? "off",
    });
  };
  const step = Object.assign(createStep(createProbeCollector(add)), { slot: 0 });
  const take = (): readonly Report[] => {
    const taken = reports;
    reports = [];
    return taken;
  };
  return { step, take };
}

/** Copies a table with all rows. */
function copyTable(table: unknown): unknown {
  if (Array.isArray(table)) return [...table];
  if (!(table instanceof Map)) return table;
  const copy = new Map<unknown, unknown>();
  for (const [key, row] of table) copy.set(key, copyTable(row));
  return copy;
}

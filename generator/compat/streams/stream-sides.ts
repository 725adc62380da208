/** The two sides of one inclusion over streams, and the machines that only the larger one has. */

import { listMachines, type PlannedMachine } from "../../conform/check-plan.js";
import type { Machine } from "../../conform/machine/language.js";
import { listReports } from "../../conform/machine/walk.js";
import type { JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { DecodeWithProfile } from "../../runtime/runtime.js";
import { createEventMaker, type EventMaker } from "../../sample/event-maker.js";
import type { Profile } from "../../schema/readings.js";
import { createValidators } from "../../validators/protocol-validators.js";
import type { Direction } from "../change.js";
import { deriveEnvelopeStability, rankStability } from "../side.js";
import {
  formatNode,
  identifyMachine,
  isSameContext,
  reduceMachine,
  reportsNoMore,
} from "./normal-machines.js";

/** One inclusion: every stream that writers of `small` may send is one that `large` allows. */
export interface StreamSides {
  readonly direction: Direction;
  readonly small: Protocol;
  readonly large: Protocol;
  /** The profile of `large`: writers in the backward direction, readers in the forward direction. */
  readonly profile: Profile;
  readonly smallMachines: readonly PlannedMachine[];
  readonly largeMachines: readonly PlannedMachine[];
  /** The event types whose events may be valid alone on both sides, with their stability rank. */
  readonly types: ReadonlyMap<string, number>;
  /** Returns whether an event is valid alone on both sides. */
  accepts(event: JsonObject): boolean;
}

const decoders = new WeakMap<readonly object[], DecodeWithProfile<unknown, unknown>>();

/** Returns the decoder of a contract; versions that share their events share it. */
function createDecoder(protocol: Protocol): DecodeWithProfile<unknown, unknown> {
  const decoder = decoders.get(protocol.events) ?? createValidators(protocol).decodeEvent;
  decoders.set(protocol.events, decoder);
  return decoder;
}

/** Returns whether an event is valid alone for `profile`; readers accept types that they do not know. */
export function isValidEvent(protocol: Protocol, profile: Profile, event: JsonObject): boolean {
  const { kind } = createDecoder(protocol)(event, { profile });
  return kind === "known" || (kind === "unknown" && profile === "reader");
}

/** Creates a maker of events that writers of `protocol` may send. */
export function createWriterEventMaker(protocol: Protocol): EventMaker {
  return createEventMaker(protocol, (event) => isValidEvent(protocol, "writer", event));
}

/** Returns the sides of one direction of the comparison of `before` with `after`. */
export function makeSides(before: Protocol, after: Protocol, direction: Direction): StreamSides {
  const small = direction === "backward" ? before : after;
  const large = direction === "backward" ? after : before;
  const profile = direction === "backward" ? "writer" : "reader";
  const stability = new Map(before.events.map((event) => [event.type, rankStability(event.stability)]));
  const knownTypes = new Set(large.events.map(({ type }) => type));
  // Readers of the baseline do not know the stability of later types. To them these types are as stable as the envelope.
  const envelopeRank = rankStability(deriveEnvelopeStability(before));
  const types = small.events
    .map(({ type }) => type)
    .filter((type) => direction === "forward" || knownTypes.has(type))
    .map((type) => [type, stability.get(type) ?? envelopeRank] as const);
  return {
    direction,
    small,
    large,
    profile,
    smallMachines: listMachines(small, "writer"),
    largeMachines: listMachines(large, profile),
    types: new Map(types),
    accepts: (event) => isValidEvent(small, "writer", event) && isValidEvent(large, profile, event),
  };
}

/** A machine of the larger side that the smaller side does not have. */
export interface DifferingMachine extends PlannedMachine {
  /** The machine without everything that is no error for the larger side. */
  readonly reduced: Machine;
}

/** Returns the machines of the larger side that may refuse a stream which the smaller side sends. */
export function listDifferingMachines(sides: StreamSides): DifferingMachine[] {
  const { small, large, profile, smallMachines, largeMachines, types } = sides;
  const kept = smallMachines.flatMap((planned) => reduceMachine(planned, ["writer", profile], types) ?? []);
  const isKept = (reduced: Machine): boolean =>
    isSameContext(reduced, small, large) && kept.some((other) => reportsNoMore(reduced, other, types));
  return largeMachines.flatMap((planned) => {
    const reduced = reduceMachine(planned, [profile], types);
    return reduced === undefined || isKept(reduced) ? [] : [{ ...planned, reduced }];
  });
}

/** Returns the machines of the smaller side that check other versions of a rule: an equal machine if there is one. */
export function findVersions(
  { smallMachines, small, large }: StreamSides,
  { member, machine }: PlannedMachine,
): PlannedMachine[] {
  const identity = identifyMachine(machine, large);
  // Rules that both sides have are no versions of another one, even if only writers follow them.
  const keptIds = new Set(
    listMachines(large, "writer")
      .map((planned) => identifyMachine(planned.machine, large))
      .filter((id) => id !== identity),
  );
  const others = smallMachines.filter(
    (other) => other.member === member && !keptIds.has(identifyMachine(other.machine, small)),
  );
  const equal = others.filter((other) => formatNode(other.machine) === formatNode(machine));
  if (equal.length > 0) return equal;
  const types = listReportingTypes(machine);
  const related = others.filter((other) =>
    [...listReportingTypes(other.machine)].some((type) => types.has(type)),
  );
  return related.length > 0 ? related : others;
}

/** Returns the event types about which a machine reports something. */
function listReportingTypes({ clauses }: Machine): ReadonlySet<string> {
  const reporting = clauses.filter((clause) => listReports([clause]).length > 0);
  return new Set(reporting.flatMap(({ on }) => on));
}

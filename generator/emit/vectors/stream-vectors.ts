/** Writes streams with the findings of both profiles, against which checkers of other languages are tested. */
import { createPlan, listMachines, type Plan } from "../../conform/check-plan.js";
import { createStreamChecker } from "../../conform/stream-checker.js";
import { isObject } from "../../json.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createRandom } from "../../random.js";
import { createEventMaker } from "../../sample/event-maker.js";
import type { Profile } from "../../schema/readings.js";
import { createTracker, type TrackLimits } from "../../stream/tracker.js";
import { createBanner } from "../../text.js";
import type { FixtureEvent } from "../emitter.js";
import type { FixtureStream } from "../fixture-stream.js";
import { formatWellFormedJson, hasStreamChecker } from "../machines/machines-file.js";
import { createStreamDisturber, type EventList } from "./disturb-streams.js";
import { getValidators } from "./vector-events.js";

/** A finding of a vector. The hint of each rule is the same in all findings. */
export interface VectorFinding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly pointer: string;
  /** The index of the event in its vector. */
  readonly index: number;
}

/** A line of the file, after the first one. */
export interface StreamVector {
  readonly id: string;
  readonly events: EventList;
  readonly reader: readonly VectorFinding[];
  readonly writer: readonly VectorFinding[];
}

/** The number of disturbed streams that are tried. */
const TRIES = 3000;

/**
 * `stream-vectors.jsonl`: a line that describes the file, the streams of the fixtures, and a short stream for every
 * statement that reports a finding, as far as a disturbed stream makes it do so. Empty for protocols without a checker.
 */
export function emitStreamVectors(
  protocol: Protocol,
  streams: readonly FixtureStream[],
  fixtures: readonly FixtureEvent[],
): OutputFile[] {
  if (!hasStreamChecker(protocol)) return [];
  const { id, version } = protocol;
  const { decodeEvent } = getValidators(protocol);
  const accepts = (event: object): boolean => decodeEvent(event, { profile: "reader" }).kind !== "invalid";
  const accepted = streams.filter(({ events }) => events.every(accepts));
  const plans = createObservedPlans(protocol);
  const recorded = accepted.map((stream) => ({ ...stream, id: `streams/${stream.id}` }));
  const disturb = createStreamDisturber(protocol, {
    streams: accepted.map(({ events }) => events),
    events: listEvents(protocol, fixtures, accepts),
  });
  const covered = new Set(recorded.flatMap(({ events }) => [...plans.cover(events)]));
  const disturbed: { id: string; events: EventList }[] = [];
  for (let seed = 0; seed < TRIES; seed++) {
    // A disturbed event may have a member without a value, which JSON leaves out.
    const events: EventList = JSON.parse(JSON.stringify(disturb(createRandom(seed))));
    if (!events.every(accepts)) continue;
    const added = [...plans.cover(events)].filter((statement) => !covered.has(statement));
    if (added.length === 0) continue;
    const isSufficient = (list: EventList): boolean => {
      const reports = plans.cover(list);
      return added.every((statement) => reports.has(statement));
    };
    for (const statement of added) covered.add(statement);
    disturbed.push({
      id: `disturbed/${String(seed).padStart(4, "0")}`,
      events: shrink(events, isSufficient),
    });
  }
  const vectors = [...disturbed, ...recorded].map(
    ({ id, events }): StreamVector => ({
      id,
      events,
      reader: checkEvents(protocol, "reader", events),
      writer: checkEvents(protocol, "writer", events),
    }),
  );
  const lines = [{ $comment: createBanner(), protocol: id, version, vectors: vectors.length }, ...vectors];
  const content = lines.map((line) => `${formatWellFormedJson(line)}\n`).join("");
  return [{ path: `${id}/stream-vectors.jsonl`, content }];
}

/** Returns the findings of the checker about events, as they are printed: half of a surrogate pair is U+FFFD. */
export function checkEvents(
  protocol: Protocol,
  profile: Profile,
  events: EventList,
  limits?: TrackLimits,
  plan?: Plan,
): VectorFinding[] {
  const tracker = createTracker(protocol.stream, limits);
  const checker = createStreamChecker(protocol, { profile, ...(plan && { plan }) });
  const findings = events.flatMap((event, index) => checker.check(event, tracker.place(event), index));
  return [...findings, ...checker.end()].map(({ rule, severity, message, pointer, index }) => ({
    rule,
    severity,
    message: message.toWellFormed(),
    pointer: pointer.toWellFormed(),
    index,
  }));
}

/** Creates the plans of both profiles, which tell the statements that report findings about events. */
function createObservedPlans(protocol: Protocol) {
  let statements = new Set<string>();
  const plans = (["reader", "writer"] as const).map((profile) => {
    const plan = createPlan(protocol, listMachines(protocol, profile), ({ member, findings }, statement) => {
      const kind = findings.find(({ id }) => id === statement.finding);
      if (kind?.severity[profile] !== "off") statements.add(JSON.stringify([member, statement]));
    });
    return { profile, plan };
  });
  return {
    /** Returns the statements that report findings, and the ids of the findings without a statement. */
    cover(events: EventList): ReadonlySet<string> {
      statements = new Set();
      for (const { profile, plan } of plans)
        for (const { rule } of checkEvents(protocol, profile, events, undefined, plan)) statements.add(rule);
      return statements;
    },
  };
}

/** Returns the valid events of the fixtures, and made events of every type. */
function listEvents(
  protocol: Protocol,
  fixtures: readonly FixtureEvent[],
  accepts: (event: object) => boolean,
): EventList {
  const maker = createEventMaker(protocol, accepts);
  const { sequence, first = 0 } = protocol.stream ?? {};
  const envelope = maker.makeEnvelope(1, sequence === undefined ? {} : { [sequence]: first });
  const made = protocol.events.flatMap(({ type }) =>
    [0, 1].map((seed) =>
      maker.make({ type, envelope, fixedFields: {}, seed, ...(seed === 1 && { fieldChance: 1 }) }),
    ),
  );
  return [...fixtures.map(({ event }) => event), ...made].filter(
    (event) => isObject(event) && accepts(event),
  ) as EventList;
}

/** Returns the events without those that are not needed. */
function shrink(events: EventList, isSufficient: (list: EventList) => boolean): EventList {
  let kept = events;
  for (let size = Math.ceil(events.length / 2); size > 0; size = Math.floor(size / 2))
    for (let start = kept.length - size; start > -size; start -= size) {
      const rest = [...kept.slice(0, Math.max(0, start)), ...kept.slice(start + size)];
      if (isSufficient(rest)) kept = rest;
    }
  return kept;
}

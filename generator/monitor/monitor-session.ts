/** Checks the values of all inputs of a monitor: each against its protocol, then in its stream. */
import { checkEvent, type Locate } from "../conform/check-event.js";
import { createEventChecker, type EventChecker, type EventFinding } from "../conform/event-checker.js";
import { createProtocolFinder } from "../conform/find-protocol.js";
import { findUnlistedValues, type UnlistedValue } from "../conform/unlisted-values.js";
import type { Finding, Location } from "../finding.js";
import { findProtocolIdInPath } from "../ingest/inputs.js";
import { type Input, locatePart, type Place, type Sink } from "../ingest/place.js";
import { createUnreadableFinding } from "../ingest/unreadable-finding.js";
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import type { Profile } from "../schema/readings.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";

/** A finding of a monitor, with what a reader of its output needs to select it. */
export interface MonitorFinding extends Finding {
  readonly protocol?: string;
  readonly streamKey?: string;
  /** The event type; absent if it is unknown. */
  readonly type?: string;
}

/** The value that was checked. */
export interface CheckedValue {
  readonly kind: "known" | "unknown" | "invalid" | "unreadable";
  readonly protocol?: string | undefined;
  /** The event type, as the event names it. */
  readonly type?: string | undefined;
  /** The values of open lists that the contract does not list. */
  readonly unlisted?: readonly UnlistedValue[];
}

/** The beginning of a file. */
export interface FileHead {
  readonly bytes: number;
  /** The SHA-256 digest of these bytes. */
  readonly digest: string;
}

/** How far an input was read. */
export interface InputPosition {
  /** The number of bytes that were read, up to the end of a line; of a broker, the offset or number of the next message. */
  offset: number;
  /** The number of lines or messages that were read. */
  lines: number;
  /** Tells a file from the one that follows it after a rotation. */
  head?: FileHead | undefined;
  /** The id of the protocol of the last event. */
  protocol?: string | undefined;
}

/** The positions of inputs by their names, in the order in which they were first read. */
type Positions = Map<string, InputPosition>;

/** Receives what a session finds. */
interface SessionObserver {
  observe(value: CheckedValue): void;
  report(finding: MonitorFinding): void;
}

/** The options of a session. */
export interface SessionOptions extends SessionObserver {
  readonly validators: readonly Validators[];
  readonly profile: Profile;
  /** The state that `save` returned. */
  readonly state: JsonObject | undefined;
}

/** Checks the values of all inputs. */
export interface MonitorSession {
  readonly positions: Positions;
  /** Returns a sink for the values of an input, and its position, from which it must be read. */
  openInput(
    name: string,
    file?: string,
  ): { readonly input: Input; readonly sink: Sink; readonly position: InputPosition };
  /** Says that events of any stream may be missing here. */
  markGap(): void;
  /** Returns the number of open streams by the id of the protocol. */
  countStreams(): ReadonlyMap<string, number>;
  /** Ends the streams whose last event had come before the previous call. */
  evictEnded(): void;
  /** Ends all streams. */
  end(): void;
  /** Returns the state of all streams, and the positions of the inputs. */
  save(): JsonObject;
}

/** Returns the number of open streams of all sessions by the id of the protocol. */
export function countStreams(sessions: readonly MonitorSession[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [id, count] of sessions.flatMap((session) => [...session.countStreams()]))
    counts.set(id, (counts.get(id) ?? 0) + count);
  return counts;
}

/** The state of a session. */
interface SessionState {
  readonly options: SessionOptions;
  readonly positions: Positions;
  /** The checkers of the protocols that had events, by their ids. */
  readonly checkers: Map<string, EventChecker>;
  /** The saved states of checkers, by the ids of the protocols. */
  readonly saved: JsonObject;
  readonly findProtocol: ReturnType<typeof createProtocolFinder>;
}

/** A number that is larger than the number of lines of any input. */
const LINES_PER_INPUT = 2 ** 40;

/** Creates a session. Throws if the state was saved with other stream rules. */
export function createMonitorSession(options: SessionOptions): MonitorSession {
  const { validators } = options;
  const { positions, checkers: saved } = readSaved(options.state);
  const state: SessionState = {
    options,
    positions: new Map(positions),
    checkers: new Map(),
    saved,
    findProtocol: createProtocolFinder(validators),
  };
  const { checkers } = state;
  // A state of other rules is refused before anything is read.
  for (const one of validators) if (Object.hasOwn(saved, one.protocol.id)) openChecker(state, one);
  const reportLater = (findings: readonly EventFinding[], protocol: string): void => {
    for (const found of findings)
      options.report(describeFinding(found, locateIndex(state, found.index), protocol));
  };
  return {
    positions: state.positions,
    openInput: (name, file) => openInput(state, name, file),
    markGap: () => markGap(state),
    countStreams: () => new Map([...checkers].map(([id, checker]) => [id, checker.streams().length])),
    evictEnded() {
      for (const [id, checker] of checkers) reportLater(checker.evictEnded(), id);
    },
    end() {
      for (const [id, checker] of checkers) reportLater(checker.end(), id);
    },
    save: () => ({
      format: FORMAT,
      positions: [...state.positions].map(
        ([name, position]): Json => [name, { ...position } as unknown as JsonObject],
      ),
      checkers: {
        ...saved,
        ...Object.fromEntries([...checkers].map(([id, checker]) => [id, checker.save()])),
      },
    }),
  };
}

/** Returns the checker of a protocol, which goes on from its saved state. */
function openChecker(
  { options, checkers, saved }: SessionState,
  { protocol, decodeEvent }: Validators,
): EventChecker {
  const known = checkers.get(protocol.id);
  if (known) return known;
  const state = Object.hasOwn(saved, protocol.id) ? saved[protocol.id] : undefined;
  const checker = createEventChecker(protocol, decodeEvent, { profile: options.profile, state });
  checkers.set(protocol.id, checker);
  return checker;
}

/** Returns the location of the event with an index, without a column: findings that come late are about whole events. */
function locateIndex({ positions }: SessionState, index: number): Location {
  const file = [...positions.keys()][Math.floor(index / LINES_PER_INPUT)] ?? "";
  return { file, pointer: "", line: index % LINES_PER_INPUT };
}

function describeFinding(found: EventFinding, at: Location, protocol: string, type?: string): MonitorFinding {
  const { rule, severity, message, hint, stream } = found;
  return {
    rule,
    severity,
    message,
    at,
    hint,
    protocol,
    ...(stream !== undefined && { streamKey: stream }),
    ...(type !== undefined && { type }),
  };
}

function openInput(
  state: SessionState,
  name: string,
  file: string | undefined,
): ReturnType<MonitorSession["openInput"]> {
  const { options, positions } = state;
  const { validators, observe, report } = options;
  const position = positions.get(name) ?? { offset: 0, lines: 0 };
  positions.set(name, position);
  const index = [...positions.keys()].indexOf(name);
  const input: Input = { index, name, ...(file !== undefined && { file }) };
  const findById = (id: string | undefined): Validators | undefined =>
    validators.find(({ protocol }) => protocol.id === id);
  const own = findById(
    findProtocolIdInPath(
      input,
      validators.map(({ protocol }) => protocol.id),
    ),
  );
  let last = findById(position.protocol);
  const sink: Sink = {
    discriminators: listDiscriminators(validators),
    acceptValue(value, place, content) {
      const found = own ?? (isObject(value) ? state.findProtocol(value, last) : undefined);
      if (found === undefined || !isObject(value)) {
        markGap(state);
        observe({ kind: "invalid" });
        const context = {
          protocols: own ? [own] : validators,
          profile: options.profile,
          assumedId: last?.protocol.id,
        };
        const locate: Locate = (pointer, part) => locatePart(place, pointer, part);
        for (const finding of checkEvent(value, context, locate).findings) report(finding);
        return;
      }
      last = found;
      position.protocol = found.protocol.id;
      acceptEvent(state, found, value, place, content);
    },
    reportUnreadable(textFindings, place) {
      if (textFindings.some(({ severity = "error" }) => severity === "error")) {
        markGap(state);
        observe({ kind: "unreadable" });
      }
      for (const finding of textFindings) report(createUnreadableFinding(finding, place));
    },
  };
  return { input, sink, position };
}

function markGap({ checkers }: SessionState): void {
  for (const checker of checkers.values()) checker.markGap();
}

/** Checks an event of a protocol. */
function acceptEvent(
  state: SessionState,
  found: Validators,
  event: JsonObject,
  place: Place,
  content: number,
): void {
  const { observe, report } = state.options;
  const { id, envelope, events } = found.protocol;
  const named = getOwn(event, envelope.discriminator);
  const type = typeof named === "string" ? named : undefined;
  const index = place.input.index * LINES_PER_INPUT + place.line;
  const findings = openChecker(state, found).push(event, { index, digest: content });
  const isDeclared = events.some((each) => each.type === type);
  const isInvalid = findings.some(({ rule }) => rule === "event-invalid" || rule === "sequence-unsafe");
  let kind: CheckedValue["kind"] = isDeclared ? "known" : "unknown";
  if (isInvalid) kind = "invalid";
  const unlisted = isDeclared ? findUnlistedValues(found.protocol, event) : [];
  observe({ kind, protocol: id, type, unlisted });
  for (const each of findings)
    report(
      each.index === index
        ? describeFinding(each, locatePart(place, each.pointer, each.part), id, type)
        : describeFinding(each, locateIndex(state, each.index), id),
    );
}

/** The version of the format of states. */
const FORMAT = 2;

interface SavedSession {
  readonly positions: readonly (readonly [name: string, position: InputPosition])[];
  readonly checkers: JsonObject;
}

function readSaved(state: JsonObject | undefined): SavedSession {
  if (state === undefined) return { positions: [], checkers: {} };
  const { format, positions, checkers } = state;
  if (format !== FORMAT || !Array.isArray(positions) || checkers === undefined || !isObject(checkers))
    throw new Error("It is not a state of `accrete monitor`, or one of another version.");
  return { positions: positions as unknown as SavedSession["positions"], checkers };
}

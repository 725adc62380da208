/** Checks the values of all inputs of a monitor: each against its protocol, then in its stream. */
import { checkEvent } from "../conform/check-event.js";
import { createEventChecker, type EventChecker, type EventFinding } from "../conform/event-checker.js";
import { createProtocolFinder } from "../conform/find-protocol.js";
import type { Finding } from "../finding.js";
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
}

/** How far an input was read. */
export interface InputPosition {
  /** The number of bytes that were read, up to the end of a line. */
  offset: number;
  /** The number of lines in them. */
  lines: number;
  /** The id of the protocol of the last event. */
  protocol?: string | undefined;
}

/** The positions of inputs by their names, in the order in which they were first read. */
export type Positions = Map<string, InputPosition>;

/** Receives what a session finds. */
interface SessionObserver {
  observe(value: CheckedValue): void;
  report(finding: MonitorFinding): void;
}

/** The options of a session. */
interface SessionOptions extends SessionObserver {
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
  /** Returns the number of open streams by the id of the protocol. */
  countStreams(): ReadonlyMap<string, number>;
  /** Ends the streams whose last event had come before the previous call. */
  evictEnded(): void;
  /** Ends all streams. */
  end(): void;
  /** Returns the state of all streams, and the positions of the inputs. */
  save(): JsonObject;
}

/** A number that is larger than the number of lines of any input. */
const LINES_PER_INPUT = 2 ** 32;

/** Creates a session. Throws if the state was saved with other stream rules. */
export function createMonitorSession({
  validators,
  profile,
  state,
  observe,
  report,
}: SessionOptions): MonitorSession {
  const saved = readSaved(state);
  const positions: Positions = new Map(saved.positions);
  const checkers = new Map<string, EventChecker>();
  const findProtocol = createProtocolFinder(validators);
  const openChecker = ({ protocol, decodeEvent }: Validators): EventChecker => {
    const known = checkers.get(protocol.id);
    if (known) return known;
    const { [protocol.id]: own } = saved.checkers;
    const checker = createEventChecker(protocol, decodeEvent, {
      profile,
      ...(own !== undefined && { state: own }),
    });
    checkers.set(protocol.id, checker);
    return checker;
  };
  // A state of other rules is refused before anything is read.
  for (const one of validators) if (Object.hasOwn(saved.checkers, one.protocol.id)) openChecker(one);

  const locate = (index: number): Finding["at"] => {
    const file = [...positions.keys()][Math.floor(index / LINES_PER_INPUT)] ?? "";
    return { file, pointer: "", line: index % LINES_PER_INPUT };
  };
  const describe = (
    found: EventFinding,
    protocol: string,
    at: Finding["at"],
    type?: string,
  ): MonitorFinding => {
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
  };
  const reportLater = (findings: readonly EventFinding[], protocol: string): void => {
    for (const found of findings) report(describe(found, protocol, locate(found.index)));
  };

  const openInput: MonitorSession["openInput"] = (name, file) => {
    const position = positions.get(name) ?? { offset: 0, lines: 0 };
    positions.set(name, position);
    const index = [...positions.keys()].indexOf(name);
    const input: Input = { index, name, ...(file !== undefined && { file }) };
    const ids = validators.map(({ protocol }) => protocol.id);
    const idInPath = findProtocolIdInPath(input, ids);
    const own =
      idInPath === undefined ? undefined : validators.find(({ protocol }) => protocol.id === idInPath);
    let last = validators.find(({ protocol }) => protocol.id === position.protocol);
    const markGap = (): void => {
      for (const checker of checkers.values()) checker.markGap();
    };
    const acceptValue = (value: Json, place: Place, content: number): void => {
      const found = own ?? (isObject(value) ? findProtocol(value, last) : last);
      if (found === undefined || !isObject(value)) {
        const context = { protocols: own ? [own] : validators, profile, assumedId: last?.protocol.id };
        markGap();
        observe({ kind: "invalid" });
        for (const finding of checkEvent(value, context, (pointer, part) => locatePart(place, pointer, part))
          .findings)
          report(finding);
        return;
      }
      last = found;
      position.protocol = found.protocol.id;
      const { id, envelope, events } = found.protocol;
      const named = getOwn(value, envelope.discriminator);
      const type = typeof named === "string" ? named : undefined;
      const current = index * LINES_PER_INPUT + place.line;
      const findings = openChecker(found).push(value, { index: current, digest: content });
      const isInvalid = findings.some(({ rule }) => rule === "event-invalid" || rule === "sequence-unsafe");
      const isKnown = events.some((event) => event.type === type);
      observe({ kind: isInvalid ? "invalid" : isKnown ? "known" : "unknown", protocol: id, type });
      for (const each of findings)
        report(
          each.index === current
            ? describe(each, id, locatePart(place, each.pointer, each.part), type)
            : describe(each, id, locate(each.index)),
        );
    };
    const sink: Sink = {
      discriminators: listDiscriminators(validators),
      acceptValue,
      reportUnreadable(textFindings, place) {
        if (textFindings.some(({ severity = "error" }) => severity === "error")) {
          markGap();
          observe({ kind: "unreadable" });
        }
        for (const finding of textFindings) report(createUnreadableFinding(finding, place));
      },
    };
    return { input, sink, position };
  };
  return {
    positions,
    openInput,
    countStreams: () => new Map([...checkers].map(([id, checker]) => [id, checker.streams().length])),
    evictEnded() {
      for (const [id, checker] of checkers) reportLater(checker.evictEnded(), id);
    },
    end() {
      for (const [id, checker] of checkers) reportLater(checker.end(), id);
    },
    save: () => ({
      format: FORMAT,
      positions: [...positions].map(([name, position]): Json => [name, { ...position } as JsonObject]),
      checkers: {
        ...saved.checkers,
        ...Object.fromEntries([...checkers].map(([id, checker]) => [id, checker.save()])),
      },
    }),
  };
}

/** The version of the format of states. */
const FORMAT = 1;

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

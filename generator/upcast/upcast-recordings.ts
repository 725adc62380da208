/** Carries recordings over to a later major version, and checks them against both versions. */
import { checkEvent } from "../conform/check-event.js";
import { checkStreams } from "../conform/check-streams.js";
import { createErrorFinding, type Finding, type Location } from "../finding.js";
import {
  locateInRecording,
  type RecordedEvent,
  type Recording,
  replaceParts,
} from "../ingest/read-recording.js";
import { getOwn, isObject, type JsonObject } from "../json.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { findInexactNumber } from "../source/numbers.js";
import { streamKey } from "../stream/stream-key.js";
import type { Validators } from "../validators/protocol-validators.js";
import type { CallFunction } from "./steps/step-kind.js";
import { upcastEvent } from "./upcast-event.js";

/** The versions before and after, and the steps from one to the other. */
interface Migration {
  readonly from: Validators;
  readonly to: Validators;
  readonly steps: readonly UpcastStep[];
  /** Calls functions of the user; absent if none are loaded. */
  readonly callFunction?: CallFunction | undefined;
}

/** Recordings of the later version. */
export interface UpcastRecordings {
  /** The texts of the recordings, in their order. Text outside of events is kept. Empty if there are findings. */
  readonly texts: readonly string[];
  readonly findings: readonly Finding[];
  /** The number of events. */
  readonly events: number;
  /** The event types that the later version does not declare, sorted. Their payloads are kept as they are. */
  readonly unknownTypes: readonly string[];
}

/** An event and its place. */
interface PlacedEvent {
  readonly recording: Recording;
  readonly event: RecordedEvent;
  /** Returns the place of a part of the original event. */
  locate(pointer: string, part?: "value" | "name"): Location;
}

/** An event that was carried over. */
interface CarriedEvent extends PlacedEvent {
  readonly result: JsonObject;
}

/** The most findings of one run. Each one needs a search for its place. */
const MAX_FINDINGS = 100;

/**
 * Carries all events of the recordings over. Streams may continue from one recording to the next. An event that the
 * earlier version refuses, that a step cannot change without loss, or that the later version refuses is a finding with its
 * place in the recording.
 */
export function upcastRecordings(recordings: readonly Recording[], migration: Migration): UpcastRecordings {
  const events = recordings.flatMap(placeEvents);
  const { from, to } = migration;
  const originals = events.flatMap((placed) =>
    isObject(placed.event.value) ? [{ ...placed, result: placed.event.value }] : [],
  );
  const originalFindings = [...checkEvents(events, from), ...listStreamErrors(originals, from)];
  if (originalFindings.length > 0) return { ...EMPTY, findings: originalFindings.slice(0, MAX_FINDINGS) };
  const { carried, findings: stepFindings } = carryEvents(originals, migration);
  const findings = stepFindings.length > 0 ? stepFindings : checkCarriedEvents(carried, to);
  if (findings.length > 0) return { ...EMPTY, findings: findings.slice(0, MAX_FINDINGS) };
  return {
    texts: recordings.map((recording) => replaceEvents(recording, carried)),
    findings: [],
    events: carried.length,
    unknownTypes: listUnknownTypes(carried, to),
  };
}

const EMPTY: UpcastRecordings = { texts: [], findings: [], events: 0, unknownTypes: [] };

function placeEvents(recording: Recording): PlacedEvent[] {
  return recording.events.map((event) => ({
    recording,
    event,
    locate: (pointer, part) => locateInRecording(recording, event, pointer, part),
  }));
}

/** Returns the findings of the earlier version about single events, and findings about numbers that JavaScript would change. */
function checkEvents(events: readonly PlacedEvent[], validators: Validators): Finding[] {
  const context = { protocols: [validators], profile: "reader" } as const;
  const findings: Finding[] = [];
  for (const { recording, event, locate } of events) {
    if (findings.length >= MAX_FINDINGS) break;
    findings.push(...checkEvent(event.value, context, locate).findings);
    const inexact = findInexactNumber(recording.text.slice(event.start, event.stop));
    if (inexact)
      findings.push(
        createErrorFinding(
          "upcast-inexact",
          `The number ${inexact.text.slice(0, 100)} cannot be kept exactly.`,
          locate(inexact.pointer),
        ),
      );
  }
  return findings;
}

/** Returns the errors that the stream rules of a version report. */
function listStreamErrors(events: readonly CarriedEvent[], { protocol }: Validators): Finding[] {
  const results = events.map(({ result }) => result);
  return checkStreams(protocol, "reader", results)
    .filter(({ severity }) => severity === "error")
    .slice(0, MAX_FINDINGS)
    .flatMap(({ rule, severity, message, hint, pointer, index }) => {
      const at = events[index]?.locate(pointer);
      return at === undefined ? [] : [{ rule, severity, message, hint, at }];
    });
}

/** Carries all events over. A failed step is a finding. */
function carryEvents(
  events: readonly CarriedEvent[],
  { from, steps, callFunction }: Migration,
): { readonly carried: readonly CarriedEvent[]; readonly findings: readonly Finding[] } {
  const { envelope, stream } = from.protocol;
  const { discriminator } = envelope;
  const typesByStream = new Map<string, Set<string>>();
  for (const { result } of events) {
    const key = streamKey(stream, result);
    typesByStream.set(key, (typesByStream.get(key) ?? new Set()).add(readType(result, discriminator)));
  }
  const carried: CarriedEvent[] = [];
  const findings: Finding[] = [];
  for (const { result: original, ...placed } of events) {
    const result = upcastEvent(original, steps, {
      type: readType(original, discriminator),
      streamTypes: typesByStream.get(streamKey(stream, original)) ?? new Set(),
      discriminator,
      callFunction,
    });
    if (result.kind === "failed") {
      const { pointer, message } = result;
      findings.push(
        createErrorFinding("upcast-impossible", message, placed.locate(pointer), IMPOSSIBLE_HINT),
      );
    } else
      carried.push({
        ...placed,
        result: result.event,
        locate: (pointer, part) => placed.locate(result.findOrigin(pointer), part),
      });
  }
  return { carried, findings };
}

const IMPOSSIBLE_HINT =
  "Remove the value from the recording, or extend the steps of upcasts in protocol.json.";

function readType(event: JsonObject, discriminator: string): string {
  return String(getOwn(event, discriminator));
}

/** Returns the findings of the later version about the results, located in the original events. */
function checkCarriedEvents(events: readonly CarriedEvent[], validators: Validators): Finding[] {
  const context = { protocols: [validators], profile: "reader" } as const;
  const eventFindings = events
    .flatMap(({ result, locate }) => checkEvent(result, context, locate).findings)
    .slice(0, MAX_FINDINGS);
  const findings = eventFindings.length > 0 ? eventFindings : listStreamErrors(events, validators);
  return findings.map(({ message, at }) =>
    createErrorFinding(
      "upcast-invalid",
      `${validators.protocol.id} refuses the result: ${message}`,
      at,
      INVALID_HINT,
    ),
  );
}

const INVALID_HINT = "Extend the steps of upcasts in protocol.json, or correct the recording.";

/** Returns the text of a recording with its events replaced. */
function replaceEvents(recording: Recording, carried: readonly CarriedEvent[]): string {
  const eventsOfRecording = carried.filter((each) => each.recording === recording);
  return replaceParts(
    recording,
    eventsOfRecording.map(({ event: { start, stop }, result }) => ({
      start,
      stop,
      text: JSON.stringify(result),
    })),
  );
}

function listUnknownTypes(carried: readonly CarriedEvent[], { protocol }: Validators): string[] {
  const declared = new Set(protocol.events.map(({ type }) => type));
  const types = carried.map(({ result }) => readType(result, protocol.envelope.discriminator));
  return [...new Set(types.filter((type) => !declared.has(type)))].sort();
}

/** Validates the values of all inputs in their order: each against its protocol, then in its stream. */

import { checkEvent, type EventContext } from "../conform/check-event.js";
import type { AssumedMajor } from "../conform/find-protocol.js";
import { nameEvent } from "../conform/machine/interpret.js";
import type { StreamFinding } from "../conform/stream-checker.js";
import type { TextMeasurer } from "../conform/text-measure.js";
import { createErrorFinding, type Finding, type KnownFinding, type Location } from "../finding.js";
import { computeChecksum } from "../ingest/content-identity.js";
import {
  type ContentId,
  type Input,
  locatePart,
  type Place,
  readRawText,
  type Sink,
} from "../ingest/place.js";
import { createUnreadableFinding } from "../ingest/unreadable-finding.js";
import { getOwn, isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import { createRowFinder } from "../rows/find-row.js";
import type { MappedRow } from "../rows/map-row.js";
import type { EventScanner } from "../scan/event-scanner.js";
import type { JsonFinding } from "../source/json-text.js";
import type { Placement } from "../stream/delivery.js";
import { readPosition, streamKey } from "../stream/stream-key.js";
import { listDiscriminators } from "../validators/protocol-validators.js";
import { assumeProtocol } from "./assumed-protocol.js";
import { createFastPath } from "./fast-path.js";
import { createListedIds } from "./listed-ids.js";
import { createPlaceTable } from "./place-table.js";
import { createProtocolSession, type ProtocolSession } from "./protocol-session.js";
import { reportSecrets } from "./report-secrets.js";
import { reportUnlisted } from "./report-unlisted.js";
import {
  isOwnPart,
  listActiveProtocols,
  locateForReport,
  locateStreamFinding,
  refuseUnplaced,
  report,
  reportAt,
  type SessionOptions,
  type SessionState,
} from "./session-state.js";
import { createStateFinder, type FoundState } from "./states.js";
import { countEvent, countRefusal, countType, type Stats } from "./stats.js";
import { createTally, type Tally } from "./tally.js";

/** Validates the values that the readers of the inputs pass to it. */
export interface Session extends Sink {
  readonly tally: Tally;
  /** Begins an input. Its first events follow `major`, if that was determined. */
  begin(input: Input, major?: AssumedMajor): void;
  /** Ends an input of this number of bytes. `isComplete` is true if it was read to its end. */
  finish(input: Input, bytes: number, isComplete: boolean): void;
  /** Ends the session. */
  end(): void;
}

/**
 * Thrown if threads cannot share the streams: a raw line seemed to belong to a stream of another thread than its event
 * does, or a rule compares the events of different streams.
 */
export class ShareError extends Error {}

const NO_FINDINGS: readonly Finding[] = [];
const NO_POSITION = { stream: undefined, sequence: undefined };

/** Creates a session over these inputs. */
export function createSession(options: SessionOptions): Session {
  const { inputs, validators, profile, share } = options;
  const protocols = validators.map((each) => createProtocolSession(each, options));
  const state: SessionState = {
    options,
    tally: createTally(),
    places: createPlaceTable(inputs),
    decodeOptions: { profile },
    protocols: new Map(protocols.map((each) => [each.id, each])),
    assumed: assumeProtocol(protocols, share),
    findRow: createRowFinder(protocols, profile),
    findState: createStateFinder(protocols, profile),
    hasValue: false,
    bytesBefore: 0,
    listedIds: createListedIds(),
  };
  const reportedAmbiguities = new Set<string>();
  const advanceClock = createEvictionClock(state);
  return {
    discriminators: listDiscriminators(validators),
    tally: state.tally,
    scanner: createFastPath(state, (found, scanner, place, content) => {
      state.hasValue = true;
      advanceClock(state.bytesBefore + place.offset);
      acceptScanned(state, found, scanner, place, content);
    }),
    acceptValue(value, place, content) {
      advanceClock(state.bytesBefore + place.offset);
      acceptValue(state, value, place, content);
    },
    markSkippedLines: () => {
      state.hasValue = true;
    },
    reportUnreadable(findings, place) {
      advanceClock(state.bytesBefore + place.offset);
      acceptUnreadable(state, findings, place);
    },
    begin: (input, major) => {
      state.assumed = assumeProtocol(protocols, share, input, major);
      state.hasValue = false;
      if (share.index > 0 || !major || major.others.length === 0 || reportedAmbiguities.has(major.id)) return;
      reportedAmbiguities.add(major.id);
      reportAt(state, createAmbiguityFinding(input, major), state.bytesBefore - BEFORE_LINE, 0);
    },
    finish: (input, bytes, isComplete) => {
      state.bytesBefore += bytes;
      advanceClock(state.bytesBefore);
      if (!state.hasValue && isComplete && share.index === 0)
        reportAt(state, createNoEventsFinding(input), state.bytesBefore - BEFORE_LINE, 0);
    },
    end: () => {
      reportIds(state, Math.floor(state.bytesBefore / GENERATION_BYTES));
      endSession(state);
    },
  };
}

/** Accepts an event that the scanner recognised without parsing it. */
function acceptScanned(
  state: SessionState,
  found: ProtocolSession,
  scanner: EventScanner,
  place: Place,
  content: ContentId,
): void {
  if (state.options.share.threadCount > 1 && !isOwnStream(state.options, found, scanner.stream, place))
    return;
  state.tally.events++;
  found.events++;
  reportSecrets(state, place);
  reportUnlisted(state, found.validators.protocol, scanner.type, place);
  if (acceptWithoutStream(state, found, scanner.event, place, true)) return;
  const { stream, sequence, scannedId, type, event: value } = scanner;
  const placement = found.tracker.placeKnown(stream, sequence, scannedId, content);
  checkInStream(state, found, { type, value, placement, place, isKnown: true, texts: scanner });
}

function createNoEventsFinding({ name: file }: Input): KnownFinding {
  const at = { file, pointer: "" };
  return { rule: "events-missing", severity: "warning", message: "There are no events here.", at };
}

/** Creates the note that other majors would accept the events, too. It is reported once for each protocol, not for each input. */
function createAmbiguityFinding({ name: file }: Input, { id, others }: AssumedMajor): KnownFinding {
  return {
    rule: "protocol-ambiguous",
    severity: "note",
    message: `The events are validated as ${id}; ${others.join(" and ")} would accept them too.`,
    at: { file, pointer: "" },
    hint: `Use --protocol ${others[0]} if they are of that major, or keep recordings in a folder ${id}. Further inputs of this kind are not listed.`,
  };
}

function acceptValue(state: SessionState, value: Json, place: Place, content: ContentId): void {
  state.hasValue = true;
  const row = state.findRow(value, state.assumed.protocol);
  if (row === undefined) {
    const found = state.findState(value);
    if (found) acceptState(state, found, place);
    else acceptEventValue(state, value, place, content);
    return;
  }
  const { found, result } = row;
  if (result.kind === "mapped") {
    const { event, place: eventPlace, content: eventContent } = placeRowEvent(result, place);
    acceptEventValue(state, event, eventPlace, eventContent);
  } else {
    const at = locateForReport(state, place, result.pointer);
    acceptInvalid(state, found, value, place, [
      createErrorFinding(result.rule ?? "row-invalid", result.message, at),
    ]);
  }
}

/** Accepts a state of a run. It belongs to no stream of events, so that only its own content is checked. */
function acceptState(
  session: SessionState,
  { found, state, issues }: FoundState<ProtocolSession>,
  place: Place,
): void {
  const { tally, options } = session;
  if (!isOwnPart(options.share, place)) return;
  tally.events++;
  found.events++;
  if (issues.length > 0) tally.invalid++;
  else reportSecrets(session, place, state);
  const findings = issues.map(({ pointer, message, keyword }) => {
    const subject = pointer === "" ? "the state " : "";
    const at = locateForReport(session, place, pointer);
    return createErrorFinding("state-invalid", `${subject}${message} (${keyword})`, at);
  });
  report(session, place, findings);
}

/** The event of a row with its place, and the identity of its content without the other columns of the row. */
interface RowEvent {
  readonly event: JsonObject;
  readonly place: Place;
  readonly content: ContentId;
}

/** Returns the event of a row at a place. Places in the event are reported as places in the row. */
function placeRowEvent({ event, findOrigin }: MappedRow, place: Place): RowEvent {
  const { input, textKind, line, offset, pointer, itemIndex, frameId } = place;
  const eventPlace: Place = {
    input,
    textKind,
    line,
    offset,
    pointer,
    itemIndex,
    ...(frameId !== undefined && { frameId }),
    findOrigin,
    text: () => place.text(),
    locateOffset: (textOffset) => place.locateOffset(textOffset),
    guessStream: () => place.guessStream(),
  };
  return { event, place: eventPlace, content: computeChecksum(Buffer.from(JSON.stringify(event))) };
}

/** Accepts a value that should be an event. */
function acceptEventValue(state: SessionState, value: Json, place: Place, content: ContentId): void {
  const { assumed, options } = state;
  const candidate = assumed.protocol;
  if (
    candidate &&
    (assumed.isCertain || candidate.isOwnEvent(value)) &&
    candidate.decodeEvent(value, state.decodeOptions).kind === "known"
  ) {
    assumed.countEvent(candidate, true);
    const event = value as JsonObject;
    acceptEvent(state, candidate, { value: event, place, content, isKnown: true, findings: NO_FINDINGS });
    return;
  }
  const locate = (pointer: string, part?: "value" | "name"): Location =>
    locateForReport(state, place, pointer, part);
  const protocols = candidate && assumed.isCertain ? [candidate.validators] : options.validators;
  const context: EventContext = { protocols, profile: options.profile, assumedId: candidate?.id };
  const verdict = checkEvent(value, context, locate);
  const found = state.protocols.get(verdict.protocol ?? "");
  if (found) assumed.countEvent(found, verdict.kind === "known");
  if (found && verdict.kind !== "invalid") {
    const { kind, findings } = verdict;
    acceptEvent(state, found, {
      value: value as JsonObject,
      place,
      content,
      isKnown: kind === "known",
      findings,
    });
  } else acceptInvalid(state, found, value, place, verdict.findings);
}

/** Accepts an invalid event, probably of the protocol `found`. */
function acceptInvalid(
  state: SessionState,
  found: ProtocolSession | undefined,
  value: Json,
  place: Place,
  findings: readonly Finding[],
): void {
  const { tally, options } = state;
  const { stream, sequence } = found ? readPosition(found.validators.protocol.stream, value) : NO_POSITION;
  if (found === undefined || stream === undefined) refuseUnplaced(state, place);
  else if (
    !options.eventsOnly &&
    (options.share.threadCount === 1 || isOwnStream(options, found, stream, place))
  )
    refuseInStream(state, found, stream, sequence, place);
  if (!isOwnPart(options.share, place)) return;
  const sequenceFinding = found && findUnsafeSequence(found.sequence, value, place);
  const otherFindings = sequenceFinding
    ? findings.filter(({ at }) => at.pointer !== sequenceFinding.at.pointer)
    : findings;
  tally.events++;
  tally.invalid++;
  if (found) found.events++;
  const [first, ...rest] = sequenceFinding ? [sequenceFinding, ...otherFindings] : otherFindings;
  const hint = options.explainInvalid?.(value, found?.id);
  if (first) report(state, place, [hint === undefined ? first : { ...first, hint }, ...rest]);
}

function acceptUnreadable(state: SessionState, textFindings: readonly JsonFinding[], place: Place): void {
  state.hasValue = true;
  const errors = textFindings.filter(({ severity = "error" }) => severity === "error");
  if (errors.length > 0) refuseUnplaced(state, place);
  if (!isOwnPart(state.options.share, place)) return;
  if (errors.length > 0) {
    state.tally.events++;
    state.tally.invalid++;
  }
  report(
    state,
    place,
    textFindings.map((finding) => createUnreadableFinding(finding, place)),
  );
}

/** Takes note of an invalid event in its stream. Its number is not missing, and it changes the place of no other event. */
function refuseInStream(
  state: SessionState,
  found: ProtocolSession,
  stream: string,
  sequence: number | undefined,
  place: Place,
): void {
  const { options, places } = state;
  if (place.textKind === "document" && place.pointer === "") return;
  const { tracker, checker, validators } = found;
  if (options.isSortedByStream) endEarlierStreams(state, found, stream);
  const cursor = tracker.cursor(stream);
  const isLate = cursor !== undefined && sequence !== undefined && sequence <= cursor;
  // Opens the stream, so that it counts towards the limit of streams.
  const opened = tracker.placeKnown(stream, undefined, undefined, 0);
  const evicted = opened.kind === "new" ? opened.evicted : undefined;
  options.placements?.observe(
    found,
    isLate
      ? { kind: "late", stream, sequence, cursor, forgotten: false }
      : { kind: "new", stream, sequence, evicted },
    place,
  );
  const placeId = places.getId(place);
  const findings = checker.refuse({ stream, sequence, evicted }, placeId);
  if (findings.length > 0) reportViolations(state, place, placeId, findings);
  if (options.stats && sequence !== undefined)
    countRefusal(options.stats, validators.protocol, stream, sequence);
}

/** A valid event that was parsed. */
interface ParsedEvent {
  readonly value: JsonObject;
  readonly place: Place;
  readonly content: ContentId;
  /** True if the protocol declares the event type. */
  readonly isKnown: boolean;
  readonly findings: readonly Finding[];
}

/** Accepts a valid event. */
function acceptEvent(
  state: SessionState,
  found: ProtocolSession,
  { value, place, content, isKnown, findings }: ParsedEvent,
): void {
  const { tally, options } = state;
  const { share } = options;
  if (found.sequence !== undefined && (value[found.sequence] as number) >= Number.MAX_SAFE_INTEGER) {
    const sequenceFinding = findUnsafeSequence(found.sequence, value, place);
    if (sequenceFinding) {
      acceptInvalid(state, found, value, place, [sequenceFinding]);
      return;
    }
  }
  if (
    share.threadCount > 1 &&
    !isOwnStream(options, found, streamKey(found.validators.protocol.stream, value), place)
  )
    return;
  tally.events++;
  if (!isKnown) tally.unknown++;
  found.events++;
  const { protocol } = found.validators;
  const type = value[protocol.envelope.discriminator] as string;
  reportSecrets(state, place, value);
  reportUnlisted(state, protocol, type, place, value);
  if (findings.length > 0) report(state, place, findings);
  if (acceptWithoutStream(state, found, value, place, isKnown)) return;
  const placement = found.tracker.place(value, content);
  const event = { type, value, placement, place, isKnown };
  if (place.pointer !== "" && isListedTwice(state, found, event)) reportListedTwice(state, event);
  else checkInStream(state, found, event);
}

/** Reports the ids since the last call, which belong to one generation. */
function reportIds({ protocols, options }: SessionState, generation: number): void {
  for (const { id, takeIdHashes } of protocols.values())
    if (takeIdHashes) options.reportIds?.({ protocol: id, generation, hashes: takeIdHashes() });
}

/** Returns whether a stream belongs to this thread. */
function isOwnStream(
  { share, eventsOnly }: SessionOptions,
  found: ProtocolSession,
  stream: string,
  place: Place,
): boolean {
  if (!eventsOnly && found.comparesStreams) throw new ShareError();
  const owner = share.findThread(stream);
  // Only lines whose raw text hinted at a stream of this thread were parsed.
  if (owner === share.index) return true;
  const hint = place.guessStream();
  if (hint === undefined || share.findThread(hint) === owner) return false;
  if (eventsOnly) return share.findThread(hint) === share.index;
  throw new ShareError();
}

function endSession(state: SessionState): void {
  const { tally, options } = state;
  const protocols = listActiveProtocols(state);
  for (const { id, events } of protocols) tally.protocols.set(id, events);
  if (options.eventsOnly) return;
  const lastFindings = protocols.flatMap(({ checker }) => checker.end());
  reportEnded(state, lastFindings, AFTER_ALL_LINES);
}

/** Ends the streams before `stream`, if it is not the current one. */
function endEarlierStreams(state: SessionState, { id, tracker }: ProtocolSession, stream: string): void {
  const current = `${id}\n${stream}`;
  if (state.currentStream === current) return;
  state.currentStream = current;
  const findings = listActiveProtocols(state).flatMap(({ checker }) => checker.end());
  reportEnded(state, findings, AFTER_ALL_LINES);
  for (const earlier of tracker.streams()) if (earlier !== stream) tracker.retire(earlier);
}

/** Counts an event that is validated without its stream: with --events-only, or as the only event of a document. Returns false for other events. */
function acceptWithoutStream(
  state: SessionState,
  found: ProtocolSession,
  value: JsonObject,
  place: Place,
  isKnown: boolean,
): boolean {
  const { eventsOnly, stats } = state.options;
  if (!eventsOnly && (place.textKind !== "document" || place.pointer !== "")) return false;
  if (stats) countType(stats, found.validators.protocol, value, isKnown);
  return true;
}

/** A valid event with its placement in its stream. */
interface PlacedEvent {
  readonly type: string;
  readonly value: JsonObject;
  readonly placement: Placement;
  readonly place: Place;
  /** True if the protocol declares the event type. */
  readonly isKnown: boolean;
  /** Measures the texts of an event that was not parsed. */
  readonly texts?: TextMeasurer;
}

/** Returns whether an event repeats an earlier one of the same list. */
function isListedTwice(
  { listedIds }: SessionState,
  { id: protocolId, validators }: ProtocolSession,
  { value, place, placement }: PlacedEvent,
): boolean {
  const id = value[validators.protocol.stream?.id ?? ""];
  return (
    typeof id === "string" && listedIds.addAndCheck(protocolId, id, place) && placement.kind === "duplicate"
  );
}

function reportListedTwice(state: SessionState, { type, place, placement }: PlacedEvent): void {
  const message = `${nameEvent({ type, sequence: placement.sequence })} occurs twice in one list.`;
  const hint = "Send each event once in a list, and redeliveries on a live feed only.";
  report(state, place, [
    createErrorFinding("event-listed-twice", message, locateForReport(state, place, ""), hint),
  ]);
}

/** Checks an event in its stream. This function is small, so that its calls are inlined and `event` is not allocated. */
function checkInStream(state: SessionState, found: ProtocolSession, event: PlacedEvent): void {
  const { type, value, placement, place, texts } = event;
  const { places, options } = state;
  if (options.isSortedByStream) endEarlierStreams(state, found, placement.stream);
  options.placements?.observe(found, placement, place);
  const placeId = places.getId(place);
  const violations = found.checker.checkTyped(type, value, placement, placeId, texts);
  if (violations.length > 0) reportViolations(state, place, placeId, violations);
  if (options.stats) countPlacedEvent(options.stats, found, event, places.getOrder(placeId));
}

function reportViolations(
  state: SessionState,
  place: Place,
  placeId: number,
  violations: readonly StreamFinding[],
): void {
  report(
    state,
    place,
    violations.map((finding) =>
      locateStreamFinding(state, finding, finding.index === placeId ? place : undefined),
    ),
  );
}

function countPlacedEvent(
  stats: Stats,
  { validators: { protocol } }: ProtocolSession,
  { value, isKnown, placement, place }: PlacedEvent,
  order: number,
): void {
  countEvent(stats, { protocol, value, isKnown, placement, order, itemIndex: place.itemIndex });
}

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns a finding if JavaScript cannot hold the sequence number of an event exactly, as it was written. */
function findUnsafeSequence(field: string | undefined, value: Json, place: Place): Finding | undefined {
  const number = field !== undefined && isObject(value) ? getOwn(value, field) : undefined;
  if (field === undefined || typeof number !== "number" || number < Number.MAX_SAFE_INTEGER) return undefined;
  const pointer = joinPointer("", field);
  const written = readRawText(place, pointer);
  if (number === Number.MAX_SAFE_INTEGER && isMaxSafeInteger(written)) return undefined;
  const excerpt = written.length > 40 ? `${written.slice(0, 39)}…` : written;
  return createErrorFinding(
    "sequence-unsafe",
    `${field} is ${excerpt}, which is beyond 2^53 - 1: JavaScript reads it as ${number}.`,
    locatePart(place, pointer),
    `No number above ${MAX_EXACT} can be read exactly.`,
  );
}

/** Returns whether a number, as it was written, is exactly 2^53 - 1. A JavaScript number would be rounded. */
function isMaxSafeInteger(written: string): boolean {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const scale = Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction || "0");
  return scale >= 0
    ? digits * 10n ** BigInt(scale) === MAX_EXACT
    : digits === MAX_EXACT * 10n ** BigInt(-scale);
}

/** The bytes of input after which a new generation of ids begins. The ids of the last two generations are remembered. */
const GENERATION_BYTES = 4 * 2 ** 20;
/** The difference between the position of a line and that of findings that are reported before the line. */
const BEFORE_LINE = 0.5;
/** The position of findings that are reported after all lines. */
const AFTER_ALL_LINES = Number.MAX_SAFE_INTEGER;

/** Creates a function that forgets old ids and streams. It takes the position in all inputs, so that every thread forgets at the same bytes. */
function createEvictionClock(state: SessionState): (bytes: number) => void {
  // The position at which the next generation begins. The first one begins with the first byte.
  let nextStart = 0;
  const rotateGeneration = (): void => {
    reportIds(state, nextStart / GENERATION_BYTES - 1);
    const findings = listActiveProtocols(state).flatMap((protocol) => {
      const { tracker, checker } = protocol;
      const { streams, findings } = checker.evictEnded();
      tracker.rotateGeneration();
      for (const stream of streams) {
        tracker.retire(stream);
        state.options.placements?.observeEviction(protocol, stream);
      }
      return findings;
    });
    reportEnded(state, findings, nextStart - BEFORE_LINE);
  };
  return (bytes) => {
    // After two generations nothing is left to forget, so a long line rotates at most twice.
    const rotationEnd = nextStart + 2 * GENERATION_BYTES;
    while (nextStart <= bytes) {
      if (nextStart < rotationEnd) rotateGeneration();
      nextStart += GENERATION_BYTES;
    }
  };
}

/** Reports findings about streams that have ended, in the order of their last events. */
function reportEnded(state: SessionState, findings: readonly StreamFinding[], order: number): void {
  const { places } = state;
  for (const finding of [...findings].sort((a, b) => places.getOrder(a.index) - places.getOrder(b.index)))
    reportAt(state, locateStreamFinding(state, finding, undefined), order, places.getOrder(finding.index));
}

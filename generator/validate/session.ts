/**
 * Judges the values of all inputs, one after the other: each by the protocol that it belongs to, then in its stream.
 * While nothing is wrong, an event costs its decoding, one look at its stream and the rules that its type has.
 */

import type { AssumedMajor } from "../conform/alike-majors.js";
import { judgeEvent } from "../conform/judge-event.js";
import type { Finding, KnownFinding, Location } from "../finding.js";
import type { Content } from "../ingest/content-identity.js";
import type { Input, Place, Sink } from "../ingest/place.js";
import { unreadableFinding } from "../ingest/unreadable-finding.js";
import type { Json, JsonObject } from "../json.js";
import type { EventScanner } from "../scan/event-scanner.js";
import type { Problem } from "../source/json-text.js";
import { streamKey } from "../stream/stream-key.js";
import { homeOf } from "./assumed-protocol.js";
import { aging, BEFORE, reportEnded } from "./eviction-clock.js";
import { createFastPath } from "./fast-path.js";
import { type Followed, follow } from "./followed.js";
import { isJudgedAlone, judgeInStream } from "./in-stream.js";
import { marksOf } from "./place-table.js";
import { isMine, lose, report, reportAt, type SessionOptions, type State, whereIs } from "./session-state.js";
import { emptyTally, type Tally } from "./tally.js";
import { sequenceFinding } from "./unsafe-sequence.js";

/** Takes what the readers of the inputs find. */
export interface Session extends Sink {
  readonly tally: Tally;
  /** The next values are those of `input`, whose first events follow `major`, as far as that was looked at. */
  begin(input: Input, major?: AssumedMajor): void;
  /** That input had so many bytes, and was read to its end if it is `whole`. */
  finish(input: Input, bytes: number, whole: boolean): void;
  /** There is no more input. */
  end(): void;
}

/** Thrown when a raw line seemed to belong to another thread's stream than its event does. */
export class WrongShare extends Error {}

const NONE: readonly Finding[] = [];

/** A session over these inputs. */
export function createSession(options: SessionOptions): Session {
  const { inputs, validators, profile, share } = options;
  const followed = validators.map((one) => follow(one, options));
  const state: State = {
    ...{ options, tally: emptyTally(), marks: marksOf(inputs), asked: { profile } },
    followed: new Map(followed.map((one) => [one.id, one])),
    home: homeOf(followed, share),
    ...{ any: false, base: 0 },
  };
  const doubts = new Set<string>();
  const grow = aging(state);
  return {
    discriminators: [...new Set(validators.map(({ protocol }) => protocol.envelope.discriminator))],
    tally: state.tally,
    scanner: createFastPath(state, (found, scanner, place, content) => {
      state.any = true;
      grow(state.base + place.offset);
      takeKnown(state, found, scanner, place, content);
    }),
    value(value, place, content) {
      grow(state.base + place.offset);
      take(state, value, place, content);
    },
    skippedOthers: () => {
      state.any = true;
    },
    unreadable(problems, place) {
      grow(state.base + place.offset);
      takeUnreadable(state, problems, place);
    },
    begin: (input, major) => {
      state.home = homeOf(followed, share, input, major);
      state.any = false;
      if (share.index > 0 || !major || major.others.length === 0 || doubts.has(major.id)) return;
      doubts.add(major.id);
      reportAt(state, ambiguous(input, major), state.base - BEFORE, 0);
    },
    finish: (input, bytes, whole) => {
      state.base += bytes;
      grow(state.base);
      if (!state.any && whole && share.index === 0) reportAt(state, noEvents(input), state.base - BEFORE, 0);
    },
    end: () => end(state),
  };
}

/** An event that was recognised without being parsed. */
function takeKnown(
  state: State,
  found: Followed,
  scanner: EventScanner,
  place: Place,
  content: Content,
): void {
  if (state.options.share.of > 1 && !belongs(state.options, scanner.stream, place)) return;
  state.tally.events++;
  found.events++;
  if (isJudgedAlone(state, found, scanner.event, place, true)) return;
  const { stream, sequence, scannedId, type, event } = scanner;
  judgeInStream(
    state,
    found,
    type,
    event,
    found.tracker.placeKnown(stream, sequence, scannedId, content),
    place,
    true,
    scanner,
  );
}

function noEvents({ name: file }: Input): KnownFinding {
  const at = { file, pointer: "" };
  return { rule: "events-missing", severity: "warning", message: "There are no events here.", at };
}

/** Said once of each protocol, not of each input. */
function ambiguous({ name: file }: Input, { id, others }: AssumedMajor): KnownFinding {
  return {
    rule: "protocol-ambiguous",
    severity: "note",
    message: `The events are judged as ${id}; ${others.join(" and ")} would accept them too.`,
    at: { file, pointer: "" },
    hint: `Use --protocol ${others[0]} if they are of that major, or keep recordings in a folder ${id}. Further inputs of this kind are not listed.`,
  };
}

function take(state: State, value: Json, place: Place, content: Content): void {
  state.any = true;
  const { home, options } = state;
  const sure = home.protocol;
  if (
    sure &&
    (home.decided || sure.certain(value)) &&
    sure.decodeEvent(value, state.asked).kind === "known"
  ) {
    home.note(sure, true);
    settle(state, sure, value as JsonObject, place, content, true, NONE);
    return;
  }
  const where = (pointer: string, part?: "value" | "name"): Location => whereIs(state, place, pointer, part);
  const protocols = sure && home.decided ? [sure.validators] : options.validators;
  const judging = { protocols, profile: options.profile, home: sure?.id };
  const verdict = judgeEvent(value, judging, where);
  const found = state.followed.get(verdict.protocol ?? "");
  if (found) home.note(found, verdict.kind === "known");
  if (found && verdict.kind !== "invalid")
    settle(state, found, value as JsonObject, place, content, verdict.kind === "known", verdict.findings);
  else takeInvalid(state, found, value, place, verdict.findings);
}

/** An event that is none, of `found` as far as can be told. */
function takeInvalid(
  state: State,
  found: Followed | undefined,
  value: Json,
  place: Place,
  findings: readonly Finding[],
): void {
  const { tally, options } = state;
  lose(state, place);
  if (!isMine(options.share, place)) return;
  const unsafe = found && sequenceFinding(found.sequence, value, place);
  const others = unsafe ? findings.filter(({ at }) => at.pointer !== unsafe.at.pointer) : findings;
  tally.events++;
  tally.invalid++;
  if (found) found.events++;
  report(state, place, unsafe ? [unsafe, ...others] : others);
}

function takeUnreadable(state: State, problems: readonly Problem[], place: Place): void {
  state.any = true;
  const errors = problems.filter(({ severity = "error" }) => severity === "error");
  if (errors.length > 0) lose(state, place);
  if (!isMine(state.options.share, place)) return;
  if (errors.length > 0) {
    state.tally.events++;
    state.tally.invalid++;
  }
  report(
    state,
    place,
    problems.map((problem) => unreadableFinding(problem, place)),
  );
}

/** An event that its protocol accepts. */
function settle(
  state: State,
  found: Followed,
  value: JsonObject,
  place: Place,
  content: Content,
  known: boolean,
  findings: readonly Finding[],
): void {
  const { tally, options } = state;
  const { share } = options;
  if (found.sequence !== undefined && (value[found.sequence] as number) >= Number.MAX_SAFE_INTEGER) {
    const unsafe = sequenceFinding(found.sequence, value, place);
    if (unsafe) {
      takeInvalid(state, found, value, place, [unsafe]);
      return;
    }
  }
  if (share.of > 1 && !belongs(options, streamKey(found.validators.protocol.stream, value), place)) return;
  tally.events++;
  if (!known) tally.unknown++;
  found.events++;
  if (findings.length > 0) report(state, place, findings);
  if (isJudgedAlone(state, found, value, place, known)) return;
  const type = value[found.validators.protocol.envelope.discriminator] as string;
  judgeInStream(state, found, type, value, found.tracker.place(value, content), place, known);
}

/** Whether an event of that stream is this thread's. */
function belongs({ share, eventsOnly }: SessionOptions, stream: string, place: Place): boolean {
  const owner = share.owner(stream);
  // Only lines that seemed to be this thread's came so far.
  if (owner === share.index) return true;
  const hint = place.hint();
  if (hint === undefined || share.owner(hint) === owner) return false;
  if (eventsOnly) return share.owner(hint) === share.index;
  throw new WrongShare();
}

function end(state: State): void {
  const { tally, options, followed } = state;
  for (const { id, events } of followed.values()) if (events > 0) tally.protocols.set(id, events);
  if (options.eventsOnly) return;
  const last = [...followed.values()].flatMap(({ checker }) => checker.end());
  reportEnded(state, last, Number.MAX_SAFE_INTEGER);
}

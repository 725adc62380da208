/**
 * Checks the events of a protocol one after another, in the order of their arrival: each by itself, then in its stream. Its
 * memory is bounded, and its state can be saved.
 */
import type { Finding } from "../finding.js";
import { EMPTY_HASH, hashText } from "../hash.js";
import { getOwn, isObject, type Json, type JsonObject, joinPointer } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { DecodeWithProfile } from "../runtime/runtime.js";
import type { Profile } from "../schema/readings.js";
import { createIdMaps } from "../stream/id-memory.js";
import { isSameContent } from "../stream/same-content.js";
import { readPosition } from "../stream/stream-key.js";
import { createTracker, createTrackerState } from "../stream/tracker.js";
import { EVENT_RULES, type Locate, listEventFindings } from "./check-event.js";
import { planChecks } from "./check-plan.js";
import { createCheckerState } from "./checker-state.js";
import { describeOrigin, type EventCheckerState, readState, saveState } from "./saved-state.js";
import { createStreamChecker, type StreamFinding } from "./stream-checker.js";

/** A finding about an event, or about a stream. */
export interface EventFinding extends StreamFinding {
  /** Set if the finding is about the name of the field at `pointer`, and not about its value. */
  readonly part?: "name";
}

/** The options of a checker. */
export interface EventCheckerOptions {
  /** `reader`: must every consumer accept this? `writer`: may a producer send this? */
  readonly profile: Profile;
  /** A state from which the checker continues: the JSON value that `save` of a checker with the same rules returned. */
  readonly state?: unknown;
  /** The greatest number of open streams; 10,000 by default. Beyond that, those without an event for the longest time are forgotten. */
  readonly streams?: number;
  /** The greatest number of ended streams; 1,000 by default. Beyond that, those that ended first are forgotten. */
  readonly ended?: number;
  /** The least number of ids that are remembered, over all streams; 65,536 by default. At most twice as many are. */
  readonly window?: number;
}

/** What is known of a value besides its content. */
export interface PushOptions {
  /** The index of the value in findings; by default, the number of values before it. */
  readonly index?: number;
  /**
   * Stands for the content of the event, to tell a redelivery from another event with the same id. By default, it follows
   * from all fields in any order. Pass one for all events or for none.
   */
  readonly digest?: number;
}

/** Checks the events of one protocol. */
export interface EventChecker {
  /** Checks the next value. Events of different streams may come in any order. Returns what is wrong; nothing in most cases. */
  push(value: unknown, options?: PushOptions): readonly EventFinding[];
  /** Tells the checker that a value could not be read, so that events of any stream may be missing here. It counts as a value. */
  markGap(): void;
  /** Ends and forgets a stream, except for its last number. Returns the findings about what is incomplete. */
  endStream(key: string): readonly EventFinding[];
  /** Ends the input, and with it every stream. */
  end(): readonly EventFinding[];
  /**
   * Ends and forgets the streams whose last event had come before the previous call, so that the caller decides how long
   * redeliveries may take. Returns the findings about what is incomplete.
   */
  evictEnded(): readonly EventFinding[];
  /** Returns the keys of the open streams. */
  streams(): readonly string[];
  /** Returns the state as a JSON value. A checker that is created with it gives the findings that this one would give. */
  save(): JsonObject;
}

/** Creates a checker. `decodeEvent` is the decoder of the protocol. Throws if the state was saved with other rules. */
export function createEventChecker(
  protocol: Protocol,
  decodeEvent: DecodeWithProfile<unknown, unknown>,
  { profile, state: saved, streams, ended, window }: EventCheckerOptions,
): EventChecker {
  const { stream: fields } = protocol;
  const plan = planChecks(protocol, profile);
  const origin = describeOrigin(protocol.id, profile, plan);
  const state = saved === undefined ? createState() : readState(saved, origin);
  const limits = { ...(window !== undefined && { window }), ...(streams !== undefined && { streams }) };
  const tracker = createTracker(fields, limits, [], isSameContent, state.ids, state.tracker);
  const options = { profile, plan, ...(ended !== undefined && { finished: ended }) };
  const checker = createStreamChecker(protocol, options, state.streams);
  const refuse = (value: unknown, index: number): readonly StreamFinding[] => {
    const { stream, sequence } = readPosition(fields, value);
    if (stream === undefined) return checker.refuse({}, index);
    // Opens the stream, so that it counts towards the limit of streams.
    const opened = tracker.placeKnown(stream, undefined, undefined, 0);
    return checker.refuse(
      { stream, sequence, evicted: opened.kind === "new" ? opened.evicted : undefined },
      index,
    );
  };
  return {
    push(value, { index = state.count, digest } = {}) {
      state.count++;
      const result = decodeEvent(value, { profile });
      const unsafe = findUnsafeSequence(fields?.sequence, value);
      if (result.kind === "known" && unsafe === undefined) {
        const event = value as JsonObject;
        return checker.check(event, tracker.place(event, digest ?? digestEvent(fields?.id, event)), index);
      }
      const { stream } = readPosition(fields, value);
      const names = new Set<string>();
      const locate: Locate = (pointer, part) => {
        if (part === "name") names.add(pointer);
        return { file: "", pointer };
      };
      const own = listEventFindings(protocol, profile, value as Json, result, locate);
      const others = own.filter(({ at }) => at.pointer !== unsafe?.at.pointer);
      const found = [...(unsafe ? [unsafe] : []), ...others].map((finding) => ({
        ...describeFinding(finding, index, stream),
        ...(names.has(finding.at.pointer) && { part: "name" as const }),
      }));
      if (result.kind === "invalid" || unsafe !== undefined) return [...refuse(value, index), ...found];
      const event = value as JsonObject;
      const placement = tracker.place(event, digest ?? digestEvent(fields?.id, event));
      return [...found, ...checker.check(event, placement, index)];
    },
    markGap: () => void checker.refuse({}, state.count++),
    endStream(key) {
      tracker.retire(key);
      return checker.endStream(key);
    },
    end() {
      for (const key of tracker.streams()) tracker.retire(key);
      return checker.end();
    },
    evictEnded() {
      const { streams, findings } = checker.evictEnded();
      for (const key of streams) tracker.retire(key);
      return findings;
    },
    streams: () => checker.listStreams().flatMap(({ key, hasEnded }) => (hasEnded ? [] : [key])),
    save: () => saveState({ ...state, streams: checker.getState() }, origin),
  };
}

function createState(): EventCheckerState {
  return { count: 0, tracker: createTrackerState(), ids: createIdMaps(), streams: createCheckerState() };
}

function describeFinding(
  { rule, severity, message, hint, at }: Finding,
  index: number,
  stream?: string,
): EventFinding {
  const texts = Object.hasOwn(EVENT_RULES, rule) ? EVENT_RULES[rule as keyof typeof EVENT_RULES] : undefined;
  return {
    rule,
    severity: severity ?? "error",
    message,
    hint: hint ?? texts?.hint ?? "",
    pointer: at.pointer,
    index,
    ...(stream !== undefined && { stream }),
  };
}

/** Returns a finding if the number of an event is too large for JavaScript. */
function findUnsafeSequence(field: string | undefined, value: unknown): Finding | undefined {
  const number =
    field !== undefined && isObject(value as Json) ? getOwn(value as JsonObject, field) : undefined;
  if (field === undefined || typeof number !== "number" || number <= Number.MAX_SAFE_INTEGER)
    return undefined;
  return {
    rule: "sequence-unsafe",
    severity: "error",
    message: `${field} is ${number}, which is beyond 2^53 - 1: JavaScript may have rounded it.`,
    at: { file: "", pointer: joinPointer("", field) },
    hint: `No number above ${Number.MAX_SAFE_INTEGER} can be read exactly.`,
  };
}

/** Returns a number that stands for the content of an event; 0 if it has no id, so that no content is compared. */
function digestEvent(idField: string | undefined, event: JsonObject): number {
  return idField !== undefined && typeof event[idField] === "string" ? digestValue(event) : 0;
}

/** Returns a number that is equal for equal JSON values, in whatever order their members are. Not recursive, so that deep values do not overflow the stack. */
function digestValue(value: Json): number {
  let hash = EMPTY_HASH;
  let length = 0;
  const add = (text: string): void => {
    hash = hashText(text, hash);
    length += text.length;
  };
  const values: (Json | undefined)[] = [value];
  while (values.length > 0) {
    const each = values.pop();
    if (Array.isArray(each)) {
      add(`[${each.length}`);
      for (const item of each) values.push(item);
    } else if (isObject(each)) {
      const names = Object.keys(each).sort();
      add(`{${names.length}`);
      for (const name of names) {
        add(JSON.stringify(name));
        values.push(each[name]);
      }
    } else add(JSON.stringify(each) ?? "");
  }
  return hash * 2 ** 20 + (length % 2 ** 20);
}

/** Finds the basic law that a consumer breaks on a stream. Then no other law can be checked on that stream. */
import { areEqual, type Json } from "../json.js";
import { memoizeByObject } from "../sample/memoize.js";
import type { Adapter } from "./adapter.js";
import type { KitProtocol } from "./kit-protocol.js";
import { ignoreBrokenLaw, showEvents } from "./observe.js";
import type { Steps } from "./steps.js";

/** The laws on which all others depend. */
type BasicLaw = "never-throws" | "deterministic" | "create-independent";

/** Observations of the consumers of one adapter. */
export interface Observations {
  /** The snapshots of new consumers after a stream. */
  readonly views: WeakMap<readonly object[], Json>;
  /** The same snapshots, because laws make equal streams. */
  readonly viewsByContent: Map<string, Json>;
  /** Returns the key of a stream in `viewsByContent`. */
  describeContent(events: readonly object[]): string;
  /** The streams on which events that come twice in a row count once. */
  readonly repeatable: WeakSet<readonly object[]>;
  /** The basic law that was broken on a stream, or "none". */
  readonly brokenLaws: WeakMap<readonly object[], BasicLaw | "none">;
  /** True if a new consumer showed something of an earlier one. */
  sharesState: boolean;
}

/** Returns the observations of an adapter, which all laws share. */
export const getObservations = memoizeByObject(
  (_adapter: Adapter): Observations => ({
    views: new WeakMap(),
    viewsByContent: new Map(),
    describeContent: createContentNames(),
    repeatable: new WeakSet(),
    brokenLaws: new WeakMap(),
    sharesState: false,
  }),
);

/** Returns a function that gives equal streams, with the same order of keys, the same name. */
function createContentNames(): (events: readonly object[]) => string {
  const numbers = new Map<string, number>();
  const numberEvent = memoizeByObject((event: object): number => {
    const content = JSON.stringify(event);
    const number = numbers.get(content) ?? numbers.size;
    numbers.set(content, number);
    return number;
  });
  return (events) => events.map(numberEvent).join();
}

/** Returns the basic law that a consumer breaks on a stream, if any. */
export function* findBrokenBasicLaw(
  adapter: Adapter,
  protocol: KitProtocol,
  events: readonly object[],
): Steps<BasicLaw | undefined> {
  const observations = getObservations(adapter);
  if (observations.sharesState) return "create-independent";
  const law = observations.brokenLaws.get(events) ?? (yield* checkBasicLaws(adapter, protocol, events));
  observations.brokenLaws.set(events, law);
  return law === "none" ? undefined : law;
}

function* checkBasicLaws(
  adapter: Adapter,
  protocol: KitProtocol,
  events: readonly object[],
): Steps<BasicLaw | "none"> {
  const tryView = (stream: readonly object[]) => ignoreBrokenLaw(showEvents(adapter, protocol, stream));
  const emptyBefore = yield* tryView([]);
  const first = yield* tryView(events);
  const second = yield* tryView(events);
  const emptyAfter = yield* tryView([]);
  if (emptyBefore === undefined || first === undefined || second === undefined || emptyAfter === undefined)
    return "never-throws";
  const observations = getObservations(adapter);
  observations.views.set(events, second);
  observations.sharesState ||= !areEqual(emptyBefore, emptyAfter);
  if (observations.sharesState) return "create-independent";
  return areEqual(first, second) ? "none" : "deterministic";
}

import { UsageError } from "../failure.js";
import { createErrorFinding, type Finding } from "../finding.js";
import { createEventReader } from "../ingest/event-reader.js";
import { isHttpAddress, readFeed } from "../ingest/feed.js";
import type { Input, Sink } from "../ingest/place.js";
import { createFullShare } from "../ingest/stream-share.js";
import { getOwn, isObject, type Json } from "../json.js";
import { didYouMean } from "../nearest.js";
import { formatLiteral } from "../text.js";
import type { Validators } from "../validators/protocol-validators.js";
import type { RunIo } from "./run.js";

/** The feed to follow, and the conditions under which following stops. */
export interface FeedTask {
  readonly url: string;
  /** The event type, or the number of events, after which to stop; the end of the feed if undefined. */
  readonly until: string | undefined;
  /** Seconds after which to stop; never if undefined. */
  readonly timeout: number | undefined;
}

/** The number of failed requests in a row after which reading stops, without a time limit. */
const MAX_FAILURES = 4;
/** The most milliseconds that a timer of Node can wait, about 24 days. */
const MAX_DELAY = 2 ** 31 - 1;
/** The number of connections in a row without a new event after which the feed has ended. */
const MAX_IDLE_CONNECTIONS = 3;

/** Creates the input of a run that follows a feed until `stop` is aborted at the latest. `findMissing` returns a finding if the expected events did not come. */
export function createFeed(
  { url, until, timeout }: FeedTask,
  stop: AbortSignal,
): {
  readonly input: Input;
  readonly feed: NonNullable<RunIo["feed"]>;
  findMissing(): Finding | undefined;
} {
  if (!isHttpAddress(url))
    throw new UsageError(`${url} is not the address of a feed; an address begins with http:// or https://.`);
  const goal = createGoal(until);
  // The time begins with the first request.
  let signal = stop;
  const findMissing = (): Finding | undefined => {
    if (until === undefined || goal.isReached()) return undefined;
    const what = isCount(until) ? `${until} events` : until;
    const when = signal.aborted ? `within ${timeout} s` : "before it was over";
    return createErrorFinding("feed-incomplete", `The feed did not bring ${what} ${when}.`, {
      file: url,
      pointer: "",
    });
  };
  return {
    input: { index: 0, name: url },
    feed: (input, session, reportProgress) => {
      if (timeout !== undefined) signal = abortAfter(timeout, stop);
      const sink = until === undefined ? session : goal.countEvents(session);
      return readFeed(input, sink, {
        url,
        follow: true,
        signal,
        maxFailures: timeout === undefined ? MAX_FAILURES : Infinity,
        maxIdleConnections: MAX_IDLE_CONNECTIONS,
        isDone: goal.isReached,
        reportProgress,
        createPageReader: () => createEventReader(input, sink, createFullShare()),
      });
    },
    findMissing,
  };
}

/**
 * Returns a signal that is aborted with `stop`, and at the latest after some seconds. `AbortSignal.any` with
 * `AbortSignal.timeout` does not do: Node 20 may collect the inner signal, which then never aborts the outer one.
 */
function abortAfter(seconds: number, stop: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  stop.addEventListener("abort", abort, { once: true });
  if (stop.aborted) abort();
  setTimeout(abort, Math.min(seconds * 1000, MAX_DELAY)).unref();
  return controller.signal;
}

/** Returns a note if no protocol declares the expected event type, which a newer sender may have; an empty text otherwise. */
export function describeUnknownGoal({ until }: FeedTask, protocols: readonly Validators[]): string {
  const types = protocols.flatMap(({ protocol }) => protocol.events.map(({ type }) => type));
  if (until === undefined || isCount(until) || types.includes(until)) return "";
  const ids = protocols.map(({ protocol }) => protocol.id).join(", ");
  return `accrete: note: --until waits for ${formatLiteral(until)}, which is not an event type of ${ids}${didYouMean(until, types)}\n`;
}

function isCount(until: string): boolean {
  return /^\d+$/.test(until);
}

/** Creates a goal, which is reached when the events that the user waits for have arrived. `countEvents` wraps the sink of the events. */
function createGoal(until: string | undefined): {
  countEvents(sink: Sink): Sink;
  isReached(): boolean;
} {
  const wantedCount = until !== undefined && isCount(until) ? Number(until) : undefined;
  let count = 0;
  let hasType = false;
  const isWantedType = (value: Json, fields: readonly string[]): boolean =>
    isObject(value) && fields.some((field) => getOwn(value, field) === until);
  return {
    isReached: () => hasType || (wantedCount !== undefined && count >= wantedCount),
    countEvents: (sink) => ({
      discriminators: sink.discriminators,
      reportUnreadable: (findings, place) => sink.reportUnreadable(findings, place),
      acceptValue(value, place, content) {
        sink.acceptValue(value, place, content);
        count++;
        hasType ||=
          wantedCount === undefined && until !== undefined && isWantedType(value, sink.discriminators);
      },
    }),
  };
}

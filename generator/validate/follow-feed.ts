import { UsageError } from "../failure.js";
import { errorFinding, type Finding } from "../finding.js";
import { readFeed } from "../ingest/feed.js";
import type { Input, Sink } from "../ingest/place.js";
import { isObject, type Json, own } from "../json.js";
import { didYouMean } from "../nearest.js";
import { literal } from "../text.js";
import type { Validators } from "../validators/protocol-validators.js";
import type { RunIo } from "./run.js";

/** Which feed to createProtocolSession, and how long. */
export interface FeedTask {
  readonly url: string;
  /** An event type, or a number of events, after which enough was read; until the feed is over if undefined. */
  readonly until: string | undefined;
  /** Seconds after which to stop; never if undefined. */
  readonly timeout: number | undefined;
}

/** Reads a feed as the input of a run. `late` says what was waited for in vain. */
export function createFeed({ url, until, timeout }: FeedTask): {
  readonly input: Input;
  readonly feed: NonNullable<RunIo["feed"]>;
  late(): Finding | undefined;
} {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`${url} is no address of a feed; it begins with http:// or https://.`);
  const goal = createGoal(until);
  // The time begins with the first request.
  let signal = new AbortController().signal;
  const late = (): Finding | undefined => {
    if (until === undefined || goal.reached()) return undefined;
    const what = isCount(until) ? `${until} events` : until;
    const when = signal.aborted ? `within ${timeout} s` : "before it was over";
    return errorFinding("feed-incomplete", `The feed did not bring ${what} ${when}.`, {
      file: url,
      pointer: "",
    });
  };
  return {
    input: { index: 0, name: url },
    feed: (input, session, reader, progress) => {
      if (timeout !== undefined) signal = AbortSignal.timeout(timeout * 1000);
      return readFeed(input, goal.watch(session), reader, {
        ...{ url, signal, patient: timeout !== undefined, enough: goal.reached, progress },
      });
    },
    late,
  };
}

/** A note where no protocol has the event type that is waited for, which a newer sender may have; nothing otherwise. */
export function unknownGoal({ until }: FeedTask, protocols: readonly Validators[]): string {
  const types = protocols.flatMap(({ protocol }) => protocol.events.map(({ type }) => type));
  if (until === undefined || isCount(until) || types.includes(until)) return "";
  const ids = protocols.map(({ protocol }) => protocol.id).join(", ");
  return `accrete: note: --until waits for ${literal(until)}, which is no event type of ${ids}${didYouMean(until, types)}\n`;
}

function isCount(until: string): boolean {
  return /^\d+$/.test(until);
}

/** Whether what a user waits for has come. */
function createGoal(until: string | undefined): { watch(sink: Sink): Sink; reached(): boolean } {
  const wanted = until !== undefined && isCount(until) ? Number(until) : undefined;
  let count = 0;
  let came = false;
  const names = (value: Json, fields: readonly string[]): boolean =>
    isObject(value) && fields.some((field) => own(value, field) === until);
  return {
    reached: () => came || (wanted !== undefined && count >= wanted),
    watch: (sink) => ({
      discriminators: sink.discriminators,
      unreadable: (problems, place) => sink.unreadable(problems, place),
      value(value, place, content) {
        sink.value(value, place, content);
        count++;
        came ||= wanted === undefined && until !== undefined && names(value, sink.discriminators);
      },
    }),
  };
}

/** Pages of a log as JSON documents. The bytes of the envelopes are copied unchanged. */
import { type Delivery, indexAfter, type Log } from "./log.js";

/** A request for a page. */
export interface PageSource {
  readonly log: Log;
  readonly after: number | undefined;
  readonly limit: number;
  readonly isWanted: (entry: Delivery) => boolean;
  /** The value of `object`. */
  readonly name: string;
  readonly batch: number;
}

/** Returns the entries of a page: each event once. */
function pageEntries({ log, after, limit, isWanted }: PageSource): Delivery[] {
  const page: Delivery[] = [];
  for (let index = indexAfter(log, after); index < log.entries.length && page.length < limit; index++) {
    const entry = log.entries[index];
    if (entry && !entry.repeat && isWanted(entry)) page.push(entry);
  }
  return page;
}

/**
 * Yields the bytes of a page. `next_after_sequence` is the cursor of its last event. On an empty page it is the cursor of
 * the request, if there is one.
 */
export function* pagePieces(source: PageSource): Generator<Buffer> {
  const entries = pageEntries(source);
  let parts: Uint8Array[] = [Buffer.from(`{"object":${JSON.stringify(source.name)},"data":[`)];
  let length = 0;
  for (const [index, { event }] of entries.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(event.raw);
    length += event.raw.length;
    if (length < source.batch) continue;
    yield Buffer.concat(parts);
    parts = [];
    length = 0;
  }
  const next = entries.at(-1)?.cursor ?? source.after;
  parts.push(Buffer.from(next === undefined ? "]}\n" : `],"next_after_sequence":${next}}\n`));
  yield Buffer.concat(parts);
}

const COMMA = Buffer.from(",");

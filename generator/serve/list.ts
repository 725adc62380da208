/** A page of a log as one JSON document, in pieces. The envelopes' bytes are copied as they are. */
import { type Entry, indexAfter, type Log } from "./log.js";

/** What a page is made of. */
export interface PageSource {
  readonly log: Log;
  readonly after: number | undefined;
  readonly limit: number;
  readonly wanted: (entry: Entry) => boolean;
  /** The value of `object`. */
  readonly name: string;
  readonly batch: number;
}

/** The entries of a page: each event once. */
function pageEntries({ log, after, limit, wanted }: PageSource): Entry[] {
  const page: Entry[] = [];
  for (let index = indexAfter(log, after); index < log.entries.length && page.length < limit; index++) {
    const entry = log.entries[index];
    if (entry && !entry.repeat && wanted(entry)) page.push(entry);
  }
  return page;
}

/**
 * Yields the page. `next_after_sequence` is the cursor of its last event; on an empty page the cursor that was asked
 * for, and nothing if none was.
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

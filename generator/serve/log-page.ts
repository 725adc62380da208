/** Answers requests for pages of a log with JSON documents. The bytes of the events are copied unchanged. */
import { type Answer, JSON_HEADERS } from "./answer.js";
import type { Limits } from "./limits.js";
import { type Delivery, findIndexAfter, type Log } from "./log.js";

/** A request for a page of a log. */
interface PageRequest {
  readonly log: Log;
  readonly after: number | undefined;
  readonly limit: number;
  readonly isWanted: (delivery: Delivery) => boolean;
  /** The value of the member `object` of the answer. */
  readonly objectName: string;
  readonly limits: Limits;
}

/** Returns the answer to a request for a page. */
export function createLogPageAnswer(page: PageRequest): Answer {
  const headers = { ...JSON_HEADERS, vary: "accept, accept-encoding" };
  return { status: 200, headers, canCompress: true, pieces: () => createPieces(page) };
}

/** Returns the deliveries of a page. Redeliveries are left out. */
function selectDeliveries({ log, after, limit, isWanted }: PageRequest): Delivery[] {
  const page: Delivery[] = [];
  for (
    let index = findIndexAfter(log, after);
    index < log.deliveries.length && page.length < limit;
    index++
  ) {
    const delivery = log.deliveries[index];
    if (delivery && !delivery.isRepeated && isWanted(delivery)) page.push(delivery);
  }
  return page;
}

const COMMA = Buffer.from(",");

/** The cursor of a client that has read nothing. It is below the numbers of all events. */
export const BEFORE_ALL = -1;

/**
 * Yields the bytes of a page. `next_after_sequence` is the cursor of its last event. On an empty page it is the cursor of
 * the request, or `BEFORE_ALL`.
 */
function* createPieces(page: PageRequest): Generator<Buffer> {
  const deliveries = selectDeliveries(page);
  let parts: Uint8Array[] = [Buffer.from(`{"object":${JSON.stringify(page.objectName)},"data":[`)];
  let length = 0;
  for (const [index, { event }] of deliveries.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(event.raw);
    length += event.raw.length;
    if (length < page.limits.batch) continue;
    yield Buffer.concat(parts);
    parts = [];
    length = 0;
  }
  const next = deliveries.at(-1)?.cursor ?? page.after ?? BEFORE_ALL;
  parts.push(Buffer.from(`],"next_after_sequence":${next}}\n`));
  yield Buffer.concat(parts);
}

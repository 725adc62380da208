/** The limits of `accrete serve` with their outcomes, and the timing of streams. */
export const LIMITS = {
  /** Bytes of a request's URL; a longer one is answered 414. */
  url: 8 * 1024,
  /** Bytes of a request's line and headers; more are answered 431 (or 414, if the URL alone is larger). */
  headers: 32 * 1024,
  /** Bytes of a request's body; a larger one is answered 413. */
  body: 1024 * 1024,
  /** Events of a page if the request has no `limit`. */
  page: 500,
  /** The largest `limit` that a client may ask for; a larger one is answered 400. */
  largestPage: 5_000,
  /** Bytes that are sent in one write, at least: about the memory that a slow client occupies. */
  batch: 64 * 1024,
  /** Milliseconds after which an idle connection is closed. */
  idle: 60_000,
  /** Open connections; further ones are refused. */
  connections: 10_000,
  /** Milliseconds without an event after which a stream sends a comment. */
  heartbeat: 15_000,
  /** Milliseconds that clients wait before they reconnect. */
  retry: 1_000,
  /** Milliseconds after which open connections are closed when the server stops. */
  grace: 2_000,
};

/** The limits of a server. */
export type Limits = { readonly [name in keyof typeof LIMITS]: number };

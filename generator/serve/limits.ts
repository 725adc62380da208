/** Limits of the server with their outcomes, and the timing of streams. */
export interface Limits {
  /** Bytes of a request's URL; a longer one is answered 414. */
  readonly url: number;
  /** Bytes of a request's line and headers; more are answered 431 (or 414, if the URL alone is larger). */
  readonly headers: number;
  /** Events of a list answer when the client names no `limit`. */
  readonly page: number;
  /** The largest `limit` that a client may ask for; a larger one is answered 400. */
  readonly largestPage: number;
  /** Bytes that are sent in one write: about the memory that a slow client occupies. */
  readonly batch: number;
  /** Milliseconds after which an idle connection is closed. */
  readonly idle: number;
  /** Open connections; further ones are refused. */
  readonly connections: number;
  /** Milliseconds without an event after which a stream sends a comment. */
  readonly heartbeat: number;
  /** Milliseconds that clients wait before they reconnect. */
  readonly retry: number;
  /** Milliseconds that open answers get to end when the server stops; then they are broken off. */
  readonly grace: number;
}

/** The limits of `accrete serve`. */
export const LIMITS: Limits = {
  url: 8 * 1024,
  headers: 32 * 1024,
  page: 500,
  largestPage: 5_000,
  batch: 64 * 1024,
  idle: 60_000,
  connections: 10_000,
  heartbeat: 15_000,
  retry: 1_000,
  grace: 2_000,
};

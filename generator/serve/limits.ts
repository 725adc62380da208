/** What one client may cost, and the rhythm of streams. Each limit has a defined outcome, named here. */
export interface Limits {
  /** Bytes of a request's URL; a longer one is answered 414. */
  readonly url: number;
  /** Bytes of a request's line and headers; more are answered 431 (or 414, if the URL alone is larger). */
  readonly headers: number;
  /** Events of a list answer when the client names no `limit`. */
  readonly page: number;
  /** The largest `limit` that a client may ask for; a larger one is answered 400. */
  readonly largestPage: number;
  /** Bytes that are gathered into one write, and so about what a slow client holds in memory. */
  readonly batch: number;
  /** Milliseconds after which a connection on which nothing moves is closed: a stuck client, or one that asks nothing. */
  readonly idle: number;
  /** Connections at a time; further ones are refused. */
  readonly connections: number;
  /** Milliseconds without an event after which a stream sends a comment. */
  readonly heartbeat: number;
  /** Milliseconds that clients are told to wait before they reconnect. */
  readonly retry: number;
  /** Milliseconds that open answers get to end when the server stops; then they are cut. */
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

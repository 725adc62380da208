/** How many fixtures of one event type there are: golden events, and events that must be refused. */
export interface FixtureCount {
  readonly valid: number;
  readonly invalid: number;
  /** Streams that have an event of the type. */
  readonly streams: number;
}

/** That of an event type which has none. */
export const NO_FIXTURES: FixtureCount = { valid: 0, invalid: 0, streams: 0 };

/**
 * Determines what each event type still lacks before it can become stable: generated types, fixtures, a runtime that sends
 * it, a frontend that is tested with it, or something outside of the protocol that it depends on.
 */

import { type FixtureCount, NO_FIXTURES } from "../load/fixture-counts.js";
import type { EventType, Protocol, Stability } from "../protocol/protocol.js";

/** Facts from outside of the schemas. */
export interface Evidence {
  /** Whether the generated code is up to date. */
  readonly types: boolean;
  /** The numbers of fixtures by event type. */
  readonly fixtures: ReadonlyMap<string, FixtureCount>;
  /** The frontends whose contract tests passed, by event type. */
  readonly consumers: ReadonlyMap<string, readonly string[]>;
}

/** The requirements of a stable event type, as sentences about one that is missing. */
export const MISSING_REQUIREMENTS = {
  types: "the generated types are not up to date",
  fixtures: "a valid fixture, an invalid fixture or a stream with it is missing",
  emitter: "no runtime is known to send it",
  consumer: "no frontend is tested with it",
  requirement: "it requires something outside of the protocol",
} as const;

/** A requirement of a stable event type. */
export type Requirement = keyof typeof MISSING_REQUIREMENTS;

/** The state of one event type. */
export interface PromotionRow extends FixtureCount {
  readonly type: string;
  readonly stability: Stability;
  readonly deprecated: boolean;
  readonly types: boolean;
  readonly emittedBy: readonly string[];
  readonly consumers: readonly string[];
  /** What it requires outside of the protocol. */
  readonly waitsOn: string | null;
  /** The requirements that it does not meet. */
  readonly lacks: readonly Requirement[];
}

/** The state of one protocol. */
export interface Promotion {
  readonly protocol: string;
  readonly version: string;
  readonly rows: readonly PromotionRow[];
}

/** Returns the rows of a protocol, in the order of its event types. */
export function assessPromotion(protocol: Protocol, evidence: Evidence): Promotion {
  const { id, version, events } = protocol;
  return { protocol: id, version, rows: events.map((event) => assessEventType(event, evidence)) };
}

function assessEventType(event: EventType, evidence: Evidence): PromotionRow {
  const { type, stability, requires, emittedBy = [] } = event;
  const fixtures = evidence.fixtures.get(type) ?? NO_FIXTURES;
  const consumers = evidence.consumers.get(type) ?? [];
  const lacking: { readonly [requirement in Requirement]: boolean } = {
    types: !evidence.types,
    fixtures: Object.values(fixtures).includes(0),
    emitter: emittedBy.length === 0,
    consumer: consumers.length === 0,
    requirement: requires !== undefined,
  };
  return {
    type,
    stability,
    deprecated: event.deprecated !== undefined,
    types: evidence.types,
    ...fixtures,
    emittedBy,
    consumers,
    waitsOn: requires ?? null,
    lacks: (Object.keys(MISSING_REQUIREMENTS) as Requirement[]).filter((lack) => lacking[lack]),
  };
}

/** The numbers of event types of one stability: all, those that lack nothing, and those that lack each requirement. */
interface Totals {
  readonly types: number;
  readonly complete: number;
  readonly lacks: { readonly [requirement in Requirement]: number };
}

/** Counts the rows, and the rows that lack each requirement. */
export function countTotals(rows: readonly PromotionRow[]): Totals {
  const lacking = (requirement: Requirement): number =>
    rows.filter(({ lacks }) => lacks.includes(requirement)).length;
  return {
    types: rows.length,
    complete: rows.filter(({ lacks }) => lacks.length === 0).length,
    lacks: Object.fromEntries(
      (Object.keys(MISSING_REQUIREMENTS) as Requirement[]).map((lack) => [lack, lacking(lack)]),
    ) as Totals["lacks"],
  };
}

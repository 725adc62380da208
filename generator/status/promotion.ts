/**
 * How far each event type is on its way to a stable contract: whether it has types and golden fixtures, whether a runtime
 * sends it, whether a frontend is tested with it, and whether it waits on something outside.
 */

import { type FixtureCount, NO_FIXTURES } from "../load/fixture-counts.js";
import type { EventType, Protocol, Stability } from "../protocol/protocol.js";

/** What was found beside the schemas. */
export interface Evidence {
  /** Whether the generated code is what the schemas say now. */
  readonly types: boolean;
  /** By event type. */
  readonly fixtures: ReadonlyMap<string, FixtureCount>;
  /** By event type: the frontends whose contract tests passed and played it. */
  readonly consumers: ReadonlyMap<string, readonly string[]>;
}

/** What an event type may lack. */
export const LACKS = {
  types: "the generated types are not up to date",
  fixtures: "a golden event, one that must be refused and a stream with it are not all there",
  emitter: "no runtime is known to send it",
  consumer: "no frontend is tested with it",
  requirement: "it waits on something outside of the protocol",
} as const;

export type Lack = keyof typeof LACKS;

/** One event type. */
export interface PromotionRow extends FixtureCount {
  readonly type: string;
  readonly stability: Stability;
  readonly deprecated: boolean;
  readonly types: boolean;
  readonly emittedBy: readonly string[];
  readonly consumers: readonly string[];
  readonly waitsOn: string | null;
  /** Empty if nothing keeps it from being stable. */
  readonly lacks: readonly Lack[];
}

/** One protocol. */
export interface Promotion {
  readonly protocol: string;
  readonly version: string;
  readonly rows: readonly PromotionRow[];
}

/** The rows of a protocol, in the order of its event types. */
export function promotionOf(protocol: Protocol, evidence: Evidence): Promotion {
  const { id, version, events } = protocol;
  return { protocol: id, version, rows: events.map((event) => rowOf(event, evidence)) };
}

function rowOf(event: EventType, evidence: Evidence): PromotionRow {
  const { type, stability, requires, emittedBy = [] } = event;
  const fixtures = evidence.fixtures.get(type) ?? NO_FIXTURES;
  const consumers = evidence.consumers.get(type) ?? [];
  const lacking: { readonly [lack in Lack]: boolean } = {
    types: !evidence.types,
    fixtures: Object.values(fixtures).includes(0),
    emitter: emittedBy.length === 0,
    consumer: consumers.length === 0,
    requirement: requires !== undefined,
  };
  return {
    ...{ type, stability, deprecated: event.deprecated !== undefined, types: evidence.types, ...fixtures },
    ...{ emittedBy, consumers, waitsOn: requires ?? null },
    lacks: (Object.keys(LACKS) as Lack[]).filter((lack) => lacking[lack]),
  };
}

/** Event types of one stability, and how many of them lack what. */
interface Totals {
  readonly types: number;
  readonly complete: number;
  readonly lacks: { readonly [lack in Lack]: number };
}

/** Totals of rows. */
export function totalsOf(rows: readonly PromotionRow[]): Totals {
  const lacking = (lack: Lack): number => rows.filter(({ lacks }) => lacks.includes(lack)).length;
  return {
    types: rows.length,
    complete: rows.filter(({ lacks }) => lacks.length === 0).length,
    lacks: Object.fromEntries(
      (Object.keys(LACKS) as Lack[]).map((lack) => [lack, lacking(lack)]),
    ) as Totals["lacks"],
  };
}

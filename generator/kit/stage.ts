import type { EventMaker, KitEvent } from "../sample/event-maker.js";
import type { LineBase } from "./line.js";
import { type Happening, happenings, tourOf } from "./plan.js";
import type { Operation } from "./script.js";

/** What all streams of a contract are made with. */
export interface Stage {
  readonly maker: EventMaker;
  readonly table: readonly Happening[];
  /** What tells of each event type. */
  readonly tour: ReadonlyMap<string, Happening>;
  /** The envelopes of its streams, by their number. */
  readonly lines: LineBase[];
  /** How a fresh value of a field is made, by event type and field. */
  readonly kinds: Map<string, number>;
  /** Streams that were written, by their scripts. */
  readonly written: Map<string, readonly KitEvent[]>;
}

/** The stage of a contract. */
export function stageOf(maker: EventMaker): Stage {
  const table = happenings(maker.model);
  return { maker, table, tour: tourOf(table, maker.model), lines: [], kinds: new Map(), written: new Map() };
}

/** What an operation lets happen. */
export function happeningOf({ table, tour }: Stage, { pick }: Operation): Happening | undefined {
  return typeof pick === "string" ? tour.get(pick) : table[pick % table.length];
}

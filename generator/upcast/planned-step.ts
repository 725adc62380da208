/** What a plan consists of: steps with their reasons, and gaps. */
import type { EventType, Protocol } from "../protocol/protocol.js";
import type { UpcastStep } from "../protocol/upcast.js";

/** A step, and the statement of the contracts from which it follows. */
export interface PlannedStep {
  readonly step: UpcastStep;
  readonly reason: string;
}

/** A statement that the plan does not carry out everywhere. */
export interface Gap {
  /** The event type; "" for a statement about all of them. */
  readonly type: string;
  readonly place: string;
  readonly statement: string;
  readonly reason: string;
}

/** An event type of the earlier version, and the one that its events get. */
export interface EventPair {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly event: EventType;
  readonly target: EventType;
  /** True if only some events of the type get this one, as declared steps say. */
  readonly isConditional?: boolean;
}

/** Reasons of gaps that several parts of the planner find. */
export const GAP_REASONS = {
  sameBranches: "no field that each branch has with another value tells the branches apart.",
  renamedTag: "the field that tells the branches apart has another name in some of them.",
  describeMissingField: (name: string) => `names ${name}, which is not a field there.`,
  describeRenamedField: (name: string) => `names ${name}, which has another new name.`,
} as const;

/** Returns the first item for each text, in their order. */
export function listDistinct<T>(items: readonly T[], getText: (item: T) => string): T[] {
  const distinct = new Map<string, T>();
  for (const item of items) {
    const text = getText(item);
    if (!distinct.has(text)) distinct.set(text, item);
  }
  return [...distinct.values()];
}

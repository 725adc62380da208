/** What a kind of step does, in every form of a plan: here, in a proof, in the ledger, in the modules and in SQL. */

import type { Places } from "../../contain/preimage/predicate.js";
import type { Facts, Path } from "../../contain/preimage/presence.js";
import type { Source } from "../../contain/preimage/pull-back-schema.js";
import { getOwn, isObject, type Json, type JsonObject, splitPointer } from "../../json.js";
import type { FunctionStep, UpcastStep } from "../../protocol/upcast.js";
import type { Schema } from "../../schema/json-schema.js";
import type { PlaceMatch } from "../match-place.js";
import type { SqlForms } from "../sql-forms.js";

/** One step in every form. */
export interface StepBehaviour {
  /** Returns the shape of the events that the step makes of events with a shape. */
  readonly changeShape: (shape: Facts, discriminator: string) => Facts;
  /** Returns what the step changes in an event; undefined if it leaves the event as it is. */
  readonly change: (event: JsonObject, context: ChangeContext) => StepChange | StepRefusal | undefined;
  /** Returns the effect of the step on events of which only conditions on places are known. */
  readonly describeEffect: (places: Places, discriminator: string) => StepEffect;
  /** Returns what becomes of the values at a place; undefined if they stay as they are. */
  readonly follow: (findMatch: FindMatch, discriminator: string) => StepTrace | undefined;
  /** Returns the function of the modules that carries the step out, with the arguments behind the event. */
  readonly formatCall: (discriminator: string) => readonly [name: string, ...values: readonly Json[]];
  readonly formatSql: (sql: SqlForms, discriminator: string) => StepExpressions;
  /**
   * Returns the steps, without conditions on types and streams, that undo this one; none if readers of the earlier version
   * ignore what it adds. A sentence if nothing undoes it.
   */
  readonly invert: (isOwnValue: OwnValueTest) => readonly UpcastStep[] | string;
}

/** Returns whether the earlier version may have a value at a place. */
export type OwnValueTest = (place: string, value: string) => boolean;

/** The context of an event that changes. */
export interface ChangeContext {
  /** The field with the event type. */
  readonly discriminator: string;
  /** Calls functions of the user; absent if none are loaded. */
  readonly callFunction?: CallFunction | undefined;
}

/** Calls the function of a step with a value. */
export type CallFunction = (step: FunctionStep, value: Json) => ConvertedValue;

/** A new value, or the reason why there is none. */
export type ConvertedValue = { readonly value: Json } | { readonly message: string };

/** A value for a new place. */
export interface Target {
  readonly to: string;
  readonly value: Json;
}

/** Fields that are removed, and those that are added afterwards. No target may hide a value that stays. */
export interface StepChange {
  readonly kind: "changed";
  readonly removed: readonly string[];
  readonly targets: readonly Target[];
}

/** The reason why a step cannot change an event. */
interface StepRefusal {
  readonly kind: "refused";
  /** The place of the value that prevents it. */
  readonly place: string;
  readonly message: string;
}

/** A value that a step puts at a place. */
export interface PlacedSource {
  readonly path: Path;
  readonly source: Source;
}

/** The effect of a step on events for which `isActive` holds. It fails for those for which `domain` does not hold. */
export interface StepEffect {
  readonly isActive: Schema;
  readonly domain: Schema;
  readonly changes: readonly PlacedSource[];
}

/** What becomes of a value. */
export type Fate =
  | "kept"
  | "moved"
  | "split"
  | "joined"
  | "mapped"
  | "rounded"
  | "computed"
  | "merged"
  | "dropped"
  | "unread"
  | "in the way";

/** Returns how a place of a step leads to the values in question; undefined if it does not. */
type FindMatch = (place: string) => PlaceMatch | undefined;

/** What a step does with the values at a place. */
interface StepTrace {
  readonly fate: Fate;
  readonly found: PlaceMatch;
  /** The place of the step that leads to the values, and the new ones; absent if the values stay at their place. */
  readonly move?: { readonly from: string; readonly to: readonly string[] };
}

/** A step in SQL: which events it changes, a value that is read before, and the expressions that change the event one after the other. */
export interface StepExpressions {
  readonly isActive: string;
  /** The column `value`. */
  readonly value?: string;
  /** What the column `value` becomes in events that the step changes. */
  readonly newValue?: string;
  readonly changes: readonly string[];
}

/** Returns the field at a pointer, which leads through objects only. */
export function findField(event: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = event;
  for (const token of splitPointer(pointer)) value = isObject(value) ? getOwn(value, token) : undefined;
  return value;
}

/** Steps that convert a value at its place. */
import { ANYTHING, SCALAR } from "../../contain/preimage/presence.js";
import type { Context } from "../../contain/preimage/pull-back-keywords.js";
import { type Json, splitPointer } from "../../json.js";
import type { UpcastStep } from "../../protocol/upcast.js";
import type { Schema } from "../../schema/json-schema.js";
import type { SqlForms } from "../sql-forms.js";
import { changeShapeAt } from "./place-shapes.js";
import {
  type ChangeContext,
  type ConvertedValue,
  type Fate,
  findField,
  type OwnValueTest,
  type StepBehaviour,
} from "./step-kind.js";

/** A conversion of one value. An event without the value stays as it is. */
export interface Conversion {
  /** The condition that a value can be converted. */
  readonly domain: Schema;
  /** True if the result is never an object or a list. */
  readonly givesScalar: boolean;
  /** Returns the new value; undefined if it stays the same. */
  readonly convert: (value: Json, context: ChangeContext) => ConvertedValue | undefined;
  /** Returns the condition on a value under which its new value satisfies a schema. It may be stricter unless the context is exact. */
  readonly pull: (schema: Schema, context: Context) => Schema;
  /** What the ledger says about the value. */
  readonly fate?: Fate;
  /** The function of the modules, with the arguments behind the place. */
  readonly call: readonly [name: string, ...values: readonly Json[]];
  readonly formatSql: (sql: SqlForms) => ConversionExpressions;
  /** Returns the steps that give the old value back; a sentence if there are none. */
  readonly invert: (at: string, isOwnValue: OwnValueTest) => readonly UpcastStep[] | string;
}

/** A conversion in SQL. */
interface ConversionExpressions {
  /** The condition on the column `value`, the old value, that it changes; it is there by default. */
  readonly isChanged?: string;
  /** The new value of the column; null if the old one cannot be converted. */
  readonly result: string;
  /** The condition on the new column that the old one can be converted; it is not null by default. */
  readonly isPossible?: string;
  /** The JSON of the new column; the column itself by default. */
  readonly json?: string;
}

/** Returns the step that converts the value at a place. */
export function readConversion(at: string, conversion: Conversion): StepBehaviour {
  const path = splitPointer(at);
  const { domain, givesScalar, convert, pull, fate = "mapped", call, formatSql, invert } = conversion;
  const [name, ...values] = call;
  return {
    changeShape: (shape) => changeShapeAt(shape, path, givesScalar ? SCALAR : ANYTHING),
    change: (event, context) => {
      const value = findField(event, at);
      const converted = value === undefined ? undefined : convert(value, context);
      if (converted === undefined) return undefined;
      if ("message" in converted) return { kind: "refused", place: at, message: converted.message };
      return { kind: "changed", removed: [at], targets: [{ to: at, value: converted.value }] };
    },
    describeEffect: (places) => ({
      isActive: true,
      domain: places.holdsAt(path, domain),
      changes: [{ path, source: { kind: "computed", path, pull } }],
    }),
    follow: (findMatch) => {
      const found = findMatch(at);
      return found?.rest.length === 0 ? { fate, found } : undefined;
    },
    formatCall: () => [name, path, ...values],
    formatSql: (sql) => {
      const isThere = "value IS NOT NULL";
      const { isChanged = isThere, result, isPossible = isThere, json = "value" } = formatSql(sql);
      return {
        isActive: isChanged,
        value: sql.find("event", path),
        newValue: result,
        changes: [`CASE WHEN ${isPossible} THEN ${sql.setValue(path, json)} END`],
      };
    },
    invert: (isOwnValue) => invert(at, isOwnValue),
  };
}

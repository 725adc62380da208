/** Conversions of texts by a list, and of numbers by a factor. */

import { scaleNumber } from "../../contain/decimal.js";
import { and, or } from "../../contain/preimage/predicate.js";
import type { Context } from "../../contain/preimage/pull-back-keywords.js";
import { describeScalable, pullBackScale } from "../../contain/preimage/pull-back-scalar.js";
import { getOwn, type Json, type JsonObject } from "../../json.js";
import type { MapStep, ScaleStep } from "../../protocol/upcast.js";
import type { Schema } from "../../schema/json-schema.js";
import type { Conversion } from "./conversion.js";

/** Replaces listed texts. */
export function readMap({ values }: MapStep): Conversion {
  return {
    domain: true,
    givesScalar: false,
    convert: (value) => {
      const mapped = typeof value === "string" ? getOwn(values, value) : undefined;
      return mapped === undefined ? undefined : { value: mapped };
    },
    pull: (schema, context) => pullBackMap(schema, values, context),
    call: ["map_value", values],
    formatSql: (sql) => {
      const cases = Object.entries(values).map(
        ([key, mapped]) => `WHEN ${sql.isOneOf("value", [key])} THEN ${sql.formatJson(mapped)}`,
      );
      return {
        isChanged: sql.isOneOf("value", Object.keys(values)),
        result: cases.length === 0 ? "value" : `CASE ${cases.join(" ")} END`,
      };
    },
  };
}

function pullBackMap(schema: Schema, values: JsonObject, context: Context): Schema {
  const isAccepted = (value: Json | undefined): boolean =>
    value !== undefined && context.accepts(schema, value);
  const accepted = Object.keys(values).filter((key) => isAccepted(getOwn(values, key)));
  return or(
    accepted.length === 0 ? false : { enum: accepted },
    and({ not: { enum: Object.keys(values) } }, schema),
  );
}

/** Multiplies a number in decimal digits. */
export function readScale({ by }: ScaleStep): Conversion {
  return {
    domain: describeScalable(by),
    givesScalar: true,
    convert: (value) => {
      if (typeof value !== "number" || !Number.isFinite(value))
        return { message: "The value is not a number." };
      const scaled = scaleNumber(value, by);
      return Number.isFinite(scaled)
        ? { value: scaled }
        : { message: "The product is too large for a number." };
    },
    pull: (schema, context) => pullBackScale(schema, by, context),
    call: ["scale", String(by)],
    formatSql: (sql) => ({
      result: sql.scale("value", by),
      isPossible: sql.isFinite("value"),
      json: sql.formatNumber("value"),
    }),
  };
}

/** Conversions of texts by a list, and of numbers by a factor. */

import { scaleNumber } from "../../contain/decimal.js";
import { and, or } from "../../contain/preimage/predicate.js";
import type { Context } from "../../contain/preimage/pull-back-keywords.js";
import { describeScalable, pullBackScale } from "../../contain/preimage/pull-back-scalar.js";
import { convertToRational, divide, toNumber } from "../../contain/rational.js";
import { groupBy } from "../../group-by.js";
import { getOwn, type Json, type JsonObject } from "../../json.js";
import type { MapStep, ScaleStep, UpcastStep } from "../../protocol/upcast.js";
import type { Schema } from "../../schema/json-schema.js";
import type { Conversion } from "./conversion.js";
import type { OwnValueTest } from "./step-kind.js";

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
    invert: (at, isOwnValue) => invertMap(values, at, isOwnValue),
  };
}

/** Returns the steps that give the old texts back. A value that the earlier version knows itself stays as it is. */
function invertMap(values: JsonObject, at: string, isOwnValue: OwnValueTest): readonly UpcastStep[] | string {
  const old = groupBy(Object.entries(values), ([, now]) => JSON.stringify(now));
  const steps: UpcastStep[] = [];
  const texts: { [now: string]: string } = {};
  for (const pairs of old.values())
    for (const [before, now] of pairs) {
      // A value that the map replaces itself, such as one of two that swap, is not the old one.
      const isReplaced = typeof now === "string" && Object.hasOwn(values, now) && values[now] !== now;
      if (typeof now === "string" && !isReplaced && isOwnValue(at, now)) continue;
      if (pairs.length > 1)
        return `${pairs.map(([name]) => name).join(" and ")} became one value, and nothing tells which one it was.`;
      if (typeof now === "string") texts[now] = before;
      else steps.push({ step: "constant", to: at, value: before, replaces: now, when: { [at]: [now] } });
    }
  return Object.keys(texts).length === 0 ? steps : [...steps, { step: "map", at, values: texts }];
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
    invert: (at) => {
      const factor = toNumber(divide(convertToRational(1), convertToRational(by)));
      return factor === undefined
        ? `no decimal number is 1 divided by ${by}.`
        : [{ step: "scale", at, by: factor }];
    },
  };
}

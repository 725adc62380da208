/** Conversions between numbers of time units since the beginning of 1970 and times of RFC 3339. */
import { describeTimes, formatTime, readTime, type TimeForm } from "../../contain/preimage/epoch-times.js";
import {
  describeTimeNumbers,
  pullBackTimeNumber,
  pullBackTimeText,
} from "../../contain/preimage/pull-back-times.js";
import type { NumberToTimeStep, TimeToNumberStep, TimeUnit, UpcastStep } from "../../protocol/upcast.js";
import type { Conversion } from "./conversion.js";

const UNITS_PER_SECOND: { readonly [unit in TimeUnit]: number } = { seconds: 1, milliseconds: 1000 };

function readForm({ unit, round }: NumberToTimeStep | TimeToNumberStep): TimeForm {
  return { perSecond: UNITS_PER_SECOND[unit], isRounded: round === "down" };
}

/** Writes a number of time units as a time. */
export function readNumberToTime(step: NumberToTimeStep): Conversion {
  const form = readForm(step);
  const message = `The value is not a ${form.isRounded ? "" : "whole "}number of ${step.unit} in the years 1 to 9999.`;
  return {
    domain: describeTimeNumbers(form),
    givesScalar: true,
    convert: (value) => {
      const time = typeof value === "number" ? formatTime(value, form) : undefined;
      return time === undefined ? { message } : { value: time };
    },
    pull: (schema, context) => pullBackTimeText(schema, form, context),
    ...(form.isRounded && { fate: "rounded" }),
    call: ["number_to_time", form.perSecond, form.isRounded],
    formatSql: (sql) => ({ result: sql.formatTime("value", form), json: sql.writeText("value") }),
    invert: (at) => [createInverse("time-to-number", at, step)],
  };
}

/** Reads a time as a number of time units. */
export function readTimeToNumber(step: TimeToNumberStep): Conversion {
  const form = readForm(step);
  const pattern = describeTimes(form);
  const expression = new RegExp(pattern, "u");
  const message = `The value is not a time of RFC 3339${form.isRounded ? "" : ` in whole ${step.unit}`}.`;
  return {
    domain: { type: "string", pattern },
    givesScalar: true,
    convert: (value) =>
      typeof value === "string" && expression.test(value) ? { value: readTime(value, form) } : { message },
    pull: (schema, context) => pullBackTimeNumber(schema, form, context),
    ...(form.isRounded && { fate: "rounded" }),
    call: ["time_to_number", pattern, form.perSecond],
    formatSql: (sql) => ({
      result: sql.readTime("value", pattern, form.perSecond),
      json: sql.formatNumber("value"),
    }),
    invert: (at) => [createInverse("number-to-time", at, step)],
  };
}

/** Returns the opposite conversion of the same unit. */
function createInverse(
  name: "number-to-time" | "time-to-number",
  at: string,
  { unit, round }: NumberToTimeStep | TimeToNumberStep,
): UpcastStep {
  return { step: name, at, unit, ...(round && { round }) };
}

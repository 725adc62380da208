/** Conversions between numbers and texts of decimal digits. */
import { formatDecimal } from "../../contain/decimal.js";
import {
  DECIMAL_PATTERN,
  pullBackNumberText,
  pullBackTextNumber,
} from "../../contain/preimage/pull-back-decimals.js";
import type { Conversion } from "./conversion.js";

const DECIMAL = new RegExp(DECIMAL_PATTERN, "u");

/** Writes a number in decimal digits. */
export function readNumberToText(): Conversion {
  return {
    domain: { type: "number" },
    givesScalar: true,
    convert: (value) =>
      typeof value === "number" && Number.isFinite(value)
        ? { value: formatDecimal(value) }
        : { message: "The value is not a number." },
    pull: pullBackNumberText,
    call: ["number_to_text"],
    formatSql: (sql) => ({ result: sql.formatDecimal("value"), json: sql.writeText("value") }),
    invert: (at) => [{ step: "text-to-number", at }],
  };
}

/** Reads a number from decimal digits. */
export function readTextToNumber(): Conversion {
  return {
    domain: { type: "string", pattern: DECIMAL_PATTERN },
    givesScalar: true,
    convert: (value) =>
      typeof value === "string" && DECIMAL.test(value)
        ? { value: Number(value) + 0 }
        : {
            message:
              "The value is not a text of a decimal number with up to 15 digits and without an exponent.",
          },
    pull: pullBackTextNumber,
    call: ["text_to_number", DECIMAL_PATTERN],
    formatSql: (sql) => ({
      result: sql.readDecimal("value", DECIMAL_PATTERN),
      json: sql.formatNumber("value"),
    }),
    invert: (at) => [{ step: "number-to-text", at }],
  };
}

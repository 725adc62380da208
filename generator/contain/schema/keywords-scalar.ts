/** The keywords about types, single values, numbers and strings. */
import type { Json } from "../../json.js";
import { Unsupported } from "../budget.js";
import { type Atom, bit, type Formula, type Formulas, TYPES } from "../formula.js";
import { fromNumber } from "../rational.js";
import { splitPattern, unicodeSource } from "../regex/pattern.js";
import { constant, oneOfConstants } from "./constants.js";
import { formatPattern } from "./formats.js";
import { type Context, count, list, malformed, number, type Reader } from "./reader.js";

/** The formula of a pattern over strings; other types pass. */
export function pattern(f: Formulas, source: string): Formula {
  const parts = splitPattern(unicodeSource(source)).map((part) => {
    const literal = f.and(
      f.literal({ on: "string", is: "pattern", source: part.source }),
      ...(part.size ? sized(f, part.size) : []),
    );
    return part.negate ? f.or(f.except("string"), f.not(literal)) : literal;
  });
  return f.and(...parts);
}

function sized(f: Formulas, { min, max }: { readonly min: number; readonly max: number }): Formula[] {
  const atLeast = f.literal({ on: "string", is: "atLeast", count: min });
  return Number.isFinite(max) ? [atLeast, f.literal({ on: "string", is: "atMost", count: max })] : [atLeast];
}

function oneType(f: Formulas, name: Json): Formula {
  if (name === "integer") {
    const whole: Atom = { on: "number", is: "multiple", of: fromNumber(1) };
    return f.and(f.types(bit("number")), f.literal(whole));
  }
  const type = TYPES.find((each) => each === name);
  return type ? f.types(bit(type)) : malformed("type");
}

function limit(keyword: "minimum" | "maximum"): Reader {
  const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  return (value, { formulas, dialect, schema }) => {
    const open = dialect === "draft4" && schema[exclusive] === true;
    return bound(formulas, keyword === "minimum" ? "above" : "below", number(value, keyword), open);
  };
}

function exclusiveLimit(keyword: "exclusiveMinimum" | "exclusiveMaximum"): Reader {
  return (value, { formulas, dialect }) => {
    if (dialect === "draft4") return typeof value === "boolean" ? formulas.anything : malformed(keyword);
    return bound(formulas, keyword === "exclusiveMinimum" ? "above" : "below", number(value, keyword), true);
  };
}

function bound(f: Formulas, is: "above" | "below", value: number, open: boolean): Formula {
  return f.literal({ on: "number", is, bound: fromNumber(value), open });
}

function length(keyword: string, is: "atLeast" | "atMost"): Reader {
  return (value, { formulas }) => formulas.literal({ on: "string", is, count: count(value, keyword) });
}

function format(value: Json, { formulas, assertFormats }: Context): Formula {
  if (!assertFormats || typeof value !== "string") return formulas.anything;
  const source = formatPattern(value);
  if (source === undefined) throw new Unsupported(`the format ${JSON.stringify(value)} cannot be asserted`);
  return formulas.literal({ on: "string", is: "pattern", source });
}

/** The readers of this file by keyword. */
export const SCALAR_KEYWORDS: { readonly [keyword: string]: Reader } = {
  type: (value, { formulas }) =>
    formulas.or(...(Array.isArray(value) ? value : [value]).map((name) => oneType(formulas, name))),
  const: (value, { formulas }) => constant(formulas, value),
  enum: (value, { formulas }) => oneOfConstants(formulas, list(value, "enum")),
  minimum: limit("minimum"),
  maximum: limit("maximum"),
  exclusiveMinimum: exclusiveLimit("exclusiveMinimum"),
  exclusiveMaximum: exclusiveLimit("exclusiveMaximum"),
  multipleOf: (value, { formulas }) => {
    const step = number(value, "multipleOf");
    if (step <= 0) malformed("multipleOf");
    return formulas.literal({ on: "number", is: "multiple", of: fromNumber(step) });
  },
  minLength: length("minLength", "atLeast"),
  maxLength: length("maxLength", "atMost"),
  pattern: (value, { formulas }) =>
    pattern(formulas, typeof value === "string" ? value : malformed("pattern")),
  format,
};

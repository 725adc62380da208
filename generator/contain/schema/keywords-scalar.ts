/** The keywords about types, single values, numbers and strings. */
import type { Json } from "../../json.js";
import { formatPattern } from "../../schema/formats.js";
import { Unsupported } from "../budget.js";
import { anyConstant, constantFormula } from "../constants.js";
import { type Atom, type Formula, type Formulas, TYPES, typeBit } from "../formula.js";
import { fromNumber } from "../rational.js";
import { patternSyntax } from "../regex/pattern-syntax.js";
import {
  count,
  type KeywordCompiler,
  type KeywordContext,
  list,
  number,
  refuseMalformed,
} from "./keyword-compiler.js";

/** The formula of a pattern over strings; other types pass. */
function pattern(f: Formulas, source: string): Formula {
  const parts = patternSyntax(source).parts.map((part) => {
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
    return f.and(f.types(typeBit("number")), f.literal(whole));
  }
  const type = TYPES.find((each) => each === name);
  return type ? f.types(typeBit(type)) : refuseMalformed("type");
}

function limit(keyword: "minimum" | "maximum"): KeywordCompiler {
  const exclusive = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  return (value, { formulas, dialect, schema }) => {
    const open = dialect === "draft4" && schema[exclusive] === true;
    return bound(formulas, keyword === "minimum" ? "above" : "below", number(value, keyword), open);
  };
}

function exclusiveLimit(keyword: "exclusiveMinimum" | "exclusiveMaximum"): KeywordCompiler {
  return (value, { formulas, dialect }) => {
    if (dialect === "draft4")
      return typeof value === "boolean" ? formulas.anything : refuseMalformed(keyword);
    return bound(formulas, keyword === "exclusiveMinimum" ? "above" : "below", number(value, keyword), true);
  };
}

function bound(f: Formulas, is: "above" | "below", value: number, open: boolean): Formula {
  return f.literal({ on: "number", is, bound: fromNumber(value), open });
}

function length(keyword: string, is: "atLeast" | "atMost"): KeywordCompiler {
  return (value, { formulas }) => formulas.literal({ on: "string", is, count: count(value, keyword) });
}

function format(value: Json, { formulas, assertFormats }: KeywordContext): Formula {
  if (!assertFormats || typeof value !== "string") return formulas.anything;
  const source = formatPattern(value);
  if (source === undefined) throw new Unsupported(`the format ${JSON.stringify(value)} cannot be asserted`);
  return formulas.literal({ on: "string", is: "pattern", source });
}

/** The keyword compilers of this file. */
export const SCALAR_KEYWORDS: { readonly [keyword: string]: KeywordCompiler } = {
  type: (value, { formulas }) =>
    formulas.or(...(Array.isArray(value) ? value : [value]).map((name) => oneType(formulas, name))),
  const: (value, { formulas }) => constantFormula(formulas, value),
  enum: (value, { formulas }) => anyConstant(formulas, list(value, "enum")),
  minimum: limit("minimum"),
  maximum: limit("maximum"),
  exclusiveMinimum: exclusiveLimit("exclusiveMinimum"),
  exclusiveMaximum: exclusiveLimit("exclusiveMaximum"),
  multipleOf: (value, { formulas }) => {
    const step = number(value, "multipleOf");
    if (step <= 0) refuseMalformed("multipleOf");
    return formulas.literal({ on: "number", is: "multiple", of: fromNumber(step) });
  },
  minLength: length("minLength", "atLeast"),
  maxLength: length("maxLength", "atMost"),
  pattern: (value, { formulas }) =>
    pattern(formulas, typeof value === "string" ? value : refuseMalformed("pattern")),
  format,
};

/** The keywords about types, single values, numbers and strings. */
import type { Json } from "../../json.js";
import { getFormatPattern } from "../../schema/formats.js";
import { UnsupportedSchema } from "../budget.js";
import { buildConstFormula, buildEnumFormula } from "../constants.js";
import type { Formula, Formulas, TypeName } from "../formula.js";
import { fromNumber } from "../rational.js";
import { getPatternSyntax } from "../regex/pattern-syntax.js";
import {
  createSizeCompiler,
  type KeywordCompiler,
  type KeywordCompilers,
  type KeywordContext,
} from "./keyword-compiler.js";

/** Returns the formula of a pattern. It holds for all values that are not strings. */
function compilePattern(f: Formulas, source: string): Formula {
  const parts = getPatternSyntax(source).parts.map((part) => {
    const literal = f.and(
      f.literal({ on: "string", is: "pattern", source: part.source }),
      ...(part.size ? buildLengthLimits(f, part.size) : []),
    );
    return part.negate ? f.or(f.except("string"), f.not(literal)) : literal;
  });
  return f.and(...parts);
}

function buildLengthLimits(
  f: Formulas,
  { min, max }: { readonly min: number; readonly max: number },
): Formula[] {
  const atLeast = f.literal({ on: "string", is: "atLeast", count: min });
  return Number.isFinite(max) ? [atLeast, f.literal({ on: "string", is: "atMost", count: max })] : [atLeast];
}

type SchemaType = TypeName | "integer";

function buildTypeFormula(f: Formulas, name: SchemaType): Formula {
  if (name !== "integer") return f.only(name);
  return f.and(f.only("number"), f.literal({ on: "number", is: "multiple", of: fromNumber(1) }));
}

function buildBound(f: Formulas, is: "above" | "below", value: number, open: boolean): Formula {
  return f.literal({ on: "number", is, bound: fromNumber(value), open });
}

function compileLimit(
  is: "above" | "below",
  exclusive: "exclusiveMinimum" | "exclusiveMaximum",
): KeywordCompiler {
  return (value: number, { formulas, dialect, schema }) =>
    buildBound(formulas, is, value, dialect === "draft4" && schema[exclusive] === true);
}

/** Compiles an exclusive limit. In draft-04 it is a boolean, which belongs to the limit beside it. */
function compileExclusiveLimit(is: "above" | "below"): KeywordCompiler {
  return (value: number | boolean, { formulas }) =>
    typeof value === "boolean" ? formulas.anything : buildBound(formulas, is, value, true);
}

function compileFormat(name: string, { formulas, assertFormats }: KeywordContext): Formula {
  if (!assertFormats) return formulas.anything;
  const source = getFormatPattern(name);
  if (source === undefined)
    throw new UnsupportedSchema(`the format ${JSON.stringify(name)} cannot be asserted`);
  return formulas.literal({ on: "string", is: "pattern", source });
}

/** The compilers of the keywords about types, single values, numbers and strings. */
export const SCALAR_KEYWORDS: KeywordCompilers = {
  type: (names: SchemaType | readonly SchemaType[], { formulas }) =>
    formulas.or(...[names].flat().map((name) => buildTypeFormula(formulas, name))),
  const: (value: Json, { formulas }) => buildConstFormula(formulas, value),
  enum: (values: readonly Json[], { formulas }) => buildEnumFormula(formulas, values),
  minimum: compileLimit("above", "exclusiveMinimum"),
  maximum: compileLimit("below", "exclusiveMaximum"),
  exclusiveMinimum: compileExclusiveLimit("above"),
  exclusiveMaximum: compileExclusiveLimit("below"),
  multipleOf: (step: number, { formulas }) =>
    formulas.literal({ on: "number", is: "multiple", of: fromNumber(step) }),
  minLength: createSizeCompiler("string", "atLeast"),
  maxLength: createSizeCompiler("string", "atMost"),
  pattern: (source: string, { formulas }) => compilePattern(formulas, source),
  format: compileFormat,
};

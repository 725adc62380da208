/** The keywords about types, single values, numbers and strings. */
import type { Json } from "../../json.js";
import { getFormatPattern } from "../../schema/formats.js";
import { UnsupportedSchema } from "../budget.js";
import { buildConstFormula, buildEnumFormula } from "../constants.js";
import type { Formula, Formulas, TypeName } from "../formula.js";
import { convertToRational } from "../rational.js";
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
    const matches = f.and(
      f.literal({ type: "string", kind: "pattern", source: part.source }),
      ...(part.size ? buildLengthLimits(f, part.size) : []),
    );
    return part.negate ? f.or(f.except("string"), f.not(matches)) : matches;
  });
  return f.and(...parts);
}

function buildLengthLimits(
  f: Formulas,
  { min, max }: { readonly min: number; readonly max: number },
): Formula[] {
  const atLeast = f.literal({ type: "string", kind: "atLeast", count: min });
  return Number.isFinite(max)
    ? [atLeast, f.literal({ type: "string", kind: "atMost", count: max })]
    : [atLeast];
}

type SchemaType = TypeName | "integer";

function buildTypeFormula(f: Formulas, name: SchemaType): Formula {
  if (name !== "integer") return f.only(name);
  return f.and(f.only("number"), f.literal({ type: "number", kind: "multiple", of: convertToRational(1) }));
}

function buildBound(f: Formulas, kind: "above" | "below", value: number, isExclusive: boolean): Formula {
  return f.literal({ type: "number", kind, bound: convertToRational(value), isExclusive });
}

/** Returns the compiler of an inclusive limit. In draft-04, the boolean `exclusive` beside the limit makes it exclusive. */
function createLimitCompiler(
  kind: "above" | "below",
  exclusive: "exclusiveMinimum" | "exclusiveMaximum",
): KeywordCompiler {
  return (value: number, { formulas, dialect, schema }) =>
    buildBound(formulas, kind, value, dialect === "draft4" && schema[exclusive] === true);
}

/** Returns the compiler of an exclusive limit. In draft-04 the keyword is a boolean, which belongs to the limit beside it. */
function createExclusiveLimitCompiler(kind: "above" | "below"): KeywordCompiler {
  return (value: number | boolean, { formulas }) =>
    typeof value === "boolean" ? formulas.anything : buildBound(formulas, kind, value, true);
}

function compileFormat(name: string, { formulas, assertFormats }: KeywordContext): Formula {
  if (!assertFormats) return formulas.anything;
  const source = getFormatPattern(name);
  if (source === undefined)
    throw new UnsupportedSchema(`the format ${JSON.stringify(name)} cannot be asserted`);
  return formulas.literal({ type: "string", kind: "pattern", source });
}

/** The compilers of the keywords about types, single values, numbers and strings. */
export const SCALAR_KEYWORDS: KeywordCompilers = {
  type: (names: SchemaType | readonly SchemaType[], { formulas }) =>
    formulas.or(...[names].flat().map((name) => buildTypeFormula(formulas, name))),
  const: (value: Json, { formulas }) => buildConstFormula(formulas, value),
  enum: (values: readonly Json[], { formulas }) => buildEnumFormula(formulas, values),
  minimum: createLimitCompiler("above", "exclusiveMinimum"),
  maximum: createLimitCompiler("below", "exclusiveMaximum"),
  exclusiveMinimum: createExclusiveLimitCompiler("above"),
  exclusiveMaximum: createExclusiveLimitCompiler("below"),
  multipleOf: (step: number, { formulas }) =>
    formulas.literal({ type: "number", kind: "multiple", of: convertToRational(step) }),
  minLength: createSizeCompiler("string", "atLeast"),
  maxLength: createSizeCompiler("string", "atMost"),
  pattern: (source: string, { formulas }) => compilePattern(formulas, source),
  format: compileFormat,
};

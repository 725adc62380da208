/** What a keyword compiler is given, and what it gives. */
import type { Json, JsonObject } from "../../json.js";
import type { Dialect } from "../../schema/dialects.js";
import type { Place } from "../../schema/resolve.js";
import type { Formula, Formulas } from "../formula.js";

/** Where a keyword stands, and how to compile the subschemas and references beside and below it. */
export interface KeywordContext {
  readonly schema: JsonObject;
  readonly place: Place;
  readonly dialect: Dialect;
  readonly formulas: Formulas;
  /** Whether `format` is an assertion. */
  readonly assertFormats: boolean;
  /** Returns the formula of a subschema that lies directly in this schema. */
  child(schema: Json): Formula;
  /** Returns the context of a subschema that lies directly in this schema; undefined for a boolean schema. */
  inside(schema: Json): KeywordContext | undefined;
  /** Returns the target of a reference. */
  target(keyword: string, reference: string): Target;
}

/** The target of a reference. */
export interface Target {
  formula(): Formula;
  /** Returns the context inside the target; undefined for a boolean schema. */
  context(): KeywordContext | undefined;
}

/** Compiles the value of a keyword into a formula. `Library` has checked that the dialect allows the value. */
export type KeywordCompiler = (value: never, at: KeywordContext) => Formula;

/** Compilers by keyword. */
export type KeywordCompilers = { readonly [keyword: string]: KeywordCompiler };

/** Returns the compiler of a keyword that limits how many characters, items or properties there are. */
export function compileSize(on: "string" | "array" | "object", is: "atLeast" | "atMost"): KeywordCompiler {
  return (count: number, { formulas }) => formulas.literal({ on, is, count });
}

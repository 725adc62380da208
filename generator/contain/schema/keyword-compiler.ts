/** The types of the keyword compilers. */
import type { Json, JsonObject } from "../../json.js";
import type { Dialect } from "../../schema/dialects.js";
import type { SchemaPlace } from "../../schema/resolve.js";
import type { Formula, Formulas } from "../formula.js";

/** The schema that holds a keyword, and functions that compile the subschemas and references in it. */
export interface KeywordContext {
  /** Identifies the schema and the dynamic anchors in force. */
  readonly key: string;
  readonly schema: JsonObject;
  readonly place: SchemaPlace;
  readonly dialect: Dialect;
  readonly formulas: Formulas;
  /** True if `format` is an assertion. */
  readonly assertFormats: boolean;
  /** Returns the formula of a subschema that lies directly in this schema. */
  compileChild(schema: Json): Formula;
  /** Returns the context of a subschema that lies directly in this schema; undefined for a boolean schema. */
  enterChild(schema: Json): KeywordContext | undefined;
  /** Returns the target of a reference. */
  resolveTarget(keyword: string, reference: string): ReferenceTarget;
}

/** The target of a reference. */
export interface ReferenceTarget {
  /** Returns the formula of the target. */
  compile(): Formula;
  /** Returns the context inside the target; undefined for a boolean schema. */
  enter(): KeywordContext | undefined;
}

/**
 * Compiles the value of a keyword into a formula. The dialect allows the value: `Library` of schema/resolve.ts has checked
 * it.
 */
export type KeywordCompiler = (value: never, context: KeywordContext) => Formula;

/** Compilers by keyword. */
export type KeywordCompilers = { readonly [keyword: string]: KeywordCompiler };

/** Returns the compiler of a keyword that limits the number of characters, items or properties. */
export function createSizeCompiler(
  type: "string" | "array" | "object",
  kind: "atLeast" | "atMost",
): KeywordCompiler {
  return (count: number, { formulas }) => formulas.literal({ type, kind, count });
}

/** Shared parts of the keyword compilers: the schema of a keyword, and the refusal of malformed values. */
import { isObject, type Json, type JsonObject } from "../../json.js";
import type { Dialect } from "../../schema/dialects.js";
import type { Place } from "../../schema/resolve.js";
import { Unsupported } from "../budget.js";
import type { Formula, Formulas } from "../formula.js";

/** Where a keyword stands, and how to compile the subschemas and references beside and below it. */
export interface KeywordContext {
  readonly schema: JsonObject;
  readonly place: Place;
  readonly dialect: Dialect;
  readonly formulas: Formulas;
  /** Whether `format` is an assertion. */
  readonly assertFormats: boolean;
  /** The formula of a subschema that lies directly in this schema. */
  child(schema: Json): Formula;
  /** The context of a subschema that lies directly in this schema; undefined for a boolean schema. */
  inside(schema: Json): KeywordContext | undefined;
  /** The target of a reference. */
  target(keyword: string, reference: Json): Target;
}

/** The target of a reference. */
export interface Target {
  formula(): Formula;
  /** The context inside the target; undefined for a boolean schema. */
  context(): KeywordContext | undefined;
}

/** Compiles the meaning of a keyword into a formula. */
export type KeywordCompiler = (value: Json, at: KeywordContext) => Formula;

/** Refuses a keyword whose value the specification does not allow. */
export function refuseMalformed(keyword: string): never {
  throw new Unsupported(`the value of ${JSON.stringify(keyword)} is not what its specification allows`);
}

/** A size: a non-negative integer. */
export function count(value: Json | undefined, keyword: string): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0
    ? value
    : refuseMalformed(keyword);
}

/** A number. */
export function number(value: Json | undefined, keyword: string): number {
  return typeof value === "number" ? value : refuseMalformed(keyword);
}

/** A list. */
export function list(value: Json | undefined, keyword: string): readonly Json[] {
  return Array.isArray(value) ? value : refuseMalformed(keyword);
}

/** A list of strings. */
export function strings(value: Json | undefined, keyword: string): readonly string[] {
  return list(value, keyword).map((each) => (typeof each === "string" ? each : refuseMalformed(keyword)));
}

/** A map. */
export function map(value: Json | undefined, keyword: string): readonly (readonly [string, Json])[] {
  return isObject(value) ? Object.entries(value) : refuseMalformed(keyword);
}

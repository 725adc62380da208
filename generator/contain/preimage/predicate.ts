/** Builds conditions on values as JSON Schemas, from conditions on places. Places are lists of names and lead through objects only. */
import { areEqual, createObject, isObject, type JsonObject } from "../../json.js";
import { readSubschema, type Schema } from "../../schema/json-schema.js";
import { type Facts, findShape, type Path } from "./presence.js";

/** Returns the condition that all of these hold. */
export function and(...conditions: readonly Schema[]): Schema {
  const parts = dropRepeated(conditions.flatMap((each) => listParts(each, "allOf"))).filter(
    (each) => each !== true,
  );
  if (parts.includes(false)) return false;
  return parts.length <= 1 ? (parts[0] ?? true) : { allOf: parts };
}

/** Returns the condition that one of these holds. */
export function or(...conditions: readonly Schema[]): Schema {
  const parts = dropRepeated(conditions.flatMap((each) => listParts(each, "anyOf"))).filter(
    (each) => each !== false,
  );
  if (parts.includes(true)) return true;
  return parts.length <= 1 ? (parts[0] ?? false) : { anyOf: parts };
}

function listParts(condition: Schema, keyword: "allOf" | "anyOf"): readonly Schema[] {
  if (typeof condition === "boolean" || Object.keys(condition).length !== 1) return [condition];
  const parts = condition[keyword];
  return Array.isArray(parts) ? parts : [condition];
}

function dropRepeated(conditions: readonly Schema[]): Schema[] {
  return conditions.filter((each, index) => conditions.findIndex((other) => areEqual(other, each)) === index);
}

/** Returns the condition that this does not hold. */
export function not(condition: Schema): Schema {
  if (typeof condition === "boolean") return !condition;
  const { not: negated } = condition;
  const isNegation = Object.keys(condition).length === 1 && negated !== undefined;
  return isNegation ? readSubschema(negated) : { not: condition };
}

/** Returns the condition that the second holds if the first does. */
export function implies(condition: Schema, consequence: Schema): Schema {
  return or(not(condition), consequence);
}

/**
 * Conditions on places of events with a shape. What the shape says already is left out. The conditions are about the value
 * to which the first `depth` names of each place lead, which is always there.
 */
export class Places {
  constructor(
    private readonly shape: Facts,
    private readonly depth = 0,
  ) {}

  /** Returns the condition that the value at a place satisfies a schema, if there is a value. */
  holdsAt(path: Path, schema: Schema): Schema {
    if (schema === true || (isObject(schema) && Object.keys(schema).length === 0)) return true;
    const { presence } = findShape(this.shape, path);
    if (presence === "never") return true;
    if (presence === "always" && schema === false) return false;
    return path
      .slice(this.depth)
      .reduceRight<Schema>((inner, name) => ({ properties: createObject([[name, inner]]) }), schema);
  }

  /** Returns the condition that there is a value at a place. */
  isPresentAt(path: Path): Schema {
    return this.hasValueAt(path, true);
  }

  /** Returns the condition that there is a value at a place, and that it satisfies a schema. */
  hasValueAt(path: Path, schema: Schema): Schema {
    const { presence } = findShape(this.shape, path);
    if (presence === "never" || schema === false) return false;
    if (presence === "always") return this.holdsAt(path, schema);
    return path.slice(this.depth).reduceRight<Schema>((inner, name, position) => {
      const index = position + this.depth;
      const isCertain = (length: number) =>
        findShape(this.shape, path.slice(0, length)).presence === "always";
      const isInObject = findShape(this.shape, path.slice(0, index)).isObject === "always";
      const condition: JsonObject = {
        ...(!isInObject && { type: "object" }),
        ...(!isCertain(index + 1) && { required: [name] }),
        ...(inner !== true && { properties: createObject([[name, inner]]) }),
      };
      return Object.keys(condition).length === 0 ? true : condition;
    }, schema);
  }

  /** Returns the condition that there is a value at a place, and that it is not an object. */
  isNonObjectAt(path: Path): Schema {
    if (path.length === 0 || findShape(this.shape, path).isObject === "always") return false;
    return this.hasValueAt(path, { not: { type: "object" } });
  }
}

/** Builds formulas that hold for listed values only: for `const`, for `enum`, and to exclude values that are known. */
import { isObject, type Json } from "../json.js";
import { createSingleKeySet, type Formula, type Formulas } from "./formula.js";
import { convertToRational } from "./rational.js";

/** Returns the formula that holds for this value only. */
export function buildConstFormula(f: Formulas, value: Json): Formula {
  if (value === null) return f.only("null");
  if (typeof value === "boolean")
    return f.and(f.only("boolean"), f.literal({ type: "boolean", kind: "true" }, value));
  if (typeof value === "string" || typeof value === "number") return buildEnumFormula(f, [value]);
  return isObject(value) ? buildObjectFormula(f, value) : buildArrayFormula(f, value);
}

/** Returns the formula that holds for these values only. */
export function buildEnumFormula(f: Formulas, values: readonly Json[]): Formula {
  const texts = [...new Set(values.filter((value) => typeof value === "string"))].sort();
  const numbers = [...new Set(values.filter((value) => typeof value === "number"))].sort((a, b) => a - b);
  const others = values.filter((value) => typeof value !== "string" && typeof value !== "number");
  const parts = others.map((value) => buildConstFormula(f, value));
  if (texts.length > 0) {
    parts.push(f.and(f.only("string"), f.literal({ type: "string", kind: "enum", values: texts })));
  }
  if (numbers.length > 0) {
    const rationals = numbers.map(convertToRational);
    parts.push(f.and(f.only("number"), f.literal({ type: "number", kind: "enum", values: rationals })));
  }
  return f.or(...parts);
}

function buildArrayFormula(f: Formulas, items: readonly Json[]): Formula {
  const type = "array" as const;
  return f.and(
    f.only(type),
    f.literal({ type, kind: "atLeast", count: items.length }),
    f.literal({ type, kind: "atMost", count: items.length }),
    ...items.map((item, index) =>
      f.literal({ type, kind: "item", index, value: buildConstFormula(f, item) }),
    ),
  );
}

function buildObjectFormula(f: Formulas, value: { readonly [key: string]: Json }): Formula {
  const type = "object" as const;
  const names = Object.keys(value).sort();
  return f.and(
    f.only(type),
    f.literal({ type, kind: "each", keys: { names, patterns: [], complement: true }, value: f.nothing }),
    ...names.map((key) => f.literal({ type, kind: "has", key })),
    ...names.map((key) =>
      f.literal({
        type,
        kind: "each",
        keys: createSingleKeySet(key),
        value: buildConstFormula(f, value[key] ?? null),
      }),
    ),
  );
}

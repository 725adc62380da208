/** Formats planned types as Python annotations. */
import { getJsonType } from "../../json.js";
import { omitKeywords } from "../../schema/describe.js";
import type { FieldPlan, MemberPlan, ValuePlan } from "../plan/plan.js";
import { type Bounds, type ListedValues, TYPE_FACETS, WITHOUT_TYPE } from "../plan/shape.js";
import { formatLiteral } from "./text.js";

const OPTIONAL_BRANCHES = {
  reason: "alternatives that only require fields or limit values are not checked",
  result: "wider",
} as const;

/** The facets of a schema that the models express. */
export const PYTHON_FACETS = {
  ...TYPE_FACETS,
  except: {
    ...TYPE_FACETS.except,
    ...omitKeywords(WITHOUT_TYPE, "minProperties", "maxProperties"),
    ...omitKeywords(OPTIONAL_BRANCHES, "anyOf", "oneOf"),
  },
} as const;

/** The arguments of pydantic's `Field` for bounds. */
const ARGUMENTS: { readonly [bound: string]: readonly [inclusive: string, exclusive: string] } = {
  minimum: ["ge", "gt"],
  maximum: ["le", "lt"],
  minLength: ["min_length", ""],
  maxLength: ["max_length", ""],
  minItems: ["min_length", ""],
  maxItems: ["max_length", ""],
};

type Scalar = Extract<MemberPlan, { readonly listed: ListedValues | undefined }>;

/** The annotation of each scalar, and the bounds that apply to it. */
const SCALARS: {
  readonly [K in Scalar["kind"]]: { readonly type: string; readonly bounds: readonly string[] };
} = {
  string: { type: "str", bounds: ["minLength", "maxLength"] },
  integer: { type: "Integer", bounds: ["minimum", "maximum"] },
  number: { type: "Number", bounds: ["minimum", "maximum"] },
  boolean: { type: "Boolean", bounds: [] },
};

/** Returns the annotation of a field. */
export function formatFieldType({ value, isRequired }: FieldPlan): string {
  const type = formatValueType(value);
  if (isRequired || isAny(value)) return type;
  return value.isNullable ? type : `Omittable[${type}]`;
}

/** Returns the annotation of a value. */
export function formatValueType(value: ValuePlan): string {
  if (isAny(value)) return "Any";
  const literals = value.members.flatMap(formatLiterals);
  const others = value.members.flatMap(formatMember);
  const literal = literals.length === 0 ? [] : [formatListed([...new Set(literals)])];
  return [...new Set([...literal, ...others, ...(value.isNullable ? ["None"] : [])])].join(" | ");
}

/** Formats listed values. Where a whole number is listed, 1.0 is read as 1. */
function formatListed(literals: readonly string[]): string {
  const type = `Literal[${literals.join(", ")}]`;
  const hasNumber = literals.some((literal) => /^-?\d/.test(literal));
  return hasNumber ? `Annotated[${type}, BeforeValidator(_read_listed)]` : type;
}

/** Returns whether any value is allowed. A type without values has no annotation either. */
function isAny({ members, isNullable }: ValuePlan): boolean {
  return members.some(({ kind }) => kind === "any") || (members.length === 0 && !isNullable);
}

/** Returns the annotation of a member; none if all its values are literals. */
function formatMember(member: MemberPlan): readonly string[] {
  switch (member.kind) {
    case "any":
      return ["Any"];
    case "object":
    case "reference":
      return [member.name];
    case "map":
      return [`dict[str, ${formatValueType(member.values)}]`];
    case "list":
      return [
        formatBounded(`list[${formatValueType(member.items)}]`, member.bounds, ["minItems", "maxItems"]),
      ];
    default: {
      const { type, bounds } = SCALARS[member.kind];
      const isClosed = formatLiterals(member).length > 0 && member.listed?.isOpen === false;
      return isClosed ? [] : [formatBounded(type, member.bounds, bounds)];
    }
  }
}

/** Returns the literals of a member with listed values; none if one of them, such as 1.5, is no literal. */
function formatLiterals(member: MemberPlan): readonly string[] {
  if (!("listed" in member)) return [];
  const values = member.listed?.values.filter((value) => isOfKind(getJsonType(value), member.kind)) ?? [];
  const literals = values.map(formatLiteral);
  return literals.includes(undefined) ? [] : literals.filter((literal) => literal !== undefined);
}

function isOfKind(type: string, kind: string): boolean {
  return type === kind || (type === "integer" && kind === "number");
}

function formatBounded(type: string, bounds: Bounds, names: readonly string[]): string {
  const limits = names.flatMap((name) => {
    const bound = bounds[name];
    if (bound === undefined) return [];
    return `${ARGUMENTS[name]?.[bound.isExclusive ? 1 : 0]}=${formatNumber(bound.value)}`;
  });
  return limits.length === 0 ? type : `Annotated[${type}, Field(${limits.join(", ")})]`;
}

function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

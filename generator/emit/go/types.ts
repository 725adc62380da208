/** Formats planned types as Go types, and fields with the struct tags that `json.go` reads. */
import { omitKeywords } from "../../schema/describe.js";
import type { FieldPlan, MemberPlan, ValuePlan } from "../plan/plan.js";
import { describeFacetsWithoutUnions } from "../plan/shape.js";
import { formatGoString, formatGoTag } from "./text.js";

const UNDECLARED = {
  reason: "undeclared fields are kept unchecked beside declared ones",
  result: "wider",
} as const;

const FACETS = describeFacetsWithoutUnions("json.RawMessage");

/** The facets of a schema that the Go types express. */
export const GO_FACETS = {
  ...FACETS,
  except: { ...FACETS.except, ...omitKeywords(UNDECLARED, "additionalProperties") },
} as const;

/** The Go type of a value that is kept as raw JSON. */
const RAW = "json.RawMessage";

const SCALARS = { string: "string", integer: "int64", number: "float64", boolean: "bool" } as const;

/** The types to which fields refer. */
export interface GoTypes {
  /** The values of aliases by their name. */
  readonly aliases: ReadonlyMap<string, ValuePlan>;
  /** The names of types that contain themselves, which needs a pointer. */
  readonly recursive: ReadonlySet<string>;
}

/** Formats the type and the tag of a field, as they stand after its name. */
export function formatField(types: GoTypes, { name, value, isRequired }: FieldPlan): string {
  const type = formatType(types, value);
  const isPointer = !isRequired || value.isNullable || isRecursive(types, value);
  const isNullable = value.isNullable && !isRaw(types, value);
  const tag = formatGoTag(name, !isRequired);
  const parts = [
    ...(tag === undefined ? ['json:"-"', `name:${formatGoString(name)}`] : [`json:${formatGoString(tag)}`]),
    ...(tag === undefined && !isRequired ? ['optional:"true"'] : []),
    ...(isNullable ? ['null:"true"'] : []),
  ];
  return `${isPointer && !hasNil(types, value) ? "*" : ""}${type} ${formatTags(parts.join(" "))}`;
}

/** Formats the tags of a field as a literal: between backquotes if they can stand there. */
function formatTags(tags: string): string {
  return /^[^`\r]*$/.test(tags) ? `\`${tags}\`` : formatGoString(tags);
}

function isRecursive({ recursive }: GoTypes, { members }: ValuePlan): boolean {
  return members.some((member) => "name" in member && recursive.has(member.name ?? ""));
}

/** Returns true if values of the Go type may be nil. */
function hasNil(types: GoTypes, value: ValuePlan): boolean {
  const member = getOnlyMember(value);
  if (member?.kind === "reference") {
    const target = types.aliases.get(member.name);
    return target !== undefined && hasNil(types, target);
  }
  return member === undefined || ["any", "map", "list"].includes(member.kind);
}

/** Returns the Go type of a value other than null. A value of several types is raw JSON. */
export function formatType(types: GoTypes, value: ValuePlan): string {
  const member = getOnlyMember(value);
  return member === undefined ? RAW : formatMember(types, member);
}

function getOnlyMember({ members }: ValuePlan): MemberPlan | undefined {
  return members.length === 1 ? members[0] : undefined;
}

function formatMember(types: GoTypes, member: MemberPlan): string {
  switch (member.kind) {
    case "any":
      return RAW;
    case "object":
    case "reference":
      return member.name;
    case "map":
      return `map[string]${formatItemType(types, member.values)}`;
    case "list":
      return `[]${formatItemType(types, member.items)}`;
    default:
      return member.name ?? SCALARS[member.kind];
  }
}

/** Returns the type of an item of a list or map. A pointer is nil for null. */
function formatItemType(types: GoTypes, value: ValuePlan): string {
  const type = formatType(types, value);
  return value.isNullable && !isRaw(types, value) ? `*${type}` : type;
}

/** Returns true if the type of a value is raw JSON, which holds null as well. */
function isRaw(types: GoTypes, value: ValuePlan): boolean {
  const member = getOnlyMember(value);
  const target = member?.kind === "reference" ? types.aliases.get(member.name) : undefined;
  return target === undefined ? formatType(types, value) === RAW : isRaw(types, target);
}

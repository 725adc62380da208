/** Formats planned types as Rust types. */
import type { FieldPlan, MemberPlan, ValuePlan } from "../plan/plan.js";
import { describeFacetsWithoutUnions } from "../plan/shape.js";

/** The facets of a schema that the Rust types express. */
export const RUST_FACETS = describeFacetsWithoutUnions("Value");

const SCALARS = { string: "String", integer: "Integer", number: "Number", boolean: "bool" } as const;

/** The serde attributes of an optional field. rustfmt would break one long attribute into five lines. */
const OPTIONAL = ['default, skip_serializing_if = "Option::is_none"', 'deserialize_with = "read_present"'];

/** Returns the Rust type of a field and the serde attributes that it needs. */
export function formatField(
  { value, isRequired }: FieldPlan,
  recursive: ReadonlySet<string>,
): { readonly type: string; readonly attributes: readonly string[] } {
  const type = formatBoxed(value, recursive);
  const isOptional = type.startsWith("Option<");
  if (isRequired) return { type, attributes: isOptional ? ['deserialize_with = "read_nullable"'] : [] };
  return { type: `Option<${type}>`, attributes: OPTIONAL };
}

/** Returns the type of a value that stands in a struct, where a recursive type needs a box. */
function formatBoxed(value: ValuePlan, recursive: ReadonlySet<string>): string {
  const [member, ...others] = value.members;
  const name = member && others.length === 0 && "name" in member ? member.name : undefined;
  if (name === undefined || !recursive.has(name)) return formatValueType(value);
  return value.isNullable ? `Option<Box<${name}>>` : `Box<${name}>`;
}

/** Returns the Rust type of a value. A value of several types is a `Value`. */
export function formatValueType({ members, isNullable }: ValuePlan): string {
  const [member, ...others] = members;
  if (member === undefined || others.length > 0 || member.kind === "any") return "Value";
  const type = formatMember(member);
  return isNullable && type !== "Value" ? `Option<${type}>` : type;
}

function formatMember(member: MemberPlan): string {
  switch (member.kind) {
    case "any":
      return "Value";
    case "object":
    case "reference":
      return member.name;
    case "map":
      return `BTreeMap<String, ${formatValueType(member.values)}>`;
    case "list":
      return `Vec<${formatValueType(member.items)}>`;
    default:
      return member.name ?? SCALARS[member.kind];
  }
}

/** Writes the condition that an event is refused, from the types of its envelope fields. */
import type { ScalarType } from "./columns.js";
import type { SqlContext } from "./event-views.js";

export const isText = (tag: string): string => `left(${tag}, 1) = 's'`;
export const isWhole = (tag: string): string =>
  `coalesce(TRY_CAST(${tag} AS DOUBLE) = floor(TRY_CAST(${tag} AS DOUBLE)), FALSE)`;

/**
 * Returns the condition that `accrete validate` refuses an event, as far as the fields of its envelope show it. The number of
 * such an event is not missing in its stream, but what else it says does not count.
 */
export function createRefusal({ protocol, plan, dialect }: SqlContext, object: string): string {
  const { required } = protocol.envelope.schema;
  const isTyped: { readonly [scalar in ScalarType]?: (value: string) => string } = {
    text: isText,
    time: isText,
    integer: isWhole,
    boolean: (value) => `${value} IN ('jtrue', 'jfalse')`,
  };
  const isAllowed = plan.envelope.flatMap(({ field, type }): FieldCheck[] => {
    const check = type.isList ? undefined : isTyped[type.scalar];
    const ifAbsent = Array.isArray(required) && required.includes(field) ? "FALSE" : "TRUE";
    return check === undefined
      ? []
      : [[field, (tag) => `CASE WHEN ${tag} IS NULL THEN ${ifAbsent} ELSE ${check(tag)} END`]];
  });
  return isAllowed.length === 0 ? "FALSE" : `NOT ${checkFields(dialect, object, isAllowed)}`;
}

/** A field, and a function that returns the condition about its tagged value. */
export type FieldCheck = readonly [field: string, check: (tag: string) => string];

/** Returns the condition that fields of an event satisfy their conditions. Each field is read once. */
export function checkFields(
  { machines: d }: SqlContext["dialect"],
  object: string,
  checks: readonly FieldCheck[],
): string {
  const fields = d.readFields(
    object,
    checks.map(([field]) => [field]),
  );
  const tags = d.transform(fields, d.lambda(["field"], d.tag("field")));
  const conditions = checks.map(([, check], index) => check(d.element("tags", index)));
  return d.element(d.transform(d.list([tags]), d.lambda(["tags"], `(${conditions.join(" AND ")})`)), 0);
}

/** Writes the condition that an event is refused, from the types of its envelope fields. */
import type { ScalarType } from "./columns.js";
import type { FieldCheck } from "./dialects.js";
import type { SqlContext } from "./event-views.js";

/** The checks of the columns of the envelope. */
const KINDS: { readonly [scalar in ScalarType]?: FieldCheck["kind"] } = {
  text: "text",
  time: "text",
  integer: "whole",
  boolean: "boolean",
};

/**
 * Returns the condition that `accrete validate` refuses an event, as far as the fields of its envelope show it. The number of
 * such an event is not missing in its stream, but what else it says does not count.
 */
export function createRefusal({ protocol, plan, dialect }: SqlContext, object: string): string {
  const { required } = protocol.envelope.schema;
  const checks = plan.envelope.flatMap(({ field, type }): FieldCheck[] => {
    const kind = type.isList ? undefined : KINDS[type.scalar];
    const isOptional = !(Array.isArray(required) && required.includes(field));
    return kind === undefined ? [] : [{ field, kind, isOptional }];
  });
  return checks.length === 0 ? "FALSE" : `NOT ${dialect.checkFields(object, checks)}`;
}

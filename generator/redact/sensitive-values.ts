import type { Json } from "../json.js";
import { visitDescribedValues } from "../protocol/described-values.js";
import type { Protocol } from "../protocol/protocol.js";
import { listStatements } from "../schema/describe.js";

/** A value whose schema says `x-sensitive`. */
interface SensitiveValue {
  readonly pointer: string;
  readonly value: Json;
  /** True if its schema limits its form, so that a mask may not be accepted. */
  readonly hasForm: boolean;
}

/** Returns the values of an event that its protocol declares `x-sensitive`, the outermost of each branch. */
export function findSensitiveValues(protocol: Protocol, event: Json): SensitiveValue[] {
  const found = new Map<string, SensitiveValue>();
  visitDescribedValues(protocol, event, (value, pointer, about) => {
    if (!listStatements(about, "x-sensitive").some(({ value: flag }) => flag === true)) return true;
    const hasForm = [...listStatements(about, "pattern"), ...listStatements(about, "format")].length > 0;
    found.set(pointer, { pointer, value, hasForm });
    return false;
  });
  return [...found.values()];
}

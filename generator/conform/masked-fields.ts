/** Lets stream rules leave out values that a writer masked before it wrote the event. */
import type { Protocol } from "../protocol/protocol.js";
import * as m from "./machine/build.js";

/** Returns the condition that the event lists a payload field as masked. Without a declaration of redactions, none is. */
export function isMasked({ stream }: Protocol, field: string): m.Condition {
  const declared = stream?.rules?.redactions;
  if (declared === undefined) return m.any();
  return m.any(
    m.lists(m.payload(declared.keys), [field]),
    m.lists(m.payload(declared.paths), [field, `/${field}`]),
  );
}

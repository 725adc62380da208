/** The protocol of the documentation's queries. */
import type { Protocol } from "../../../generator/protocol/protocol.js";
import { PROTOCOLS } from "../fixtures.js";

/** hecate/v1. */
export const HECATE: Protocol = findHecate();

function findHecate(): Protocol {
  const protocol = PROTOCOLS.find(({ id }) => id === "hecate/v1");
  if (protocol === undefined) throw new Error("no protocol");
  return protocol;
}

import { isObject, type Json } from "../json.js";
import { envelopeFields } from "../protocol/message-layout.js";
import type { Validators } from "../validators/protocol-validators.js";

/**
 * Whether an event that `home` knows is surely one of its own, so that findProtocol would say the same and need not be
 * asked. A rival could only be better if its envelope declared fields that home's does not; what rules it out is the
 * lack of one of those that it requires.
 */
export function isUnambiguously(home: Validators, all: readonly Validators[]): (value: Json) => boolean {
  const foreign = foreignFields(home, all);
  if (foreign === undefined) return () => false;
  return (value) => {
    if (!isObject(value)) return false;
    for (const name of foreign) if (value[name] !== undefined) return false;
    return true;
  };
}

/** The fields without which an event that `home` knows surely is one of its own; undefined if there is always doubt. */
export function foreignFields(home: Validators, all: readonly Validators[]): readonly string[] | undefined {
  const own = new Set(fields(home));
  const rivals = all.filter((other) => other !== home && fields(other).some((name) => !own.has(name)));
  const marks = rivals.map((rival) => required(rival).find((name) => !own.has(name)));
  const known = marks.filter((mark) => mark !== undefined);
  return known.length < marks.length ? undefined : known;
}

function fields({ protocol }: Validators): string[] {
  return Object.keys(envelopeFields(protocol.envelope));
}

function required({ protocol }: Validators): string[] {
  const names = protocol.envelope.schema.required;
  return Array.isArray(names) ? names.map(String) : [];
}

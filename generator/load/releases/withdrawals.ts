import path from "node:path";
import { toForwardSlashes } from "../../io.js";
import { isObject, type Json } from "../../json.js";
import type { EventType, Protocol, Withdrawal } from "../../protocol/protocol.js";
import { parseIfPossible, readIfPossible } from "../baseline/locate-place.js";

/** A withdrawn release of a protocol. */
export interface ProtocolWithdrawal extends Withdrawal {
  /** The protocol, such as `orders/v1`. */
  readonly id: string;
}

/**
 * Reads the withdrawals of the protocol `id` from its protocol.json. Malformed entries are left out, because `accrete lint`
 * reports them.
 */
export function readWithdrawals(schemas: string, id: string): ProtocolWithdrawal[] {
  const file = path.posix.join(toForwardSlashes(schemas), id, "protocol.json");
  return parseWithdrawals(file, readIfPossible(file), id);
}

/** Parses the withdrawals in the bytes of a protocol.json. */
export function parseWithdrawals(
  file: string,
  bytes: Uint8Array | undefined,
  id: string,
): ProtocolWithdrawal[] {
  const source = parseIfPossible(file, bytes);
  const listed = source && isObject(source.document) ? source.document.withdrawn : undefined;
  if (!source || !Array.isArray(listed)) return [];
  return listed.flatMap((entry: Json, index): ProtocolWithdrawal[] => {
    const { version, digest, reason } = isObject(entry) ? entry : {};
    if (typeof version !== "string" || typeof digest !== "string" || typeof reason !== "string") return [];
    return [{ id, version, digest, reason, at: source.locate(`/withdrawn/${index}`) }];
  });
}

/** Returns a description of each stable part of a contract. A release with a stable part cannot be withdrawn. */
export function describeStableParts({ envelope, events, resources, definitions }: Protocol): string[] {
  const isStable = ({ stability }: EventType): boolean => stability === "stable";
  const parts: readonly (readonly [name: string, schema: Json])[] = [
    ["a part of the envelope", envelope.schema],
    ...events
      .filter((event) => !isStable(event))
      .map(({ type, payload }) => [`a part of ${JSON.stringify(type)}`, payload] as const),
    ...resources.map(
      ({ name, schema }) => [`a part of the resource ${JSON.stringify(name)}`, schema] as const,
    ),
    ...Object.entries(definitions).map(([name, { schema }]) => [`a part of ${name}`, schema] as const),
  ];
  return [
    ...events.filter(isStable).map(({ type }) => JSON.stringify(type)),
    ...parts.filter(([, schema]) => containsStableLabel(schema)).map(([name]) => name),
  ];
}

/** Returns whether `x-stability` is `stable` anywhere in a schema. */
function containsStableLabel(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.some(containsStableLabel);
  if (!isObject(schema)) return false;
  return schema["x-stability"] === "stable" || Object.values(schema).some(containsStableLabel);
}

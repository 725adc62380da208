import path from "node:path";
import { toForwardSlashes } from "../../io.js";
import { isObject, type Json } from "../../json.js";
import type { EventType, Protocol, Withdrawal } from "../../protocol/protocol.js";
import { parseSource, type Source } from "../../source/source.js";
import { readIfPossible } from "../baseline/locate-place.js";

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
  const bytes = readIfPossible(file);
  return bytes ? parseWithdrawals(file, bytes, id) : [];
}

/** Parses the withdrawals in the bytes of a protocol.json. */
export function parseWithdrawals(file: string, bytes: Uint8Array, id: string): ProtocolWithdrawal[] {
  const parsed = parseSource(file, bytes);
  if (!("source" in parsed)) return [];
  const { document } = parsed.source;
  const listed = isObject(document) && Array.isArray(document.withdrawn) ? document.withdrawn : [];
  return listed.flatMap((entry, index) => parseWithdrawal(entry, index, parsed.source, id));
}

function parseWithdrawal(entry: Json, index: number, source: Source, id: string): ProtocolWithdrawal[] {
  if (!isObject(entry)) return [];
  const { version, digest, reason } = entry;
  if (typeof version !== "string" || typeof digest !== "string" || typeof reason !== "string") return [];
  return [{ id, version, digest, reason, at: source.locate(`/withdrawn/${index}`) }];
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

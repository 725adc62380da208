/** Reading events without knowing their types: what a field holds, as text. Total functions over any JSON. */
import type { ViewDeclaration } from "../protocol/view-roles.js";
import type { StreamProtocol } from "../stream/stream-protocol.js";
import type { Fact } from "./block.js";

/** What a view needs of a protocol: the `protocol` object that a generated module exports has it. */
export interface ViewProtocol extends StreamProtocol<unknown, unknown> {
  readonly envelope: {
    readonly discriminator: string;
    readonly placement: "nested" | "inline" | "keyed";
    readonly property?: string | undefined;
  };
  /** How events are shown; all are notices where it is absent. */
  readonly view?: ViewDeclaration | undefined;
  /** Every event type that is known. */
  readonly metadata: { readonly [type: string]: { readonly summary: string } };
}

/** An event or a part of it. */
export type Fields = { readonly [name: string]: unknown };

/** The payload of an event, wherever its protocol places it; empty where there is none. */
export function payloadOf({ envelope, stream }: ViewProtocol, event: Fields): Fields {
  if (envelope.placement === "nested") return fieldsOf(own(event, envelope.property ?? "data"));
  const { key = [], sequence, id, time } = stream ?? {};
  const outer = new Set([envelope.discriminator, ...key, sequence, id, time]);
  const inner = Object.entries(event).filter(([name]) => !outer.has(name));
  if (envelope.placement === "inline") return Object.fromEntries(inner);
  return fieldsOf(inner.map(([, value]) => value).find((value) => isFields(value)));
}

/** The value at a path (`Questions/0/Question`); undefined where there is none, never something inherited. */
export function at(fields: Fields, path: string): unknown {
  let value: unknown = fields;
  for (const name of path.split("/"))
    value = typeof value === "object" && value !== null ? own(value as Fields, name) : undefined;
  return value;
}

/** A value as text: strings as they are, all else as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The greatest length of a shown value, in characters. */
const FACT_LENGTH = 400;

/** Returns the fields of a payload as texts, without null, empty texts and empty lists. */
export function factsOf(payload: Fields, left: readonly string[] = []): Fact[] {
  return Object.entries(payload).flatMap(([name, value]): Fact[] => {
    // A dotted name repeats a plain one or is for machines; the raw event has it.
    if (left.includes(name) || name.includes(".") || isEmpty(value)) return [];
    return [fact(name, value)];
  });
}

/** Returns the given fields of a payload as texts, as far as it has them. */
export function factsAt(payload: Fields, paths: readonly string[]): Fact[] {
  return paths.flatMap((path): Fact[] => {
    const value = at(payload, path);
    return isEmpty(value) ? [] : [fact(path, value)];
  });
}

/** One fact, with its unit if the field's name has one. */
function fact(name: string, value: unknown): Fact {
  const text = asText(value);
  const short = text.length > FACT_LENGTH ? `${text.slice(0, FACT_LENGTH)}…` : text;
  if (typeof value !== "number") return [words(name), short];
  if (name.endsWith("_micros_usd"))
    return [words(name.slice(0, -"_micros_usd".length)), `$${Number((value / 1e6).toFixed(6))}`];
  if (name.endsWith("_ms") && !name.endsWith("at_ms")) return [words(name.slice(0, -3)), duration(value)];
  return [words(name), short];
}

/** `cumulative_input_tokens` and `InputTokens` as words. */
function words(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_/]/g, " ")
    .toLowerCase();
}

function duration(ms: number): string {
  return Math.abs(ms) < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(2))} s`;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Reads fields of events of any type as text. The functions accept any JSON. */
import type { ResolvedView } from "../protocol/view-roles.js";
import type { Contract } from "../stream/contract.js";
import type { Facts } from "./block.js";

/**
 * The parts of a protocol that a view needs: `{ ...contract, metadata, view }` of its generated module, or `protocol` of this
 * module.
 */
export interface ViewContract extends Contract<unknown, unknown> {
  readonly envelope: {
    readonly discriminator: string;
    readonly placement: "nested" | "inline" | "keyed";
    readonly property?: string | undefined;
  };
  /** The roles of event types in the view. By default, all events are notices. */
  readonly view?: ResolvedView | undefined;
  /** The known event types. */
  readonly metadata: { readonly [type: string]: { readonly summary: string } };
}

/** An event or a part of it. */
export type Fields = { readonly [name: string]: unknown };

/** Returns the payload of an event; empty if it has none. */
export function readPayload(
  { envelope, stream }: Pick<ViewContract, "envelope" | "stream">,
  event: Fields,
): Fields {
  if (envelope.placement === "nested") return toFields(getOwnMember(event, envelope.property ?? "data"));
  const { key = [], sequence, id, time } = stream ?? {};
  const envelopeFields = new Set([envelope.discriminator, ...key, sequence, id, time]);
  const otherMembers = Object.entries(event).filter(([name]) => !envelopeFields.has(name));
  if (envelope.placement === "inline") return Object.fromEntries(otherMembers);
  return toFields(otherMembers.map(([, value]) => value).find((value) => isFields(value)));
}

/** Returns the value at a path such as `Questions/0/Question`; undefined if there is none. Ignores inherited members. */
export function getValueAt(fields: Fields, path: string | undefined): unknown {
  if (path === undefined) return undefined;
  let value: unknown = fields;
  for (const name of path.split("/"))
    value = typeof value === "object" && value !== null ? getOwnMember(value as Fields, name) : undefined;
  return value;
}

/** Returns the number at a path; undefined if there is none. */
export function readNumber(fields: Fields, path: string | undefined): number | undefined {
  const value = getValueAt(fields, path);
  return typeof value === "number" ? value : undefined;
}

/** Returns a string unchanged, and any other value as JSON. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The greatest length of a shown value, in characters. */
const MAX_FACT_LENGTH = 400;

/** Returns the fields of a payload as texts, without null, empty texts and empty lists. */
export function collectFacts(payload: Fields, omitted: readonly (string | undefined)[] = []): Facts {
  // A dotted name repeats a plain one, or is for machines. The raw event shows it.
  return createFacts(
    Object.entries(payload).filter(([name]) => !omitted.includes(name) && !name.includes(".")),
  );
}

/** Returns those of the given fields that a payload has, as texts. */
export function selectFacts(payload: Fields, paths: readonly string[]): Facts {
  return createFacts(paths.map((path) => [path, getValueAt(payload, path)] as const));
}

function createFacts(fields: readonly (readonly [name: string, value: unknown])[]): Facts {
  const facts = new Map<string, string>();
  for (const [name, value] of fields) {
    if (isEmpty(value)) continue;
    const [words, text] = createFact(name, value);
    // Two fields may have the same words, such as `delay` and `delay_ms`.
    facts.set(facts.has(words) ? name : words, text);
  }
  return Object.fromEntries(facts);
}

/** Returns a fact with its unit, if the name of the field has one. */
export function createFact(name: string, value: unknown): readonly [name: string, text: string] {
  const text = toText(value);
  const shortText = text.length > MAX_FACT_LENGTH ? `${text.slice(0, MAX_FACT_LENGTH)}…` : text;
  if (typeof value !== "number") return [toWords(name), shortText];
  if (name.endsWith("_micros_usd"))
    return [toWords(name.slice(0, -"_micros_usd".length)), `$${Number((value / 1e6).toFixed(6))}`];
  if (name.endsWith("_ms") && !name.endsWith("at_ms"))
    return [toWords(name.slice(0, -3)), formatDuration(value)];
  return [toWords(name), shortText];
}

/** Returns names such as `cumulative_input_tokens` and `InputTokens` as words. */
function toWords(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_/]/g, " ")
    .toLowerCase();
}

/** Returns the name of an event type as a label: "Run started" for `run.started`. */
export function formatLabel(type: string): string {
  const words = toWords(type.replace(/[.:-]/g, " ")).trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The largest time that a date can hold, in milliseconds before or after 1970. */
const MAX_TIME_MS = 8.64e15;

/** Returns a time in milliseconds since 1970; undefined if the value is not a time, or is too large for a date. */
export function toMilliseconds(time: unknown): number | undefined {
  const number = typeof time === "string" ? Date.parse(time) : time;
  return typeof number === "number" && Math.abs(number) <= MAX_TIME_MS ? number : undefined;
}

function formatDuration(ms: number): string {
  return Math.abs(ms) < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(2))} s`;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function toFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Returns whether a value is an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function getOwnMember(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

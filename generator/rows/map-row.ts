/** Maps the rows of a log to public events. Members that are not public are left out. */
import {
  createObject,
  getOwn,
  isObject,
  type Json,
  type JsonObject,
  joinPointer,
  parseJson,
  splitPointer,
} from "../json.js";
import { findPayloadCarrier, getEnvelopeFields } from "../protocol/message-layout.js";
import type { Protocol } from "../protocol/protocol.js";
import type { Rows } from "../protocol/rows.js";
import { sha256 } from "../sha256.js";
import { findSpan } from "../source/json-text.js";
import { findInexactNumber } from "../source/numbers.js";

/** The reason why a row cannot be mapped. */
export interface RowFailure {
  readonly kind: "failed";
  /** The rule of the finding. The default is `row-invalid`. */
  readonly rule?: "event-invalid";
  /** The place in the row. */
  readonly pointer: string;
  readonly message: string;
}

/** The event of a row. */
export interface MappedRow {
  readonly kind: "mapped";
  readonly event: JsonObject;
  /** The stored payload, with the members that no event has. */
  readonly payload: JsonObject;
  /** Returns the place in the row that a place in the event comes from; "" if it was made. */
  findOrigin(pointer: string): string;
}

/** Maps the rows of one protocol. */
export interface RowMapper {
  /** The columns by which rows are recognised: those of the event type and of the payload. */
  readonly typeColumn: string;
  readonly payloadColumn: string;
  /** Returns whether a value is a row, and not an event. */
  isRow(value: Json): value is JsonObject;
  mapRow(row: JsonObject): MappedRow | RowFailure;
}

/** Returns a mapper for the rows of a protocol; undefined if protocol.json does not declare `rows`. */
export function createRowMapper(protocol: Protocol): RowMapper | undefined {
  const { rows, envelope } = protocol;
  if (rows === undefined) return undefined;
  const { discriminator } = envelope;
  const typeColumn = findColumn(rows, discriminator) ?? discriminator;
  return {
    typeColumn,
    payloadColumn: rows.payload,
    isRow: (value): value is JsonObject =>
      isObject(value) &&
      Object.hasOwn(value, rows.payload) &&
      Object.hasOwn(value, typeColumn) &&
      (typeColumn === discriminator || !Object.hasOwn(value, discriminator)),
    mapRow: (row) => mapRow(protocol, rows, row),
  };
}

/** Returns the column that holds an envelope field; undefined if there is none. */
function findColumn({ columns }: Rows, field: string): string | undefined {
  return Object.keys(columns).find((column) => columns[column] === field);
}

function mapRow(protocol: Protocol, rows: Rows, row: JsonObject): MappedRow | RowFailure {
  const { envelope } = protocol;
  const missing = findMissingColumn(protocol, rows, row);
  if (missing !== undefined) return missing;
  const payload = readPayload(rows, row);
  if (payload.kind === "failed") return payload;
  const fields = collectFields(protocol, rows, row);
  const kept = Object.entries(payload.value).filter(([name]) => !rows.stripped?.includes(name));
  const type = fields.get(envelope.discriminator);
  const eventType = protocol.events.find((each) => each.type === type);
  const carrier = findPayloadCarrier(envelope, eventType);
  if (carrier === undefined) {
    const refused = kept.find(([name]) => envelope.placement === "keyed" || fields.has(name));
    if (refused) return createPayloadFailure(rows, refused[0], envelope.placement === "keyed");
    for (const [name, value] of kept) fields.set(name, value);
  } else fields.set(carrier, createObject(kept));
  return {
    kind: "mapped",
    event: createObject(orderFields(fields, protocol)),
    payload: payload.value,
    findOrigin: (pointer) => findOrigin(rows, carrier, payload, pointer),
  };
}

/** The payload of a row. */
interface StoredPayload {
  readonly kind: "object" | "text";
  readonly value: JsonObject;
}

/** Reads the payload of a row: an object, or a text with a JSON object, as databases without a type for JSON export it. */
function readPayload(rows: Rows, row: JsonObject): StoredPayload | RowFailure {
  const stored = getOwn(row, rows.payload);
  if (isObject(stored)) return { kind: "object", value: stored };
  const text = typeof stored === "string" ? stored : "";
  const value = parseJson(text);
  const pointer = joinPointer("", rows.payload);
  const message = `The column ${quote(rows.payload)} is neither an object nor a text with a JSON object.`;
  if (!isObject(value)) return { kind: "failed", pointer, message };
  const inexact = findInexactMember(rows, text, value);
  if (inexact === undefined) return { kind: "text", value };
  return { kind: "failed", pointer, message: `The number ${inexact} in the text cannot be kept exactly.` };
}

/** Returns a number in the public members of a payload that JavaScript would change. */
function findInexactMember({ stripped = [] }: Rows, text: string, payload: JsonObject): string | undefined {
  if (findInexactNumber(text) === undefined) return undefined;
  const spans = Object.keys(payload)
    .filter((name) => !stripped.includes(name))
    .map((name) => findSpan(text, joinPointer("", name)));
  const numbers = spans.map(({ start, stop }) => findInexactNumber(text.slice(start, stop)));
  return numbers.find((number) => number !== undefined)?.text.slice(0, 100);
}

function createPayloadFailure({ payload }: Rows, name: string, isKeyed: boolean): RowFailure {
  const message = isKeyed
    ? `Events of this type have no payload, so ${quote(name)} cannot be kept.`
    : `The payload has a member ${quote(name)}, which is a field of the envelope.`;
  return { kind: "failed", pointer: joinPointer("", payload, name), message };
}

/** Returns a failure if the row lacks the value of a field that the envelope requires. */
function findMissingColumn({ envelope }: Protocol, rows: Rows, row: JsonObject): RowFailure | undefined {
  const { required } = envelope.schema;
  const names = Array.isArray(required) ? required : [];
  const found = Object.entries(rows.columns).find(
    ([column, field]) => names.includes(field) && (getOwn(row, column) ?? null) === null,
  );
  if (found === undefined) return undefined;
  const [column, field] = found;
  const isNull = Object.hasOwn(row, column);
  const problem = isNull ? `The column ${quote(column)} is null` : `The row has no column ${quote(column)}`;
  const pointer = isNull ? joinPointer("", column) : "";
  return { kind: "failed", pointer, message: `${problem}, but every event has ${field}.` };
}

/** Returns the fields of the envelope without the payload. A column that is null is absent: tables have no other absent values. */
function collectFields(protocol: Protocol, rows: Rows, row: JsonObject): Map<string, Json> {
  const fields = new Map<string, Json>(Object.entries(rows.values ?? {}));
  for (const [column, field] of Object.entries(rows.columns)) {
    const value = getOwn(row, column);
    if (value !== undefined && value !== null) fields.set(field, value);
  }
  const idField = protocol.stream?.id;
  if (rows.id && idField !== undefined && !fields.has(idField))
    fields.set(idField, rows.id.prefix + createUlid(protocol, fields));
  return fields;
}

/** Orders fields as the envelope declares them. Fields of inline payloads follow. */
function orderFields(fields: ReadonlyMap<string, Json>, { envelope }: Protocol): [string, Json][] {
  const declared = Object.keys(getEnvelopeFields(envelope));
  const getRank = (name: string): number =>
    declared.includes(name) ? declared.indexOf(name) : declared.length;
  return [...fields].sort(([a], [b]) => getRank(a) - getRank(b));
}

/** Returns the place in a row; `carrier` is the field with the payload, and without one the payload is beside the envelope fields. */
function findOrigin(
  rows: Rows,
  carrier: string | undefined,
  { kind, value }: StoredPayload,
  pointer: string,
): string {
  if (pointer === "") return "";
  const [name = ""] = splitPointer(pointer);
  const rest = pointer.slice(joinPointer("", name).length);
  const place = joinPointer("", rows.payload);
  // Parts of a text have no pointers.
  if (name === carrier) return kind === "text" ? place : place + rest;
  const column = findColumn(rows, name);
  if (column !== undefined) return joinPointer("", column) + rest;
  if (carrier !== undefined || !Object.hasOwn(value, name)) return "";
  return kind === "text" ? place : place + pointer;
}

/** The digits of ULIDs. */
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** The greatest time that a ULID can hold, in milliseconds since 1970. */
const MAX_ULID_TIME = 2 ** 48 - 1;

/** Creates a ULID from the time of a row and a hash of its identity, so that the same row always has the same id. */
function createUlid({ stream }: Protocol, fields: ReadonlyMap<string, Json>): string {
  const time = Date.parse(String(fields.get(stream?.time ?? "")));
  const milliseconds = Math.min(Math.max(Number.isNaN(time) ? 0 : time, 0), MAX_ULID_TIME);
  const identity = [...(stream?.key ?? []), stream?.sequence ?? "", stream?.time ?? ""];
  const hash = sha256(JSON.stringify(identity.map((field) => fields.get(field) ?? null)));
  const random = BigInt(`0x${hash.toString("hex", 0, 10)}`);
  return formatCrockford((BigInt(milliseconds) << 80n) | random, 26);
}

function formatCrockford(value: bigint, length: number): string {
  let text = "";
  let rest = value;
  for (let index = 0; index < length; index++) {
    text = (CROCKFORD[Number(rest & 31n)] ?? "") + text;
    rest >>= 5n;
  }
  return text;
}

function quote(name: string): string {
  return JSON.stringify(name);
}

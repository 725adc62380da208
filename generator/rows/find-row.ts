/** Finds the rows among values, and the messages that hold an event. */
import { getOwn, getValueAtPointer, isObject, type Json, type JsonObject } from "../json.js";
import type { Profile } from "../schema/readings.js";
import { createResourceCheck, type Validators } from "../validators/protocol-validators.js";
import { createRowMapper, type MappedRow, type RowFailure } from "./map-row.js";

/** An object with the validators of one protocol. */
interface WithValidators {
  readonly validators: Validators;
}

/** A row or a message, and the protocol of its event. */
export interface FoundRow<Known extends WithValidators> {
  readonly found: Known;
  readonly result: MappedRow | RowFailure;
}

/** Reads a value as a row or a message, preferably of the protocol `assumed`. Returns undefined if it is neither. */
export type FindRow<Known extends WithValidators> = (
  value: Json,
  assumed: Known | undefined,
) => FoundRow<Known> | undefined;

/** Recognises the rows or the messages of one protocol, and finds what is wrong with the parts around the event. */
interface Mapper {
  isRow(value: Json): value is JsonObject;
  mapRow(row: JsonObject): MappedRow | RowFailure;
  findFailure(row: JsonObject, mapped: MappedRow): RowFailure | undefined;
}

/**
 * Creates a function that finds rows and messages of these protocols. Of several protocols, it prefers the assumed one,
 * and then one that knows the event. Messages are checked as `profile` reads them.
 */
export function createRowFinder<Known extends WithValidators>(
  protocols: readonly Known[],
  profile: Profile = "reader",
): FindRow<Known> {
  const mappers = protocols.flatMap((found) => {
    const { validators } = found;
    const rowMapper = createRowMapper(validators.protocol);
    const messageMapper = createMessageMapper(validators, profile);
    return [
      ...(rowMapper ? [{ found, mapper: { ...rowMapper, findFailure: createRowCheck(validators) } }] : []),
      ...(messageMapper ? [{ found, mapper: messageMapper }] : []),
    ];
  });
  return (value, assumed) => {
    // Most values are not rows, and this test is cheap.
    if (!mappers.some(({ mapper }) => mapper.isRow(value))) return undefined;
    const rows = mappers.flatMap(({ found, mapper }) => {
      if (!mapper.isRow(value)) return [];
      const result = mapper.mapRow(value);
      return [{ found, result: (result.kind === "mapped" && mapper.findFailure(value, result)) || result }];
    });
    const isKnown = ({ found, result }: FoundRow<Known>): boolean =>
      result.kind === "mapped" && found.validators.decodeEvent(result.event).kind === "known";
    return rows.length > 1
      ? (rows.find(({ found }) => found === assumed) ?? rows.find(isKnown) ?? rows[0])
      : rows[0];
  };
}

/** Returns a mapper for the documents in which events are sent; undefined if protocol.json does not declare `message`. */
function createMessageMapper({ protocol }: Validators, profile: Profile): Mapper | undefined {
  const { discriminator, message } = protocol.envelope;
  if (message === undefined) return undefined;
  const readEvent = (value: Json): Json | undefined => getValueAtPointer(value, message.event);
  const listIssues = createResourceCheck(profile, protocol, message.resource);
  return {
    isRow(value): value is JsonObject {
      const event = isObject(value) ? readEvent(value) : undefined;
      return isObject(event) && typeof getOwn(event, discriminator) === "string";
    },
    mapRow(row) {
      const event = readEvent(row) as JsonObject;
      return { kind: "mapped", event, payload: event, findOrigin: (pointer) => message.event + pointer };
    },
    findFailure(row) {
      const [issue] = listIssues(row);
      if (issue === undefined) return undefined;
      const subject = issue.pointer === "" ? "the message " : "";
      return {
        kind: "failed",
        rule: "event-invalid",
        pointer: issue.pointer,
        message: `${subject}${issue.message} (${issue.keyword})`,
      };
    },
  };
}

/**
 * Returns a function that finds what the resource of rows does not allow in a row. A row whose event is invalid has no
 * failure, because the findings about the event say what is wrong.
 */
function createRowCheck({ protocol, decodeEvent }: Validators) {
  const { rows } = protocol;
  if (rows?.resource === undefined) return () => undefined;
  const { resource, payload } = rows;
  const listIssues = createResourceCheck("reader", protocol, resource);
  return (row: JsonObject, mapped: MappedRow): RowFailure | undefined => {
    // A column that is null is absent: tables have no other absent values.
    const columns = Object.entries(row).filter(([, value]) => value !== null);
    const [issue] = listIssues({ ...Object.fromEntries(columns), [payload]: mapped.payload });
    if (issue === undefined || decodeEvent(mapped.event).kind === "invalid") return undefined;
    const subject = issue.pointer === "" ? "The row " : "The column ";
    return {
      kind: "failed",
      pointer: issue.pointer,
      message: `${subject}${issue.message} (${issue.keyword}).`,
    };
  };
}

/** Builds the states of a run from its events, for the state feed of its protocol. */
import { getOwn, isObject, type Json, type JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { RecordEvent, StateFeed, StateMember } from "../protocol/state-feed.js";
import { readPayload } from "./edit-run-events.js";
import { hasValues, listIds, pickMembers } from "./event-values.js";
import { parseRunEvent, type RunEvent } from "./run.js";

/** The state of one run, which changes with its events. */
interface RunState {
  add(event: RunEvent): void;
  /** Returns the state now, as the message that follows an event of this type. */
  describe(type: string): JsonObject;
}

/** The fields of a record. */
type Fields = Map<string, Json>;

/** A member of a state, with its records by id. A member that is one record has it at the id "". */
interface MemberRecords {
  readonly name: string;
  readonly member: StateMember;
  records: Map<string, Fields>;
}

/** Creates the state of a run that has no events yet. */
export function createRunState(protocol: Protocol, feed: StateFeed): RunState {
  const members = Object.entries(feed.members).map(
    ([name, member]): MemberRecords => ({ name, member, records: new Map() }),
  );
  return {
    add(event) {
      const change = readChange(protocol, event);
      for (const each of members) {
        changeRecords(each, change);
        const stored = getOwn(event.state ?? {}, each.name);
        if (stored !== undefined) each.records = readStoredRecords(each.member, stored);
      }
    },
    describe: (type) => ({
      [feed.type]: type,
      ...Object.fromEntries(members.map((each) => [each.name, describeRecords(each)])),
    }),
  };
}

/** Returns the members of the state that a row stores in its payload; undefined if it stores none. */
export function readStoredState({ stateFeed, rows }: Protocol, payload: JsonObject): JsonObject | undefined {
  if (stateFeed === undefined) return undefined;
  const whole = getOwn(payload, stateFeed.stored ?? "");
  const source = isObject(whole) ? whole : payload;
  const names = Object.keys(stateFeed.members).filter(
    (name) => Object.hasOwn(source, name) && (source === whole || rows?.stripped?.includes(name)),
  );
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, source[name] ?? null]));
}

/** The parts of an event that change records. */
interface Change {
  readonly type: string;
  readonly envelope: JsonObject;
  readonly payload: JsonObject;
  readonly time: Json | undefined;
}

function readChange(protocol: Protocol, event: RunEvent): Change {
  const envelope = parseRunEvent(event);
  const time = getOwn(envelope, protocol.stream?.time ?? "");
  return { type: event.type, envelope, payload: readPayload(protocol, event), time };
}

function changeRecords({ member, records }: MemberRecords, change: Change): void {
  if (member.id === undefined && !records.has("")) records.set("", createRecord(member, change, ""));
  for (const event of member.events) {
    if (event.type !== change.type || !hasValues(change.payload, event.when)) continue;
    const ids = member.id === undefined ? [""] : listIds(change.payload, event.key ?? "");
    for (const id of ids) {
      const record = records.get(id) ?? createRecord(member, change, id);
      records.set(id, record);
      changeRecord(record, event, change);
    }
  }
}

function createRecord({ id: idField, values, envelope }: StateMember, change: Change, id: string): Fields {
  const initial = { ...values, ...pickMembers(change.envelope, envelope) };
  return new Map(Object.entries(idField === undefined ? initial : { [idField]: id, ...initial }));
}

function changeRecord(record: Fields, { values, fields, time }: RecordEvent, change: Change): void {
  const changed = { ...values, ...pickMembers(change.payload, fields) };
  for (const [name, value] of Object.entries(changed)) record.set(name, value);
  if (time !== undefined && change.time !== undefined) record.set(time, change.time);
}

/** Returns the records that a row stores for a member. Records without an id get their position as id. */
function readStoredRecords({ id }: StateMember, stored: Json): Map<string, Fields> {
  const items = id === undefined ? [stored] : stored;
  const records = Array.isArray(items) ? items.filter(isObject) : [];
  return new Map(
    records.map((record, index) => {
      const key = id === undefined ? "" : getOwn(record, id);
      return [typeof key === "string" ? key : String(index), new Map(Object.entries(record))];
    }),
  );
}

function describeRecords({ member, records }: MemberRecords): Json {
  const described = [...records.values()].map((fields) => Object.fromEntries(fields));
  return member.id === undefined ? (described[0] ?? {}) : described;
}

/** Finds what a protocol declares about the ends and the states of things. */
import type { Json, JsonObject } from "../json.js";
import { findRole } from "../protocol/view-roles.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import { getModel, type KitProtocol } from "./kit-protocol.js";

/** A way in which a thing, or the stream itself, may end. */
export interface End {
  readonly type: string;
  /** The payload fields that make it this end, such as the decision about an approval. */
  readonly fields: JsonObject;
}

/** Things, or the stream itself, that start and end in different ways. */
export interface Course {
  /** The field with the id of the thing; absent for the stream itself. */
  readonly key?: string;
  /** True for turns, of which one at a time is open. */
  readonly isTurn?: true;
  /** The event types that start it, the best one first. */
  readonly starts: readonly string[];
  readonly ends: readonly End[];
  /** Event types that may come after the end; undefined if all may that the rules allow. */
  readonly after?: readonly string[];
  /** The declared states of the thing. A consumer that shows one of them says that the thing is in it. */
  readonly states: readonly string[];
}

/** Returns the courses of a protocol. */
export const listCourses = memoizeByObject((protocol: KitProtocol): readonly Course[] => {
  const { lifecycles = [], terminal } = protocol.rules ?? {};
  const courses: Course[] = lifecycles.map(({ key, start, end, after = [] }) => {
    const ends = end.flatMap((type) => listEnds(protocol, type));
    return { key, starts: start, ends, after, states: listStates(protocol, ends) };
  });
  courses.push(...listTurns(protocol));
  const ends = (terminal?.types ?? []).flatMap((type) => listEnds(protocol, type));
  if (terminal)
    courses.push({ starts: terminal.opens.toReversed(), ends, states: listStates(protocol, ends) });
  return courses.filter(({ starts, ends: all }) => starts.length > 0 && all.length > 0);
});

/** Returns the courses of the turns of a model, which the view declares. */
function listTurns({ view, schemas }: KitProtocol): readonly Course[] {
  const types = Object.keys(schemas.events);
  const turns = types.flatMap((type) => {
    const role = view && findRole(view.roles, type);
    return role !== undefined && "turn" in role && role.key !== undefined ? [{ type, role }] : [];
  });
  return turns.flatMap(({ type, role }): Course[] => {
    if (role.turn !== "start" || role.key === undefined) return [];
    const ends = turns.filter((each) => each.role.turn === "end" && each.role.key === role.key);
    return [
      {
        key: role.key,
        isTurn: true,
        starts: [type],
        ends: ends.map((end) => ({ type: end.type, fields: {} })),
        after: [],
        states: [],
      },
    ];
  });
}

/** Returns the things that the view declares as open, and of which nothing declares how they end. */
export const listOpenThings = memoizeByObject((protocol: KitProtocol): readonly Course[] => {
  const keys = listCourses(protocol).map(({ key }) => key);
  return Object.keys(protocol.schemas.events).flatMap((type) => {
    const role = protocol.view && findRole(protocol.view.roles, type);
    const key = role !== undefined && "key" in role ? role.key : undefined;
    const isOpen = role !== undefined && "tone" in role && role.tone === "open";
    if (!isOpen || typeof key !== "string" || keys.includes(key)) return [];
    return [{ key, starts: [type], ends: [], states: [] }];
  });
});

/** Returns the ends of one event type: one for each value of the fields that decide how it ended. */
function listEnds(protocol: KitProtocol, type: string): readonly End[] {
  const [field] = listDecidingFields(protocol, type);
  const values = field === undefined ? [] : listValues(protocol, type, field);
  if (field === undefined || values.length < 2) return [{ type, fields: {} }];
  return values.map((value) => ({ type, fields: { [field]: value } }));
}

/** Returns the fields of an event type that decide in which state a thing is after it. */
function listDecidingFields({ rules, view }: KitProtocol, type: string): readonly string[] {
  const role = view && findRole(view.roles, type);
  const stateField = role !== undefined && "stateField" in role ? role.stateField : undefined;
  const conditions = (rules?.machines ?? []).flatMap(({ changes }) =>
    changes.flatMap(({ types, when }) => (types.includes(type) ? Object.keys(when ?? {}) : [])),
  );
  return [...(stateField === undefined ? [] : [stateField]), ...conditions, ...(view?.failed ?? [])];
}

/** Returns the values of a payload field if it has few of them. */
function listValues(protocol: KitProtocol, type: string, field: string): readonly Json[] {
  const declared = listPayloadFields(getModel(protocol)).find(
    (each) => each.type === type && each.field === field,
  );
  if (declared?.merged.types?.join() === "boolean") return [false, true];
  return declared?.merged.values ?? [];
}

function listStates(protocol: KitProtocol, ends: readonly End[]): readonly string[] {
  const declared = (protocol.rules?.transitions ?? []).flatMap(({ moves, events }) =>
    events.some(({ type }) => ends.some((end) => end.type === type)) ? Object.keys(moves) : [],
  );
  const values = ends.flatMap(({ fields }) => Object.values(fields));
  return [...new Set([...declared, ...values])].filter((value) => typeof value === "string");
}

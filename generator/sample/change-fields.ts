/** Changes single fields of events, so that validators refuse some of the copies. */
import { createObject, isObject, type Json, joinPointer, splitPointer } from "../json.js";

/** The values that replace each field, with a word for each. */
const REPLACEMENTS: readonly (readonly [word: string, value: Json])[] = [
  ["null", null],
  ["an unknown value", "unknown value"],
  ["a negative number", -1],
  ["a fraction", 1.5],
  ["a list", [true]],
  ["an object", { unknown_field: [] }],
];

/** A copy of an event with one change. */
interface ChangedEvent {
  /** The change in words: "without /data/id". */
  readonly change: string;
  readonly event: Json;
}

/** Yields copies of an event, each without one field or with another value of it. `isChanged` chooses the fields by their pointers. */
export function* changeFields(event: Json, isChanged: (pointer: string) => boolean): Generator<ChangedEvent> {
  for (const pointer of listFields(event).filter(isChanged)) {
    yield { change: `without ${pointer}`, event: changeField(event, splitPointer(pointer)) };
    for (const [word, value] of REPLACEMENTS)
      yield { change: `with ${word} in ${pointer}`, event: changeField(event, splitPointer(pointer), value) };
  }
}

/** Lists the pointers of all fields of objects, also of those in the first item of lists. */
function listFields(value: Json, pointer = ""): string[] {
  if (Array.isArray(value))
    return value[0] === undefined ? [] : listFields(value[0], joinPointer(pointer, 0));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = joinPointer(pointer, name);
    return [at, ...listFields(member, at)];
  });
}

/** Returns a copy with another value of the field at `path`; without the field if there is no value. */
export function changeField(container: Json, [name = "", ...path]: readonly string[], value?: Json): Json {
  const change = (member: Json | undefined): Json | undefined =>
    path.length === 0 ? value : changeField(member ?? {}, path, value);
  if (Array.isArray(container))
    return container.map((item, i) => (String(i) === name ? (change(item) ?? null) : item));
  const members = isObject(container) ? container : {};
  const entries = Object.entries({ ...members, [name]: change(members[name]) });
  return createObject(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

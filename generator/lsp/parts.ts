/** Finds the schema of a protocol that stands at a place of a file, and the same schema in another version. */
import type { Location } from "../finding.js";
import { getValueAtPointer, type Json, joinPointer, splitPointer } from "../json.js";
import { findRealPath } from "../load/read-bytes.js";
import type { EventType, Protocol } from "../protocol/protocol.js";

/** A schema of a protocol: of the envelope, an event type, a resource, or a definition. */
interface Part {
  /** The kind and the name, which are the same in all versions. */
  readonly key: string;
  readonly schema: Json;
  readonly at: Location;
  readonly event?: EventType;
}

/** A place at or below the schema of a part. */
export interface PartPlace {
  readonly protocol: Protocol;
  readonly part: Part;
  /** The pointer of the place below the schema of the part. */
  readonly pointer: string;
  readonly schema: Json | undefined;
}

function listParts({ envelope, events, resources, definitions }: Protocol): Part[] {
  return [
    { key: "envelope", schema: envelope.schema, at: envelope.at },
    ...events.map((event) => ({ key: `event ${event.type}`, schema: event.payload, at: event.at, event })),
    ...resources.map(({ name, schema, at }) => ({ key: `resource ${name}`, schema, at })),
    ...Object.entries(definitions).map(([name, { schema, at }]) => ({
      key: `definition ${name}`,
      schema,
      at,
    })),
  ];
}

/** Returns the part that holds a place, the innermost if there are several; undefined if none does. */
export function findPart(
  protocols: readonly Protocol[],
  { file, pointer }: Pick<Location, "file" | "pointer">,
): PartPlace | undefined {
  const real = findRealPath(file);
  const found = protocols.flatMap((protocol) =>
    listParts(protocol)
      .filter(({ at }) => `${pointer}/`.startsWith(`${at.pointer}/`) && findRealPath(at.file) === real)
      .map((part) => createPlace(protocol, part, pointer.slice(part.at.pointer.length))),
  );
  return found.sort((a, b) => b.part.at.pointer.length - a.part.at.pointer.length)[0];
}

/** Returns the same place in another version; undefined if that version does not have the part. */
export function findInVersion(protocol: Protocol, { part, pointer }: PartPlace): PartPlace | undefined {
  const same = listParts(protocol).find(({ key }) => key === part.key);
  return same && createPlace(protocol, same, pointer);
}

/** Returns the location of a place in the file of its part. */
export function locatePlace({ part, pointer }: PartPlace): Pick<Location, "file" | "pointer"> {
  return { file: part.at.file, pointer: part.at.pointer + pointer };
}

function createPlace(protocol: Protocol, part: Part, pointer: string): PartPlace {
  return { protocol, part, pointer, schema: getValueAtPointer(part.schema, pointer) };
}

/** A field: the pointer of the schema of its object, and its name. */
export interface FieldPlace {
  readonly object: string;
  readonly name: string;
}

/** Keywords whose members have names that users choose, and keywords of values. */
const NAMED = ["properties", "patternProperties", "$defs", "dependentSchemas"];
const VALUES = ["examples", "default", "const", "enum", "x-extensible-enum", "required"];

/** Returns the innermost field whose declaration holds the place at a pointer; undefined if there is none. */
export function findField(pointer: string): FieldPlace | undefined {
  const tokens = splitPointer(pointer);
  let found: FieldPlace | undefined;
  for (let index = 0; index < tokens.length; index++) {
    const [keyword = "", name] = tokens.slice(index);
    if (VALUES.includes(keyword)) break;
    if (!NAMED.includes(keyword)) continue;
    if (keyword === "properties" && name !== undefined)
      found = { object: joinPointer("", ...tokens.slice(0, index)), name };
    index++;
  }
  return found;
}

/** Returns the pointer of the schema of a field. */
export function getFieldPointer({ object, name }: FieldPlace): string {
  return joinPointer(object, "properties", name);
}

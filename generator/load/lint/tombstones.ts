import { createErrorFinding, type Finding } from "../../finding.js";
import { getValueAtPointer, isObject, type Json, type JsonObject, joinPointer } from "../../json.js";
import { coversType } from "../../protocol/event-families.js";
import type { EventType, Tombstone } from "../../protocol/protocol.js";
import { readListedValues } from "../../schema/listed-values.js";
import { type Definitions, findTarget } from "../../schema/reference.js";
import { walk } from "../../schema/walk.js";
import type { LintInput } from "./input.js";

/** Reports names that are in use where they were withdrawn. */
export function lintTombstones({ protocol, files }: LintInput): Finding[] {
  const sources = new Map(files.map(({ source }) => [source.file, source]));
  const resources = protocol.resources.map(({ name, schema, at }) => ({
    type: `resource:${name}`,
    payload: schema,
    at,
  }));
  return protocol.tombstones.flatMap((tombstone) =>
    [...protocol.events, ...(tombstone.kind === "event" ? [] : resources)].flatMap((event) =>
      findUses(tombstone, event, protocol.definitions).map((pointer) =>
        createErrorFinding(
          "tombstone-reused",
          `${event.type} uses the ${tombstone.kind} name ${JSON.stringify(tombstone.name)}, which was withdrawn in ${tombstone.removedIn}: ${tombstone.reason}`,
          sources.get(event.at.file)?.locateKey(pointer) ?? event.at,
          "Choose a new name; a withdrawn one must never mean anything else.",
        ),
      ),
    ),
  );
}

/** Returns the pointers of a withdrawn name in the schema of an event type or resource. */
function findUses(
  { kind, name, in: holder }: Tombstone,
  event: Pick<EventType, "type" | "payload">,
  definitions: Definitions,
): string[] {
  const { type, payload } = event;
  if (kind === "event") return coversType(name, type) ? [""] : [];
  const [holderType, pointer] = (holder ?? type).split("#");
  if (holderType !== type) return [];
  const schema = followReference(getValueAtPointer(payload, pointer ?? ""), definitions);
  if (!schema) return [];
  if (kind === "value")
    return pointer === undefined ? findValuesBelow(payload, name) : findValues(schema, name, pointer);
  const isDeclared = isObject(schema.properties) && Object.hasOwn(schema.properties, name);
  return isDeclared ? [joinPointer(pointer ?? "", "properties", name)] : [];
}

/** Returns the schema that declares the fields of `schema`: its definition if it refers to one, otherwise itself. */
function followReference(schema: Json | undefined, definitions: Definitions): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  const target = findTarget(schema, definitions);
  return isObject(target?.schema) && !isObject(schema.properties) ? target.schema : schema;
}

function findValuesBelow(schema: JsonObject, name: string): string[] {
  const found: string[] = [];
  walk(schema, (part, pointer) => found.push(...findValues(part, name, pointer)));
  return found;
}

function findValues(schema: JsonObject, name: string, pointer: string): string[] {
  return readListedValues(schema).flatMap(({ keyword, values }) => {
    const index = values.findIndex((value) => String(value) === name);
    if (index === -1) return [];
    return [keyword === "const" ? joinPointer(pointer, keyword) : joinPointer(pointer, keyword, index)];
  });
}

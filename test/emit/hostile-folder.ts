import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Json, JsonObject } from "../../generator/json.js";
import type { Placement } from "../../generator/protocol/protocol.js";

/** The parts of a protocol folder in which the tests differ. */
export interface Folder {
  readonly name: string;
  readonly placement: Placement;
  /** Payload schema by event type; `title`, `description` and the like are filled in. */
  readonly events: { readonly [type: string]: JsonObject };
  readonly $defs?: JsonObject | undefined;
  readonly manifest?: JsonObject;
  /** Fields of the envelope that are added or replaced. */
  readonly fields?: JsonObject;
  readonly envelope?: JsonObject;
  readonly resources?: { readonly [name: string]: JsonObject };
}

export const PLACEMENTS: readonly Placement[] = ["nested", "inline", "keyed"];

/** Writes a protocol folder `<name>/v1` below `schemas`. */
export function writeFolder(schemas: string, folder: Folder): void {
  const { name, placement, events, $defs, resources = {} } = folder;
  const write = (file: string, value: Json): void => {
    const target = path.join(schemas, name, "v1", file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, JSON.stringify(value));
  };
  const nested = placement === "nested" ? { property: "data" } : {};
  write("protocol.json", {
    name,
    major: 1,
    version: "1.0",
    title: "T",
    description: "D",
    envelope: { discriminator: "type", payload: { placement, ...nested } },
    ...folder.manifest,
  });
  const properties = {
    type: { type: "string", description: "Kind." },
    seq: { type: "integer", description: "Number.", minimum: 0 },
    ...(placement === "nested" && {
      data: {
        type: "object",
        description: "Payload.",
        properties: { common: { type: "string", description: "Common." } },
      },
    }),
    ...folder.fields,
  };
  const required = ["type", "seq", ...(placement === "nested" ? ["data"] : [])];
  write("envelope.schema.json", {
    title: "E",
    description: "E.",
    type: "object",
    properties,
    required,
    ...folder.envelope,
  });
  for (const [index, [type, payload]] of Object.entries(events).entries()) {
    const isFileName = /^[^/\0]{1,200}$/.test(type) && !/^[ .]/.test(type);
    write(`events/${isFileName ? type : `named.${index}`}.schema.json`, {
      title: "An event",
      description: "It happens.",
      "x-stability": "stable",
      ...(placement === "keyed" && { "x-payload-property": "Body" }),
      ...(!isFileName && { "x-type": type }),
      ...payload,
      // A stable event type must not have unmet requirements.
      ...(Object.hasOwn(payload, "x-requires") && { "x-stability": "experimental" }),
    });
  }
  for (const [resource, schema] of Object.entries(resources))
    write(`resources/${resource}.schema.json`, { title: "R", description: "R.", ...schema });
  if ($defs) write("shared/x.schema.json", { $defs });
}

/** Creates an event with this type and payload. */
export function createEvent(placement: Placement, type: string, payload: JsonObject): JsonObject {
  const envelope = { type, seq: 0 };
  if (placement === "inline") return { ...payload, ...envelope };
  return { ...envelope, [placement === "nested" ? "data" : "Body"]: payload };
}

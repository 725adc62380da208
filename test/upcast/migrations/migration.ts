/** Migrations whose results are decided by hand: two versions of an event, and what becomes of its payloads. */
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ExampleFiles } from "../../../generator/compat/change.js";
import { type Json, type JsonObject, toJson } from "../../../generator/json.js";
import type { UpcastStep } from "../../../generator/protocol/upcast.js";
import { SERVED, writeTea } from "../../compat/tea.js";
import { loadVersionPair, type VersionPair } from "../cases.js";

/** One version of the payload of the event type `tea.served`. */
export interface Version {
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  /** The definitions to which the properties refer by `#/$defs/NAME`. */
  readonly defs?: JsonObject;
  /** Further keywords of the payload. */
  readonly more?: JsonObject;
  /** Further files, and changes of others. */
  readonly files?: ExampleFiles;
}

/** A migration, and what becomes of its events. */
export interface Migration {
  readonly name: string;
  readonly before: Version;
  readonly after: Version;
  readonly tombstones?: readonly JsonObject[];
  readonly steps?: readonly UpcastStep[];
  /** The answer about the plan; proven by default. */
  readonly verdict?: "proven" | "impossible" | "incomplete" | "undecided";
  /** Returns the event of the later version. It is decided by hand, without the planner. */
  readonly carry: (event: JsonObject) => JsonObject;
  /** Payloads before and afterwards. */
  readonly samples?: readonly (readonly [before: JsonObject, after: JsonObject])[];
}

/** Writes both versions to a folder, and loads them. */
export async function loadMigration(
  { before, after, tombstones = [], steps }: Migration,
  root: string,
): Promise<VersionPair> {
  const write = (
    major: number,
    { properties, required = [], defs, more, files = {} }: Version,
    rest: JsonObject,
  ) =>
    writeTea(root, {
      ...files,
      "protocol.json": { major, version: `${major}.0`, ...rest, ...files["protocol.json"] },
      [SERVED]:
        files[SERVED] === null
          ? null
          : { properties, required, "x-since": `${major}.0`, ...more, ...(defs && { $defs: defs }) },
    });
  write(1, before, {});
  const upcasts = toJson((steps ? [{ from: 1, steps }] : []).map((each) => ({ ...each })));
  write(2, after, { tombstones, ...(steps && { upcasts }) });
  return loadVersionPair(path.resolve(root), "tea/v1", "tea/v2");
}

/** Returns a check of payloads by another instance of Ajv, with the schema as it is written. */
export function compileVersion({
  properties,
  required = [],
  defs,
  more,
}: Version): (payload: Json) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile({
    type: "object",
    properties,
    required,
    ...more,
    ...(defs && { $defs: defs }),
  });
  return (payload) => validate(payload);
}

export const text = { type: "string", description: "A text." };
export const integer = { type: "integer", minimum: 0, maximum: 1_000_000, description: "A number." };
export const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  description: "An object.",
  properties,
  required,
});
export const list = (items: JsonObject): JsonObject => ({ type: "array", description: "A list.", items });
export const map = (values: JsonObject): JsonObject => ({
  type: "object",
  description: "A map.",
  additionalProperties: values,
});
export const refer = (name: string): JsonObject => ({ $ref: `#/$defs/${name}`, description: "A part." });
export const renamed = (schema: JsonObject, from: string): JsonObject => ({
  ...schema,
  "x-renamed-from": from,
});
export const fixed = (value: Json): JsonObject => ({ const: value, description: "A fixed value." });
export const oneOf = (...branches: readonly JsonObject[]): JsonObject => ({
  description: "One of several.",
  oneOf: branches,
});
export const tombstone = (
  kind: string,
  name: string,
  replacedBy: string,
  holder = "tea.served",
): JsonObject => ({
  kind,
  name,
  ...(kind !== "event" && { in: holder }),
  removedIn: "2.0",
  replacedBy,
  reason: "It has another name.",
});

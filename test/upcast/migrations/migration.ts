/** Migrations whose results are decided by hand: two versions of an event, and what becomes of its payloads. */
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ExampleFiles } from "../../../generator/compat/change.js";
import { type Json, type JsonObject, toJson } from "../../../generator/json.js";
import { loadSchemas } from "../../../generator/load/load.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { UpcastStep } from "../../../generator/protocol/upcast.js";
import { SERVED, writeTea } from "../../compat/tea.js";

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
  /** The tombstones and the declared steps of a version between others. */
  readonly tombstones?: readonly JsonObject[];
  readonly steps?: readonly UpcastStep[];
}

/** A migration, and what becomes of its events. */
export interface Migration {
  readonly name: string;
  readonly before: Version;
  readonly after: Version;
  /** The versions between them. */
  readonly between?: readonly Version[];
  readonly tombstones?: readonly JsonObject[];
  readonly steps?: readonly UpcastStep[];
  /** True if events of the last version become events of the first one. */
  readonly isDowncast?: boolean;
  /** The answer about the plan; proven by default. */
  readonly verdict?: "proven" | "impossible" | "incomplete" | "undecided";
  /** Returns the event of the later version. It is decided by hand, without the planner. */
  readonly carry: (event: JsonObject) => JsonObject;
  /** Payloads before and afterwards. */
  readonly samples?: readonly (readonly [before: JsonObject, after: JsonObject])[];
}

/** Writes all versions to a folder, and loads them in the order in which events pass through them. */
export async function loadMigration(migration: Migration, root: string): Promise<readonly Protocol[]> {
  const { before, between = [], after, tombstones = [], steps, isDowncast = false } = migration;
  const versions = [before, ...between, { ...after, tombstones, ...(steps && { steps }) }];
  for (const [index, version] of versions.entries()) writeVersion(root, index + 1, version);
  const ids = versions.map((_, index) => `tea/v${index + 1}`);
  const { protocols, findings } = await loadSchemas(path.resolve(root), ids);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0 || protocols.length < ids.length)
    throw new Error(JSON.stringify(errors.map(({ message, at }) => [at.file, message])));
  return isDowncast ? protocols.toReversed() : protocols;
}

function writeVersion(
  root: string,
  major: number,
  { properties, required = [], defs, more, files = {}, tombstones = [], steps }: Version,
): void {
  const upcasts = toJson((steps ? [{ from: major - 1, steps }] : []).map((each) => ({ ...each })));
  const rest: JsonObject = major === 1 ? {} : { tombstones, ...(steps && { upcasts }) };
  writeTea(root, {
    ...files,
    "protocol.json": { major, version: `${major}.0`, ...rest, ...files["protocol.json"] },
    [SERVED]:
      files[SERVED] === null
        ? null
        : { properties, required, "x-since": `${major}.0`, ...more, ...(defs && { $defs: defs }) },
  });
}

/** Returns a check of payloads by another instance of Ajv, with the schema as it is written. */
export function compileVersion({
  properties,
  required = [],
  defs,
  more,
}: Version): (payload: Json) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
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

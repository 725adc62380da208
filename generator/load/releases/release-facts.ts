import type { Location } from "../../finding.js";
import type { JsonObject } from "../../json.js";
import type {
  Envelope,
  EventType,
  PreviousRelease,
  Stream,
  Tombstone,
  Waiver,
  Withdrawal,
} from "../../protocol/protocol.js";
import { RELEASE_FORMAT } from "../../protocol/version.js";
import type { Source } from "../../source/source.js";
import { createDocumentCheck } from "../document-check.js";

/** The member `x-release` of a release file. */
export interface ReleaseFacts {
  readonly name: string;
  readonly major: number;
  readonly version: string;
  readonly guarantees: readonly string[];
  readonly evolution: readonly string[];
  readonly groups: { readonly [name: string]: string };
  readonly envelope: Omit<Envelope, "schema" | "at">;
  readonly stream?: Stream;
  readonly events: readonly (Omit<EventType, "payload" | "summary" | "description" | "examples" | "at"> & {
    /** The name of the payload's definition. */
    readonly payload: string;
  })[];
  /** The resources by name; `schema` is the name of the definition. */
  readonly resources: readonly { readonly name: string; readonly schema: string }[];
  readonly definitions: readonly string[];
  readonly tombstones: readonly Omit<Tombstone, "at">[];
  readonly waivers: readonly Omit<Waiver, "at">[];
  /** Absent if no release had been withdrawn. */
  readonly withdrawn?: readonly Omit<Withdrawal, "at">[];
  /** The release before this one; absent in a first release, and in those that accrete 0.1 wrote. */
  readonly previous?: PreviousRelease;
  readonly digest: string;
}

const STRING = { type: "string" };
const STRINGS = { type: "array", items: STRING };
const version = { type: "string", pattern: "^\\d+\\.\\d+$" };
const createObjectListSchema = (...required: readonly string[]) => ({
  type: "array",
  items: { type: "object", required, properties: Object.fromEntries(required.map((name) => [name, STRING])) },
});

/** The parts of a release file on which readers rely. Digests protect the content. */
const RELEASE_SCHEMA = {
  type: "object",
  required: ["title", "description", "$defs", "x-release"],
  properties: {
    title: STRING,
    description: STRING,
    $defs: { type: "object", required: ["Envelope"], additionalProperties: { type: ["object", "boolean"] } },
    "x-release": {
      type: "object",
      required: [
        "format",
        "name",
        "major",
        "version",
        "guarantees",
        "evolution",
        "groups",
        "envelope",
        "events",
        "resources",
        "definitions",
        "tombstones",
        "waivers",
        "parts",
        "digest",
      ],
      properties: {
        format: { const: RELEASE_FORMAT },
        name: STRING,
        major: { type: "integer" },
        version,
        guarantees: STRINGS,
        evolution: STRINGS,
        groups: { type: "object", additionalProperties: STRING },
        envelope: {
          type: "object",
          required: ["discriminator", "placement", "payloadFields"],
          properties: { discriminator: STRING, placement: { enum: ["nested", "inline", "keyed"] } },
        },
        stream: { type: "object", required: ["key"], properties: { key: STRINGS } },
        events: createObjectListSchema("type", "group", "stability", "since", "payload"),
        resources: createObjectListSchema("name", "schema"),
        definitions: STRINGS,
        tombstones: createObjectListSchema("kind", "name", "removedIn", "reason"),
        waivers: createObjectListSchema("fingerprint", "rule", "reason", "expires"),
        withdrawn: createObjectListSchema("version", "digest", "reason"),
        previous: {
          type: "object",
          required: ["version", "digest"],
          properties: { version, digest: STRING },
        },
        parts: { type: "object", additionalProperties: STRING },
        digest: STRING,
      },
    },
  },
};

/** The content of a release file. */
export interface ReleaseDocument {
  readonly title: string;
  readonly description: string;
  readonly $defs: { readonly [name: string]: JsonObject };
  readonly "x-release": ReleaseFacts;
}

const checkRelease = createDocumentCheck<ReleaseDocument>(RELEASE_SCHEMA);

/** Returns the content of a release file, or the first reason why a file is not a release. */
export function readReleaseDocument(
  source: Source,
):
  | { document: ReleaseDocument; error?: never }
  | { document?: never; error: { message: string; at: Location } } {
  const { value: document, errors } = checkRelease(source.document);
  if (document !== undefined) return { document };
  const [{ instancePath, message }] = errors;
  return {
    error: {
      message: `This is not a release of accrete: ${instancePath || "the document"} ${message}.`,
      at: source.locate(instancePath),
    },
  };
}

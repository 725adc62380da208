/**
 * Reads releases as protocols. A file that `accrete release` wrote gives the protocol that was released, except for places
 * and for `ToolMembers`. A file that was changed afterwards gives findings at the changes, and no protocol.
 */
import { createErrorFinding, type Finding } from "../../finding.js";
import { createObject, getOwn, isObject, type JsonObject } from "../../json.js";
import { digest } from "../../protocol/digest.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Envelope, EventType, PreviousRelease, Protocol, Resource } from "../../protocol/protocol.js";
import type { Definition } from "../../schema/json-schema.js";
import { parseSource, type Source } from "../../source/source.js";
import { readTexts } from "../build.js";
import { type ReleaseDocument, type ReleaseFacts, readReleaseDocument } from "./release-facts.js";

/** The protocol of a release file, or the errors in the file. */
export interface ReadRelease {
  readonly protocol?: Protocol;
  readonly source?: Source;
  /** The digest that identifies the release, independent of white space; absent if the file is damaged. */
  readonly digest?: string;
  /** The release before this one. */
  readonly previous?: PreviousRelease;
  readonly findings: readonly Finding[];
}

/** The id of the rule about release files whose content was altered. */
export const ALTERED_RULE = "release-altered";
const RESTORE_HINT =
  "A release never changes: restore the file from version control, and make a new release for a new contract.";

/** Reads the bytes of a release file, shown as `file`. */
export function readRelease(file: string, bytes: Uint8Array): ReadRelease {
  const parsed = parseSource(file, bytes);
  if (!("source" in parsed))
    return {
      findings: parsed.findings.map((finding) => ({ ...finding, rule: ALTERED_RULE, hint: RESTORE_HINT })),
    };
  const { source } = parsed;
  const { document, error } = readReleaseDocument(source);
  const errors = error ? [error] : findAlterations(source);
  if (document === undefined || errors.length > 0)
    return {
      source,
      findings: errors.map(({ message, at }) => createErrorFinding(ALTERED_RULE, message, at, RESTORE_HINT)),
    };
  const { digest, previous } = document["x-release"];
  return {
    protocol: buildReleasedProtocol(source, document),
    source,
    digest,
    findings: [],
    ...(previous && { previous }),
  };
}

/** Returns the places whose content does not match the digests. */
function findAlterations(source: Source): { message: string; at: Finding["at"] }[] {
  const document = isObject(source.document) ? source.document : {};
  const facts = isObject(document["x-release"]) ? document["x-release"] : {};
  const { digest: statedDigest, ...rest } = facts;
  if (statedDigest === digest({ ...document, "x-release": rest })) return [];
  const defs = isObject(document.$defs) ? document.$defs : {};
  const parts = isObject(facts.parts) ? facts.parts : {};
  const names = [...new Set([...Object.keys(defs), ...Object.keys(parts)])];
  // `parts` holds the first 16 digits of the digest of each definition.
  const changed = names.filter((name) => {
    const schema = getOwn(defs, name);
    return schema === undefined || digest(schema).slice(0, 16) !== getOwn(parts, name);
  });
  if (changed.length === 0)
    return [
      {
        message: "The member x-release of this release was changed by hand.",
        at: source.locateKey("/x-release"),
      },
    ];
  return changed.map((name) => ({
    message: `The definition ${JSON.stringify(name)} of this release was changed by hand.`,
    at: Object.hasOwn(defs, name)
      ? source.locateKey(`/$defs/${name}`)
      : source.locateKey(`/x-release/parts/${name}`),
  }));
}

/** Returns the protocol of a release. Its places have no lines, because finding thousands of them takes too long. */
function buildReleasedProtocol(source: Source, document: ReleaseDocument): Protocol {
  const facts = document["x-release"];
  const { $defs } = document;
  const findSchema = (name: string): JsonObject => getOwn($defs, name) ?? {};
  const envelope: Envelope = {
    ...facts.envelope,
    schema: findSchema("Envelope"),
    at: { file: source.file, pointer: "/$defs/Envelope" },
  };
  const payloads = new Map(
    facts.events.map(({ payload }) => [payload, removeEnvelopeFields(findSchema(payload), envelope)]),
  );
  const createDefinition = (name: string): Definition => ({
    schema: payloads.get(name) ?? getOwn($defs, name) ?? true,
    at: { file: source.file, pointer: `/$defs/${name}` },
  });
  const addLocations = <T>(items: readonly T[], pointer: string) =>
    items.map((item, index) => ({
      ...item,
      at: { file: source.file, pointer: `/x-release/${pointer}/${index}` },
    }));
  const { name, major, version, guarantees, evolution, groups, stream } = facts;
  return {
    name,
    major,
    id: `${name}/v${major}`,
    version,
    title: document.title,
    description: document.description,
    guarantees,
    evolution,
    groups,
    envelope,
    ...(stream && { stream }),
    events: facts.events.map((event) => createEvent(event, payloads.get(event.payload) ?? {}, source)),
    resources: facts.resources.map(({ name, schema }) =>
      createResource(name, findSchema(schema), schema, source),
    ),
    definitions: Object.fromEntries(facts.definitions.map((name) => [name, createDefinition(name)])),
    tombstones: addLocations(facts.tombstones, "tombstones"),
    waivers: addLocations(facts.waivers, "waivers"),
    ...(facts.withdrawn && { withdrawn: addLocations(facts.withdrawn, "withdrawn") }),
    at: { file: source.file, pointer: "/x-release" },
  };
}

/** Returns the schema of a payload without the envelope fields that its form in a release accepts with any value. */
function removeEnvelopeFields(schema: JsonObject, envelope: Envelope): JsonObject {
  const isClosed = schema.additionalProperties !== undefined || schema.unevaluatedProperties !== undefined;
  if (envelope.placement !== "inline" || !isClosed || !isObject(schema.properties)) return schema;
  const { properties, ...rest } = schema;
  const fields = getEnvelopeFields(envelope);
  const ownFields = Object.entries(properties).filter(
    ([name, field]) => field !== true || !Object.hasOwn(fields, name),
  );
  return ownFields.length === 0 ? rest : { ...schema, properties: createObject(ownFields) };
}

function createEvent(facts: ReleaseFacts["events"][number], payload: JsonObject, source: Source): EventType {
  const { payload: name, ...rest } = facts;
  return {
    ...rest,
    ...readTexts(payload, facts.type),
    payload,
    at: { file: source.file, pointer: `/$defs/${name}` },
  };
}

function createResource(name: string, schema: JsonObject, key: string, source: Source): Resource {
  return {
    name,
    ...readTexts(schema, name),
    schema,
    at: { file: source.file, pointer: `/$defs/${key}` },
  };
}

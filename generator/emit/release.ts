import { isObject, type Json, type JsonObject } from "../json.js";
import { digest } from "../protocol/digest.js";
import { derivePayloadName, deriveResourceName } from "../protocol/names.js";
import type { EventType, OutputFile, PreviousRelease, Protocol } from "../protocol/protocol.js";
import { RELEASE_FORMAT } from "../protocol/version.js";
import { dropDialect } from "../schema/json-schema.js";
import { formatLiteral } from "../text.js";
import { createBundle } from "./bundle.js";

/**
 * Emits the frozen release of `protocol`: the bundle with all annotations, and in `x-release` the facts beside schemas. The
 * protocol that is read from the file is the same, but for the locations of its parts and for `ToolMembers`.
 */
export function emitRelease(protocol: Protocol, previous?: PreviousRelease): OutputFile {
  const path = `${protocol.id}/releases/${protocol.version}.json`;
  return { path, content: `${formatLiteral(createReleaseDocument(protocol, previous), 2)}\n` };
}

/** Creates the release as a JSON document, with its digests. */
export function createReleaseDocument(protocol: Protocol, previous?: PreviousRelease): JsonObject {
  const { $defs, ...head } = createBundle(protocol);
  const defs = sortByName({ ...(isObject($defs) ? $defs : {}), ...createSchemasWithoutPayload(protocol) });
  const facts = { ...createFacts(protocol), ...(previous && { previous: { ...previous } }) };
  const parts = Object.fromEntries(
    Object.entries(defs).map(([name, schema]) => [name, digest(schema).slice(0, 16)]),
  );
  const unsignedSchema = { ...head, $defs: defs, "x-release": { ...facts, parts } };
  return { ...unsignedSchema, "x-release": { ...facts, parts, digest: digest(unsignedSchema) } };
}

/** Computes the digest of the release of `protocol`, which its file also holds. */
export function computeReleaseDigest(protocol: Protocol, previous?: PreviousRelease): string {
  const facts = createReleaseDocument(protocol, previous)["x-release"];
  return isObject(facts) ? String(facts.digest) : "";
}

/** Creates the schemas of event types without payload. The bundle leaves them out, but they hold the annotations of the event type. */
function createSchemasWithoutPayload({ envelope, events }: Protocol): JsonObject {
  const eventsWithoutPayload =
    envelope.placement === "keyed"
      ? events.filter(({ payloadProperty }) => payloadProperty === undefined)
      : [];
  return Object.fromEntries(
    eventsWithoutPayload.map((event) => [derivePayloadName(event), dropDialect(event.payload)]),
  );
}

function createFacts(protocol: Protocol): JsonObject {
  const { schema: _schema, at: _at, ...layout } = protocol.envelope;
  const facts = {
    format: RELEASE_FORMAT,
    name: protocol.name,
    major: protocol.major,
    version: protocol.version,
    guarantees: protocol.guarantees,
    evolution: protocol.evolution,
    groups: protocol.groups,
    envelope: layout,
    ...(protocol.stream && { stream: protocol.stream }),
    events: protocol.events.map(createEventFacts),
    resources: protocol.resources.map(({ name }) => ({ name, schema: deriveResourceName(name) })),
    definitions: Object.keys(protocol.definitions).sort(),
    tombstones: protocol.tombstones.map(({ at: _place, ...rest }) => rest),
    waivers: protocol.waivers.map(({ at: _place, ...rest }) => rest),
    ...(protocol.withdrawn?.length && {
      withdrawn: protocol.withdrawn.map(({ at: _place, ...rest }) => rest),
    }),
  };
  return JSON.parse(JSON.stringify(facts));
}

function createEventFacts(event: EventType): object {
  const {
    type,
    name,
    group,
    stability,
    since,
    deprecated,
    requires,
    emittedBy,
    renamedFrom,
    payloadProperty,
  } = event;
  const rest = { deprecated, requires, emittedBy, renamedFrom, payloadProperty };
  return { type, name, group, stability, since, ...rest, payload: derivePayloadName(event) };
}

function sortByName(defs: JsonObject): { [name: string]: Json } {
  return Object.fromEntries(Object.entries(defs).sort(([a], [b]) => (a < b ? -1 : 1)));
}

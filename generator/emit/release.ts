import { isObject, type Json, type JsonObject } from "../json.js";
import { digest } from "../protocol/digest.js";
import { payloadName, resourceName } from "../protocol/names.js";
import type { EventType, OutputFile, PreviousRelease, Protocol } from "../protocol/protocol.js";
import { RELEASE_FORMAT } from "../protocol/version.js";
import { literal } from "../text.js";
import { bundle } from "./bundle.js";

/**
 * The frozen release of `protocol`: the bundle with all annotations, and in `x-release` the facts beside schemas.
 * Reading it back gives the same protocol, but for the places of its parts and for `endpoints`, `view` and `faults`, which tools alone read.
 */
export function emitRelease(protocol: Protocol, previous?: PreviousRelease): OutputFile {
  const path = `${protocol.id}/releases/${protocol.version}.json`;
  return { path, content: `${literal(releaseDocument(protocol, previous), 2)}\n` };
}

/** The release as a JSON document, with its digests. */
export function releaseDocument(protocol: Protocol, previous?: PreviousRelease): JsonObject {
  const { $defs, ...head } = bundle(protocol);
  const defs = sorted({ ...(isObject($defs) ? $defs : {}), ...withoutPayload(protocol) });
  const facts = { ...factsOf(protocol), ...(previous && { previous: { ...previous } }) };
  const parts = Object.fromEntries(
    Object.entries(defs).map(([name, schema]) => [name, digest(schema).slice(0, 16)]),
  );
  const unsigned = { ...head, $defs: defs, "x-release": { ...facts, parts } };
  return { ...unsigned, "x-release": { ...facts, parts, digest: digest(unsigned) } };
}

/** The digest of the release of `protocol`, which its file holds as well. */
export function releaseDigest(protocol: Protocol, previous?: PreviousRelease): string {
  const facts = releaseDocument(protocol, previous)["x-release"];
  return isObject(facts) ? String(facts.digest) : "";
}

/** Schemas of kinds without payload: the bundle leaves them out, but they hold the annotations of the kind. */
function withoutPayload({ envelope, events }: Protocol): JsonObject {
  const bare =
    envelope.placement === "keyed"
      ? events.filter(({ payloadProperty }) => payloadProperty === undefined)
      : [];
  return Object.fromEntries(
    bare.map(({ type, payload: { $schema: _dialect, ...rest } }) => [payloadName(type), rest]),
  );
}

function factsOf(protocol: Protocol): JsonObject {
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
    events: protocol.events.map(eventFacts),
    resources: protocol.resources.map(({ name }) => ({ name, schema: resourceName(name) })),
    definitions: Object.keys(protocol.definitions).sort(),
    tombstones: protocol.tombstones.map(({ at: _place, ...rest }) => rest),
    waivers: protocol.waivers.map(({ at: _place, ...rest }) => rest),
    ...(protocol.withdrawn?.length && {
      withdrawn: protocol.withdrawn.map(({ at: _place, ...rest }) => rest),
    }),
  };
  return JSON.parse(JSON.stringify(facts));
}

function eventFacts({ type, group, stability, since, deprecated, ...event }: EventType): object {
  const { requires, emittedBy, renamedFrom, payloadProperty } = event;
  const rest = { deprecated, requires, emittedBy, renamedFrom, payloadProperty };
  return { type, group, stability, since, ...rest, payload: payloadName(type) };
}

function sorted(defs: JsonObject): { [name: string]: Json } {
  return Object.fromEntries(Object.entries(defs).sort(([a], [b]) => (a < b ? -1 : 1)));
}

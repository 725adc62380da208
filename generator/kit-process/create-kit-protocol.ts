import type { KitProtocol } from "../kit/kit-protocol.js";
import { readEarlierReleases } from "../load/releases/release-history.js";
import { createPlainSchemas } from "../protocol/plain-schemas.js";
import type { Protocol } from "../protocol/protocol.js";
import { createValidators } from "../validators/protocol-validators.js";

/** Returns a protocol of a schemas folder as the kit needs it, as the generated module of the protocol exports it. */
export function createKitProtocol(schemas: string, protocol: Protocol): KitProtocol {
  const { name, id, version, stream } = protocol;
  const { discriminator, placement, property } = protocol.envelope;
  const { profiles, decodeEvent } = createValidators(protocol);
  // The kit asks only whether there are resources. It never checks one.
  const resources = new Map(protocol.resources.map((resource) => [resource.name, resource]));
  return {
    name,
    id,
    version,
    envelope: { discriminator, placement, ...(property !== undefined && { property }) },
    ...(stream && { stream }),
    ...(stream?.rules && { rules: stream.rules }),
    validators: {
      reader: { ...profiles.reader, resources } as typeof profiles.reader,
      writer: profiles.writer,
    },
    decodeEvent,
    schemas: createPlainSchemas(protocol),
    releases: readEarlierReleases(schemas, protocol).map((release) => ({
      version: release.version,
      schemas: createPlainSchemas(release),
    })),
  };
}

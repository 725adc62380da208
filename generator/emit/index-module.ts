import type { OutputFile, Protocol } from "../model/protocol.js";
import { literal } from "../text.js";
import { unionName } from "./names.js";
import { BANNER, docComment } from "./text.js";

/** `index.js`: `decodeEvent`, and `protocol`, one value for tools that take a protocol as an argument. */
export function emitIndex(protocol: Protocol): OutputFile[] {
  const { name, id, version, stream } = protocol;
  const { discriminator, placement, property } = protocol.envelope;
  const facts = { name, id, version, envelope: { discriminator, placement, property }, stream };
  const code = `import { metadata } from "./metadata.js";
import * as readers from "./reader.js";
import { decoder } from "./runtime.js";
import * as writers from "./writer.js";

const validators = {
  reader: { envelope: readers.validateEnvelope, events: readers.events, resources: readers.resources },
  writer: { envelope: writers.validateEnvelope, events: writers.events, resources: writers.resources },
};

export const decodeEvent = /* @__PURE__ */ decoder(${literal(discriminator)}, validators);

export const protocol = /* @__PURE__ */ Object.freeze({
${Object.entries(facts)
  .filter(([, value]) => value !== undefined)
  .map(([key, value]) => `  ${key}: ${literal(value)},`)
  .join("\n")}
  metadata,
  validators,
  decodeEvent,
});

export { metadata };
`;
  return [
    { path: `${id}/index.js`, content: `${BANNER}\n${code}` },
    { path: `${id}/index.d.ts`, content: `${BANNER}\n${declaration(protocol)}` },
  ];
}

function declaration(protocol: Protocol): string {
  const union = unionName(protocol);
  return `import type { metadata } from "./metadata.js";
import type { DecodeEvent, Profile, ProfileValidators } from "./runtime.js";
import type { ${union}, UnknownEvent } from "./types.js";

export type { EventMetadata } from "./metadata.js";
export { metadata } from "./metadata.js";
export type { DecodeEvent, DecodeResult, Issue, Profile, Validator } from "./runtime.js";
export type * from "./types.js";

${docComment("Sorts a value into known event, unknown event or invalid.")}
export declare const decodeEvent: DecodeEvent<${union}, UnknownEvent>;

${docComment(`${protocol.title}, version ${protocol.version}, as one value for tools that take a protocol as an argument.`)}
export declare const protocol: {
  readonly name: ${literal(protocol.name)};
  readonly id: ${literal(protocol.id)};
  readonly version: ${literal(protocol.version)};
  /** The envelope field that names the event type, and where the payload lies. */
  readonly envelope: {
    readonly discriminator: ${literal(protocol.envelope.discriminator)};
    readonly placement: ${literal(protocol.envelope.placement)};
    readonly property?: string;
  };
  /** The envelope fields that order a stream. */
  readonly stream?: {
    readonly key: readonly string[];
    readonly sequence?: string;
    readonly first?: number;
    readonly id?: string;
    readonly time?: string;
  };
  readonly metadata: typeof metadata;
  readonly validators: Readonly<Record<Profile, ProfileValidators>>;
  readonly decodeEvent: typeof decodeEvent;
};
`;
}

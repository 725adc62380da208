import { eventName } from "../../protocol/names.js";
import type { OutputFile, Protocol, Stream } from "../../protocol/protocol.js";
import { literal } from "../../text.js";
import { BANNER, formatDocComment } from "../text.js";

/**
 * `index.js`: `decodeEvent`; `contract`, which the functions of accrete/stream take; and `protocol`, which holds in
 * addition what the kit needs. A bundler keeps of them what is used: only `protocol` refers to the writer's validators.
 */
export function emitIndex(protocol: Protocol): OutputFile[] {
  const { id } = protocol;
  return [
    { path: `${id}/index.js`, content: `${BANNER}\n${module(protocol)}` },
    { path: `${id}/index.d.ts`, content: `${BANNER}\n${declaration(protocol)}` },
  ];
}

function module(protocol: Protocol): string {
  const { name, id, version } = protocol;
  const stream = protocol.stream && contract(protocol.stream);
  const rules = protocol.stream?.rules;
  const { discriminator, placement, property } = protocol.envelope;
  const facts = { name, id, version, envelope: { discriminator, placement, property }, stream };
  return `import { metadata } from "./metadata.js";
import * as readers from "./reader.js";
import { profileDecoder } from "./runtime.js";
import { releases, schemas } from "./schemas.js";
import * as writers from "./writer.js";

const validators = {
  reader: { envelope: readers.envelope, events: readers.events, resources: readers.resources },
  writer: { envelope: writers.envelope, events: writers.events, resources: writers.resources },
};

export const contract = /* @__PURE__ */ Object.freeze({
${members(facts)}
  decodeEvent: readers.decodeEvent,
});

export const protocol = /* @__PURE__ */ Object.freeze({
${members({ ...facts, rules })}
  metadata,
  validators,
  decodeEvent: /* @__PURE__ */ profileDecoder({ reader: readers.decodeEvent, writer: writers.decodeEvent }),
  schemas,
  releases,
});

export { decodeEvent } from "./reader.js";
export { metadata };
`;
}

/** The members of an object literal, those without a value left out. */
function members(values: object): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${key}: ${literal(value)},`)
    .join("\n");
}

/** The facts that readers of a stream need; the rules of the stream are for those who check it. */
function contract({ key, sequence, first, id, time }: Stream): Stream {
  return JSON.parse(JSON.stringify({ key, sequence, first, id, time }));
}

function declaration(protocol: Protocol): string {
  const union = eventName(protocol.name);
  return `import type { metadata } from "./metadata.js";
import type { decodeEvent } from "./reader.js";
import type { DecodeWithProfile, Profile, ProfileValidators } from "./runtime.js";
import type { EarlierRelease, Schemas } from "./schemas.js";
import type { ${union}, UnknownEvent } from "./types.js";

export type { EventMetadata } from "./metadata.js";
export { metadata } from "./metadata.js";
export { decodeEvent } from "./reader.js";
export type { DecodeEvent, DecodeResult, Issue, Profile, Validator } from "./runtime.js";
export type * from "./types.js";

${contractDeclaration(protocol)}

${formatDocComment(`${protocol.title}, version ${protocol.version}, for accrete/kit: the contract with its validators, schemas and earlier releases. Too large for a page.`)}
export declare const protocol: typeof contract & {
${rulesDeclaration(protocol)}  readonly metadata: typeof metadata;
  /** Decodes as a tolerant reader by default, or as a strict writer. */
  readonly decodeEvent: DecodeWithProfile<${union}, UnknownEvent>;
  readonly validators: Readonly<Record<Profile, ProfileValidators>>;
  readonly schemas: Schemas;
  /** Earlier releases of this major version. */
  readonly releases: readonly EarlierRelease[];
};
`;
}

/** The rules as their own type: a JSON text is one. */
function rulesDeclaration({ stream }: Protocol): string {
  if (stream?.rules === undefined) return "";
  return `  /** What the contract promises about whole streams: \`stream.rules\` of protocol.json. */
  readonly rules: ${literal(stream.rules)};
`;
}

function contractDeclaration({ name, id, version, envelope }: Protocol): string {
  return `${formatDocComment("The contract, for the functions of accrete/stream. Brings the reader's validators only.")}
export declare const contract: {
  readonly name: ${literal(name)};
  readonly id: ${literal(id)};
  readonly version: ${literal(version)};
  /** The envelope field that names the event type, and where the payload lies. */
  readonly envelope: {
    readonly discriminator: ${literal(envelope.discriminator)};
    readonly placement: ${literal(envelope.placement)};
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
  readonly decodeEvent: typeof decodeEvent;
};`;
}

import { listCoreEvents } from "../../protocol/core-events.js";
import { deriveUnionName } from "../../protocol/names.js";
import type { OutputFile, Protocol, Stream } from "../../protocol/protocol.js";
import { chooseView } from "../../protocol/view-roles.js";
import { formatLiteral } from "../../text.js";
import { BANNER, formatDocComment } from "../text.js";

const CORE_EXPORTS = `export type { CoreEvent, CoreEventType } from "./core.js";
export { coreTypes, decodeCoreEvent } from "./core.js";
`;

/**
 * Writes `index.js`. It exports `decodeEvent`; `contract`, which the functions of accrete-client/stream take; `view`,
 * which accrete-client/view needs as well; and `protocol`, which also holds what the kit needs. A bundler drops the
 * exports that are not used. Only `protocol` refers to the writer's validators.
 */
export function emitIndex(protocol: Protocol): OutputFile[] {
  const { id } = protocol;
  return [
    { path: `${id}/index.js`, content: `${BANNER}\n${formatModule(protocol)}` },
    { path: `${id}/index.d.ts`, content: `${BANNER}\n${formatDeclarations(protocol)}` },
  ];
}

function formatModule(protocol: Protocol): string {
  const { name, id, version } = protocol;
  const hasCore = listCoreEvents(protocol).length > 0;
  const stream = protocol.stream && selectContract(protocol.stream);
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
${formatMembers(facts)}
  decodeEvent: readers.decodeEvent,
});

export const view = /* @__PURE__ */ Object.freeze(${formatLiteral(chooseView(protocol))});

export const protocol = /* @__PURE__ */ Object.freeze({
${formatMembers({ ...facts, rules })}
  metadata,
  view,
  validators,
  decodeEvent: /* @__PURE__ */ profileDecoder({ reader: readers.decodeEvent, writer: writers.decodeEvent }),
  schemas,
  releases,
});

${hasCore ? 'export { coreTypes, decodeCoreEvent } from "./core.js";\n' : ""}export { decodeEvent } from "./reader.js";
export { metadata };
`;
}

/** Formats the members of an object literal, without those that have no value. */
function formatMembers(values: object): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${key}: ${formatLiteral(value)},`)
    .join("\n");
}

/** Selects the facts that readers of a stream need: all but its rules, which only checkers need. */
function selectContract({ key, sequence, first, id, idScope, time }: Stream): Stream {
  return JSON.parse(JSON.stringify({ key, sequence, first, id, idScope, time }));
}

function formatDeclarations(protocol: Protocol): string {
  const union = deriveUnionName(protocol.name);
  const hasCore = listCoreEvents(protocol).length > 0;
  return `import type { metadata } from "./metadata.js";
import type { decodeEvent } from "./reader.js";
import type { DecodeWithProfile, Profile, ProfileValidators } from "./runtime.js";
import type { EarlierRelease, Schemas } from "./schemas.js";
import type { ${union}, UnknownEvent } from "./types.js";

${hasCore ? CORE_EXPORTS : ""}export type { EventMetadata } from "./metadata.js";
export { metadata } from "./metadata.js";
export { decodeEvent } from "./reader.js";
export type { DecodeEvent, DecodeResult, Issue, Profile, Validator } from "./runtime.js";
export type * from "./types.js";

${formatContract(protocol)}

${formatDocComment("How events are shown, for createView of accrete-client/view: the view of protocol.json, or what the stream rules suggest.")}
export declare const view: ${formatLiteral(chooseView(protocol))};

${formatDocComment(`${protocol.title}, version ${protocol.version}, for accrete-kit: the contract with its validators, schemas and earlier releases. Too large for a page.`)}
export declare const protocol: typeof contract & {
${formatRules(protocol)}  readonly metadata: typeof metadata;
  readonly view: typeof view;
  /** Decodes as a tolerant reader by default, or as a strict writer. */
  readonly decodeEvent: DecodeWithProfile<${union}, UnknownEvent>;
  readonly validators: Readonly<Record<Profile, ProfileValidators>>;
  readonly schemas: Schemas;
  /** Earlier releases of this major version. */
  readonly releases: readonly EarlierRelease[];
};
`;
}

/** Formats the member `rules` of the type of `protocol`. Its type is the JSON text of the rules. */
function formatRules({ stream }: Protocol): string {
  if (stream?.rules === undefined) return "";
  return `  /** What the contract promises about whole streams: \`stream.rules\` of protocol.json. */
  readonly rules: ${formatLiteral(stream.rules)};
`;
}

function formatContract({ name, id, version, envelope }: Protocol): string {
  return `${formatDocComment("The contract, for the functions of accrete-client/stream. Brings the reader's validators only.")}
export declare const contract: {
  readonly name: ${formatLiteral(name)};
  readonly id: ${formatLiteral(id)};
  readonly version: ${formatLiteral(version)};
  /** The envelope field that names the event type, and where the payload lies. */
  readonly envelope: {
    readonly discriminator: ${formatLiteral(envelope.discriminator)};
    readonly placement: ${formatLiteral(envelope.placement)};
    readonly property?: string;
  };
  /** The envelope fields that order a stream. */
  readonly stream?: {
    readonly key: readonly string[];
    readonly sequence?: string;
    readonly first?: number;
    readonly id?: string;
    readonly idScope?: "stream" | "protocol";
    readonly time?: string;
  };
  readonly decodeEvent: typeof decodeEvent;
};`;
}

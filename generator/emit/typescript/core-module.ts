import { listCoreEvents } from "../../protocol/core-events.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { formatLiteral } from "../../text.js";
import { BANNER, formatDocComment } from "../text.js";

/**
 * Emits `core.js` for a protocol that has both experimental and other event types. It exports a union and a decoder of the
 * others. The decoder returns an unknown event for an experimental one.
 */
export function emitCore(protocol: Protocol): OutputFile[] {
  const core = listCoreEvents(protocol).map(({ type }) => type);
  if (core.length === 0) return [];
  const { discriminator } = protocol.envelope;
  const code = `import { envelope, events } from "./reader.js";
import { decoder } from "./runtime.js";

export const coreTypes = /* @__PURE__ */ new Set(${formatLiteral(core)});

const selectCore = () => new Map([...events].filter(([type]) => coreTypes.has(type)));

export const decodeCoreEvent = /* @__PURE__ */ decoder(${formatLiteral(discriminator)}, {
  envelope,
  events: /* @__PURE__ */ selectCore(),
});
`;
  const declaration = `import type { DecodeEvent } from "./runtime.js";
import type { EventOf, UnknownEvent } from "./types.js";

${formatDocComment("The candidate and stable event types.")}
export type CoreEventType = ${core.map((type) => formatLiteral(type)).join(" | ")};

${formatDocComment("The events of the candidate and stable types. A switch over it needs no case for experimental types.")}
export type CoreEvent = EventOf<CoreEventType>;

${formatDocComment("The candidate and stable event types.")}
export declare const coreTypes: ReadonlySet<CoreEventType>;

${formatDocComment("Decodes as a tolerant reader. An event of an experimental type is one of an unknown type.")}
export declare const decodeCoreEvent: DecodeEvent<CoreEvent, UnknownEvent>;
`;
  return [
    { path: `${protocol.id}/core.js`, content: `${BANNER}\n${code}` },
    { path: `${protocol.id}/core.d.ts`, content: `${BANNER}\n${declaration}` },
  ];
}

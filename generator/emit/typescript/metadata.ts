import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { formatLiteral, formatPropertyKey } from "../../text.js";
import { BANNER } from "../text.js";

/** Writes `metadata.js`: the facts about each event type that tools and user interfaces need without its schema. */
export function emitMetadata(protocol: Protocol): OutputFile[] {
  const rows = protocol.events.map(
    ({ type, group, stability, since, summary, deprecated, requires, payloadProperty }) => {
      const row = { group, stability, since, summary, deprecated, requires, payloadProperty };
      return `  ${formatPropertyKey(type)}: ${formatLiteral(row)},`;
    },
  );
  const code = [
    "export const metadata = /* @__PURE__ */ Object.freeze({",
    "  __proto__: null,",
    ...rows,
    "});",
  ];
  return [
    { path: `${protocol.id}/metadata.js`, content: `${BANNER}\n${code.join("\n")}\n` },
    { path: `${protocol.id}/metadata.d.ts`, content: `${BANNER}\n${DECLARATION}` },
  ];
}

const DECLARATION = `import type { EventType } from "./types.js";

/** What is known of an event type besides its schema. */
export interface EventMetadata {
  readonly group: string;
  readonly stability: "experimental" | "candidate" | "stable";
  /** The release that introduced it. */
  readonly since: string;
  /** One line. */
  readonly summary: string;
  /** Still valid, announced to go; \`replacedBy\` is null where nothing replaces it. */
  readonly deprecated?: { readonly since?: string; readonly replacedBy?: string | null };
  /** Something outside of the protocol that it requires. */
  readonly requires?: string;
  /** The property that carries its payload, where each event has its own. */
  readonly payloadProperty?: string;
}

/** By event type. Has no prototype, so that any string can be looked up. */
export declare const metadata: Readonly<Record<EventType, EventMetadata>>;
`;

/** Puts events together to runs. Pure data in and out; the same events give the same runs. */
import { type JsonObject, objectFrom } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { endpointFields, endpointsOf } from "./endpoints.js";
import { fieldText, keyOf, type Run, type RunEvent, readEvent } from "./run.js";

/** Runs that are being put together. */
export interface RunCollector {
  /** Adds an event behind the others of its run. Returns a sentence if it cannot be served; then it was not added. */
  add(protocol: Protocol, raw: Uint8Array, value: JsonObject): string | undefined;
  /** The runs so far, in the order in which they first appeared. */
  runs(): Run[];
}

interface Draft {
  readonly protocol: string;
  readonly key: string;
  readonly fields: Map<string, string>;
  readonly events: RunEvent[];
}

/** A collector without runs. */
export function collectRuns(): RunCollector {
  const drafts = new Map<string, Draft>();
  const fieldsOf = new Map<string, readonly string[]>();
  return {
    add: (protocol, raw, value) => {
      const parts = keyOf(protocol, value);
      if ("missing" in parts) return `It names no stream: ${parts.missing} is not a text.`;
      const event = readEvent(protocol, raw, value);
      if (typeof event === "string") return event;
      const key = parts.join("/");
      const name = JSON.stringify([protocol.id, ...parts]);
      const draft: Draft = drafts.get(name) ?? { protocol: protocol.id, key, fields: new Map(), events: [] };
      drafts.set(name, draft);
      draft.events.push(event);
      const fields = fieldsOf.get(protocol.id) ?? endpointFields(endpointsOf(protocol));
      fieldsOf.set(protocol.id, fields);
      for (const field of fields) {
        const text = draft.fields.has(field) ? undefined : fieldText(value, field);
        if (text !== undefined) draft.fields.set(field, text);
      }
      return undefined;
    },
    runs: () => [...drafts.values()].map((draft) => ({ ...draft, fields: objectFrom(draft.fields) })),
  };
}

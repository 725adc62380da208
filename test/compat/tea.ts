import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";

/** The schema of the event type that every version has by default. */
export const SERVED = "events/tea.served.schema.json";

const BASE_FILES: { readonly [path: string]: JsonObject } = {
  "protocol.json": {
    name: "tea",
    major: 1,
    version: "1.0",
    title: "Tea",
    description: "A small protocol.",
    envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
  },
  "envelope.schema.json": {
    title: "Envelope",
    description: "Around every event.",
    "x-stability": "candidate",
    type: "object",
    properties: {
      type: { type: "string", description: "What happened." },
      id: { type: "string", minLength: 1, description: "Identifier." },
      data: { type: "object", description: "The payload." },
    },
    required: ["type", "id", "data"],
  },
  [SERVED]: {},
};

const EVENT_DEFAULTS: JsonObject = {
  title: "Something about tea",
  description: "Sent when it happens.",
  "x-stability": "candidate",
  "x-since": "1.0",
  type: "object",
};

/**
 * Writes the default files of a protocol with these changes to `<root>/<name>/v<major>`, and returns that folder. A file
 * that is null is not written.
 */
export function writeTea(root: string, changes: ExampleFiles): string {
  const { name, major } = { name: "tea", major: 1, ...changes["protocol.json"] };
  const folder = path.join(root, String(name), `v${major}`);
  for (const file of new Set([...Object.keys(BASE_FILES), ...Object.keys(changes)])) {
    const change = changes[file];
    if (change === null) continue;
    const defaults = file.startsWith("events/") ? EVENT_DEFAULTS : BASE_FILES[file];
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), `${JSON.stringify({ ...defaults, ...change }, null, 2)}\n`);
  }
  return folder;
}

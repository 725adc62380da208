import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";

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
  "events/tea.served.schema.json": {},
};

const EVENT_DEFAULTS: JsonObject = {
  title: "Something about tea",
  description: "Sent when it happens.",
  "x-stability": "candidate",
  "x-since": "1.0",
  type: "object",
};

/** Returns the files of a protocol folder: the default files with the given changes. A file that is null is left out. */
export function createTeaFiles(changes: ExampleFiles): { readonly [path: string]: JsonObject } {
  const names = [...new Set([...Object.keys(BASE_FILES), ...Object.keys(changes)])];
  return Object.fromEntries(
    names.flatMap((name): [string, JsonObject][] => {
      const content = changes[name];
      if (content === null) return [];
      return [[name, { ...BASE_FILES[name], ...(name.startsWith("events/") && EVENT_DEFAULTS), ...content }]];
    }),
  );
}

/** Writes the files to `<root>/tea/v<major>`, and returns that folder. */
export function writeTea(root: string, changes: ExampleFiles): string {
  const files = createTeaFiles(changes);
  const folder = path.join(root, "tea", `v${files["protocol.json"]?.major ?? 1}`);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  }
  return folder;
}

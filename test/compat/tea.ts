import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";

const base: { readonly [path: string]: JsonObject } = {
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

const event: JsonObject = {
  title: "Something about tea",
  description: "Sent when it happens.",
  "x-stability": "candidate",
  "x-since": "1.0",
  type: "object",
};

/** The files of a protocol folder: those of the base with `over` laid over them. */
export function teaFiles(over: ExampleFiles): { readonly [path: string]: JsonObject } {
  const names = [...new Set([...Object.keys(base), ...Object.keys(over)])];
  return Object.fromEntries(
    names.flatMap((name): [string, JsonObject][] => {
      const laid = over[name];
      if (laid === null) return [];
      return [[name, { ...base[name], ...(name.startsWith("events/") && event), ...laid }]];
    }),
  );
}

/** Writes the files below `<root>/tea/v<major>`. */
export function writeTea(root: string, over: ExampleFiles): string {
  const files = teaFiles(over);
  const folder = path.join(root, "tea", `v${files["protocol.json"]?.major ?? 1}`);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  }
  return folder;
}

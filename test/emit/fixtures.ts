import { readdirSync, readFileSync } from "node:fs";
import type { Json } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";

/** The protocols of this repository. */
export const PROTOCOLS: readonly Protocol[] = (await loadSchemas("schemas")).protocols;

/** Reads the valid fixtures of an event type. */
export function readValidFixtures(protocol: Protocol, type: string): Json[] {
  const folder = `fixtures/${protocol.id}/valid/${type}`;
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")));
}

/** Parts of migrations over several versions. */
import type { JsonObject } from "../../../generator/json.js";
import type { UpcastStep } from "../../../generator/protocol/upcast.js";
import { SERVED } from "../../compat/tea.js";
import type { Version } from "./migration.js";

export const number = { type: "number", description: "A number." };
export const event = (major: number, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  properties,
  "x-since": `${major}.0`,
  ...more,
});
export const events = (
  files: { readonly [type: string]: JsonObject },
  properties: JsonObject = {},
): Version => ({
  properties,
  files: {
    [SERVED]: null,
    ...Object.fromEntries(Object.entries(files).map(([type, each]) => [`events/${type}.schema.json`, each])),
  },
});
export const of = (properties: JsonObject, steps?: readonly UpcastStep[]): Version => ({
  properties,
  ...(steps && { steps }),
});
export const move = (from: string, to: string): UpcastStep => ({ step: "move", from, to });
export const scale = (place: string, by: number): UpcastStep => ({ step: "scale", at: place, by });
export const writeTime = (value: unknown): string => new Date(Number(value)).toISOString();

import type { JsonObject } from "../json.js";

/** A stream of the fixtures, and the name of its file. */
export interface FixtureStream {
  readonly id: string;
  readonly events: readonly JsonObject[];
}

/** Where each protocol's streams are found: below `/<name>/v<major>`, in the form that its documents describe. */
import { own } from "../json.js";
import type { Protocol } from "./protocol.js";

/** The paths of one protocol's streams. */
export interface Endpoints {
  /** Path of one stream below the protocol's; `{field}` stands for an envelope field. */
  readonly run: string;
  /** Envelope fields by which the feed across streams can be filtered. */
  readonly filters: readonly string[];
}

/** Protocols whose documents say how their streams are found. Each other one has the general form. */
const DOCUMENTED: { readonly [protocol: string]: Endpoints } = {
  "hecate/v1": { run: "tasks/{task_id}/runs/{run_id}", filters: ["task_id"] },
  "frames/v1": { run: "sessions/{session_id}", filters: ["session_id"] },
};

/** What every list of events takes, whatever it is a list of: no filter can have such a name. */
const PARAMETERS: readonly string[] = ["after_sequence", "event_type", "limit"];

/** The paths of a protocol's streams. */
export function endpointsOf({ id, stream }: Pick<Protocol, "id" | "stream">): Endpoints {
  const key = stream?.key ?? [];
  const parts = key.length === 0 ? ["all"] : key.map((field) => `{${field}}`);
  return (
    own(DOCUMENTED, id) ?? {
      run: ["streams", ...parts].join("/"),
      filters: key.filter((name) => !PARAMETERS.includes(name)),
    }
  );
}

/** The names of the envelope fields in the path of one stream. */
export function pathFields({ run }: Endpoints): string[] {
  return [...run.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
}

/** The names of the envelope fields that paths and filters use. */
export function endpointFields(endpoints: Endpoints): string[] {
  return [...new Set([...pathFields(endpoints), ...endpoints.filters])];
}

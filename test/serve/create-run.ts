/** Creates runs of hecate for tests of the page. */
import { type Run, readEvent } from "../../generator/serve/run.js";
import { PROTOCOLS } from "./start.js";

/** The id of the runs. */
export const RUN = "run_01KQPNTT2RZW040CA11XDDDE4M";

/** Creates a run of hecate from the types and the payloads of its events, one every 100 milliseconds. */
export function createRun(...events: readonly (readonly [type: string, data: unknown])[]): Run[] {
  const protocol = PROTOCOLS.find(({ id }) => id === "hecate/v1");
  if (protocol === undefined) throw new Error("no protocol hecate/v1");
  const read = ([type, data]: (typeof events)[number], sequence: number) => {
    const occurred_at = new Date(Date.UTC(2026, 0, 1) + sequence * 100).toISOString();
    const event = {
      schema_version: "1",
      event_id: `evt_01KQPNTYZ078KC0JSFASW9A2${String(sequence).padStart(2, "0")}`,
      run_id: RUN,
      sequence,
      occurred_at,
      type,
      data,
    };
    const result = readEvent(protocol, Buffer.from(JSON.stringify(event)), event as never);
    if (typeof result === "string") throw new Error(result);
    return result;
  };
  return [{ protocol: "hecate/v1", key: RUN, fields: { run_id: RUN }, events: events.map(read) }];
}

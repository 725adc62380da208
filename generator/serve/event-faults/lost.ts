import type { GapMarker } from "../../protocol/stream-rules.js";
import { type EventFault, examplePayload, type FaultTools, synthetic } from "./tools.js";

/** `drop`: events are missing. */
export const drop: EventFault = (events, { happens }) => events.filter((_, index) => !happens(index));

/** `pruned-start`: the marker takes the place and the number of the last event that is gone. */
export const prunedStart: EventFault = (events, tools) => {
  const gone = Math.min(tools.option("count"), events.length - 1);
  const [first, last, marked] = [events[0], events[gone - 2], events[gone - 1]];
  if (gone < 1 || !marked) return events;
  const rest = events.slice(gone);
  const marker = gapsOf(tools).find((gap) => gap.first !== undefined && gap.last !== undefined);
  if (!marker?.first || !marker.last || first?.sequence === undefined || last?.sequence === undefined)
    return rest;
  const { type } = marker;
  const range = { [marker.first]: first.sequence, [marker.last]: last.sequence };
  const payload = { ...examplePayload(tools.protocol, type), ...range };
  return [synthetic(tools, marked, { type, payload, sequence: marked.sequence }), ...rest];
};

/** `late-gap`: one more event behind the last. */
export const lateGap: EventFault = (events, tools) => {
  const type = gapsOf(tools).find((gap) => gap.first === undefined)?.type;
  const last = events.at(-1);
  if (type === undefined || !last) return events;
  const sequence = last.sequence === undefined ? undefined : last.sequence + 1;
  const payload = examplePayload(tools.protocol, type);
  return [...events, synthetic(tools, last, { type, payload, sequence })];
};

/** The markers that the protocol declares. */
function gapsOf({ protocol }: FaultTools): readonly GapMarker[] {
  return protocol.stream?.rules?.gaps ?? [];
}

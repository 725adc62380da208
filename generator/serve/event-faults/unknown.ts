import type { Protocol } from "../../protocol/protocol.js";
import { type EventFault, edited, payloadPath, type Slot, settle, synthetic } from "./tools.js";

const PAYLOAD = { note: "from a newer release", detail: { level: 1, tags: ["new", "🆕"] } };

/** `unknown-type`: an event of a new type before each place, but none before an event that has to come first. */
export const unknownType: EventFault = (events, tools) => {
  const type = undeclared(tools.protocol);
  const openings = new Set(tools.protocol.stream?.rules?.openings?.map((opening) => opening.type));
  const slots = events.flatMap((event, index): Slot[] =>
    index > 0 && !openings.has(event.type) && tools.happens(index)
      ? [(sequence) => synthetic(tools, event, { type, payload: PAYLOAD, sequence }), event]
      : [event],
  );
  return settle(slots, tools);
};

/** `unknown-field`: a new field in the envelope and one in the payload. */
export const unknownField: EventFault = (events, { protocol, happens }) =>
  events.map((event, index) => {
    if (!happens(index)) return event;
    const path = payloadPath(protocol, event.type);
    const paths = [["future_field"], ...(path && path.length > 0 ? [[...path, "future_field"]] : [])];
    return edited(
      protocol,
      event,
      paths.map((one) => [one, PAYLOAD]),
    );
  });

/** A name that the protocol does not declare. */
function undeclared({ events }: Protocol): string {
  let name = "future_event";
  while (events.some(({ type }) => type === name)) name += "_x";
  return name;
}

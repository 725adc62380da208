import { type EventFault, edited, payloadOf, payloadPath } from "./tools.js";

const ARTIFACT = /(^|_)artifact(s|_ids?|_refs)$/;

/** `missing-artifacts`: references to artifacts are gone where readers must do without them. */
export const missingArtifacts: EventFault = (events, { protocol, happens, accepts }) =>
  events.map((event, index) => {
    const path = payloadPath(protocol, event.type);
    if (!path || !happens(index)) return event;
    let changed = event;
    for (const name of Object.keys(payloadOf(protocol, event)).filter((name) => ARTIFACT.test(name))) {
      const without = edited(protocol, changed, [[[...path, name], undefined]]);
      if (accepts(JSON.parse(Buffer.from(without.raw).toString("utf8")))) changed = without;
    }
    return changed;
  });

/** `large-chunk`: the last piece of output is that large. It is the last so that no later byte offset is wrong. */
export const largeChunk: EventFault = (events, { protocol, targets, option }) => {
  const index = events.findLastIndex(({ type }) => targets.chunks?.[type] !== undefined);
  const event = events[index];
  const field = targets.chunks?.[event?.type ?? ""];
  const path = event && payloadPath(protocol, event.type);
  if (!event || field === undefined || !path) return events;
  const old = payloadOf(protocol, event)[field];
  const text = typeof old === "string" && old !== "" ? old : "a line of output ✅\n";
  const large = text.repeat(Math.ceil(option("bytes") / Buffer.byteLength(text)));
  return events.with(index, edited(protocol, event, [[[...path, field], large]]));
};

import { type EventFault, edited, freshId, payloadOf, payloadPath, type Slot, settle } from "./tools.js";

/**
 * `interleave`: each event of a tool call is followed by the same event of a second call with an id of its own. Calls
 * with events of other kinds, such as edits with their artifacts, are left alone: those could not happen twice.
 */
export const interleave: EventFault = (events, tools) => {
  const { protocol, targets, happens, words } = tools;
  const { key: field, types } = targets.calls ?? { key: "", types: [] };
  const ids = events.map((event) => payloadOf(protocol, event)[field]);
  const calls = [...new Set(ids.filter((id) => typeof id === "string"))];
  const whole = calls.filter((id) =>
    events.every((event, at) => ids[at] !== id || types.includes(event.type)),
  );
  const chosen = new Set(whole.filter((_, ordinal) => happens(ordinal)));
  const slots = events.flatMap((event, index): Slot[] => {
    const id = ids[index];
    const path = payloadPath(protocol, event.type);
    if (typeof id !== "string" || !path || !chosen.has(id)) return [event];
    const twin = (sequence: number | undefined) =>
      edited(protocol, event, [
        [[...path, field], freshId(id, ...words)],
        ...(protocol.stream?.sequence && sequence !== undefined
          ? [[[protocol.stream.sequence], sequence] as const]
          : []),
        ...(protocol.stream?.id && event.id !== undefined
          ? [[[protocol.stream.id], freshId(event.id, ...words, index)] as const]
          : []),
      ]);
    return [event, twin];
  });
  return settle(slots, tools);
};

/** Findings about the place of single events in their stream, as `createReader` determines it. */
import { defineFinding } from "../stream-rule.js";

/** A repeated id with other content. */
export const eventConflict = defineFinding({
  id: "event-conflict",
  summary: "an id occurs again with different content",
  explanation:
    'Readers drop an event whose id they know, so they never see the second content, and its number counts as missing. The same id with the same bytes is a redelivery and allowed. With "idScope": "protocol", an event of another stream must not have the id either.',
  hint: "Never change an event that was sent. Send another event with its own id.",
});

/** A repeated id with the same content. */
export const eventRepeated = defineFinding({
  id: "event-repeated",
  summary: "an event was delivered again",
  explanation:
    "This is allowed: a live feed delivers each event at least once. An example stream needs each event only once, so this is a note.",
  hint: "Ignore it for a feed. Remove the repetition from an example stream.",
  severity: { reader: "off", writer: "note" },
});

/** A new event whose number is not above the last one. */
export const sequenceLate = defineFinding({
  id: "sequence-late",
  summary: "a new event has a sequence number that is not above the last one",
  explanation:
    "Readers resume after the highest number that they have seen, so they would never receive this event again. Numbers rise within a stream; different streams are independent.",
  hint: "Send events in the order of their numbers, and use each number once.",
});

/** A new event that may be a redelivery. */
export const sequenceUncertain = defineFinding({
  id: "sequence-uncertain",
  summary: "an old sequence number occurs, and its id may have been forgotten",
  explanation:
    "The event is either a redelivery, which is allowed, or late. The window of remembered ids is too small to decide.",
  hint: "Check the whole stream at once, or without the redelivery.",
  severity: { reader: "note", writer: "warning" },
});

/** A limit that makes the check incomplete. */
export const limitReached = defineFinding({
  id: "stream-limit-reached",
  summary: "a stream, or the number of streams, is too large for a full check",
  explanation:
    "Memory is bounded, so the oldest state is dropped in favour of new events. Violations that depend on the dropped state are not found. There are no false findings.",
  hint: "Check fewer streams at once, for example one per file, or use accrete audit, which has no such limit.",
  severity: { reader: "note", writer: "warning" },
});

/** The findings that need no declaration, in the order in which they are shown. */
export const DELIVERY_FINDINGS = [
  sequenceLate,
  sequenceUncertain,
  eventConflict,
  eventRepeated,
  limitReached,
] as const;

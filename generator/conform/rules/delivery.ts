/** Rules about the place of single events in their stream, as the reader of `accrete/stream` found it. */
import { defineFinding } from "../stream-rule.js";

/** A repeated id with other content. */
export const eventConflict = defineFinding({
  id: "event-conflict",
  summary: "an id comes again with other content",
  explanation:
    "Readers drop an event whose id they have seen, so they never learn of the second content. The same id with the same bytes is a redelivery and no breach.",
  hint: "Never change an event that was sent; send another event with an id of its own.",
  severity: { reader: "error", writer: "error" },
});

/** A repeated id with the same content. */
export const eventRepeated = defineFinding({
  id: "event-repeated",
  summary: "an event was delivered again",
  explanation:
    "Legal: a live feed delivers at least once. Worth a note in a golden stream, which needs each event once.",
  hint: "Nothing to do for a feed; drop the repetition from a golden stream.",
  severity: { reader: "off", writer: "note" },
});

/** A new event whose number is not above the last one. */
export const sequenceLate = defineFinding({
  id: "sequence-late",
  summary: "a new event has a number that is not above the last one",
  explanation:
    "Readers resume after the highest number they have seen, and would never be sent this one again. Numbers only rise within a stream; different streams are independent.",
  hint: "Send events in the order of their numbers, and give each number once.",
  severity: { reader: "error", writer: "error" },
});

/** A new event that may be a redelivery. */
export const sequenceUncertain = defineFinding({
  id: "sequence-uncertain",
  summary: "an old number comes whose id would have been forgotten",
  explanation:
    "The event is either a legal redelivery or late; the window of remembered ids is too small to tell.",
  hint: "Check the stream in one piece, or without the redelivery.",
  severity: { reader: "note", writer: "warning" },
});

/** A limit that makes the check incomplete. */
export const limitReached = defineFinding({
  id: "stream-limit-reached",
  summary: "a stream, or the number of streams, is too large for a full check",
  explanation:
    "Memory is bounded: what was first followed is given up for what comes now. Breaches that need what was given up are not found; none is invented.",
  hint: "Check fewer streams at once, for instance one file for each.",
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

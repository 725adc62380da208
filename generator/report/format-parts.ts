/** Formats parts of findings as text, for several reporters. */
import type { Finding, Location } from "../finding.js";
import type { Json } from "../json.js";
import { sanitizeLine } from "../text.js";

/** The maximum number of characters of an event that are printed. */
const MAX_CHARACTERS = 1000;

/** A finding, with the event types and resources that it is about if it comes from a comparison. */
interface ReportedFinding extends Finding {
  readonly events?: readonly string[];
  readonly resources?: readonly string[];
}

/** Returns lines for the events, or values of a resource, that prove a finding. Long events are cut. */
export function formatWitnesses(finding: ReportedFinding): string[] {
  const { witness, opposite, stream = [], events: types = [], resources = [] } = finding;
  const { breaks = [], differences = [] } = finding;
  const label = types.length === 0 && resources.length > 0 ? "value" : "event";
  const events = [witness, opposite].flatMap((each) =>
    each === undefined ? [] : [`${label} ${shortenLine(each)}`],
  );
  return [
    ...events,
    ...breaks.map((phrase) => `breaks ${sanitizeLine(phrase)}`),
    ...differences.map((schema) => `difference ${sanitizeLine(JSON.stringify(schema))}`),
    ...stream.map((each, index) => `${index === 0 ? "stream" : "      "} ${shortenLine(each)}`),
  ];
}

function shortenLine(witness: Json): string {
  const event = JSON.stringify(witness);
  if (event.length <= MAX_CHARACTERS) return sanitizeLine(event);
  return `${sanitizeLine(event.slice(0, MAX_CHARACTERS))}… (${event.length} characters; --format json prints all)`;
}

/** Returns `file:line:column`, as far as known, which editors and terminals turn into a link. */
export function formatLocation({ file, line, column }: Location): string {
  return [sanitizeLine(file), line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
}

/** Returns the message, after the pointer if it begins with "must", for reports that do not show pointers. */
export function formatMessageWithPointer({ message, at }: Pick<Finding, "message" | "at">): string {
  return message.startsWith("must ") && at.pointer !== "" ? `${at.pointer} ${message}` : message;
}

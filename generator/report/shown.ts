/** Parts of findings as lines of text. */
import type { Finding, Location } from "../finding.js";
import type { Json } from "../json.js";
import { printable } from "./printable.js";

/** How much of an event fits a screen. */
const MOST = 1000;

/** Returns a line for each event that proves a finding, cut where it fills more than a screen. */
export function witnessLines({ witness, opposite, stream = [] }: Finding): string[] {
  const events = [witness, opposite].flatMap((each) => (each === undefined ? [] : [`event ${shown(each)}`]));
  return [...events, ...stream.map((each, index) => `${index === 0 ? "stream" : "      "} ${shown(each)}`)];
}

function shown(witness: Json): string {
  const event = JSON.stringify(witness);
  if (event.length <= MOST) return printable(event);
  return `${printable(event.slice(0, MOST))}… (${event.length} characters; --format json prints all)`;
}

/** Returns `file:line:column`, as far as it is known: what editors and terminals make a link of. */
export function shownPlace({ file, line, column }: Location): string {
  return [printable(file), line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
}

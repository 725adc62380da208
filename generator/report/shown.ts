/** Parts of findings as lines of text. */
import type { Finding, Location } from "../finding.js";
import { printable } from "./printable.js";

/** How much of an event fits a screen. */
const MOST = 1000;

/** Returns the event that shows a break as one line, cut where it fills more than a screen. */
export function shownWitness(witness: Exclude<Finding["witness"], undefined>): string {
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

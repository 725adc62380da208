/** Finds steps that nobody declared but that the contracts make likely, so that a person can confirm them. */
import type { Change } from "../compat/change.js";
import { alignProtocols } from "../compat/diff/align.js";
import { findRenames } from "../compat/renames/event-renames.js";
import { FIELD_RULES } from "../compat/rules/fields.js";
import { createUnlocatedSide } from "../compat/side.js";
import { listPlaces } from "../protocol/step-places.js";
import type { UpcastQuestion } from "./certify-plan.js";
import { findNewType } from "./upcast-event.js";

/** Returns suspected renames and moves that no step carries out, as sentences. */
export function suggestSteps({ from, to, steps }: UpcastQuestion): string[] {
  // Fields are compared below event types of the same name, so renamed types get their new names first.
  const events = from.events.map((event) => ({ ...event, type: findNewType(event.type, steps) }));
  const [before, after] = [createUnlocatedSide({ ...from, events }), createUnlocatedSide(to)];
  const renames = findRenames(alignProtocols(before, after), before, after);
  const known = new Set(steps.flatMap(listPlaces));
  const fields = renames.changes.flatMap((change) =>
    isSuspected(change) ? describeFields(change, known) : [],
  );
  const types = renames.events
    .filter(({ declared }) => !declared)
    .map(({ from: old, to: now }) => {
      const [oldNames, newNames] = [[old].flat().join(" and "), [now].flat().join(" and ")];
      return `${oldNames} may be ${newNames} now. If so, declare x-renamed-from, or a step rename-type of upcasts.`;
    });
  return [...new Set([...types, ...fields])];
}

function isSuspected({ rule, rename }: Change): boolean {
  return (
    (rule === FIELD_RULES["field-renamed"] && rename?.declared === false) ||
    rule === FIELD_RULES["field-moved"]
  );
}

function describeFields({ from, to, places, rule }: Change, known: ReadonlySet<string>): string[] {
  // A move states the places themselves.
  const locate = (path: string, name: unknown): string =>
    rule === FIELD_RULES["field-moved"] ? String(name) : `${path}/${name}`;
  const unknownPlaces = places.filter(
    ({ path }) => !known.has(locate(path, from)) && !known.has(locate(path, to)),
  );
  const holders = [...new Set(unknownPlaces.map(({ event }) => (event === "" ? "the envelope" : event)))];
  if (holders.length === 0) return [];
  const repair =
    rule === FIELD_RULES["field-moved"]
      ? "a step move of upcasts"
      : "x-renamed-from, or a step move of upcasts";
  return [`${from} of ${holders.join(", ")} may be ${to} now. If so, declare ${repair}.`];
}

/** Finds declared steps that change no event of the earlier version. */
import { formatCanonicalJson, toJson } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { listPlacesOf, listStepPlaces } from "../protocol/step-places.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import { collectSites } from "./collect-sites.js";
import { listOldPlaces } from "./ledger.js";
import { matchPlace } from "./match-place.js";
import type { Gap } from "./planned-step.js";

/** Returns the declared steps of which no event type of the earlier version has a place, each with that place. */
export function findIdleSteps(from: Protocol, steps: readonly UpcastStep[]): Gap[] {
  return steps.flatMap((step, index): Gap[] => {
    const events = from.events.filter(
      ({ type }) => step.types === undefined || matchesType(step.types, type),
    );
    const places = listStepPlaces(step).filter(({ use }) => use !== "puts");
    const idle = places.find(
      ({ pointer }) =>
        !events.some((event) => mayHaveValue({ from, event, earlier: steps.slice(0, index), step }, pointer)),
    );
    if (idle === undefined || events.length === 0) return [];
    const { pointer: place } = idle;
    const reason = `no event of ${from.id} has ${place} when this step is carried out; steps of upcasts come before renames.`;
    return [{ type: "", place, statement: `step ${formatCanonicalJson(toJson(step))}`, reason }];
  });
}

/** A step on events of a type, with the declared steps before it. */
interface StepQuestion {
  readonly from: Protocol;
  readonly event: EventType;
  readonly earlier: readonly UpcastStep[];
  readonly step: UpcastStep;
}

/** Returns whether an event may have a value at a place of a step. */
function mayHaveValue(question: StepQuestion, place: string): boolean {
  const { from, event, earlier, step } = question;
  const leadsTo = (path: string) => matchPlace(place, step.through ?? [], path) !== undefined;
  const isPut = earlier
    .flatMap((each) => listPlacesOf(each, "puts"))
    .some((put) => `${place}/`.startsWith(`${put}/`) || `${put}/`.startsWith(`${place}/`));
  if (place === "" || isPut || listOldPlaces(from, event).some((each) => leadsTo(each.place))) return true;
  const parent = place.slice(0, place.lastIndexOf("/"));
  const holders = collectSites(from, event).list.filter(
    ({ path }) => matchPlace(parent, step.through ?? [], path)?.rest.length === 0,
  );
  // Nothing is known about the fields of an object that the schema does not describe.
  return holders.length === 0
    ? mayHaveValue(question, parent)
    : holders.every(({ fields }) => fields.length === 0);
}

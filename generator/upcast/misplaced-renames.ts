/** Finds renames after which a value would stand under the name of another field, and those whose field stands elsewhere. */
import { joinPointer, splitPointer } from "../json.js";
import { listPlacesOf } from "../protocol/step-places.js";
import { matchesType } from "../protocol/upcast.js";
import { collectSites } from "./collect-sites.js";
import { createLedger, type LedgerEntry, listOldPlaces } from "./ledger.js";
import type { EventPair, Gap, PlannedStep } from "./planned-step.js";
import { dropDepths } from "./site-conditions.js";

/** Returns values that would stand under the name of another field, and renames whose field the earlier version has elsewhere. */
export function findMisplacedRenames(pairs: readonly EventPair[], steps: readonly PlannedStep[]): Gap[] {
  const [first] = pairs;
  if (first === undefined) return [];
  const { entries, gaps } = createLedger(first, steps, new Set());
  return [...gaps, ...pairs.flatMap((pair) => findElsewhere(pair, steps, entries))];
}

/** Returns the renames that no step carries out, if readers ignore a value of the earlier version with the former name. */
function findElsewhere(
  { from, event, to, target }: EventPair,
  steps: readonly PlannedStep[],
  entries: readonly LedgerEntry[],
): Gap[] {
  const ignored = entries.filter(
    ({ type, fate, isConditional }) => type === event.type && fate === "unread" && !isConditional,
  );
  const olds = new Set(listOldPlaces(from, event).map(({ place }) => dropDepths(place)));
  const own = steps.filter(({ step: { types } }) => types === undefined || matchesType(types, event.type));
  return collectSites(to, target).list.flatMap((site) =>
    site.fields.flatMap(({ name, renamedFrom }): Gap[] => {
      const place = joinPointer(dropDepths(site.path), name);
      const statement = `x-renamed-from of ${name}`;
      const found = ignored.find((each) => splitPointer(each.place).at(-1) === renamedFrom);
      const isCarriedOut = own.some(
        ({ step, reason }) =>
          reason === statement || listPlacesOf(step, "puts").some((put) => dropDepths(put) === place),
      );
      if (found === undefined || isCarriedOut || olds.has(place)) return [];
      const reason = `the earlier version has ${renamedFrom} at ${found.place}; declare a step move, or a tombstone of it.`;
      return [{ type: event.type, place, statement, reason }];
    }),
  );
}

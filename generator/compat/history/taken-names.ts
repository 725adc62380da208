import type { Change, Occurrence } from "../change.js";
import type { Name } from "./released-names.js";

/** What a name is known by. */
export type NameKey = Pick<Name, "kind" | "event" | "path" | "name">;

/** The names that a change may take away: of several places and several names every combination; none for other changes. */
export function takenNames({ kind, name, from, rename, occurrences }: Change): NameKey[] {
  const old = rename?.members?.map(([each]) => each) ?? [from ?? name].flat().map(String);
  const at = (each: (place: Occurrence, name: string) => NameKey): NameKey[] =>
    occurrences.flatMap((place) => old.map((one) => each(place, one)));
  if (/^event-(removed|renamed|split|merged)/.test(kind))
    return occurrences.map(({ event }) => ({ kind: "event", event, path: "", name: event }));
  if (/^enum-value-(removed|renamed)/.test(kind))
    return at(({ event, path }, one) => ({ kind: "value", event, path, name: one }));
  if (kind === "field-moved")
    return at(({ event }, one) => {
      const end = one.lastIndexOf("/");
      return { kind: "field", event, path: one.slice(0, end), name: one.slice(end + 1) };
    });
  return /^field-(removed|renamed)/.test(kind)
    ? at(({ event, path }, one) => ({ kind: "field", event, path, name: one }))
    : [];
}

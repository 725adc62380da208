/** Groups renames of fields that follow one pattern: `*_ms` → `*_seconds`, snake_case → camelCase. */
import type { Change } from "../change.js";
import { sortPlaces } from "../group.js";
import { FIELD_RULES } from "../rules/fields.js";
import { type Family, findFamilies } from "./families.js";

/** The least number of fields in a family. Fewer renames are reported one by one. */
const MIN_FIELDS = 3;

/** A change and the changes that it combines: those of a family, or only itself. */
export interface ChangeGroup {
  readonly change: Change;
  readonly parts: readonly Change[];
}

/** Groups renames and moves of fields by pattern; every other change stays alone. */
export function groupRenameFamilies(changes: readonly Change[]): ChangeGroup[] {
  const families = [FIELD_RULES["field-renamed"], FIELD_RULES["field-moved"]].flatMap((rule) =>
    [true, false].flatMap((declared) => {
      const members = changes.filter((each) => each.rule === rule && isDeclared(each) === declared);
      return findFamilies(members, getNames, MIN_FIELDS).families;
    }),
  );
  const inFamilies = new Set(families.flatMap(({ members }) => members));
  const single = changes.filter((change) => !inFamilies.has(change));
  return [...single.map((change) => ({ change, parts: [change] })), ...families.flatMap(combineFamily)];
}

function isDeclared({ rename }: Change): boolean {
  return rename?.declared ?? false;
}

function getNames({ from, to }: Change) {
  return { from: String(from), to: String(to) };
}

/** Returns one change for a family. */
function combineFamily({ from, to, members }: Family<Change>): ChangeGroup[] {
  const parts = [...members].sort((a, b) => (String(a.from) < String(b.from) ? -1 : 1));
  const [first] = parts;
  if (!first) return [];
  const rename = {
    declared: isDeclared(first),
    score: Math.min(...parts.map((each) => each.rename?.score ?? 100)),
    ties: parts.flatMap((each) => each.rename?.ties ?? []),
    members: parts.map((each) => [String(each.from), String(each.to)] as const),
  };
  const places = sortPlaces(parts.flatMap((each) => each.places));
  return [{ change: { ...first, name: from, from, to, rename, places }, parts }];
}

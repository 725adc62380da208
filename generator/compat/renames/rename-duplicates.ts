import { canonical, isObject, type Json } from "../../json.js";
import type { Change, Rule } from "../change.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { SubjectRename } from "./event-renames.js";

/** Returns a key of a finding by which the opposite finding about another name is found. */
function createRequirementKey(id: string, { name, places: [first] }: Change): string {
  return canonical([id, name, first?.event ?? "", first?.path ?? ""]);
}

const OPPOSITES: ReadonlyMap<Rule, Rule> = new Map<Rule, Rule>([
  [FIELD_RULES["field-became-required"], FIELD_RULES["field-became-optional"]],
  [FIELD_RULES["field-became-optional"], FIELD_RULES["field-became-required"]],
]);

/** Drops changes that only repeat renames of fields or of `events`. */
export function dropRenameDuplicates(changes: readonly Change[], events: readonly SubjectRename[]): Change[] {
  const fields = new Map(
    changes.flatMap(({ rule, from, to }) =>
      rule === FIELD_RULES["field-renamed"] ? [[String(from), String(to)] as const] : [],
    ),
  );
  const before = new Map([...fields].map(([old, now]) => [now, old]));
  const types = events.flatMap(({ members }) => members.map(([old, now]) => [old.type, now.type] as const));
  const renames = new Map([...fields, ...types]);
  const requirements = new Set(changes.map((change) => createRequirementKey(change.rule.id, change)));
  const isDuplicate = (change: Change): boolean => {
    const { rule, name, from = null, to = null } = change;
    if (rule.mayRepeatRename)
      return canonical(applyRenames(from, renames)) === canonical(applyRenames(to, renames));
    // If an alternative required the old name and requires the new one, both findings about it repeat the rename.
    const other = fields.get(name) ?? before.get(name);
    const opposite = OPPOSITES.get(rule);
    if (other === undefined || opposite === undefined) return false;
    return requirements.has(createRequirementKey(opposite.id, { ...change, name: other }));
  };
  return renames.size === 0 ? [...changes] : changes.filter((change) => !isDuplicate(change));
}

/** Returns the value with the new names, lists sorted, because the order of names makes no difference. */
function applyRenames(value: Json, renames: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return renames.get(value) ?? value;
  if (Array.isArray(value))
    return value
      .map((each) => applyRenames(each, renames))
      .sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [renames.get(name) ?? name, applyRenames(each, renames)]),
  );
}

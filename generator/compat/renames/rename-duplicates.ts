import { formatCanonicalJson, isObject, type Json } from "../../json.js";
import type { Change, Rule } from "../change.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { SubjectRename } from "./event-renames.js";

/** Returns a key of a change: its rule, its name and its place. */
function createChangeKey(id: string, { name, places: [first] }: Change): string {
  return formatCanonicalJson([id, name, first?.event ?? "", first?.path ?? ""]);
}

/** The rules for opposite changes of required fields. */
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
  const oldNames = new Map([...fields].map(([old, now]) => [now, old]));
  const types = events.flatMap(({ members }) => members.map(([old, now]) => [old.type, now.type] as const));
  const renames = new Map([...fields, ...types]);
  const keys = new Set(changes.map((change) => createChangeKey(change.rule.id, change)));
  const isDuplicate = (change: Change): boolean => {
    const { rule, name, from = null, to = null } = change;
    if (rule.mayRepeatRename)
      return (
        formatCanonicalJson(applyRenames(from, renames)) === formatCanonicalJson(applyRenames(to, renames))
      );
    // If an alternative required the old name and requires the new one, both changes repeat the rename.
    const otherName = fields.get(name) ?? oldNames.get(name);
    const opposite = OPPOSITES.get(rule);
    if (otherName === undefined || opposite === undefined) return false;
    return keys.has(createChangeKey(opposite.id, { ...change, name: otherName }));
  };
  return renames.size === 0 ? [...changes] : changes.filter((change) => !isDuplicate(change));
}

/** Returns the value with the new names. Sorts lists, because the order of names makes no difference. */
function applyRenames(value: Json, renames: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return renames.get(value) ?? value;
  if (Array.isArray(value))
    return value
      .map((each) => applyRenames(each, renames))
      .sort((a, b) => (formatCanonicalJson(a) < formatCanonicalJson(b) ? -1 : 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [renames.get(name) ?? name, applyRenames(each, renames)]),
  );
}

import { canonical, isObject, type Json } from "../../json.js";
import type { Change } from "../change.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { SubjectRename } from "./event-renames.js";

function needKey(id: string, { name, occurrences: [first] }: Change): string {
  return canonical([id, name, first?.event ?? "", first?.path ?? ""]);
}

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
  const needs = new Set(changes.map((change) => needKey(change.rule.id, change)));
  const isDuplicate = (change: Change): boolean => {
    const { rule, name, from = null, to = null } = change;
    if (rule.mayRepeatRename)
      return canonical(applyRenames(from, renames)) === canonical(applyRenames(to, renames));
    // An alternative requires the new name as it required the old one.
    const other = fields.get(name) ?? before.get(name);
    if (
      other === undefined ||
      (rule !== FIELD_RULES["field-became-required"] && rule !== FIELD_RULES["field-became-optional"])
    )
      return false;
    const opposite =
      rule === FIELD_RULES["field-became-required"]
        ? FIELD_RULES["field-became-optional"]
        : FIELD_RULES["field-became-required"];
    return needs.has(needKey(opposite.id, { ...change, name: other }));
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

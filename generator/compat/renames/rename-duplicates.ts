import { canonical, isObject, type Json } from "../../json.js";
import type { Change } from "../change.js";
import type { EventRename } from "./event-renames.js";

/** What names fields without being one: such a change may say no more than that a field has another name. */
const NAMING = new Set(["condition-changed", "writer-rule-changed"]);

const OPPOSITE = new Map([
  ["field-became-required", "field-became-optional"],
  ["field-became-optional", "field-became-required"],
]);

function need({ kind, name, occurrences: [first] }: Change): string {
  return canonical([kind, name, first?.event ?? "", first?.path ?? ""]);
}

/** `changes` without those that only repeat what renames say, of fields among them or of `events`. */
export function withoutEchoes(changes: readonly Change[], events: readonly EventRename[]): Change[] {
  const fields = new Map(
    changes.flatMap(({ kind, from, to }) =>
      kind === "field-renamed" ? [[String(from), String(to)] as const] : [],
    ),
  );
  const before = new Map([...fields].map(([old, now]) => [now, old]));
  const types = events.flatMap(({ members }) => members.map(([old, now]) => [old.type, now.type] as const));
  const renames = new Map([...fields, ...types]);
  const needs = new Set(changes.map(need));
  const isEcho = (change: Change): boolean => {
    const { kind, name, from = null, to = null } = change;
    if (NAMING.has(kind)) return canonical(renamed(from, renames)) === canonical(renamed(to, renames));
    // What an alternative required under the old name it requires under the new one.
    const other = fields.get(name) ?? before.get(name);
    const opposite = OPPOSITE.get(kind);
    return (
      other !== undefined &&
      opposite !== undefined &&
      needs.has(need({ ...change, kind: opposite, name: other }))
    );
  };
  return renames.size === 0 ? [...changes] : changes.filter((change) => !isEcho(change));
}

/** `value` with the new names, sorted: where a name stands in a list of names makes no difference. */
function renamed(value: Json, renames: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return renames.get(value) ?? value;
  if (Array.isArray(value))
    return value.map((each) => renamed(each, renames)).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [renames.get(name) ?? name, renamed(each, renames)]),
  );
}

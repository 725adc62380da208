import type { Json } from "../json.js";
import type { Change } from "./change.js";
import { listSubjectNames, parseResourceKey } from "./subjects.js";

const MAX_NAMES = 3;

/** Formats a list: `"a"`, `"a" and "b"`, `"a", "b" and 3 more`. */
export function quoteList(values: Json | undefined): string {
  const list = (Array.isArray(values) ? values : values === undefined ? [] : [values]).map((each) =>
    JSON.stringify(each),
  );
  const [shown, more] = [list.slice(0, MAX_NAMES), list.length - MAX_NAMES];
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** Describes where a change is: `tea.served`, `every event`, `tea.served and 4 more event types`, `the resource tea-list`. */
export function describePlaces({ occurrences }: Change): string {
  const { events, resources } = listSubjectNames(occurrences.map(({ event }) => event));
  const places = [
    ...(events.length > 0 ? [events.includes("*") ? "every event" : shortenList(events, "event types")] : []),
    ...(resources.length > 0
      ? [`the ${resources.length === 2 ? "resources" : "resource"} ${shortenList(resources, "resources")}`]
      : []),
  ];
  return places.length === 0 ? "the protocol" : places.join(" and ");
}

function shortenList(names: readonly string[], things: string): string {
  const [first = "", second] = names;
  if (second === undefined) return first;
  return `${first} and ${names.length === 2 ? second : `${names.length - 1} more ${things}`}`;
}

/** Describes the place of a change's value: `/data/cups`. */
function describePath({ occurrences: [first] }: Change): string {
  if (first !== undefined && first.path !== "") return first.path;
  return first !== undefined && parseResourceKey(first.event) !== undefined ? "the whole value" : "the event";
}

/** Describes where a change is, with the place of its value: `tea.served: /data/cups`. */
export function describeValue(change: Change): string {
  return `${describePlaces(change)}: ${describePath(change)}`;
}

/** Formats both values of a change as JSON: `"a" → "b"`. */
export function formatFromTo({ from, to }: Change): string {
  return `${JSON.stringify(from ?? null)} → ${JSON.stringify(to ?? null)}`;
}

/** Returns the word for a message of the change's first place. */
export function getMessageNoun({ occurrences: [first] }: Change): string {
  const resource = parseResourceKey(first?.event ?? "");
  return resource === undefined ? "an event" : "a value";
}

/** Returns a field of the change's value as a quoted path. */
export function quoteField(change: Change): string {
  const { occurrences, name } = change;
  return JSON.stringify(`${occurrences[0]?.path ?? ""}/${name}`.slice(1));
}

/** Returns the end of a sentence: what was renamed, and whether the rename is declared or suspected. */
export function describeRename({ from, to, rename }: Change, things: string): string {
  const known =
    rename === undefined ? "" : ` (${rename.declared ? "as declared" : describeSuspicion(rename)})`;
  const { members } = rename ?? {};
  const pairs = members?.map(([old, now]) => `${old} → ${now}`).join(", ");
  const all = members ? ` (${members.length} ${things}: ${pairs})` : "";
  return `${quoteList(from)} was renamed to ${quoteList(to)}${all}${known}.`;
}

function describeSuspicion({ score, ties, members }: NonNullable<Change["rename"]>): string {
  const others = ties.length > 0 ? `; ${quoteList([...ties])} would fit nearly as well` : "";
  return `suspected, ${members ? "at least " : ""}${score} of 100${others}`;
}

/** Returns the text to paste to declare a suspected rename. */
export function describeDeclaration({ from, rename }: Change): string {
  if (rename === undefined || rename.declared) return "";
  return rename.members
    ? ` To declare it, write its old name as "x-renamed-from" into each new schema.`
    : ` To declare it, write "x-renamed-from": ${quoteList(from)} into the new schema.`;
}

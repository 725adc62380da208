import { areEqual, getOwn, isObject, type Json } from "../json.js";
import type { Change, Rename } from "./change.js";
import { scoreNameLikeness, stripAnnotations } from "./renames/likeness.js";
import { isAboutResource, listSubjectNames } from "./subjects.js";

const MAX_NAMES = 3;

/** Formats a list: `"a"`, `"a" and "b"`, `"a", "b" and 3 more`. */
export function quoteList(values: Json | undefined): string {
  const list = (values === undefined ? [] : [values].flat()).map((each) => JSON.stringify(each));
  const shown = list.slice(0, MAX_NAMES);
  const more = list.length - MAX_NAMES;
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** Describes where a change is: `tea.served`, `every event`, `tea.served and 4 more event types`, `the resource tea-list`. */
export function describePlaces(change: Change): string {
  const { events, resources } = listSubjectNames(change.places.map(({ event }) => event));
  const texts: string[] = [];
  if (events.includes("*")) texts.push("every event");
  else if (events.length > 0) texts.push(shortenList(events, "event types"));
  if (resources.length > 0) {
    const noun = resources.length === 2 ? "resources" : "resource";
    texts.push(`the ${noun} ${shortenList(resources, "resources")}`);
  }
  return texts.length === 0 ? "the protocol" : texts.join(" and ");
}

/** Returns one or two names, or the first of several names and the number of the others. */
function shortenList(names: readonly string[], noun: string): string {
  return names.length <= 2 ? names.join(" and ") : `${names[0]} and ${names.length - 1} more ${noun}`;
}

/** Describes the path of the value that changed: `/data/cups`. */
function describePath(change: Change): string {
  const path = change.places[0]?.path ?? "";
  if (path !== "") return path;
  return isAboutResource(change) ? "the whole value" : "the event";
}

/** Describes where a change is, with the path of its value: `tea.served: /data/cups`. */
export function describeValue(change: Change): string {
  return `${describePlaces(change)}: ${describePath(change)}`;
}

/** Formats both values of a change as JSON: `"a" → "b"`. */
export function formatFromTo({ from, to }: Change): string {
  return `${JSON.stringify(from ?? null)} → ${JSON.stringify(to ?? null)}`;
}

/** Returns the word for a message of the change's first place. */
export function getMessageNoun(change: Change): string {
  return isAboutResource(change) ? "a value" : "an event";
}

/** Returns the quoted path of the field that changed in the value. */
export function quoteField(change: Change): string {
  const { places, name } = change;
  return JSON.stringify(`${places[0]?.path ?? ""}/${name}`.slice(1));
}

/** Returns the end of a sentence: what was renamed, and whether the rename is declared or suspected. */
export function describeRename(change: Change, memberNoun: string): string {
  const { from, to, rename } = change;
  const sentence = `${quoteList(from)} was renamed to ${quoteList(to)}`;
  if (rename === undefined) return `${sentence}.`;
  const { members } = rename;
  const pairs = members?.map(([old, now]) => `${old} → ${now}`).join(", ");
  const family = members ? ` (${members.length} ${memberNoun}: ${pairs})` : "";
  return `${sentence}${family} (${rename.declared ? "as declared" : describeSuspicion(change, rename)}).`;
}

function describeSuspicion(change: Change, { ties }: Rename): string {
  const evidence = listEvidence(change);
  const reasons =
    evidence.length === 0
      ? "what is beside them is alike"
      : `${evidence.slice(0, -1).join(", ")}${evidence.length > 1 ? " and " : ""}${evidence.at(-1)}`;
  const others = ties.length > 0 ? `; ${quoteList([...ties])} would fit nearly as well` : "";
  return `suspected, because ${reasons}${others}`;
}

/** Names from this likeness on are called alike. */
const LIKE_NAME = 0.5;

/** Returns clauses with the evidence for a suspected rename that a reviewer can see in both versions. */
function listEvidence({ from, to, before, after }: Change): string[] {
  const readText = (schema: Json | undefined): Json | undefined =>
    isObject(schema) ? getOwn(schema, "description") : undefined;
  const old = before?.schema;
  const now = after?.schema;
  const isSameSchema =
    isObject(old) && isObject(now) && areEqual(stripAnnotations(old), stripAnnotations(now));
  const description = readText(old);
  const isNameLike =
    typeof from === "string" && typeof to === "string" && scoreNameLikeness(from, to) >= LIKE_NAME;
  return [
    ...(isNameLike ? ["the names are alike"] : []),
    ...(isSameSchema ? ["the schemas are equal"] : []),
    ...(description !== undefined && description === readText(now) ? ["the descriptions are equal"] : []),
  ];
}

/** Returns the text to paste to declare a suspected rename. */
export function describeDeclaration({ from, rename }: Change): string {
  if (rename === undefined || rename.declared) return "";
  return rename.members
    ? ` To declare it, write its old name as "x-renamed-from" into each new schema.`
    : ` To declare it, write "x-renamed-from": ${quoteList(from)} into the new schema.`;
}

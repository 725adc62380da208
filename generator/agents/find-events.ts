/** Finds the event types of protocols that fit a need in the words of a user. */
import MiniSearch from "minisearch";
import { isObject, type Json } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { formatCount, joinFirst, sanitizeLine } from "../text.js";

/** How much a word counts in each part of an event type. */
const WEIGHTS = { type: 4, summary: 3, group: 2, description: 1.5, fields: 1 };

/** The number of events in an answer, and in one to an agent that asks for more. */
const MAX_EVENTS = { brief: 5, more: 25 };

/** The largest number of fields of an event in an answer. */
const MAX_FIELDS = 12;

/** Returns lines that name the event types for a need, the best first: each with its stability, summary and fields. */
export function findEvents(protocols: readonly Protocol[], need: string, more: boolean): string {
  const entries = protocols.flatMap((protocol) =>
    protocol.events.map((event) => ({ id: `${protocol.id} ${event.type}`, protocol, event })),
  );
  const search = new MiniSearch<(typeof entries)[number]>({
    fields: Object.keys(WEIGHTS),
    extractField: (entry, name) => (name === "id" ? entry.id : readPart(entry.event, name)),
    tokenize: splitWords,
    searchOptions: { boost: WEIGHTS, prefix: (term) => term.length > 3, fuzzy: 0.15 },
  });
  search.addAll(entries);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const found = search.search(need).flatMap(({ id }) => byId.get(id) ?? []);
  if (found.length === 0)
    return `None of the ${formatCount(entries.length, "event type")} of ${protocols.map(({ id }) => id).join(", ")} has these words.`;
  const shown = found.slice(0, more ? MAX_EVENTS.more : MAX_EVENTS.brief);
  const rest = found.length - shown.length;
  return [
    ...shown.map(({ protocol, event }) => describeEvent(protocol, event)),
    ...(rest > 0 ? [`${formatCount(rest, "more event type")} with some of these words.`] : []),
    "describe_event prints one in full.",
  ].join("\n");
}

/** Splits a text into words, also those of names such as `tool.callStarted`. */
function splitWords(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

function readPart(event: EventType, name: string): string {
  if (name === "fields") return collectWords(event.payload).join(" ");
  return String(event[name as "type" | "summary" | "group" | "description"]);
}

/** Collects the names and descriptions of the fields of a payload, without those of their fields. */
function collectWords({ properties }: EventType["payload"]): string[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) => [name, readDescription(schema)]);
}

function readDescription(schema: Json): string {
  return isObject(schema) && typeof schema.description === "string" ? schema.description : "";
}

function describeEvent(
  { id }: Protocol,
  { type, stability, deprecated, summary, payload }: EventType,
): string {
  const fields = isObject(payload.properties) ? Object.keys(payload.properties) : [];
  const replacement = deprecated?.replacedBy ? `, use ${deprecated.replacedBy}` : "";
  const state = deprecated ? `deprecated${replacement}` : stability;
  const lines = [
    `${id} ${type} (${state}): ${summary}`,
    ...(fields.length === 0 ? [] : [`  fields: ${joinFirst(fields, MAX_FIELDS)}`]),
  ];
  return lines.map(sanitizeLine).join("\n");
}

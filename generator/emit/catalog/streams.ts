/** Creates the sections of the catalogue about streams. */
import type { CatalogTerms } from "../../conform/stream-rule.js";
import { listDeclarations, STREAM_RULES } from "../../conform/stream-rules.js";
import { isFamilyName } from "../../protocol/event-families.js";
import type { Protocol, Stream } from "../../protocol/protocol.js";
import type { StreamRules } from "../../protocol/stream-rules.js";
import { formatLiteral } from "../../text.js";
import { createEventId, createRenderer, type Renderer, UNLIMITED } from "./renderer.js";
import { createSection, type Section } from "./section.js";

/** Creates the sections about the order of events and about the rules of streams. */
export function createStreamSections(protocol: Protocol): Section[] {
  const { stream } = protocol;
  if (stream === undefined) return [];
  const order = createSection("order", 2, "Order of events", (sections) => [
    formatOrder(protocol, stream, createRenderer(sections, "text", UNLIMITED)),
  ]);
  if (stream.rules === undefined) return [order];
  const rules = createSection("stream rules", 2, "Rules of streams", (sections) => [
    "`accrete validate` checks these rules.",
    formatStreamRules(stream.rules, createRenderer(sections, "text", UNLIMITED)),
  ]);
  return [order, rules];
}

function formatOrder(
  { id: protocolId, endpoints }: Protocol,
  { key, sequence, first, id, idScope, time }: Stream,
  renderer: Renderer,
): string {
  const names = renderer.list(key.map(renderer.code), "and");
  const lines = [
    key.length === 0 ? "All events form one stream." : `Events with the same ${names} form one stream.`,
    sequence === undefined
      ? "Events are not numbered: they are in the order in which they arrive."
      : `Within a stream ${renderer.code(sequence)} orders the events${first === undefined ? "" : `; the first event has ${formatLiteral(first)}`}.`,
    ...(id === undefined
      ? []
      : [
          `${renderer.code(id)} identifies an event: one that arrives again with the same value is a redelivery.${idScope === "protocol" ? " No event of another stream has the same value." : ""}`,
        ]),
    ...(time === undefined
      ? []
      : [`${renderer.code(time)} is when an event happened; it does not order events.`]),
    ...(endpoints?.stream === undefined
      ? []
      : [
          `A stream is served at ${renderer.code(`/${protocolId}/${endpoints.stream}/events`)}, and live at ${renderer.code(`/${protocolId}/${endpoints.stream}/stream`)}.`,
        ]),
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

/** Formats a line for each declared rule of streams; those of writers come last. Returns an empty text if there is none. */
export function formatStreamRules(rules: StreamRules | undefined, renderer: Renderer): string {
  const linkEvent = (type: string): string =>
    isFamilyName(type) ? renderer.code(type) : renderer.link(createEventId(type), type);
  const terms: CatalogTerms = {
    prose: renderer.prose,
    code: renderer.code,
    event: linkEvent,
    anyEvent: (types) => renderer.list(types.map(linkEvent), "or"),
    allEvents: (types) => renderer.list([...new Set(types)].map(linkEvent), "and"),
    fields: (names) => renderer.list(names.map(renderer.code), "and"),
    values: (values) => renderer.list(values.map(renderer.code), "or"),
  };
  const describeRules = (isForWriters: boolean): string =>
    STREAM_RULES.flatMap((rule) =>
      listDeclarations(rules, rule.member)
        .filter(({ profile }) => (profile === "writer") === isForWriters)
        .map((declared) => `- ${rule.describe(declared, terms)}`),
    ).join("\n");
  const writerRules = describeRules(true);
  const writerList =
    writerRules && `Readers must not rely on the following rules of writers:\n\n${writerRules}`;
  return [describeRules(false), writerList].filter((list) => list !== "").join("\n\n");
}

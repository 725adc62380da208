/** Creates the sections of the catalogue about streams. */
import type { AnyStreamRule, CatalogTerms } from "../../conform/stream-rule.js";
import { listDeclarations, STREAM_RULES } from "../../conform/stream-rules.js";
import type { JsonObject } from "../../json.js";
import { isFamilyName } from "../../protocol/event-families.js";
import type { Protocol, Stream } from "../../protocol/protocol.js";
import type { Profile } from "../../schema/readings.js";
import { formatLiteral } from "../../text.js";
import { createEventId, createRenderer, type Renderer, UNLIMITED } from "./renderer.js";
import { createSection, type Section } from "./section.js";
import { formatSources } from "./table.js";

/** Creates the sections about the order of events and about the rules of streams. */
export function createStreamSections(protocol: Protocol): Section[] {
  const { stream } = protocol;
  if (stream === undefined) return [];
  const order = createSection("order", 2, "Order of events", (sections) => [
    formatOrder(protocol, stream, createRenderer(sections, "text", UNLIMITED)),
  ]);
  return [order, ...createRuleSection(protocol, "reader", "Rules of streams", READER_RULES)];
}

const READER_RULES = "Readers may rely on these rules. `accrete validate` checks them.";
const WRITER_RULES =
  "Readers must not rely on these rules. `accrete validate` checks them for writers, in addition to the rules of streams.";

/** Creates the section with the rules that only writers keep, for a file of its own; none if there are none. */
export function createWriterSections(protocol: Protocol): Section[] {
  return createRuleSection(protocol, "writer", "Rules for writers", WRITER_RULES).map((section) => ({
    ...section,
    hasOwnFile: true,
  }));
}

function createRuleSection(source: RuleSource, profile: Profile, title: string, intro: string): Section[] {
  if (listRules(source, profile).length === 0) return [];
  return [
    createSection(`${profile} rules`, 2, title, (sections) => [
      intro,
      formatStreamRules(source, profile, createRenderer(sections, "text", UNLIMITED)),
    ]),
  ];
}

/** The parts of a protocol with the rules of streams and where they come from. */
type RuleSource = Pick<Protocol, "ruleSources"> & { readonly stream?: Pick<Stream, "rules"> };

/** A declared rule, and where it comes from. */
interface DeclaredRule {
  readonly rule: AnyStreamRule;
  readonly declared: JsonObject;
  readonly sources: readonly string[];
}

/** Lists the declared rules that hold for both profiles, or those that only writers keep. */
function listRules(source: RuleSource, profile: Profile): DeclaredRule[] {
  return listAllRules(source).filter(
    ({ declared }) => (declared.profile === "writer") === (profile === "writer"),
  );
}

function listAllRules({ stream, ruleSources }: RuleSource): DeclaredRule[] {
  return STREAM_RULES.flatMap((rule) =>
    listDeclarations(stream?.rules, rule.member).map((declared, index) => ({
      rule,
      declared,
      sources: ruleSources?.[rule.member]?.[index] ?? [],
    })),
  );
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

/** Formats a line for each declared rule of streams that readers may rely on, or that only writers keep. */
export function formatStreamRules(source: RuleSource, profile: Profile, renderer: Renderer): string {
  return formatRules(listRules(source, profile), renderer);
}

/** Formats a line for each declared rule of streams that is wanted. Those that only writers keep say so. */
export function formatSomeRules(
  source: RuleSource,
  isWanted: (each: Pick<DeclaredRule, "rule" | "declared">) => boolean,
  renderer: Renderer,
): string {
  return formatRules(listAllRules(source).filter(isWanted), renderer, ({ declared }) =>
    declared.profile === "writer" ? ["For writers."] : [],
  );
}

function formatRules(
  rules: readonly DeclaredRule[],
  renderer: Renderer,
  listFacts: (rule: DeclaredRule) => readonly string[] = () => [],
): string {
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
  return rules
    .flatMap((each) => {
      const [sentence = "", ...parts] = each.rule.describe(each.declared, terms).split("\n");
      const facts = [...listFacts(each), ...formatSources(each.sources, renderer)];
      return [[`- ${sentence}`, ...facts].join(" "), ...parts.map((part) => `  - ${part}`)];
    })
    .join("\n");
}

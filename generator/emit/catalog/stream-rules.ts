/** What a contract promises about whole streams, in sentences: one for each declaration in `stream.rules`. */
import type { CatalogTerms } from "../../conform/stream-rule.js";
import { declarationsOf, STREAM_RULES } from "../../conform/stream-rules.js";
import type { StreamRules } from "../../protocol/stream-rules.js";
import { eventId, type Pen } from "./renderer.js";

/** A sentence for every promise about streams, each as a line of a list; empty if there is none. */
export function streamRuleLines(rules: StreamRules | undefined, pen: Pen): string {
  const event = (type: string): string => pen.link(eventId(type), type);
  const terms: CatalogTerms = {
    prose: pen.prose,
    code: pen.code,
    event,
    anyEvent: (types) => pen.list(types.map(event), "or"),
    allEvents: (types) => pen.list([...new Set(types)].map(event), "and"),
    fields: (names) => pen.list(names.map(pen.code), "and"),
    values: (values) => pen.list(values.map(pen.code), "or"),
  };
  return STREAM_RULES.flatMap((rule) =>
    declarationsOf(rules, rule.member).map(
      (declared) =>
        `- ${rule.sentence(declared, terms)}${declared.profile === "writer" ? " Readers must not rely on it." : ""}`,
    ),
  ).join("\n");
}

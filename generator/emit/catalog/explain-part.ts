/** Explains parts of contracts: event types, their fields, and the rules of streams that a finding comes from. */
import type { AnyStreamRule } from "../../conform/stream-rule.js";
import { isObject, type Json } from "../../json.js";
import { didYouMean } from "../../nearest.js";
import { coversType } from "../../protocol/event-families.js";
import type { Protocol } from "../../protocol/protocol.js";
import { formatLiteral, sanitizeLine } from "../../text.js";
import { formatCatalogPath, formatCatalogRules, formatCatalogSection, listCatalogPaths } from "./catalog.js";

/** A schema that `accrete explain` names: that of an event type, or the envelope. */
interface NamedSchema {
  readonly name: string;
  readonly schema: Json;
  readonly sources: readonly string[];
}

/** The name of the envelope, which is no event type of a protocol that has one. */
const ENVELOPE = "envelope";

/**
 * Returns what each protocol says about an event type (`tool.invoked`) or a field (`tool.invoked/kind`, `envelope/time`): its
 * place in the catalogue, the rules of streams that name it, and where both come from. Empty if no protocol has it.
 */
export function explainPart(name: string, protocols: readonly Protocol[]): string[] {
  const [type = "", ...steps] = name.split("/");
  const path = steps.join("/");
  return protocols.flatMap((protocol) => {
    const named = findSchema(protocol, type);
    if (named === undefined) return [];
    const text = path === "" ? formatType(protocol, named) : formatField(protocol, named, path);
    return text === undefined ? [] : [`${protocol.id}\n\n${text}\n`];
  });
}

/** Returns the declarations of a protocol from which a finding about streams comes, with their sources; empty if there are none. */
export function listDeclarationsOf(finding: string, protocol: Protocol): string[] {
  const rules = formatCatalogRules(protocol, ({ rule }) => rule.findings.some(({ id }) => id === finding));
  return rules === "" ? [] : [`${protocol.id} declares:\n\n${rules}\n`];
}

/** Returns a sentence that no protocol has a part with this name, with the nearest one. `others` are names of another kind. */
export function describeUnknown(
  name: string,
  protocols: readonly Protocol[],
  others: readonly string[],
): string {
  const [type = "", ...steps] = name.split("/");
  const path = steps.join("/");
  for (const protocol of protocols) {
    const named = findSchema(protocol, type);
    if (named !== undefined)
      return `${sanitizeLine(type)} has no field ${formatLiteral(path)}${didYouMean(path, listCatalogPaths(protocol, named.schema))}`;
  }
  const types = protocols.flatMap(({ events }) => events.map((event) => event.type));
  return `There is no rule and no event type ${formatLiteral(name)}${didYouMean(type, [...others, ...types])} accrete explain without a name lists all rules.`;
}

function findSchema({ envelope, events }: Protocol, type: string): NamedSchema | undefined {
  const event = events.find((each) => each.type === type);
  if (event) return { name: type, schema: event.payload, sources: event.sources ?? [] };
  return type === ENVELOPE
    ? { name: ENVELOPE, schema: envelope.schema, sources: envelope.sources ?? [] }
    : undefined;
}

function formatType(protocol: Protocol, { name, schema, sources }: NamedSchema): string {
  const section = formatCatalogSection(protocol, name) ?? formatEnvelope(protocol, schema, sources);
  return joinParts(
    section,
    formatRules(protocol, (rule) => namesType(rule.declared, name)),
  );
}

function formatEnvelope(protocol: Protocol, schema: Json, sources: readonly string[]): string {
  const rows = listCatalogPaths(protocol, schema).flatMap(
    (path) => formatCatalogPath(protocol, schema, path) ?? [],
  );
  return joinParts(rows.join("\n\n"), formatSources(sources));
}

function formatField(
  protocol: Protocol,
  { name, schema, sources }: NamedSchema,
  path: string,
): string | undefined {
  const row = formatCatalogPath(protocol, schema, path);
  if (row === undefined) return undefined;
  const [field = path] = path.split(/[.[]/);
  const isOfField = ({ declared }: { readonly declared: Json }): boolean => {
    const texts = listTexts(declared);
    const types = protocol.events.filter(({ type }) => texts.some((text) => coversType(text, type)));
    return texts.includes(field) && (types.length === 0 || types.some(({ type }) => type === name));
  };
  return joinParts(
    row,
    `Of ${sanitizeLine(name)}. ${formatSources(sources)}`,
    formatRules(protocol, isOfField),
  );
}

function formatSources(sources: readonly string[]): string {
  return sources.length === 0 ? "" : `Source: ${sources.map(sanitizeLine).join(" · ")}.`;
}

function formatRules(
  protocol: Protocol,
  isWanted: (each: { readonly rule: AnyStreamRule; readonly declared: Json }) => boolean,
): string {
  const rules = formatCatalogRules(protocol, isWanted);
  return rules === "" ? "" : `Rules of streams:\n\n${rules}`;
}

function joinParts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function namesType(declared: Json, type: string): boolean {
  return listTexts(declared).some((text) => coversType(text, type));
}

/** Returns the texts in a declaration, without those that say where it comes from. */
function listTexts(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isObject(value) ? Object.values(value).flatMap(listTexts) : [];
}

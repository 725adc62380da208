import { type Cache, hashText } from "../cache/cache.js";
import { getOwn } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { usesEvaluation } from "../schema/readings.js";
import { getDefinitionName } from "../schema/reference.js";

/**
 * Returns a function that returns the key of an event type for pieces of outputs. The key depends on everything that a piece
 * may depend on: the event type, the envelope, the definitions that both refer to, and `purpose`.
 */
export function createEventKeys(
  protocol: Protocol,
  cache: Cache,
  purpose: string,
): (event: EventType) => string {
  const { definitions, envelope } = protocol;
  const texts = new Map<string, { readonly hash: string; readonly names: readonly string[] }>();
  const describeDefinition = (name: string) => {
    const known = texts.get(name);
    if (known) return known;
    const text = JSON.stringify(getOwn(definitions, name)?.schema ?? null);
    const described = { hash: hashText(text), names: listNames(text) };
    texts.set(name, described);
    return described;
  };
  /** Returns the hashes of the definitions that a text refers to, directly or through others, each after its name. */
  const collectHashes = (text: string): string[] => {
    const names = new Set(listNames(text));
    // The loop also visits the names that it adds.
    for (const name of names) for (const next of describeDefinition(name).names) names.add(next);
    return [...names].sort().flatMap((name) => [name, describeDefinition(name).hash]);
  };
  const describe = (part: object): readonly string[] => {
    const text = JSON.stringify({ ...part, at: undefined });
    return [text, ...collectHashes(text)];
  };
  // A keyword in any definition decides how the readings of all schemas are closed.
  const isEvaluationUsed = Object.values(definitions).some(({ schema }) => usesEvaluation(schema));
  const context = [purpose, isEvaluationUsed, describe(envelope)];
  return (event) => cache.createKey([context, describe(event)]);
}

/** Returns the names that a JSON text refers to. It may hold others, from texts that look like references. */
function listNames(text: string): string[] {
  return [...text.matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g)].map(([, reference = '""']) =>
    getDefinitionName(JSON.parse(reference)),
  );
}

import { getOwn } from "../json.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { memoizeByName, memoizeByObject } from "../sample/memoize.js";
import { usesEvaluation } from "../schema/readings.js";
import { getDefinitionName } from "../schema/reference.js";
import { sha256Hex } from "../sha256.js";

/**
 * Returns a function that returns the key of an event type for pieces of outputs. The key depends on everything that a piece
 * may depend on: the event type, the envelope, the definitions that both refer to, and `purpose`.
 */
export function createEventKeys(protocol: Protocol, purpose: string): (event: EventType) => string {
  const hashEvent = getEventHashes(protocol);
  return (event) => `${purpose} ${hashEvent(event)}`;
}

/** Returns the function that hashes what the outputs of an event type of a protocol depend on. */
const getEventHashes = memoizeByObject(({ definitions, envelope }: Protocol) => {
  const describeDefinition = memoizeByName((name) => {
    const text = JSON.stringify(getOwn(definitions, name)?.schema ?? null);
    return { hash: sha256Hex(text), names: listNames(text) };
  });
  /** Returns the text of a part, and the hashes of the definitions that it refers to, directly or through others. */
  const describe = (part: object): readonly string[] => {
    const text = JSON.stringify({ ...part, at: undefined });
    const names = new Set(listNames(text));
    // The loop also visits the names that it adds.
    for (const name of names) for (const next of describeDefinition(name).names) names.add(next);
    return [text, ...[...names].sort().flatMap((name) => [name, describeDefinition(name).hash])];
  };
  // A keyword in any definition decides how the readings of all schemas are closed.
  const isEvaluationUsed = Object.values(definitions).some(({ schema }) => usesEvaluation(schema));
  const context = sha256Hex(JSON.stringify([isEvaluationUsed, describe(envelope)]));
  return memoizeByObject((event: EventType) => sha256Hex(JSON.stringify([context, describe(event)])));
});

/** Returns the names that a JSON text refers to. It may hold others, from texts that look like references. */
function listNames(text: string): string[] {
  return [...text.matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g)].map(([, reference = '""']) =>
    getDefinitionName(JSON.parse(reference)),
  );
}

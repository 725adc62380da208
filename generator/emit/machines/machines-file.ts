/** Formats `machines.json`: the data from which the checkers in other languages check streams. */
import { listMachines, type PlannedMachine } from "../../conform/check-plan.js";
import type { Machine } from "../../conform/machine/language.js";
import { requiresNumbers } from "../../conform/requires-numbers.js";
import { DELIVERY_FINDINGS } from "../../conform/rules/delivery.js";
import type { StreamFindingKind } from "../../conform/stream-rule.js";
import { findPayloadCarrier } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Profile } from "../../schema/readings.js";
import { createBanner, escapeInvisible } from "../../text.js";

/** A machine of the file. Without `profile`, it checks both writers and readers. */
type ListedMachine = Machine & { readonly profile?: Profile };

/** Returns whether a protocol says more about streams than which events belong to one: only then it has a checker. */
export function hasStreamChecker({ stream }: Protocol): boolean {
  return (
    stream !== undefined && (stream.sequence !== undefined || Object.keys(stream.rules ?? {}).length > 0)
  );
}

/** Returns the content of the file. Texts are well-formed, because not every language can hold half of a surrogate pair. */
export function formatMachinesFile(protocol: Protocol): string {
  const { id, envelope, stream, events } = protocol;
  const { terminal, gaps = [] } = stream?.rules ?? {};
  const reader = listMachines(protocol, "reader");
  const writer = listMachines(protocol, "writer");
  const content = {
    $comment: createBanner(),
    protocol: id,
    discriminator: envelope.discriminator,
    stream: { key: stream?.key, sequence: stream?.sequence, first: stream?.first, id: stream?.id },
    // Numbers show which events are missing.
    numbered: requiresNumbers(protocol),
    // By event type, the property that holds the payload; null if the payload is inline or absent.
    payloads: Object.fromEntries(
      events.map((event) => [event.type, findPayloadCarrier(envelope, event) ?? null]),
    ),
    opening: terminal?.opens ?? [],
    terminal: terminal?.types ?? [],
    gapMarkers: gaps.map(({ type }) => type),
    findings: describeFindings([...reader, ...writer]),
    machines: mergeMachines(reader, writer),
  };
  return `${formatWellFormedJson(content)}\n`;
}

/** Returns JSON text in which U+FFFD stands for each surrogate without its partner. Only those are escaped by `JSON.stringify`. */
export function formatWellFormedJson(value: object): string {
  const escapes = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;
  const text = JSON.stringify(value).replace(escapes, (text) => (text.startsWith("\\ud") ? "\\ufffd" : text));
  return escapeInvisible(text);
}

function describeFindings(machines: readonly PlannedMachine[]): object {
  const kinds: readonly StreamFindingKind[] = [
    ...DELIVERY_FINDINGS,
    ...machines.flatMap(({ findings }) => findings),
  ];
  return Object.fromEntries(kinds.map(({ id, hint, severity }) => [id, { hint, ...severity }]));
}

/** Merges two lists into one that has the order of both, in which the machines of both lists stand once. */
function mergeMachines(
  reader: readonly PlannedMachine[],
  writer: readonly PlannedMachine[],
): ListedMachine[] {
  const texts = reader.map(({ machine }) => JSON.stringify(machine));
  const merged: ListedMachine[] = [];
  let next = 0;
  const addReaderMachines = (end: number): void => {
    for (const { machine } of reader.slice(next, end)) merged.push({ profile: "reader", ...machine });
  };
  for (const { machine } of writer) {
    const shared = texts.indexOf(JSON.stringify(machine), next);
    if (shared === -1) {
      merged.push({ profile: "writer", ...machine });
      continue;
    }
    addReaderMachines(shared);
    merged.push(machine);
    next = shared + 1;
  }
  addReaderMachines(reader.length);
  return merged;
}

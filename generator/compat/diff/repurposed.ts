import { isObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Change } from "../change.js";
import { contractContent } from "../history/released-names.js";
import type { EventPair } from "../proof/inclusion-checks.js";
import { EVENT_RULES } from "../rules/events.js";
import { spotAt } from "../side.js";

/** The least number of fields of an event whose replacement gives it another meaning. */
const LEAST_FIELDS = 2;

/**
 * Combines the field changes of an event if all of its fields were replaced by others: its name has another meaning now.
 */
export function combineRepurposed(
  changes: readonly Change[],
  pairs: readonly EventPair[],
  protocols: { readonly before: Protocol; readonly after: Protocol },
): Change[] {
  const common = new Set(protocols.before.envelope.payloadFields);
  const inEvent = byEvent(changes);
  const repurposed = pairs.filter(({ before: { type, payload } }) => {
    const names = isObject(payload.properties) ? Object.keys(payload.properties) : [];
    const fields = names.filter((name) => !common.has(name));
    const found = inEvent.get(type) ?? [];
    const removed = found.filter(({ rule }) => rule.field?.is === "removed").map(({ name }) => name);
    const added = found.some(({ rule }) => rule.field?.is === "added");
    return fields.length >= LEAST_FIELDS && added && fields.every((name) => removed.includes(name));
  });
  const types = new Set(repurposed.map(({ before: { type } }) => type));
  const kept = changes.filter(({ occurrences: [first] }) => !types.has(first?.event ?? ""));
  return [...kept, ...repurposed.map((pair) => changeOf(pair, protocols))];
}

function byEvent(changes: readonly Change[]): Map<string, Change[]> {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    const event = change.occurrences[0]?.event ?? "";
    const others = found.get(event);
    if (others) others.push(change);
    else found.set(event, [change]);
  }
  return found;
}

function changeOf(
  { before, after }: EventPair,
  protocols: { readonly before: Protocol; readonly after: Protocol },
): Change {
  return {
    rule: EVENT_RULES["event-repurposed"],
    name: before.type,
    before: spotAt(before.payload, before.at),
    after: spotAt(after.payload, after.at),
    occurrences: [{ event: before.type, path: "", steps: [], stability: before.stability }],
    content: [contractContent(protocols.before, before), contractContent(protocols.after, after)],
    claim: { backward: { is: "anything" }, forward: { is: "anything" } },
  };
}

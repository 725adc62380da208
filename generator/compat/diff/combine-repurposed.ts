import { isObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Change } from "../change.js";
import { createContractContent } from "../history/released-names.js";
import type { SubjectPair } from "../proof/inclusion-checks.js";
import { EVENT_RULES } from "../rules/events.js";
import { createWholeChange } from "../subjects.js";

/** The least number of fields of an event whose replacement gives it another meaning. */
const LEAST_FIELDS = 2;

/**
 * Combines the field changes of an event if all of its fields were replaced by others: its name has another meaning now.
 */
export function combineRepurposed(
  changes: readonly Change[],
  pairs: readonly SubjectPair[],
  protocols: { readonly before: Protocol; readonly after: Protocol },
): Change[] {
  const common = new Set(protocols.before.envelope.payloadFields);
  const getEvent = ({ places: [first] }: Change): string => first?.event ?? "";
  const fieldChanges = changes.filter(({ rule }) => rule.field);
  const changed = new Set(fieldChanges.map(getEvent));
  const repurposed = pairs.filter(({ before: { type, payload } }) => {
    if (!changed.has(type)) return false;
    const names = isObject(payload.properties) ? Object.keys(payload.properties) : [];
    const fields = names.filter((name) => !common.has(name));
    const found = fieldChanges.filter((change) => getEvent(change) === type);
    const removed = found.filter(({ rule }) => rule.field?.change === "removed").map(({ name }) => name);
    return (
      fields.length >= LEAST_FIELDS &&
      removed.length < found.length &&
      fields.every((name) => removed.includes(name))
    );
  });
  const types = new Set(repurposed.map(({ before: { type } }) => type));
  const rest = changes.filter((change) => !types.has(getEvent(change)));
  const found = repurposed.map(
    ({ before, after }): Change => ({
      ...createWholeChange(EVENT_RULES["event-repurposed"], before, after),
      content: [
        createContractContent(protocols.before, before),
        createContractContent(protocols.after, after),
      ],
      claim: { backward: { kind: "anything" }, forward: { kind: "anything" } },
    }),
  );
  return [...rest, ...found];
}

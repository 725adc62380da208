import { isObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { type Change, getFirstSubject } from "../change.js";
import { createContractContent } from "../history/released-names.js";
import type { SubjectPair } from "../proof/inclusion-checks.js";
import { EVENT_RULES } from "../rules/events.js";
import { createSubjectChange } from "../subjects.js";

/** An event with fewer fields keeps its meaning, even if all of them are replaced. */
const MIN_FIELDS = 2;

/**
 * Replaces all changes of each event whose fields were all replaced by others with one change, because the name of the
 * event has another meaning now.
 */
export function combineChangesOfRepurposedEvents(
  changes: readonly Change[],
  pairs: readonly SubjectPair[],
  protocols: { readonly before: Protocol; readonly after: Protocol },
): Change[] {
  const commonFields = new Set(protocols.before.envelope.payloadFields);
  const fieldChanges = changes.filter(({ rule }) => rule.field);
  const isRepurposed = ({ before: { type, payload } }: SubjectPair): boolean => {
    const ofEvent = fieldChanges.filter((change) => getFirstSubject(change) === type);
    if (ofEvent.length === 0) return false;
    const names = isObject(payload.properties) ? Object.keys(payload.properties) : [];
    const fields = names.filter((name) => !commonFields.has(name));
    const removedFields = ofEvent
      .filter(({ rule }) => rule.field?.change === "removed")
      .map(({ name }) => name);
    const hasAddedField = ofEvent.some(({ rule }) => rule.field?.change === "added");
    return (
      fields.length >= MIN_FIELDS && hasAddedField && fields.every((name) => removedFields.includes(name))
    );
  };
  const repurposedPairs = pairs.filter(isRepurposed);
  const types = new Set(repurposedPairs.map(({ before: { type } }) => type));
  const rest = changes.filter((change) => !types.has(getFirstSubject(change)));
  const combinedChanges = repurposedPairs.map(
    ({ before, after }): Change => ({
      ...createSubjectChange(EVENT_RULES["event-repurposed"], before, after),
      content: [
        createContractContent(protocols.before, before),
        createContractContent(protocols.after, after),
      ],
      claim: { backward: { kind: "anything" }, forward: { kind: "anything" } },
    }),
  );
  return [...rest, ...combinedChanges];
}

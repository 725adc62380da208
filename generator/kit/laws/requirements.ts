import { listLifecycleMembers } from "../../conform/rules/lifecycles.js";
import { listDependentFields } from "../../protocol/event-fields.js";
import { createModel, type KitProtocol } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { mapPayload } from "../payload.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";

/** The law about fields with `x-requires` that an event lacks. */
export const requirementLaws: readonly Law[] = [
  {
    id: "unmet-requirements",
    law: "An event is shown even if an optional field with x-requires is missing, because the writer may lack what the field requires.",
    findSkipReason: (protocol) =>
      findDependentFields(protocol).length === 0
        ? "no optional field of this protocol has x-requires"
        : undefined,
    check: checkMissingField,
  },
];

/** Returns the event types that have optional fields with `x-requires`, and these fields. */
function findDependentFields(protocol: KitProtocol): readonly { type: string; fields: readonly string[] }[] {
  return createModel(protocol).events.flatMap((event) => {
    const fields = listDependentFields(event);
    return fields.length === 0 ? [] : [{ type: event.type, fields }];
  });
}

/** Fails if an event is shown only with the optional fields that have `x-requires`. */
function* checkMissingField(trial: Trial): Steps<void> {
  const { protocol, random } = trial;
  const candidates = findDependentFields(protocol);
  const candidate = candidates[random.below(candidates.length)];
  if (candidate === undefined) return;
  const { type, fields } = candidate;
  const rule = trial.rules.lifecycles?.find((each) =>
    [...each.start, ...listLifecycleMembers(trial.model, each), ...each.end].includes(type),
  );
  const values = fields.map((field) => [field, trial.makeUnusedValue(type, field)] as const);
  const [start] = rule?.start ?? [];
  const key = rule && start !== undefined ? { [rule.key]: trial.makeUnusedValue(start, rule.key) } : {};
  const proposals = [
    ...(start === undefined || start === type ? [] : [{ type: start, fixedFields: key }]),
    { type, fixedFields: { ...Object.fromEntries(values), ...key } },
  ];
  // Most of the other optional fields are there, because an event without any may show nothing.
  const sent = trial.sendAll(proposals, 0.8);
  const complete = sent?.at(-1);
  if (sent === undefined || complete === undefined) return;
  const reducedEvent = mapPayload(protocol, complete, (payload) =>
    Object.fromEntries(Object.entries(payload).filter(([field]) => !fields.includes(field))),
  );
  if (protocol.decodeEvent(reducedEvent).kind !== "known") return;
  const before = [...trial.events, ...sent.slice(0, -1)];
  // Fails if the consumer throws without the fields.
  yield* trial.view([...before, reducedEvent]);
  // A consumer may show an event for the sake of these fields alone.
  if (!(yield* trial.inferShown()).isWhole) return;
  yield* trial.expectShownLike(
    { before, added: [complete] },
    { before, added: [reducedEvent] },
    `${type} is shown only with ${fields.join(" and ")}`,
  );
}

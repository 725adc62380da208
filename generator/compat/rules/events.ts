import { isObject, type Json } from "../../json.js";
import type { Change } from "../change.js";
import {
  describeDeclaration,
  describePlaces,
  describeRename,
  getMessageNoun,
  quoteList,
} from "../phrases.js";
import { createFieldExample, defineRulesWith, listRemovedEvents, SERVED, text } from "./rule.js";

/** Payloads of the examples. */
const servedPayload = {
  properties: { cups: { type: "integer" }, pot: { type: "string" } },
  required: ["cups"],
};
const trayPayload = {
  properties: { tray_id: { type: "string" }, room: { type: "string" } },
  required: ["tray_id"],
};
const fields = { cups: { type: "integer" }, pot: { type: "string" } };
const needsCups = { required: ["cups"] };
const needsPot = { required: ["pot"] };
/** The same alternatives in two groups and in one: no single change explains the difference. */
const twoGroups = { properties: fields, allOf: [{ anyOf: [needsCups] }, { anyOf: [needsPot] }] };
const oneGroup = { properties: fields, anyOf: [needsCups, needsPot] };
/** The proof engine does not support back-references. */
const undecidable = [{ pattern: "^(aa+)b\\1$" }, { maxLength: 3 }];
const orderedPayload = { properties: { ...trayPayload.properties, ...servedPayload.properties } };
const placedPayload = { properties: trayPayload.properties };
const brewedPayload = { properties: servedPayload.properties };

function describeLayout(layout: Json | undefined): string {
  const { discriminator, placement, property, event } = isObject(layout) ? layout : {};
  const place = property === undefined ? String(placement) : `${String(placement)} in ${quoteList(property)}`;
  const message = event === undefined ? "" : `, in a document with the event at ${quoteList(event)}`;
  return `the discriminator ${quoteList(discriminator)} and the payload ${place}${message}`;
}

const TRAITS = { coversNamesBelow: true } as const;

/** Rules about event types as a whole. */
export const EVENT_RULES = defineRulesWith(TRAITS, {
  "event-added": {
    effect: "adds",
    isReportedUnbroken: true,
    summary: "an event type was added",
    explanation:
      "Readers ignore event types that they do not know, so a new one breaks nothing unless the envelope lists the event types.",
    hint: "No action is needed, unless the finding shows an event: then the envelope of the baseline lists the event types, and the new type has to wait for the next major version.",
    reverse: { rule: "event-removed" },
    example: { before: {}, after: { "events/tea.ordered.schema.json": trayPayload } },
    describe: ({ name, proof }) =>
      proof?.forward === undefined
        ? `The event type ${quoteList(name)} is new.`
        : `The event type ${quoteList(name)} is new, and the envelope of the baseline refuses it.`,
  },
  "event-removed": {
    effect: "withdraws",
    removedNames: listRemovedEvents,
    summary: "an event type was removed",
    explanation:
      "Writers of the baseline may send the event, and readers expect it. The current contract does not declare it.",
    hint: "Keep the old event type, deprecated and with x-replaced-by, and remove it with the next major version.",
    reverse: { rule: "event-added" },
    example: { before: { "events/tea.ordered.schema.json": trayPayload }, after: {} },
    describe: ({ name }) => `The event type ${quoteList(name)} was removed.`,
  },
  "event-renamed": {
    effect: "withdraws",
    removedNames: listRemovedEvents,
    summary: "an event type, or a family of them, was renamed",
    explanation:
      "Readers do not know the new name, and no longer receive events of the old one. The rename is declared by x-renamed-from, or suspected from the fields, the name and the pattern of other renames; if it is only suspected, the finding says so and has the same severity.",
    hint: "Rename in three steps: add the new type with x-renamed-from; keep the old one, deprecated with x-deprecated-since and x-replaced-by, and send both; remove the old one with the next major version and leave a tombstone.",
    reverse: { description: "a rename, reported by the same rule" },
    example: {
      before: { "events/tea.ordered.schema.json": { ...trayPayload, required: [] } },
      after: { "events/tea.order.placed.schema.json": { ...trayPayload, required: [] } },
    },
    describe: (change) => `${describeRename(change, "event types")}${describeDeclaration(change)}`,
  },
  "event-split": {
    effect: "withdraws",
    removedNames: listRemovedEvents,
    summary: "an event type was split into several new ones",
    explanation:
      "Readers expect one event with all fields, and do not know the new event types. This is not a rename, because no new type has all fields of the old one. The split is suspected, because the new types together have the fields of the old one; the finding has the same severity as a removal.",
    hint: "Add the new types, and keep the old one, deprecated with x-deprecated-since and with x-replaced-by naming one of them; send all of them; remove the old one with the next major version and leave a tombstone.",
    reverse: { rule: "event-merged" },
    example: {
      before: { "events/tea.ordered.schema.json": orderedPayload },
      after: {
        "events/tea.placed.schema.json": placedPayload,
        "events/tea.brewed.schema.json": brewedPayload,
      },
    },
    describe: ({ from, to }) =>
      `${quoteList(from)} was split into ${quoteList(to)} (suspected: together they have its fields).`,
  },
  "event-merged": {
    effect: "withdraws",
    removedNames: listRemovedEvents,
    summary: "several event types were merged into a new one",
    explanation:
      "Readers expect events that are no longer sent, and do not know the new event type. This is not a rename, because the new type has the fields of several old ones. The merge is suspected, because the new type has the fields of all old ones; the finding has the same severity as a removal.",
    hint: "Add the new type, and keep the old ones, deprecated with x-deprecated-since and with x-replaced-by naming it; send all of them; remove the old ones with the next major version and leave a tombstone of each.",
    reverse: { rule: "event-split" },
    example: {
      before: {
        "events/tea.placed.schema.json": placedPayload,
        "events/tea.brewed.schema.json": brewedPayload,
      },
      after: { "events/tea.ordered.schema.json": orderedPayload },
    },
    describe: ({ from, to }) =>
      `${quoteList(from)} were merged into ${quoteList(to)} (suspected: it has their fields).`,
  },
  "event-repurposed": {
    effect: "narrows-or-widens",
    summary: "all fields of an event type were replaced by others",
    explanation: "The event type has the same name but another meaning, so readers misunderstand the event.",
    hint: "Give the new meaning a new event type, and restore the old one.",
    example: { before: { [SERVED]: servedPayload }, after: { [SERVED]: trayPayload } },
    describe: (change) =>
      `${describePlaces(change)} has other fields instead of all of its former ones, so its name has another meaning now.`,
  },
  "contract-narrowed": {
    effect: "narrows",
    summary: "an event is no longer allowed, and no other rule explains it",
    explanation:
      "The writer reading of the baseline accepts the event in the finding, and the current writer reading refuses it.",
    hint: "Compare the two schemas at the place shown, and allow the event again.",
    reverse: { rule: "contract-widened" },
    example: { before: { [SERVED]: oneGroup }, after: { [SERVED]: twoGroups } },
    describe: (change) =>
      `${describePlaces(change)} refuses ${getMessageNoun(change)} that the baseline allows${describeReason(change)}.`,
  },
  "contract-widened": {
    effect: "widens",
    summary: "an event is allowed that readers of the baseline refuse, and no other rule explains it",
    explanation:
      "The current writer reading accepts the event in the finding, and the reader reading of the baseline refuses it.",
    hint: "Compare the two schemas at the place shown, and refuse the event again.",
    reverse: { rule: "contract-narrowed" },
    example: { before: { [SERVED]: twoGroups }, after: { [SERVED]: oneGroup } },
    describe: (change) =>
      `${describePlaces(change)} allows ${getMessageNoun(change)} that readers of the baseline refuse${describeReason(change)}.`,
  },
  "contract-undecided": {
    effect: "narrows-or-widens",
    summary: "it could not be decided whether a change breaks anything",
    explanation:
      "The proof engine reached one of its limits, or does not support a keyword. A person has to compare the two schemas.",
    hint: "Simplify the schemas, or compare them yourself and waive the finding, which is possible at every stability.",
    reverse: { description: "none, because the rule has no direction" },
    example: createFieldExample({ ...text, anyOf: undecidable }, { ...text, oneOf: undecidable }),
    describe: (change) =>
      `It could not be decided whether the change of ${describePlaces(change)} only adds: ${change.proof?.undecided ?? "no reason is known"}.`,
  },
  "layout-changed": {
    effect: "narrows-or-widens",
    isReportedUnbroken: true,
    summary: "the layout of messages has changed",
    explanation: "Readers of the baseline look for the event type and the payload in other places.",
    hint: "Restore the layout. A new layout needs a new major version.",
    example: {
      before: { [SERVED]: servedPayload },
      after: {
        [SERVED]: servedPayload,
        "protocol.json": { envelope: { discriminator: "type", payload: { placement: "inline" } } },
      },
    },
    describe: ({ from, to }) => `Messages have ${describeLayout(to)} and had ${describeLayout(from)}.`,
  },
});

/** Returns the place and the reason of the refusal, if they are known. */
function describeReason({ detail }: Change): string {
  return detail === undefined ? "" : `: ${detail}`;
}

import type { JsonObject } from "../../json.js";
import type { Change, ExampleFiles } from "../change.js";
import { defineRules } from "./rule.js";

const POURED = "events/tea.poured.schema.json";
const key = ["id"];

/** Creates a small protocol with two event types and this stream contract. */
function createTeaFiles(stream: JsonObject, otherMembers: JsonObject = {}): ExampleFiles {
  return { [POURED]: {}, "protocol.json": { stream, ...otherMembers } };
}

/** Stream rules of the examples. */
const pair = { open: "tea.poured", close: "tea.served" };
const openingEvent = { type: "tea.poured" };
const terminal = { opens: ["tea.poured"], types: ["tea.served"] };
const createPairsFiles = (rules: readonly JsonObject[]): ExampleFiles =>
  createTeaFiles({ key, rules: { pairs: rules } });

/** Creates a protocol whose stream rule orders these figures of one event, the smaller one first. */
function createOrderedFieldsFiles(fields: readonly string[]): ExampleFiles {
  const integer = { type: "integer" };
  return {
    ...createTeaFiles({ key, rules: { ordered: [{ type: "tea.served", fields }] } }),
    "events/tea.served.schema.json": { properties: { cups: integer, pots: integer } },
  };
}

/** Describes the old and the new value of `stream` or one of its members. */
function describeMember({ name, from, to }: Change): string {
  const member = name === "stream" ? "stream" : `stream.${name}`;
  if (to === null) return `${member} was removed${from === null ? "" : `; it was ${JSON.stringify(from)}`}.`;
  const now = `${member} is ${JSON.stringify(to)} now`;
  return from === null ? `${now}.` : `${now} and was ${JSON.stringify(from)}.`;
}

const describe = ({ name, detail }: Change): string => `stream.rules ${name}: ${detail ?? "it differs"}.`;

/** Rules about the stream contract: the members `stream` and `guarantees` of protocol.json. */
export const STREAM_CONTRACT_RULES = defineRules({
  "stream-promise-removed": {
    effect: "widens",
    summary: "a promise about streams was removed",
    explanation:
      "Writers may now send a stream that readers of the baseline refuse. The finding shows the shortest such stream that was found: each of its events is valid by itself, the current contract allows the stream, and the named stream rule of the baseline refuses it.",
    hint: "Restore the rule for this major version. If a new event type ends or begins something, send the old event type before it, or give the new one an id and a rule of its own.",
    reverse: { rule: "stream-promise-added" },
    example: { before: createPairsFiles([pair]), after: createPairsFiles([]) },
    describe,
  },
  "stream-promise-added": {
    effect: "narrows",
    summary: "a promise about streams was added that earlier streams do not keep",
    explanation:
      "The current contract refuses a stream that writers of the baseline may send. If current readers refuse it, too, stored streams and older writers break them; otherwise only older writers violate the contract.",
    hint: 'Add the rule in the next major version. If readers need not rely on it, "profile": "writer" limits it to writers.',
    reverse: { rule: "stream-promise-removed" },
    example: { before: createPairsFiles([]), after: createPairsFiles([pair]) },
    describe,
  },
  "stream-promise-changed": {
    effect: "narrows-or-widens",
    summary: "a promise about streams was replaced by another one",
    explanation:
      "Streams of the baseline violate the current rule, and current streams violate the rule of the baseline. The finding shows a stream that the current contract allows.",
    hint: "Restore the rule for this major version, and add the new one in the next.",
    example: {
      before: createOrderedFieldsFiles(["cups", "pots"]),
      after: createOrderedFieldsFiles(["pots", "cups"]),
    },
    describe,
  },
  "stream-undecided": {
    effect: "narrows-or-widens",
    isErrorIfExperimental: true,
    summary: "it could not be decided whether a change of a stream rule breaks anything",
    explanation:
      "The search reached one of its limits, or met no stream that the rule is about, or the comparison does not know the rule. The change counts as a break until somebody reviews and waives it, which is possible at every stability.",
    hint: "Make the change in smaller steps, or review it and waive it.",
    reverse: { description: "none, because the rule has no direction" },
    example: {
      before: createTeaFiles({ key, rules: { terminal } }),
      after: createTeaFiles({ key, rules: { terminal } }),
    },
    describe,
  },
  "stream-frame-changed": {
    effect: "narrows-or-widens",
    summary: "the fields that order and identify events changed",
    explanation:
      "Readers use `key`, `sequence`, `first`, `id` and `idScope` to distinguish streams, notice gaps, drop redeliveries and resume, and `time` to date events. A change misleads every reader that is in the middle of a stream, so it is a break even if no short stream shows it. Only a new `time` is an addition.",
    hint: "Restore the member for this major version; make the change in the next.",
    example: { before: createTeaFiles({ key, id: "id" }), after: createTeaFiles({ key }) },
    describe: describeMember,
  },
  "stream-reliance-dropped": {
    effect: "breaks-promise",
    summary: "readers may no longer rely on a rule that writers still keep",
    explanation:
      'With "profile": "writer" the rule binds writers only. Nothing breaks yet, but the next version may drop the rule, and readers built against the baseline may rely on it.',
    hint: "Leave the profile as it was for this major version.",
    reverse: { description: "none, because a promise to more readers is an addition" },
    example: { before: createPairsFiles([pair]), after: createPairsFiles([{ ...pair, profile: "writer" }]) },
    describe: ({ name }) => `stream.rules ${name}: readers may no longer rely on it.`,
  },
  "stream-end-changed": {
    effect: "annotates",
    summary: "streams begin or end with other event types",
    explanation:
      "Readers of the baseline do not know that the new event type ends a stream, so they wait for another one. No rule promises that a stream ends, so this does not break the contract.",
    hint: "Make sure that no reader waits for an event that is no longer sent.",
    example: {
      before: createTeaFiles({ key, rules: { terminal } }),
      after: createTeaFiles({
        key,
        rules: { terminal: { ...terminal, types: ["tea.served", "tea.poured"] } },
      }),
    },
    describe,
  },
  "stream-guarantee-removed": {
    effect: "breaks-promise",
    summary: "the contract has fewer guarantees in prose",
    explanation:
      "The member `guarantees` of protocol.json has fewer sentences than before. Sentences are counted, not compared: they may be reworded freely.",
    hint: "Restore the sentence, or move it to the next major version.",
    reverse: { description: "none, because a further guarantee is an addition" },
    example: {
      before: createTeaFiles({ key }, { guarantees: ["Tea is served once.", "Tea is hot."] }),
      after: createTeaFiles({ key }, { guarantees: ["Tea is served once."] }),
    },
    describe: ({ from, to }) =>
      `guarantees has ${to} ${to === 1 ? "sentence" : "sentences"} now and had ${from} before.`,
  },
  "stream-changed": {
    effect: "annotates",
    summary: "the rules of streams are written differently, and no stream is affected",
    explanation:
      "Every stream of the baseline is still allowed, and readers of the baseline accept every stream of the current contract. Between major versions the note says only that the stream contract differs.",
    hint: "No action is needed.",
    reverse: { description: "reported by the same rule, or a break" },
    example: {
      before: createTeaFiles({ key, rules: { openings: [openingEvent] } }),
      after: createTeaFiles({ key, time: "id", rules: { openings: [openingEvent] } }),
    },
    describe: ({ otherMajor }) =>
      otherMajor
        ? "The stream contract in protocol.json differs from that of the other major version."
        : "The stream contract in protocol.json has another form; no stream is affected.",
  },
});

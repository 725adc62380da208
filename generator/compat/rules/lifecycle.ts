import type { JsonObject } from "../../json.js";
import { deprecatedWithoutReplacement, removedUnannounced, renameFaults } from "../history/announcements.js";
import { stableOnExperimental } from "../history/stable-refers.js";
import { tombstonesMissing, tombstonesRemoved, tombstonesReused } from "../history/tombstones.js";
import { listed, where } from "../words.js";
import { defineRule, type ExampleFiles, payloads, type Rule } from "./rule.js";

const cups = { type: "integer" };
const sort = { type: "string", enum: ["green", "black"] };
const SERVED = "events/tea.served.schema.json";
const stone = { kind: "field", name: "sort", in: "tea.served", removedIn: "1.0", reason: "Tea is tea." };
const EXPERIMENTAL = { "x-stability": "experimental" };

function served(fields: ExampleFiles[string], more: ExampleFiles[string] = {}): ExampleFiles {
  return { [SERVED]: { ...more, properties: fields ?? {} } };
}

function next(files: ExampleFiles): ExampleFiles {
  return { ...files, "protocol.json": { major: 2, version: "2.0", ...files["protocol.json"] } };
}

/** A stable event with a field of an experimental definition, and what the field says itself. */
function leaf(field: JsonObject): ExampleFiles {
  const schema = { ...EXPERIMENTAL, type: "object", properties: { sort } };
  return {
    "shared/leaves.schema.json": { title: "Leaves", description: "Shared.", $defs: { Leaf: schema } },
    ...served(
      { leaf: { $ref: "../shared/leaves.schema.json#/$defs/Leaf", ...field } },
      { "x-stability": "stable" },
    ),
  };
}

/** Rules that guard names over time. They claim nothing about documents. */
export const LIFECYCLE_RULES: readonly Rule[] = [
  defineRule({
    id: "tombstone-missing",
    effect: "guards",
    summary: "a name that a release held is gone and has no tombstone",
    explanation:
      "A name is known for ever once a release has held it. Without a tombstone somebody will give it another meaning one day.",
    repair: 'Add {"kind", "name", "in", "removedIn", "reason"} to the tombstones in protocol.json.',
    mirror: { rule: "tombstone-removed" },
    example: { before: served({ cups, sort }, EXPERIMENTAL), after: served({ cups }, EXPERIMENTAL) },
    say: (fact) => {
      const [holder, ...names] = [fact.from ?? []].flat();
      const place = fact.to === "event" ? "" : ` of ${where(fact)}`;
      const [what, is, has] = names.length > 1 ? [`${fact.to}s`, "are", "have"] : [fact.to, "is", "has"];
      return `The ${what} ${names.map((name) => JSON.stringify(name)).join(", ")}${place}, held by ${holder}, ${is} gone and ${has} no tombstone.`;
    },
    find: tombstonesMissing,
  }),
  defineRule({
    id: "tombstone-removed",
    effect: "guards",
    summary: "a tombstone is gone",
    explanation: "Tombstones keep a name from coming back with another meaning; they stay for ever.",
    repair: "Restore the tombstone from the release.",
    mirror: { rule: "tombstone-missing" },
    example: { before: { "protocol.json": { tombstones: [stone] } }, after: {} },
    say: ({ name, to, from }) => `The tombstone of the ${to} ${listed(name)}, withdrawn in ${from}, is gone.`,
    find: tombstonesRemoved,
  }),
  defineRule({
    id: "tombstone-reused",
    effect: "guards",
    summary: "a name that was withdrawn is in use again",
    explanation:
      "Stored events and old readers give the name its old meaning. Experimental contracts are no exception.",
    repair: "Choose a new name; a withdrawn one must never mean anything else.",
    mirror: { none: "a withdrawn name stays withdrawn" },
    example: {
      before: { ...served({ cups }), "protocol.json": { tombstones: [stone] } },
      after: served({ cups, sort }),
    },
    say: ({ name, to, from, occurrences: [first] }) =>
      `The ${to} name ${listed(name)} is in use again in ${first?.event || "the envelope"}${from === undefined ? ", with another meaning than it had before it was gone" : `; it was withdrawn in ${from}`}.`,
    find: tombstonesReused,
  }),
  defineRule({
    id: "removed-without-deprecation",
    effect: "promises",
    summary: "a name went that was never announced to go",
    explanation:
      "Readers learn from a deprecation, at least one minor release before, that they have to move.",
    repair: "Restore the name, deprecated with x-deprecated-since, and remove it a release later.",
    mirror: { none: "adding a name needs no announcement" },
    example: {
      before: served({ cups, sort }),
      after: next({ ...served({ cups }), "protocol.json": { tombstones: [{ ...stone, removedIn: "2.0" }] } }),
    },
    say: (fact) =>
      `The ${fact.to} ${listed(fact.name)} of ${where(fact)} went without having been deprecated.`,
    find: (evidence) => removedUnannounced("removed-without-deprecation", evidence),
  }),
  defineRule({
    id: "removed-too-early",
    effect: "promises",
    summary: "a name went before its deprecation was a release old",
    explanation: "At least one minor release with the deprecation must have passed.",
    repair: "Restore the name until the release after the one in x-deprecated-since.",
    mirror: { none: "nothing is too late" },
    example: {
      before: served({ cups, sort: { ...sort, deprecated: true, "x-deprecated-since": "2.0" } }),
      after: next({ ...served({ cups }), "protocol.json": { tombstones: [{ ...stone, removedIn: "2.0" }] } }),
    },
    say: (fact) =>
      `The ${fact.to} ${listed(fact.name)} of ${where(fact)} went in the same release that deprecated it (${fact.from}).`,
    find: (evidence) => removedUnannounced("removed-too-early", evidence),
  }),
  defineRule({
    id: "deprecated-without-replacement",
    effect: "promises",
    summary: "a name is deprecated and nothing says what to use",
    explanation: "Readers are told to move, but not where to.",
    repair: 'Add x-replaced-by with the name to use; "x-replaced-by": null says that nothing replaces it.',
    mirror: { none: "a replacement without a deprecation is no promise" },
    example: payloads({ cups, sort }, { cups, sort: { ...sort, deprecated: true } }),
    say: ({ name, to, occurrences: [first] }) =>
      `The ${to} ${listed(name)} of ${first?.event || "the envelope"} is deprecated without x-replaced-by.`,
    find: deprecatedWithoutReplacement,
  }),
  defineRule({
    id: "rename-unmatched",
    effect: "guards",
    summary: "x-renamed-from names something that never was",
    explanation: "A declaration that matches nothing is most often a misspelt name.",
    repair: "Mend the name, or remove x-renamed-from.",
    mirror: { none: "it states no direction" },
    example: payloads({ cups }, { cups, sort: { ...sort, "x-renamed-from": "tea_srot" } }),
    say: ({ name, from, to }) =>
      `The ${to} ${listed(name)} says that it was ${listed(from)}, but no known version holds such a name.`,
    find: (evidence) => renameFaults("rename-unmatched", evidence),
  }),
  defineRule({
    id: "rename-old-name-missing",
    effect: "guards",
    summary: "a declared rename whose old name is neither kept nor buried",
    explanation: "The old name must still be there, deprecated, or have a tombstone.",
    repair: "Keep the old name, deprecated, or add a tombstone with replacedBy.",
    mirror: { none: "it states no direction" },
    example: {
      before: served({ cups, tea_sort: sort }, EXPERIMENTAL),
      after: served({ cups, sort: { ...sort, "x-renamed-from": "tea_sort" } }, EXPERIMENTAL),
    },
    say: ({ name, from, to }) =>
      `The ${to} ${listed(name)} replaces ${listed(from)}, which is neither kept nor has a tombstone.`,
    find: (evidence) => renameFaults("rename-old-name-missing", evidence),
  }),
  defineRule({
    id: "rename-old-name-not-deprecated",
    effect: "promises",
    summary: "a declared rename whose old name is not deprecated",
    explanation: "Two names for one thing are a transition; the old one has to say so.",
    repair: "Add deprecated, x-deprecated-since and x-replaced-by to the old name.",
    mirror: { none: "it states no direction" },
    example: payloads(
      { cups, tea_sort: sort },
      { cups, tea_sort: sort, sort: { ...sort, "x-renamed-from": "tea_sort" } },
    ),
    say: ({ name, from, to }) =>
      `The ${to} ${listed(name)} replaces ${listed(from)}, which is not deprecated.`,
    find: (evidence) => renameFaults("rename-old-name-not-deprecated", evidence),
  }),
  defineRule({
    id: "stability-decreased",
    effect: "promises",
    summary: "a contract is less stable than it was",
    explanation: "Readers built on the promise that was made.",
    repair: "Restore x-stability.",
    mirror: { rule: "stability-increased" },
    example: { before: {}, after: { [SERVED]: EXPERIMENTAL } },
    say: (fact) => `${where(fact)}: ${listed(fact.name)} is ${fact.to} now and was ${fact.from}.`,
  }),
  defineRule({
    id: "stability-increased",
    effect: "annotates",
    summary: "a contract is more stable than it was, which freezes it",
    explanation:
      "From the next release on its breaks are errors; those of stable contracts cannot be waived.",
    repair: "Make sure that the contract is as it should stay.",
    mirror: { rule: "stability-decreased" },
    example: { before: { [SERVED]: EXPERIMENTAL }, after: {} },
    say: (fact) => `${where(fact)}: ${listed(fact.name)} is ${fact.to} now and was ${fact.from}.`,
  }),
  defineRule({
    id: "stable-refers-to-experimental",
    effect: "promises",
    summary: "something stable refers to something experimental",
    explanation:
      "A stable event type is as stable as what its $ref leads to; an experimental definition may change any day. The same holds for an experimental event type that is to be used instead of a stable one.",
    repair: "Make the target stable first, or mark the field that refers to it as experimental.",
    mirror: { none: "experimental contracts may refer to anything" },
    example: { before: leaf(EXPERIMENTAL), after: leaf({}) },
    say: (fact) =>
      fact.from === "reference"
        ? `${where(fact)}: what is stable refers to ${listed(fact.to)}, which is experimental.`
        : `The stable event type ${listed(fact.name)} is replaced by ${listed(fact.to)}, which is experimental.`,
    find: stableOnExperimental,
  }),
];

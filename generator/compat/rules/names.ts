import { type Change, type ExampleFiles, getFirstSubject } from "../change.js";
import {
  findDeprecationsWithoutReplacement,
  findRenameFaults,
  findUnannouncedRemovals,
} from "../history/announcements.js";
import { readMissingTombstone } from "../history/name-changes.js";
import { findMissingTombstones, findRemovedTombstones, findReusedNames } from "../history/tombstones.js";
import { describePlaces, quoteList } from "../phrases.js";
import { createPayloadExample, cups, defineRules, EXPERIMENTAL, SERVED, sort } from "./rule.js";

const tombstone = { kind: "field", name: "sort", in: "tea.served", removedIn: "1.0", reason: "Tea is tea." };

function createServedFiles(fields: ExampleFiles[string], more: ExampleFiles[string] = {}): ExampleFiles {
  return { [SERVED]: { ...more, properties: fields ?? {} } };
}

function moveToNextMajor(files: ExampleFiles): ExampleFiles {
  return { ...files, "protocol.json": { major: 2, version: "2.0", ...files["protocol.json"] } };
}

/** Returns the event type that has the name of a change; "the envelope" for names of all events. */
function formatHolder(change: Change): string {
  return getFirstSubject(change) || "the envelope";
}

/** Rules that protect names over time. They state nothing about single messages. */
export const NAME_RULES = defineRules({
  "tombstone-missing": {
    effect: "violates-history",
    summary: "a name of a release was removed and has no tombstone",
    explanation:
      "Stored events and old readers know a name once it was released. Without a tombstone it may be given another meaning later.",
    hint: 'Add {"kind", "name", "in", "removedIn", "reason"} to the tombstones in protocol.json.',
    reverse: { rule: "tombstone-removed" },
    example: {
      before: createServedFiles({ cups, sort }, EXPERIMENTAL),
      after: createServedFiles({ cups }, EXPERIMENTAL),
    },
    describe: (change) => {
      const { kind, release, names } = readMissingTombstone(change);
      const quotedNames = names.map((name) => JSON.stringify(name)).join(", ");
      const holder = kind === "event" ? "" : ` of ${describePlaces(change)}`;
      return names.length > 1
        ? `The ${kind}s ${quotedNames}${holder}, released with ${release}, were removed and have no tombstone.`
        : `The ${kind} ${quotedNames}${holder}, released with ${release}, was removed and has no tombstone.`;
    },
    detect: findMissingTombstones,
  },
  "tombstone-removed": {
    effect: "violates-history",
    summary: "a tombstone was removed",
    explanation: "Tombstones keep a name from being used again with another meaning. They are never removed.",
    hint: "Restore the tombstone from the release.",
    reverse: { rule: "tombstone-missing" },
    example: { before: { "protocol.json": { tombstones: [tombstone] } }, after: {} },
    describe: ({ name, to: kind, from: version }) =>
      `The tombstone of the ${kind} ${quoteList(name)}, withdrawn in ${version}, was removed.`,
    detect: findRemovedTombstones,
  },
  "tombstone-reused": {
    effect: "violates-history",
    summary: "a removed name is in use again",
    explanation:
      "Stored events and old readers give the name its old meaning. Experimental contracts are no exception.",
    hint: "Choose another name. A removed name must never get another meaning.",
    reverse: { description: "none, because a removed name stays removed" },
    example: {
      before: { ...createServedFiles({ cups }), "protocol.json": { tombstones: [tombstone] } },
      after: createServedFiles({ cups, sort }),
    },
    describe: (change) => {
      const { name, to: kind, from: version } = change;
      const detail =
        version === undefined
          ? ", with another meaning than before its removal"
          : `; it was withdrawn in ${version}`;
      return `The ${kind} name ${quoteList(name)} is in use again in ${formatHolder(change)}${detail}.`;
    },
    detect: findReusedNames,
  },
  "removed-without-deprecation": {
    effect: "breaks-promise",
    isErrorIfStable: true,
    summary: "a name was removed that was never deprecated",
    explanation:
      "A deprecation, at least one minor release earlier, tells readers that they have to migrate. For a stable name it is an error not to announce the removal, also in a new major version.",
    hint: "Restore the name, deprecated with x-deprecated-since, and remove it a release later.",
    reverse: { description: "none, because adding a name needs no announcement" },
    example: {
      before: createServedFiles({ cups, sort }),
      after: moveToNextMajor({
        ...createServedFiles({ cups }),
        "protocol.json": { tombstones: [{ ...tombstone, removedIn: "2.0" }] },
      }),
    },
    describe: (change) =>
      `The ${change.to} ${quoteList(change.name)} of ${describePlaces(change)} was removed without having been deprecated.`,
    detect: (evidence) => findUnannouncedRemovals("undeprecated", evidence),
  },
  "removed-too-early": {
    effect: "breaks-promise",
    isErrorIfStable: true,
    summary: "a name was removed in the release that deprecated it",
    explanation:
      "At least one release must contain the deprecation before the name is removed, so that readers have time to migrate. For a stable name it is an error, also in a new major version.",
    hint: "Restore the name until the release after the one in x-deprecated-since.",
    reverse: { description: "none, because a name may be removed later than announced" },
    example: {
      before: createServedFiles({ cups, sort: { ...sort, deprecated: true, "x-deprecated-since": "2.0" } }),
      after: moveToNextMajor({
        ...createServedFiles({ cups }),
        "protocol.json": { tombstones: [{ ...tombstone, removedIn: "2.0" }] },
      }),
    },
    describe: (change) =>
      `The ${change.to} ${quoteList(change.name)} of ${describePlaces(change)} was removed in the same release that deprecated it (${change.from}).`,
    detect: (evidence) => findUnannouncedRemovals("too early", evidence),
  },
  "deprecated-without-replacement": {
    effect: "breaks-promise",
    summary: "a name is deprecated without a statement on what to use instead",
    explanation: "Readers learn that they have to migrate, but not to what.",
    hint: 'Add x-replaced-by with the name to use; "x-replaced-by": null states that nothing replaces it.',
    reverse: { description: "none, because a replacement without a deprecation is not a promise" },
    example: createPayloadExample({ cups, sort }, { cups, sort: { ...sort, deprecated: true } }),
    describe: (change) =>
      `The ${change.to} ${quoteList(change.name)} of ${formatHolder(change)} is deprecated without x-replaced-by.`,
    detect: findDeprecationsWithoutReplacement,
  },
  "rename-unmatched": {
    effect: "violates-history",
    summary: "the keyword x-renamed-from names something that never existed",
    explanation: "A declaration that matches nothing is usually a misspelt name.",
    hint: "Fix the name, or remove x-renamed-from.",
    reverse: { description: "none, because the rule has no direction" },
    example: createPayloadExample({ cups }, { cups, sort: { ...sort, "x-renamed-from": "tea_srot" } }),
    describe: ({ name, from: oldName, to: kind }) =>
      `The ${kind} ${quoteList(name)} declares that it was ${quoteList(oldName)}, but no known version has that name.`,
    detect: (evidence) => findRenameFaults("unmatched", evidence),
  },
  "rename-old-name-missing": {
    effect: "violates-history",
    summary: "the old name of a declared rename was removed without a tombstone",
    explanation: "The old name must either still be there, deprecated, or have a tombstone.",
    hint: "Keep the old name, deprecated, or add a tombstone with replacedBy.",
    reverse: { description: "none, because the rule has no direction" },
    example: {
      before: createServedFiles({ cups, tea_sort: sort }, EXPERIMENTAL),
      after: createServedFiles({ cups, sort: { ...sort, "x-renamed-from": "tea_sort" } }, EXPERIMENTAL),
    },
    describe: ({ name, from: oldName, to: kind }) =>
      `The ${kind} ${quoteList(name)} replaces ${quoteList(oldName)}, which is neither kept nor has a tombstone.`,
    detect: (evidence) => findRenameFaults("missing", evidence),
  },
  "rename-old-name-not-deprecated": {
    effect: "breaks-promise",
    summary: "the old name of a declared rename is not deprecated",
    explanation:
      "Two names for one field or event are meant for a transition, so the old one must be deprecated.",
    hint: "Add deprecated, x-deprecated-since and x-replaced-by to the old name.",
    reverse: { description: "none, because the rule has no direction" },
    example: createPayloadExample(
      { cups, tea_sort: sort },
      { cups, tea_sort: sort, sort: { ...sort, "x-renamed-from": "tea_sort" } },
    ),
    describe: ({ name, from: oldName, to: kind }) =>
      `The ${kind} ${quoteList(name)} replaces ${quoteList(oldName)}, which is not deprecated.`,
    detect: (evidence) => findRenameFaults("not deprecated", evidence),
  },
});

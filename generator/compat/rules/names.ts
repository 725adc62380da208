import type { ExampleFiles } from "../change.js";
import { findRenameFaults, findUnannouncedRemovals, findUnreplaced } from "../history/announcements.js";
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

/** Rules that protect names over time. They claim nothing about documents. */
export const NAME_RULES = defineRules({
  "tombstone-missing": {
    effect: "guards",
    summary: "a name of a release was removed and has no tombstone",
    explanation:
      "Stored events and old readers know a name once it was released. Without a tombstone it may be given another meaning later.",
    hint: 'Add {"kind", "name", "in", "removedIn", "reason"} to the tombstones in protocol.json.',
    mirror: { rule: "tombstone-removed" },
    example: {
      before: createServedFiles({ cups, sort }, EXPERIMENTAL),
      after: createServedFiles({ cups }, EXPERIMENTAL),
    },
    describe: (change) => {
      const [holder, ...names] = [change.from ?? []].flat();
      const place = change.to === "event" ? "" : ` of ${describePlaces(change)}`;
      const [what, was, has] =
        names.length > 1 ? [`${change.to}s`, "were", "have"] : [change.to, "was", "has"];
      return `The ${what} ${names.map((name) => JSON.stringify(name)).join(", ")}${place}, released with ${holder}, ${was} removed and ${has} no tombstone.`;
    },
    detect: findMissingTombstones,
  },
  "tombstone-removed": {
    effect: "guards",
    summary: "a tombstone was removed",
    explanation: "Tombstones keep a name from being used again with another meaning. They are never removed.",
    hint: "Restore the tombstone from the release.",
    mirror: { rule: "tombstone-missing" },
    example: { before: { "protocol.json": { tombstones: [tombstone] } }, after: {} },
    describe: ({ name, to, from }) =>
      `The tombstone of the ${to} ${quoteList(name)}, withdrawn in ${from}, was removed.`,
    detect: findRemovedTombstones,
  },
  "tombstone-reused": {
    effect: "guards",
    summary: "a removed name is in use again",
    explanation:
      "Stored events and old readers give the name its old meaning. Experimental contracts are no exception.",
    hint: "Choose another name. A removed name must never get another meaning.",
    mirror: { none: "none, because a removed name stays removed" },
    example: {
      before: { ...createServedFiles({ cups }), "protocol.json": { tombstones: [tombstone] } },
      after: createServedFiles({ cups, sort }),
    },
    describe: ({ name, to, from, occurrences: [first] }) =>
      `The ${to} name ${quoteList(name)} is in use again in ${first?.event || "the envelope"}${from === undefined ? ", with another meaning than before its removal" : `; it was withdrawn in ${from}`}.`,
    detect: findReusedNames,
  },
  "removed-without-deprecation": {
    effect: "promises",
    isErrorIfStable: true,
    summary: "a name was removed that was never deprecated",
    explanation:
      "A deprecation, at least one minor release earlier, tells readers that they have to migrate. For a stable name it is an error not to announce the removal, also in a new major version.",
    hint: "Restore the name, deprecated with x-deprecated-since, and remove it a release later.",
    mirror: { none: "none, because adding a name needs no announcement" },
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
    effect: "promises",
    isErrorIfStable: true,
    summary: "a name was removed in the release that deprecated it",
    explanation:
      "At least one release must contain the deprecation before the name is removed, so that readers have time to migrate. For a stable name it is an error, also in a new major version.",
    hint: "Restore the name until the release after the one in x-deprecated-since.",
    mirror: { none: "none, because a name may be removed later than announced" },
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
    effect: "promises",
    summary: "a name is deprecated without a statement on what to use instead",
    explanation: "Readers learn that they have to migrate, but not to what.",
    hint: 'Add x-replaced-by with the name to use; "x-replaced-by": null states that nothing replaces it.',
    mirror: { none: "none, because a replacement without a deprecation is not a promise" },
    example: createPayloadExample({ cups, sort }, { cups, sort: { ...sort, deprecated: true } }),
    describe: ({ name, to, occurrences: [first] }) =>
      `The ${to} ${quoteList(name)} of ${first?.event || "the envelope"} is deprecated without x-replaced-by.`,
    detect: findUnreplaced,
  },
  "rename-unmatched": {
    effect: "guards",
    summary: "the keyword x-renamed-from names something that never existed",
    explanation: "A declaration that matches nothing is usually a misspelt name.",
    hint: "Fix the name, or remove x-renamed-from.",
    mirror: { none: "none, because the rule has no direction" },
    example: createPayloadExample({ cups }, { cups, sort: { ...sort, "x-renamed-from": "tea_srot" } }),
    describe: ({ name, from, to }) =>
      `The ${to} ${quoteList(name)} declares that it was ${quoteList(from)}, but no known version has that name.`,
    detect: (evidence) => findRenameFaults("unmatched", evidence),
  },
  "rename-old-name-missing": {
    effect: "guards",
    summary: "the old name of a declared rename was removed without a tombstone",
    explanation: "The old name must either still be there, deprecated, or have a tombstone.",
    hint: "Keep the old name, deprecated, or add a tombstone with replacedBy.",
    mirror: { none: "none, because the rule has no direction" },
    example: {
      before: createServedFiles({ cups, tea_sort: sort }, EXPERIMENTAL),
      after: createServedFiles({ cups, sort: { ...sort, "x-renamed-from": "tea_sort" } }, EXPERIMENTAL),
    },
    describe: ({ name, from, to }) =>
      `The ${to} ${quoteList(name)} replaces ${quoteList(from)}, which is neither kept nor has a tombstone.`,
    detect: (evidence) => findRenameFaults("missing", evidence),
  },
  "rename-old-name-not-deprecated": {
    effect: "promises",
    summary: "the old name of a declared rename is not deprecated",
    explanation:
      "Two names for one field or event are meant for a transition, so the old one must be deprecated.",
    hint: "Add deprecated, x-deprecated-since and x-replaced-by to the old name.",
    mirror: { none: "none, because the rule has no direction" },
    example: createPayloadExample(
      { cups, tea_sort: sort },
      { cups, tea_sort: sort, sort: { ...sort, "x-renamed-from": "tea_sort" } },
    ),
    describe: ({ name, from, to }) =>
      `The ${to} ${quoteList(name)} replaces ${quoteList(from)}, which is not deprecated.`,
    detect: (evidence) => findRenameFaults("not deprecated", evidence),
  },
});

import type { RuleTexts } from "../finding.js";

/** What the rules mean by which files are read, in the order of reading: as JSON, as a folder, as a whole. */
export const LOAD_RULES = {
  "json-syntax": {
    summary: "a text is not JSON",
    explanation:
      "Schemas, protocol.json and events are strict JSON (RFC 8259): no comments, no comma at the end of a list, double quotes. An event that is not JSON is passed over, and the run goes on with the next one.",
    repair: "Mend the text where the finding points; the cause often stands just before it.",
  },
  "json-encoding": {
    summary: "a text is not UTF-8",
    explanation:
      "JSON that is exchanged is UTF-8. Bytes that are none would be replaced silently, and what is read would not be what was written.",
    repair: "Save the file as UTF-8, or send the text in that encoding.",
  },
  "json-depth": {
    summary: "a document nests too deeply",
    explanation:
      "Deeper nesting than any contract needs makes readers run out of stack; the limit is the same for schemas and events.",
    repair: "Make the document flatter.",
  },
  "json-number": {
    summary: "a number is read as another one",
    explanation:
      "JavaScript, and whoever else reads numbers as doubles, holds whole numbers exactly up to 9007199254740991 and nothing beyond about 1.8e308. A bound or a value outside of that would silently mean something else.",
    repair: "Write a number that a double holds as it stands, or carry long numbers as text.",
  },
  "json-duplicate-key": {
    summary: "a name stands twice in one object",
    explanation:
      "JSON allows it and says nothing of what it means: some readers take the first value, most the last, some refuse it.",
    repair: "Remove one of the two.",
  },
  "file-unreadable": {
    summary: "something that is no file stands where one is read",
    explanation: "A link to nothing, a folder or a device cannot be read as a schema.",
    repair: "Put a file in its place, or remove it.",
  },
  "file-outside": {
    summary: "a link leads out of the schemas folder",
    explanation:
      "Schemas may come from anybody, and a link would let them read other files of the machine. Nothing outside of the folder is read.",
    repair: "Put a copy inside of the folder instead of the link.",
  },
  "file-unexpected": {
    summary: "a file of a protocol folder is not read",
    explanation:
      "Schemas are named *.schema.json and stand in events, shared or resources. A file that is named otherwise, or stands elsewhere, would be missing from the contract without anybody noticing.",
    repair: "Rename or move the file, or take it out of the folder.",
  },
  "protocol-missing": {
    summary: "there is no protocol where one is looked for",
    explanation:
      "A protocol is a folder <schemas>/<name>/v<major> with a protocol.json and an envelope.schema.json.",
    repair: "Name the right folder with --schemas, or begin one with `accrete init` or `accrete import`.",
  },
  "protocol-invalid": {
    summary: "protocol.json is not what its schema describes, or does not fit its folder",
    explanation:
      "protocol.json says how events are told apart, ordered and released, so everything else depends on it. Editors complete and check it by the schema `accrete/protocol.schema.json` of the package.",
    repair: "Mend the key or the value that the finding names.",
  },
  "config-invalid": {
    summary: "the configuration is not what its schema describes",
    explanation:
      'A key that is misspelt would have no effect. The configuration stands in accrete.config.json or under "accrete" in package.json, and has the schema `accrete/config.schema.json` of the package.',
    repair: "Mend the key or the value that the finding names.",
  },
  "consumers-invalid": {
    summary: "the record of frontends that passed is not what contract tests write",
    explanation:
      "`accrete status` counts frontends by that file; one that was changed by hand proves nothing.",
    repair: "Delete the file, and let the contract tests write it again.",
  },
  "envelope-missing": {
    summary: "a protocol has no envelope.schema.json",
    explanation: "The envelope holds what every event has, among it the field that says which event it is.",
    repair: "Write envelope.schema.json into the protocol's folder.",
  },
  "ref-remote": {
    summary: "a reference leads to the network",
    explanation:
      "A contract that has to be fetched can change, or be missing, without a commit that says so.",
    repair: "Put a copy beside the schema, and refer to it by a relative path.",
  },
  "ref-outside": {
    summary: "a reference leads out of the schemas folder",
    explanation: "The contract is what stands in the folder: nothing outside of it is read.",
    repair: "Refer to a file below the schemas folder by a relative path.",
  },
  "ref-unresolved": {
    summary: "a reference leads to no schema",
    explanation:
      "The file does not exist or could not be read, or what stands behind the # is no place of a schema in it. Paths count from the file that holds the reference.",
    repair: "Check the path, and the part behind the #.",
  },
  "ref-cycle": {
    summary: "a definition refers back to itself with nothing in between",
    explanation:
      "It says nothing about any value, and no type can be made of it. Cycles through a field or an item are fine.",
    repair: "Let the cycle pass through a property or an item.",
  },
  "definition-name-collision": {
    summary: "two definitions get the same name",
    explanation:
      "The name of a definition is made of its own place alone, so that it stays when other files change. In the generated code and in the bundled schema both would be one.",
    repair: "Rename one of the definitions.",
  },
  "release-altered": {
    summary: "a release file does not have the content that was released",
    explanation:
      "Compatibility is measured by releases, so changing one hides breaks. The digest in the file, the commits of the git repository and the digest in the next release each show a change. If several contents were committed for one version, the first one counts; if branches were merged, the first one of each branch.",
    repair: "Restore the file from version control, and release a changed contract under the next version.",
  },
  "release-missing": {
    summary: "the file of a release is gone",
    explanation:
      "Compatibility is measured by releases, so deleting one hides breaks. The git history up to the commit that is checked out shows which releases were made. Each release also holds the version and the digest of the one before it.",
    repair:
      "Restore the file from version control. A mistaken release can be withdrawn with `accrete release --withdraw` while nothing in it is stable.",
  },
  "protocol-removed": {
    summary: "a protocol that has releases is gone",
    explanation:
      "Readers were built against its releases, and without the protocol nothing checks them any more. A protocol without releases, or whose releases were all withdrawn, may be deleted.",
    repair:
      "Restore the folder from version control. If the protocol is no longer needed, mark its events as deprecated.",
  },
  "withdrawal-invalid": {
    summary: "protocol.json records a withdrawn release that cannot have been withdrawn",
    explanation:
      "Only a release in which nothing is stable can be withdrawn: readers rely on what is stable. A withdrawn release has no file.",
    repair: "Remove the entry from `withdrawn`; `accrete release --withdraw` writes such entries.",
  },
  "withdrawal-missing": {
    summary: "protocol.json no longer records a release that was withdrawn",
    explanation:
      "The record explains why a version was released with two contents. Releases that were made afterwards hold a copy of it.",
    repair: "Restore the entry of `withdrawn` in protocol.json from version control.",
  },
  "history-incomplete": {
    summary: "the git history is incomplete or cannot be read",
    explanation:
      "The history shows which releases were deleted or changed. In a shallow clone the releases of earlier commits are not known, so that only the digests in the release files are checked.",
    repair: "Fetch the whole history: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout.",
  },
} satisfies RuleTexts;

declare module "../finding.js" {
  interface RuleIds extends Record<keyof typeof LOAD_RULES, true> {}
}

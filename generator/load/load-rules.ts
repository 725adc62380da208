import type { RuleTexts } from "../finding.js";

/** The texts of the rules that apply while files are read, in the order of reading: as JSON, as a folder, as a whole. */
export const LOAD_RULES = {
  "json-syntax": {
    summary: "a text is not valid JSON",
    explanation:
      "Schemas, protocol.json and events are strict JSON (RFC 8259): no comments, no trailing commas, double quotes. An event that is not JSON is skipped, and the run continues with the next one.",
    hint: "Correct the text at the place of the finding; the cause is often just before it.",
  },
  "json-encoding": {
    summary: "a text is not UTF-8",
    explanation:
      "JSON is exchanged as UTF-8. Other bytes would be replaced silently, and the text that is read would differ from the text that was written.",
    hint: "Save the file as UTF-8, or send the text as UTF-8.",
  },
  "json-depth": {
    summary: "a document is nested too deeply",
    explanation:
      "Documents that are nested more deeply than any contract needs make readers exceed their stack. The limit is the same for schemas and events.",
    hint: "Make the document flatter.",
  },
  "json-number": {
    summary: "a number is read as a different number",
    explanation:
      "JavaScript and other programs that read numbers as doubles represent integers exactly up to 9007199254740991, and nothing beyond about 1.8e308. A bound or a value beyond these limits would silently mean something else.",
    hint: "Write a number that a double represents exactly, or write long numbers as strings.",
  },
  "json-duplicate-key": {
    summary: "an object has a name twice",
    explanation:
      "JSON allows this but does not define its meaning. Some readers use the first value, most use the last, and some refuse it.",
    hint: "Remove one of the two.",
  },
  "file-unreadable": {
    summary: "a path that should be a file is not one",
    explanation: "A broken link, a folder or a device cannot be read as a schema.",
    hint: "Replace it by a file, or remove it.",
  },
  "file-outside": {
    summary: "a link leads out of the schemas folder",
    explanation:
      "Schemas may come from untrusted sources, and a link could read any file of the machine. accrete reads nothing outside of the folder.",
    hint: "Replace the link by a copy inside of the folder.",
  },
  "file-unexpected": {
    summary: "a file of a protocol folder is not read",
    explanation:
      "Schemas are named *.schema.json and are in events, shared or resources. A file with another name, or in another folder, would be missing from the contract without notice.",
    hint: "Rename or move the file, or remove it from the folder.",
  },
  "protocol-missing": {
    summary: "a protocol was not found",
    explanation:
      "A protocol is a folder <schemas>/<name>/v<major> with a protocol.json and an envelope.schema.json.",
    hint: "Name the right folder with --schemas, or create a protocol with `accrete init` or `accrete import`.",
  },
  "protocol-invalid": {
    summary: "protocol.json does not match its schema or its folder",
    explanation:
      "protocol.json states how events are identified, ordered and released, so everything else depends on it. Editors complete and check it with the schema `accrete-cli/protocol.schema.json`.",
    hint: "Correct the key or the value that the finding names.",
  },
  "config-invalid": {
    summary: "the configuration does not match its schema",
    explanation:
      'A misspelt key would have no effect. The configuration is accrete.config.json or the member "accrete" of package.json. Its schema is `accrete-cli/config.schema.json`.',
    hint: "Correct the key or the value that the finding names.",
  },
  "consumers-invalid": {
    summary: "the record of tested frontends was not written by contract tests",
    explanation:
      "`accrete status` counts frontends by this file. A file that was edited by hand proves nothing.",
    hint: "Delete the file, and let the contract tests write it again.",
  },
  "envelope-missing": {
    summary: "a protocol has no envelope.schema.json",
    explanation:
      "The envelope declares the fields of every event, including the field that holds the event type.",
    hint: "Add envelope.schema.json to the folder of the protocol.",
  },
  "ref-remote": {
    summary: "a reference leads to the network",
    explanation: "A contract that must be fetched can change or disappear without a commit.",
    hint: "Put a copy beside the schema, and refer to it by a relative path.",
  },
  "ref-outside": {
    summary: "a reference leads out of the schemas folder",
    explanation: "The contract is the content of the folder. accrete reads nothing outside of it.",
    hint: "Refer to a file below the schemas folder by a relative path.",
  },
  "ref-unresolved": {
    summary: "a reference does not lead to a schema",
    explanation:
      "The file does not exist or cannot be read, or the part after # is not the place of a schema in it. Paths are relative to the file that contains the reference.",
    hint: "Check the path, and the part after the #.",
  },
  "ref-cycle": {
    summary: "a definition refers to itself directly",
    explanation:
      "Such a definition does not restrict any value, and no type can be generated for it. Cycles through a field or an item are allowed.",
    hint: "Let the cycle pass through a property or an item.",
  },
  "definition-name-collision": {
    summary: "two definitions get the same name",
    explanation:
      "The name of a definition follows from its own place only, so that it stays the same when other files change. The generated code and the bundled schema would merge the two definitions.",
    hint: "Rename one of the definitions.",
  },
  "release-altered": {
    summary: "a release file does not have the content that was released",
    explanation:
      "Compatibility is measured by releases, so a changed release hides breaks. The digest in the file, the commits of the git repository and the digest in the next release each show a change. If several contents were committed for one version, the first one counts; if branches were merged, the first one of each branch.",
    hint: "Restore the file from version control, and release a changed contract under the next version.",
  },
  "release-missing": {
    summary: "the file of a release is missing",
    explanation:
      "Compatibility is measured by releases, so a deleted release hides breaks. The git history up to the checked-out commit shows which releases were made. Each release also holds the version and the digest of the previous one.",
    hint: "Restore the file from version control. A mistaken release can be withdrawn with `accrete release --withdraw` while nothing in it is stable.",
  },
  "protocol-removed": {
    summary: "a protocol with releases was removed",
    explanation:
      "Readers were built against its releases, and nothing checks them without the protocol. A protocol without releases, or whose releases were all withdrawn, may be deleted.",
    hint: "Restore the folder from version control. If the protocol is no longer needed, mark its events as deprecated.",
  },
  "withdrawal-invalid": {
    summary: "protocol.json records a withdrawn release that cannot have been withdrawn",
    explanation:
      "Only a release without stable parts can be withdrawn, because readers rely on stable parts. A withdrawn release has no file.",
    hint: "Remove the entry from `withdrawn`; `accrete release --withdraw` writes such entries.",
  },
  "withdrawal-missing": {
    summary: "protocol.json no longer records a withdrawn release",
    explanation:
      "The record explains why a version was released with two contents. Later releases hold a copy of it.",
    hint: "Restore the entry of `withdrawn` in protocol.json from version control.",
  },
  "history-incomplete": {
    summary: "the git history is incomplete or cannot be read",
    explanation:
      "The history shows which releases were deleted or changed. A shallow clone does not hold the releases of earlier commits, so only the digests in the release files are checked.",
    hint: "Fetch the whole history: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout.",
  },
} satisfies RuleTexts;

declare module "../finding.js" {
  interface RuleIds extends Record<keyof typeof LOAD_RULES, true> {}
}

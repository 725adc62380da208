import type { RuleTexts } from "../finding.js";

/** The texts of the rules that belong to commands other than `accrete lint` and `accrete compat`. */
export const COMMAND_RULES = {
  "generated-missing": {
    summary: "a generated file is missing",
    explanation: "The committed generated files must follow from the committed schemas.",
    hint: "Run `accrete generate`, and commit what it writes.",
  },
  "generated-stale": {
    summary: "a generated file is not up to date",
    explanation:
      "The file was edited by hand, or the schemas or the version of accrete changed. The finding shows the first difference.",
    hint: "Run `accrete generate`, and commit what it writes.",
  },
  "generated-superfluous": {
    summary: "a file is no longer generated",
    explanation:
      "Its schema was removed, or the output is no longer requested. Nothing keeps the file correct for the programs that import it.",
    hint: 'Run `accrete generate`. Add outputs that were requested with --emit to "emit" of the configuration.',
  },
  "generated-unfinished": {
    summary: "a run is writing into the folder, or was interrupted",
    explanation: "The next run restores a complete state.",
    hint: "Run `accrete generate`.",
  },
  "generated-unknown": {
    summary: "the folder holds a version that these schemas do not have",
    explanation:
      "Several schemas folders may share one output folder, so accrete cannot know whether the version is still needed.",
    hint: "Delete the folder if no other schemas folder generates it.",
  },
  "output-escapes": {
    summary: "an output would be outside of the output folder",
    explanation: "Paths of outputs follow from names in the schemas, which may come from untrusted sources.",
    hint: "Correct the name in the schemas.",
  },
  "output-link": {
    summary: "an output would be written through a link",
    explanation: "The link may lead anywhere, and a run writes into its own folder only.",
    hint: "Replace the link by a folder, or name the target of the link with --out.",
  },
  "output-foreign": {
    summary: "a file that accrete did not generate is in the place of an output",
    explanation: "accrete replaces and deletes only files with the banner of generated files.",
    hint: "Move the file, or choose another folder with --out.",
  },
  "events-missing": {
    summary: "an input contains no events",
    explanation: "An empty file is usually a mistake. It is not an error.",
    hint: "Check that you named the right file, and that it is complete.",
  },
  "event-listed-twice": {
    summary: "an event occurs twice in one list",
    explanation:
      "A live feed may deliver an event again, but the answer to a request for a list holds each event once. A reader that counts the events of a page, or asks for the next page after so many, is wrong otherwise.",
    hint: "Send each event once in a list, and redeliveries on a live feed only.",
  },
  "json-size": {
    summary: "a line, a frame or a document is too large",
    explanation: "Memory is bounded, so that one line cannot end the run.",
    hint: "Write one event per line (JSON Lines): lines are read one at a time.",
  },
  "sse-cut": {
    summary: "a feed stops within a frame",
    explanation:
      "The frame does not end with an empty line, so clients drop it. A capture may stop anywhere, so this is a warning.",
    hint: "Nothing, if the capture was stopped. Otherwise end each frame with an empty line.",
  },
  "sequence-unsafe": {
    summary: "an event has a number that JavaScript cannot represent exactly",
    explanation:
      "Beyond 9007199254740991 two events may get the same number, and readers would drop the second.",
    hint: "Begin a new stream, or send the number as a string in a new version of the protocol.",
  },
  "feed-incomplete": {
    summary: "a feed ended before the expected event",
    explanation:
      "--until named an event type or a number of events. The feed ended, or the time was over, before they arrived.",
    hint: "Check what the server sends, or wait longer with --timeout.",
  },
  "replay-differs": {
    summary: "two recordings of one run differ",
    explanation: "If a run is read again, each event must have the same bytes, in the same order.",
    hint: "Store the bytes that were sent, and send these again.",
  },
  "event-unservable": {
    summary: "an event cannot be served",
    explanation:
      "The server must know the protocol and the run of an event, and its place in the run. Events with other faults are served unchanged.",
    hint: "Correct the event, or remove it from the recording.",
  },
  "faults-invalid": {
    summary: "a fault plan does not match its schema",
    explanation:
      "A misspelt fault or option would have no effect, and a test with it would prove nothing. The schema is `accrete-cli/faults.schema.json`.",
    hint: "Correct the key or the value that the finding names.",
  },
  "row-invalid": {
    summary: "a row of a log does not hold an event",
    explanation:
      "The member rows of protocol.json states which columns hold the fields of the envelope and the payload. A row without one of them cannot become a public event.",
    hint: "Export the column as well. A payload is a JSON object, or a text with one.",
  },
  "state-invalid": {
    summary: "a state of a run does not match its resource",
    explanation:
      "The member stateFeed of protocol.json names the resource that describes the states of runs. With --profile reader (the default), the finding means that a consumer need not accept the state. With --profile writer, it means that a server may not send it.",
    hint: "Correct the server that sends the state, or extend the schema of the resource.",
  },
  "row-inexact": {
    summary: "a row has a number that JavaScript cannot represent exactly",
    explanation: "The number would be another one in the event.",
    hint: "Send the number as a string, or remove it from the row.",
  },
  "upcast-impossible": {
    summary: "an event cannot be carried over to a later version without loss",
    explanation:
      "A step of upcasts in protocol.json would overwrite a value, for instance a field that the earlier version did not declare, or it finds a text that has too few parts to be split. accrete never guesses and never drops a value.",
    hint: "Remove the value from the recording, or extend the steps in protocol.json.",
  },
  "upcast-inexact": {
    summary: "an event has a number that JavaScript cannot represent exactly",
    explanation: "The number would be another one in the result.",
    hint: "Send the number as a string, or remove it from the recording.",
  },
  "upcast-invalid": {
    summary: "the later version refuses an event that was carried over",
    explanation:
      "The earlier version accepts the event, but after the steps of upcasts in protocol.json it is not valid, or the rules for streams are broken. The finding points to the place in the original event.",
    hint: "Extend the steps in protocol.json, or correct the recording.",
  },
  "promotion-incomplete": {
    summary: "a protocol cannot become stable yet",
    explanation:
      "The member promotion of protocol.json states what the protocol needs: kinds of frontends, and tool families of which one is complete. All candidate and stable event types need generated types, fixtures, a runtime that sends them and a frontend that is tested with them.",
    hint: "Supply what the finding names. Until then, leave the event types candidate.",
  },
  "candidate-incomplete": {
    summary: "an event type is marked candidate, but it has no examples",
    explanation:
      "Frontends are built for candidate event types, so each one needs a valid event, an event that must be refused, and a stream with it in the fixtures. This is checked for protocols that declare promotion in protocol.json. No runtime has to send a candidate event type yet.",
    hint: 'Add the fixtures, or leave it "experimental" until then.',
  },
  "stable-incomplete": {
    summary: "an event type is marked stable, but something is missing",
    explanation:
      "A stable event type needs up-to-date generated types, fixtures (a valid event, an invalid event, a stream), a runtime that sends it, a frontend that passed the contract tests with it, and no open requirements (`x-requires`).",
    hint: 'Add what is missing, or leave it "candidate" until then.',
  },
  "released-event-refused": {
    summary: "current readers refuse events that an earlier release allows",
    explanation:
      "`accrete audit --readers` proves for every release that current readers accept what its writers may send. A recorded run with such an event can no longer be opened. The finding names the first version whose readers refuse the event, and shows an event.",
    hint: "Accept the old form again, or carry old recordings over with `upcasts` in protocol.json.",
  },
  "old-reader-refuses": {
    summary: "readers of an earlier release refuse events of a later version",
    explanation:
      "`accrete audit --readers` also proves that the readers of every release accept what writers of later versions may send. Programs of that release that are still in use cannot open the events.",
    hint: "Update these programs before writers send the events.",
  },
} satisfies RuleTexts;

declare module "../finding.js" {
  interface RuleIds extends Record<keyof typeof COMMAND_RULES, true> {}
}

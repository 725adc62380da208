import type { RuleTexts } from "../finding.js";

/** What the rules mean that belong to one command: generate, validate, serve, status. */
export const COMMAND_RULES = {
  "generated-missing": {
    summary: "a generated file is not there",
    explanation: "What is committed has to follow from the schemas that are committed.",
    repair: "Run `accrete generate`, and commit what it writes.",
  },
  "generated-stale": {
    summary: "a generated file is not what the schemas give",
    explanation:
      "It was changed by hand, or the schemas, or the version of accrete, changed without it. The finding shows the first difference.",
    repair: "Run `accrete generate`, and commit what it writes.",
  },
  "generated-superfluous": {
    summary: "nothing generates a file any more",
    explanation:
      "Its schema is gone, or the output is no longer wanted; whoever imports it gets what nobody checks.",
    repair: 'Run `accrete generate`; outputs made with --emit belong into "emit" of the configuration.',
  },
  "generated-unfinished": {
    summary: "a run is writing into the folder, or was interrupted",
    explanation: "What is half done is undone by the next run.",
    repair: "Run `accrete generate`.",
  },
  "generated-unknown": {
    summary: "the folder holds a version that these schemas do not have",
    explanation:
      "Several schemas folders may share one output folder, so only the user knows whether it is still wanted.",
    repair: "Delete the folder if no other schemas folder generates it.",
  },
  "output-escapes": {
    summary: "an output would stand outside of the output folder",
    explanation: "Paths of outputs follow from names in the schemas, which may come from anybody.",
    repair: "Mend the name in the schemas.",
  },
  "output-link": {
    summary: "an output would be written through a link",
    explanation: "The link may lead anywhere, and a run writes into its own folder only.",
    repair: "Replace the link by a folder, or let --out name the folder that it leads to.",
  },
  "output-foreign": {
    summary: "a file that accrete has not generated stands in the way",
    explanation: "Only files that carry the banner of generated files are ever replaced or deleted.",
    repair: "Move it away, or choose another folder with --out.",
  },
  "events-missing": {
    summary: "an input holds no events",
    explanation: "An empty file is more often a mistake than a result, so it is said; it is no error.",
    repair: "Check that the right file was named, and that it was written to the end.",
  },
  "json-size": {
    summary: "a line, a frame or a document is too large to be read",
    explanation: "Memory is bounded, so that one line cannot end the run.",
    repair: "Write one event a line (JSON Lines): lines are read one at a time.",
  },
  "sse-cut": {
    summary: "a feed stops within a frame",
    explanation:
      "No empty line ends the frame, so clients drop it. A capture may stop anywhere, hence a warning.",
    repair: "Nothing, if the capture was stopped; otherwise end each frame by an empty line.",
  },
  "sequence-unsafe": {
    summary: "an event has a number that JavaScript cannot hold exactly",
    explanation:
      "Beyond 9007199254740991 two events may get the same number, and readers would drop the second.",
    repair: "Begin a new stream, or carry the number as text in a new version of the protocol.",
  },
  "feed-incomplete": {
    summary: "a feed did not bring what was waited for",
    explanation:
      "--until named an event type or a number of events that had not come when the feed was over or the time was up.",
    repair: "Check what the server sends, or wait longer with --timeout.",
  },
  "replay-differs": {
    summary: "two recordings of one run are not the same",
    explanation: "A run that is read again has to give the same bytes for each event, in the same order.",
    repair: "Store the bytes that were sent, and send those again.",
  },
  "event-unservable": {
    summary: "an event cannot be served",
    explanation:
      "A server has to know to which protocol and which run an event belongs, and where in it. Events with other faults are served as they are.",
    repair: "Mend the event, or take it out of the recording.",
  },
  "faults-invalid": {
    summary: "a plan of faults is not what its schema describes",
    explanation:
      "A fault or an option that is misspelt would break nothing, and a test by it would prove nothing. The schema is `accrete/faults.schema.json` of the package.",
    repair: "Mend the key or the value that the finding names.",
  },
  "stable-incomplete": {
    summary: "an event type is marked stable, though something is missing",
    explanation:
      "A stable event type has generated types that are up to date, fixtures (a golden event, one that must be refused, a stream with it), a runtime that sends it and a frontend that passed the contract tests with it, and waits on nothing outside.",
    repair: 'Supply what is missing, or leave it "candidate" until then.',
  },
} satisfies RuleTexts;

declare module "../finding.js" {
  interface RuleIds extends Record<keyof typeof COMMAND_RULES, true> {}
}

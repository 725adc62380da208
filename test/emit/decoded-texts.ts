/** Texts for the packages of hecate/v1 in all languages: events in unusual forms, and texts that are not events. */
import { type DecodeCase, editNote, NOTE } from "./package-cases.js";

/** The result of decoding a text: whether its event type is known, or a part of the error. */
type Outcome = boolean | string;

/** A text and its outcome in each language. The text is not tested in a language without an outcome. */
interface DecodedText {
  readonly text: string;
  readonly go?: Outcome;
  readonly python?: Outcome;
  readonly rust?: Outcome;
}

type Language = Exclude<keyof DecodedText, "text">;

/** The error about a part of an event, in all languages. */
function refuse(error: string): Pick<DecodedText, Language> {
  return { go: error, python: error, rust: error };
}

const DECODED_TEXTS: readonly DecodedText[] = [
  { text: editNote("run.created", "no.such"), go: false, python: false, rust: false },
  { text: ` ${editNote('"sequence":1', '"sequence":1.0')}\n`, go: true, python: true, rust: true },
  { text: editNote('"sequence":1', '"sequence":1e3'), go: true, rust: true },
  {
    text: editNote('"sequence":1', '"sequence":9007199254740993'),
    ...refuse('/sequence: must satisfy "maximum": 9007199254740991'),
  },
  {
    text: editNote('"data":{}', '"data":{"a":[1.5e300,-0.1,12345678901234567890123]},"later":{"x":null}'),
    python: true,
  },
  { text: editNote('"data":{}', '"data":{"a":null,"<&>":"\\u2028"},"TYPE":1,"Data":{}'), go: true },
  { text: editNote('"data":{}', '"data":{"a":null,"TYPE":1},"later":{"x":null},"Data":{}'), rust: true },
  { text: editNote('"data":{}', '"data":{"later":"\\ud800"}'), python: true, rust: "hex escape" },
  { text: editNote("run_1", "\\ud800"), python: "/run_id: must satisfy", go: "/run_id: must satisfy" },
  { text: editNote("run_1", "run_1\\n"), ...refuse('/run_id: must satisfy "pattern"') },
  { text: editNote("23:40Z", "23:61Z"), ...refuse('/occurred_at: must satisfy "format": "date-time"') },
  {
    text: editNote('"sequence":1', '"sequence":1.5'),
    ...refuse('/sequence: must satisfy "type": "integer"'),
  },
  { text: editNote('"sequence":1', '"sequence":1e400'), ...refuse('/sequence: must satisfy "type"') },
  { text: editNote('"sequence":1', '"sequence":true'), ...refuse('/sequence: must satisfy "type"') },
  { text: editNote('"sequence":1', '"sequence":"1"'), ...refuse('/sequence: must satisfy "type"') },
  { text: editNote('"sequence":1', '"sequence":-1'), ...refuse('/sequence: must satisfy "minimum": 0') },
  { text: editNote('"sequence":1', '"sequence":NaN'), python: "NaN is not JSON" },
  { text: editNote('"data":{}', '"data":null'), ...refuse('/data: must satisfy "type": "object"') },
  { text: editNote('"data":{}', '"data":[]'), ...refuse('/data: must satisfy "type": "object"') },
  { text: editNote('"data":{}', '"Data":{}'), ...refuse('must satisfy "required": "data"') },
  { text: editNote('"run_id"', '"task_id":null,"run_id"'), ...refuse('/task_id: must satisfy "type"') },
  { text: editNote('"run_1"', "1"), ...refuse('/run_id: must satisfy "type": "string"') },
  {
    text: editNote('"schema_version":"1"', '"schema_version":"2"'),
    ...refuse('/schema_version: must satisfy "const": "1"'),
  },
  {
    text: editNote('"data":{}', '"data":{"redacted_keys":["a",null]}'),
    ...refuse('/data/redacted_keys/1: must satisfy "type": "string"'),
  },
  { text: editNote('"type":"run.created",', ""), ...refuse('must satisfy "required": "type"') },
  { text: editNote('"run.created"', "null"), ...refuse('/type: must satisfy "type": "string"') },
  { text: editNote('"type"', '"TYPE"'), ...refuse('must satisfy "required": "type"') },
  { text: "null", ...refuse('must satisfy "type": "object"') },
  { text: "[]", ...refuse('must satisfy "type": "object"') },
  { text: `${NOTE}{}`, go: "invalid character", python: "Extra data", rust: "trailing characters" },
  { text: "{", go: "unexpected", python: "Expecting", rust: "EOF" },
  {
    text: "[".repeat(100_000),
    go: "exceeded max depth",
    python: "nested too deeply",
    rust: "recursion limit",
  },
];

/** Returns the texts that are tested in a language, for its package of hecate/v1. */
export function createTextCases(language: Language, packageName: string): DecodeCase[] {
  return DECODED_TEXTS.flatMap(({ text, [language]: outcome }) => {
    if (outcome === undefined) return [];
    return [
      {
        package: packageName,
        text,
        ...(typeof outcome === "string" ? { error: outcome } : { known: outcome }),
      },
    ];
  });
}

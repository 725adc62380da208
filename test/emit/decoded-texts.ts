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

const DECODED_TEXTS: readonly DecodedText[] = [
  { text: editNote("run.created", "no.such"), go: false, python: false, rust: false },
  { text: ` ${editNote('"sequence":1', '"sequence":1.0')}\n`, go: true, python: true, rust: true },
  { text: editNote('"sequence":1', '"sequence":1e3'), go: true, rust: true },
  { text: editNote('"sequence":1', '"sequence":12345678901234567890123'), rust: true },
  { text: editNote('"sequence":1', '"sequence":9223372036854775808'), go: "fits int64" },
  {
    text: editNote('"data":{}', '"data":{"a":[1.5e300,-0.1,12345678901234567890123]},"later":{"x":null}'),
    python: true,
  },
  { text: editNote('"data":{}', '"data":{"a":null,"<&>":"\\u2028"},"TYPE":1,"Data":{}'), go: true },
  { text: editNote('"data":{}', '"data":{"a":null,"TYPE":1},"later":{"x":null},"Data":{}'), rust: true },
  { text: editNote("run_1", "\\ud800"), python: true },
  {
    text: editNote('"sequence":1', '"sequence":1.5'),
    go: "/sequence: must be a whole number",
    rust: "1.5 is not a whole number",
  },
  { text: editNote('"sequence":1', '"sequence":1e400'), rust: "1e+400 is not a whole number" },
  {
    text: editNote('"sequence":1', '"sequence":true'),
    go: "/sequence: must be a whole number",
    python: "must be an integer",
    rust: "expected a JSON number",
  },
  {
    text: editNote('"sequence":1', '"sequence":"1"'),
    go: "/sequence: must be a whole number",
    python: "must be an integer",
    rust: "expected a JSON number",
  },
  { text: editNote('"sequence":1', '"sequence":-1'), python: "greater than or equal to 0" },
  { text: editNote('"sequence":1', '"sequence":NaN'), python: "NaN is not JSON" },
  {
    text: editNote('"data":{}', '"data":null'),
    go: "/data: must not be null",
    python: "data",
    rust: "invalid type: null",
  },
  { text: editNote('"data":{}', '"data":[]'), go: "/data: must be an object", rust: "expected" },
  { text: editNote('"data":{}', '"Data":{}'), go: "/data: is missing", rust: "missing field `data`" },
  {
    text: editNote('"run_id"', '"task_id":null,"run_id"'),
    go: "/task_id: must not be null",
    python: "must not be null",
    rust: "invalid type: null",
  },
  { text: editNote('"run_1"', "1"), go: "/run_id: must be a string", rust: "expected a string" },
  {
    text: editNote('"schema_version":"1"', '"schema_version":"2"'),
    go: '"2" is not one of the listed values',
    rust: "unknown variant",
  },
  {
    text: editNote('"data":{}', '"data":{"redacted_keys":["a",null]}'),
    go: "/data/redacted_keys/1: must be a string",
    rust: "expected a string",
  },
  {
    text: editNote('"type":"run.created",', ""),
    go: "/type: is missing",
    python: "type",
    rust: "missing field `type`",
  },
  { text: editNote('"run.created"', "null"), go: "/type: must be a string", rust: "expected a string" },
  { text: editNote('"run.created"', "[]"), python: "type" },
  { text: editNote('"type"', '"TYPE"'), go: "/type: is missing" },
  { text: "null", go: "must be an object", python: "valid dictionary", rust: "invalid type: null" },
  { text: "[]", go: "must be an object", rust: "invalid" },
  { text: `${NOTE}{}`, go: "invalid character", rust: "trailing characters" },
  { text: "{", go: "unexpected end", python: "Expecting", rust: "EOF" },
  {
    text: "[".repeat(100_000),
    go: "exceeded max depth",
    python: "nested too deeply",
    rust: "recursion limit",
  },
];

/** Returns the texts that are tested in a language, for its package of hecate/v1. */
export function createTextCases(language: "go" | "python" | "rust", packageName: string): DecodeCase[] {
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

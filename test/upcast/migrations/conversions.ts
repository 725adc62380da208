/** Migrations that write numbers as texts, and times as numbers, or the other way round. */
import type { JsonObject } from "../../../generator/json.js";
import { convert, createStepMigrations, type StepRow } from "./changes.js";
import { integer, list, type Migration, map, object, renamed, text } from "./migration.js";

const number = { type: "number", description: "A number." };
const digits = { ...text, pattern: "^(?:0|[1-9][0-9]{0,8})$" };
const time = { ...text, format: "date-time" };
const utc = {
  ...text,
  format: "date-time",
  pattern: "^(?:19[7-9]|20)\\d.*T\\d\\d:\\d\\d:[0-5]\\d(?:\\.\\d{1,3})?Z$",
};
const moment = { ...integer, maximum: 4_000_000_000_000 };

/** Writes the JSON of a number, which is decimal digits up to 1e21. */
const write = convert("x", (value) => JSON.stringify(value));
const read = convert("x", (value) => JSON.parse(String(value)));

const ROWS: readonly StepRow[] = [
  [
    "a number becomes a text",
    { x: integer },
    { x: text },
    [{ step: "number-to-text", at: "/data/x" }],
    write,
  ],
  [
    "a number becomes digits of limited length",
    { x: integer },
    { x: { ...text, pattern: "^[0-9]+$", maxLength: 7 } },
    [{ step: "number-to-text", at: "/data/x" }],
    write,
  ],
  [
    "a number would have too many digits",
    { x: integer },
    { x: { ...text, pattern: "^[0-9]+$", maxLength: 6 } },
    [{ step: "number-to-text", at: "/data/x" }],
    write,
    "impossible",
  ],
  [
    "a number below zero would not be digits only",
    { x: { ...integer, minimum: -5 } },
    { x: { ...text, pattern: "^[0-9]+$" } },
    [{ step: "number-to-text", at: "/data/x" }],
    write,
    "impossible",
  ],
  [
    "a fraction becomes a text",
    { x: { ...number, minimum: -1000, maximum: 1000, multipleOf: 0.25 } },
    { x: { ...text, pattern: "^-?[0-9]+(?:\\.[0-9]+)?$" } },
    [{ step: "number-to-text", at: "/data/x" }],
    write,
  ],
  [
    "cents become a text of euros under another name",
    { cents: integer },
    { euros: text },
    [
      { step: "scale", at: "/data/cents", by: 0.01 },
      { step: "number-to-text", at: "/data/cents" },
      { step: "move", from: "/data/cents", to: "/data/euros" },
    ],
    ({ cents, ...rest }) =>
      cents === undefined ? rest : { ...rest, euros: JSON.stringify(Number(`${String(cents)}e-2`)) },
  ],
  [
    "a listed number becomes a listed text",
    { x: { enum: [1, 2, 3], description: "A grade." } },
    { x: { ...text, enum: ["1", "2", "3"] } },
    [{ step: "number-to-text", at: "/data/x" }],
    write,
  ],
  [
    "digits become a number",
    { x: digits },
    { x: { ...integer, maximum: 1e9 } },
    [{ step: "text-to-number", at: "/data/x" }],
    read,
  ],
  [
    "digits would be above a maximum",
    { x: digits },
    { x: { ...integer, maximum: 999_999_998 } },
    [{ step: "text-to-number", at: "/data/x" }],
    read,
    "impossible",
  ],
  [
    "a price in text becomes cents",
    { x: { ...text, pattern: "^(?:0|[1-9][0-9]{0,5})\\.[0-9]{2}$" } },
    { x: { type: "integer", minimum: 0, description: "Cents." } },
    [
      { step: "text-to-number", at: "/data/x" },
      { step: "scale", at: "/data/x", by: 100 },
    ],
    convert("x", (value) => Number(String(value).replace(".", ""))),
    "undecided",
  ],
  [
    "a price in text becomes euros",
    { x: { ...text, pattern: "^(?:0|[1-9][0-9]{0,5})\\.[0-9]{2}$" } },
    { x: { ...number, minimum: 0, exclusiveMaximum: 1e6 } },
    [{ step: "text-to-number", at: "/data/x" }],
    convert("x", (value) => Number(value)),
  ],
  [
    "any text would have to be a number",
    { x: text },
    { x: number },
    [{ step: "text-to-number", at: "/data/x" }],
    read,
    "impossible",
  ],
  [
    "digits with leading zeros would have to be a number",
    { x: { ...text, pattern: "^[0-9]{3}$" } },
    { x: number },
    [{ step: "text-to-number", at: "/data/x" }],
    read,
    "impossible",
  ],
  [
    "digits of items become numbers",
    { x: list(object({ n: digits })) },
    { x: list(object({ n: { ...integer, maximum: 1e9 } })) },
    [{ step: "text-to-number", at: "/data/x/*/n" }],
    (payload) =>
      Array.isArray(payload.x)
        ? { x: payload.x.map((each: JsonObject) => convert("n", (value) => Number(value))(each)) }
        : payload,
  ],
  [
    "numbers of a map become texts",
    { x: map(integer) },
    { x: map(text) },
    [{ step: "number-to-text", at: "/data/x/{*}" }],
    convert("x", (value) =>
      Object.fromEntries(Object.entries(value as JsonObject).map(([name, each]) => [name, String(each)])),
    ),
  ],
  [
    "milliseconds become a time",
    { x: moment },
    { x: time },
    [{ step: "number-to-time", at: "/data/x", unit: "milliseconds" }],
    convert("x", (value) => new Date(Number(value)).toISOString()),
  ],
  [
    "seconds become a time under another name",
    { x: integer },
    { y: renamed(time, "x") },
    [{ step: "number-to-time", at: "/data/x", unit: "seconds" }],
    ({ x, ...rest }) =>
      x === undefined ? rest : { ...rest, y: new Date(Number(x) * 1000).toISOString().replace(".000Z", "Z") },
  ],
  [
    "fractional seconds would become a time",
    { x: { ...number, minimum: 0, maximum: 4e9 } },
    { x: time },
    [{ step: "number-to-time", at: "/data/x", unit: "seconds" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "fractional seconds would become milliseconds and a time",
    { x: { ...number, minimum: 0, maximum: 4e9 } },
    { x: time },
    [
      { step: "scale", at: "/data/x", by: 1000 },
      { step: "number-to-time", at: "/data/x", unit: "milliseconds" },
    ],
    (payload) => payload,
    "impossible",
  ],
  [
    "fractional seconds become a time of whole seconds, which is declared",
    { x: { ...number, minimum: 0, maximum: 4e9, multipleOf: 0.5 } },
    { x: time },
    [{ step: "number-to-time", at: "/data/x", unit: "seconds", round: "down" }],
    convert("x", (value) => `${new Date(Number(value) * 1000).toISOString().slice(0, 19)}Z`),
  ],
  [
    "any integer would become a time",
    { x: { type: "integer", description: "Milliseconds." } },
    { x: time },
    [{ step: "number-to-time", at: "/data/x", unit: "milliseconds" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "a time becomes milliseconds",
    { x: utc },
    { x: { type: "integer", minimum: 0, description: "Milliseconds." } },
    [{ step: "time-to-number", at: "/data/x", unit: "milliseconds" }],
    convert("x", (value) => Date.parse(String(value))),
  ],
  [
    "a time becomes seconds and milliseconds are cut off, which is declared",
    { x: utc },
    { x: { type: "integer", description: "Seconds." } },
    [{ step: "time-to-number", at: "/data/x", unit: "seconds", round: "down" }],
    convert("x", (value) => Math.floor(Date.parse(String(value)) / 1000)),
  ],
  [
    "a time of any precision would become milliseconds",
    { x: time },
    { x: { type: "integer", description: "Milliseconds." } },
    [{ step: "time-to-number", at: "/data/x", unit: "milliseconds" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "a time before 1970 would have a number below zero",
    { x: time },
    { x: { type: "integer", minimum: 0, description: "Seconds." } },
    [{ step: "time-to-number", at: "/data/x", unit: "seconds", round: "down" }],
    (payload) => payload,
    "impossible",
  ],
  [
    "milliseconds become seconds by way of a time",
    { x: moment },
    { x: { type: "integer", description: "Seconds." } },
    [
      { step: "number-to-time", at: "/data/x", unit: "milliseconds" },
      { step: "time-to-number", at: "/data/x", unit: "seconds", round: "down" },
    ],
    convert("x", (value) => Math.floor(Number(value) / 1000)),
  ],
];

/** Migrations with conversions. */
export const CONVERSIONS: readonly Migration[] = createStepMigrations(ROWS);

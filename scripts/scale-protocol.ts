/** Seeded protocols of any size, to measure how the time of a command grows. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createRandom } from "../generator/random.js";

const AREAS = ["run", "tool", "file", "turn", "model", "task", "cost", "gate", "note", "net"];
const PARTS = ["started", "ended", "failed", "changed", "queued", "moved", "read", "sent", "lost", "found"];

const createReference = (name: string): object => ({ $ref: `../shared/common.schema.json#/$defs/${name}` });

/** The kinds of fields, in the mix that the protocols of this repository have. */
const FIELDS: readonly ((n: number) => object)[] = [
  (n) => ({ type: "string", description: `Text number ${n}, shown to the user as it is.`, maxLength: 4000 }),
  (n) => ({ type: "integer", description: `Count number ${n}.`, minimum: 0, maximum: 9007199254740991 }),
  (n) => ({ type: "boolean", description: `Whether case ${n} holds.` }),
  () => createReference("RunId"),
  () => createReference("Timestamp"),
  () => createReference("Usage"),
  (n) => ({ type: "string", description: "How it went.", enum: ["ok", "failed", `case_${n % 7}`] }),
  (n) => ({
    type: "string",
    description: "Open list.",
    "x-extensible-enum": ["shell", "git", `kind_${n % 5}`],
  }),
  (n) => ({ type: "array", description: `Paths, list ${n}.`, items: { type: "string" }, maxItems: 100 }),
  (n) => ({
    type: "object",
    description: `Details number ${n}.`,
    properties: {
      name: { type: "string", description: "A name." },
      size: { type: ["integer", "null"], description: "A size, null when unknown.", minimum: 0 },
      by: createReference("RunId"),
    },
    required: ["name", "size"],
  }),
];

/** Values of the kinds of fields, in the same order. */
const VALUES: readonly unknown[] = [
  ...["A text.", 3, true, "run-1", "2026-01-02T03:04:05Z", { input: 1, output: 2 }, "ok", "git", ["a/b.ts"]],
  { name: "a", size: null, by: "run-1" },
];

/**
 * Writes the protocol `scale/v1` of `count` event types, the same for the same count, below `folder`/schemas. With
 * `hasExamples`, each event type has an example.
 */
export function writeProtocol(folder: string, count: number, hasExamples = false): void {
  const next = createRandom(count).next;
  const write = (file: string, value: object): void => {
    const target = path.join(folder, "schemas/scale/v1", file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, JSON.stringify(value, null, 2));
  };
  write("protocol.json", {
    ...{ name: "scale", major: 1, version: "1.0", title: "Scale", description: "A protocol of many types." },
    naming: { event: "dotted.snake_case", field: "snake_case" },
    envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
    stream: { key: ["run_id"], sequence: "sequence", first: 0 },
  });
  write("envelope.schema.json", {
    ...{ title: "One event", description: "What every event carries.", type: "object" },
    properties: {
      type: { type: "string", description: "The kind.", pattern: "^[a-z][a-z0-9_.]*$" },
      run_id: { $ref: "shared/common.schema.json#/$defs/RunId", description: "The run." },
      sequence: { type: "integer", description: "The place in the run.", minimum: 0 },
      occurred_at: { $ref: "shared/common.schema.json#/$defs/Timestamp", description: "When it happened." },
      data: { type: "object", description: "The payload." },
    },
    required: ["type", "run_id", "sequence", "occurred_at", "data"],
  });
  write("shared/common.schema.json", {
    $defs: {
      RunId: { type: "string", description: "Identifier of a run.", minLength: 1, maxLength: 64 },
      Timestamp: { type: "string", description: "A point in time.", format: "date-time" },
      Usage: {
        ...{ type: "object", description: "Tokens used.", required: ["input", "output"] },
        properties: {
          input: { type: "integer", description: "Tokens read.", minimum: 0 },
          output: { type: "integer", description: "Tokens written.", minimum: 0 },
        },
      },
    },
  });
  for (let i = 0; i < count; i++) {
    const area = AREAS[Math.floor(i / 100) % 10];
    const type = `${area}_${Math.floor(i / 1000)}.step_${i}.${PARTS[i % 10]}`;
    const size = 8 + Math.floor(next() * 5);
    const example: { [field: string]: unknown } = {};
    const fields = Array.from({ length: size }, (_, f) => {
      const kind = Math.floor(next() * FIELDS.length);
      const make = FIELDS[kind] as (n: number) => object;
      Object.assign(example, { [`field_${f}`]: VALUES[kind] });
      return [`field_${f}`, make(i * 16 + f)] as const;
    });
    write(`events/${type}.schema.json`, {
      title: `Step ${i} ${PARTS[i % 10]}`,
      description: `Sent when step ${i} was ${PARTS[i % 10]}; the run goes on after it.`,
      "x-stability": "stable",
      "x-since": "1.0",
      ...(hasExamples && { examples: [example] }),
      type: "object",
      properties: Object.fromEntries(fields),
      required: fields.slice(0, Math.ceil(size / 2)).map(([name]) => name),
    });
  }
}

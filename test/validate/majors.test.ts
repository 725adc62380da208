/** If this fails, an input is validated against the wrong one of two majors with the same envelope. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject, type TemporaryProject } from "../commands/temporary-project.js";

const annotations = { title: "T", description: "D." };
const eventSchema = { ...annotations, "x-stability": "stable", "x-since": "1.0", type: "object" };
const textSchema = { type: "string", description: "T." };
const countSchema = { type: "integer", description: "N." };

/** Creates a project with orders/v1 and orders/v2. `amount` is a number in v1 and a text in v2; `note` is the same. */
function createProject(): TemporaryProject {
  return createTemporaryProject({ ...createMajor(1, countSchema), ...createMajor(2, textSchema) });
}

function createMajor(major: number, amount: JsonObject): { [file: string]: string } {
  const properties = {
    type: textSchema,
    order: textSchema,
    seq: countSchema,
    data: { type: "object", description: "P." },
  };
  const files: { readonly [file: string]: JsonObject } = {
    "protocol.json": {
      ...annotations,
      name: "orders",
      major,
      version: `${major}.0`,
      envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
      stream: { key: ["order"], sequence: "seq" },
    },
    "envelope.schema.json": { ...annotations, type: "object", properties, required: Object.keys(properties) },
    "events/order.paid.schema.json": { ...eventSchema, properties: { amount }, required: ["amount"] },
    "events/order.noted.schema.json": {
      ...eventSchema,
      properties: { note: textSchema },
      required: ["note"],
    },
    [`events/order.only_${major}.schema.json`]: { ...eventSchema, properties: { note: textSchema } },
  };
  const entries = Object.entries(files).map(([file, content]) => [
    `schemas/orders/v${major}/${file}`,
    JSON.stringify(content),
  ]);
  return Object.fromEntries(entries);
}

/**
 * Returns the events of one stream as lines. `1` is valid only in v1, `2` only in v2, `b` in both, `x` in neither. `u` has
 * an event type that only v2 declares.
 */
function formatEvents(kinds: string): string {
  const data: { readonly [kind: string]: JsonObject } = {
    "1": { type: "order.paid", data: { amount: 1 } },
    "2": { type: "order.paid", data: { amount: "1" } },
    b: { type: "order.noted", data: { note: "n" } },
    x: { type: "order.noted", data: { note: 1 } },
    u: { type: "order.only_2", data: {} },
  };
  return [...kinds].map((kind, seq) => `${JSON.stringify({ order: "o", seq, ...data[kind] })}\n`).join("");
}

interface Outcome {
  readonly protocols: { readonly [id: string]: number };
  readonly rules: readonly string[];
  readonly exitCode: number;
}

/** Writes a file of the project and validates it. */
async function validateFile(
  { locateFile, run }: TemporaryProject,
  file: string,
  content: string | Uint8Array,
  options = "",
): Promise<Outcome> {
  mkdirSync(path.dirname(locateFile(file)), { recursive: true });
  writeFileSync(locateFile(file), content);
  return readReport(await run(`validate @/${file} --format json${options}`));
}

function readReport({ stdout, exitCode }: { readonly stdout: string; readonly exitCode: number }): Outcome {
  const { findings, summary } = JSON.parse(stdout);
  return {
    protocols: summary.protocols,
    rules: findings.map(({ rule }: { rule: string }) => rule),
    exitCode,
  };
}

const AMBIGUOUS = "protocol-ambiguous";

/** A file, its events, the majors that they are validated against, and the rules of the findings. */
const CASES: readonly (readonly [
  file: string,
  kinds: string,
  protocols: JsonObject,
  rules: readonly string[],
])[] = [
  ["fixtures/orders/v1/streams/a.jsonl", "bbb", { "orders/v1": 3 }, []],
  ["fixtures/orders/v2/streams/a.jsonl", "bbb", { "orders/v2": 3 }, []],
  ["fixtures/orders/v1/streams/a.jsonl", "b2b", { "orders/v1": 3 }, ["event-invalid"]],
  ["fixtures/orders/v2/streams/a.jsonl", "1bb", { "orders/v2": 3 }, ["event-invalid"]],
  ["fixtures/orders/v1/streams/a.jsonl", "bub", { "orders/v1": 3 }, []],
  ["orders/v1/copied-from/orders/v2/a.jsonl", "bb", { "orders/v2": 2 }, []],
  ["archive/a.jsonl", "bbb1", { "orders/v1": 4 }, []],
  ["archive/a.jsonl", "bbb2", { "orders/v2": 4 }, []],
  ["archive/a.jsonl", "bx1b", { "orders/v1": 4 }, ["event-invalid"]],
  ["archive/a.jsonl", "x12b1", { "orders/v1": 4, "orders/v2": 1 }, ["event-invalid"]],
  ["archive/a.jsonl", "bbb", { "orders/v2": 3 }, [AMBIGUOUS]],
  ["archive/a.jsonl", "bxb", { "orders/v2": 3 }, [AMBIGUOUS, "event-invalid"]],
];

/** The cases that also run with two threads. They are few, because starting threads is slow. */
const THREADED_KINDS = new Set(["b2b", "x12b1", "bxb"]);

describe("an input is validated against the right one of two majors with the same envelope", () => {
  it.each(CASES)("%s with the events %s", async (file, kinds, protocols, rules) => {
    const project = createProject();
    const exitCode = rules.includes("event-invalid") ? 1 : 0;
    const want = { protocols, rules, exitCode };
    expect(await validateFile(project, file, formatEvents(kinds))).toEqual(want);
    if (THREADED_KINDS.has(kinds))
      expect(await validateFile(project, file, formatEvents(kinds), " --threads 2")).toEqual(want);
    expect(await validateFile(project, `${file}.gz`, gzipSync(formatEvents(kinds)))).toEqual(want);
    const frames = formatEvents(kinds).replaceAll(/^(.*)\n/gm, "data: $1\n\n");
    expect(await validateFile(project, file.replace(".jsonl", ".sse"), frames)).toEqual(want);
  });

  it.each(CASES.filter(([file]) => file.startsWith("archive")))(
    "standard input is validated like %s with the events %s",
    async (_file, kinds, protocols, rules) => {
      const outcome = await createProject().run("validate - --format json", formatEvents(kinds));
      expect(readReport(outcome)).toMatchObject({ protocols, rules });
    },
  );

  it.each(["orders/v1", "orders/v2"])(
    "--protocol %s decides for events that are valid in both",
    async (id) => {
      const got = await validateFile(
        createProject(),
        "archive/a.jsonl",
        formatEvents("bbb"),
        ` --protocol ${id}`,
      );
      expect(got).toEqual({ protocols: { [id]: 3 }, rules: [], exitCode: 0 });
    },
  );

  it("--protocol overrides the major in the path", async () => {
    const [file, options] = ["fixtures/orders/v1/a.jsonl", " --protocol orders/v2"];
    const got = await validateFile(createProject(), file, formatEvents("b1"), options);
    expect(got).toEqual({ protocols: { "orders/v2": 2 }, rules: ["event-invalid"], exitCode: 1 });
  });

  it("finds the protocol in the path of the current folder", async () => {
    const place = createProject().locateFile("fixtures/orders/v1/streams");
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, "a.jsonl"), formatEvents("b2"));
    const before = process.cwd();
    process.chdir(place);
    try {
      const args = ["validate", "a.jsonl", "--schemas", "../../../../schemas", "--format", "json"];
      expect(readReport(await runAccrete(args))).toMatchObject({
        protocols: { "orders/v1": 2 },
        rules: ["event-invalid"],
      });
    } finally {
      process.chdir(before);
    }
  });

  it("counts the events of each major with --events-only", async () => {
    const { locateFile, run } = createProject();
    writeFileSync(locateFile("a.jsonl"), formatEvents("112"));
    const { stdout } = await run("validate --events-only @/a.jsonl");
    expect(stdout).toBe("3 events, 0 invalid, 2 of orders/v1, 1 of orders/v2\n");
  });

  it("reports an ambiguity once, with advice", async () => {
    const { locateFile, run } = createProject();
    for (const name of ["a", "b"])
      writeFileSync(locateFile(`${name}.jsonl`), formatEvents("bb").replaceAll('"o"', JSON.stringify(name)));
    const { stdout, exitCode } = await run("validate @/a.jsonl @/b.jsonl");
    expect(exitCode).toBe(0);
    expect(stdout.match(/validated as orders\/v2; orders\/v1 would accept them too/g)).toHaveLength(1);
    expect(stdout).toContain("Use --protocol orders/v1");
  });

  it("compares two recordings of one major by their folder", async () => {
    const { locateFile, run } = createProject();
    mkdirSync(locateFile("fixtures/orders/v1"), { recursive: true });
    writeFileSync(locateFile("fixtures/orders/v1/a.jsonl"), formatEvents("bbb"));
    writeFileSync(locateFile("fixtures/orders/v1/b.jsonl"), formatEvents("bb"));
    const { stdout } = await run(
      "validate --compare @/fixtures/orders/v1/a.jsonl @/fixtures/orders/v1/b.jsonl",
    );
    expect(stdout).toContain("orders/v1 o ends after 2 events here");
  });
});

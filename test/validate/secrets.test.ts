/** If this fails, `accrete validate` stays silent about secrets that a writer sends, prints them, or warns of harmless texts. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, withTemporaryFolder, writeFiles } from "../folders.js";
import { LOOK_ALIKES, PLANTED_SECRETS } from "../redact/planted-secrets.js";

const STREAM = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8")
  .trimEnd()
  .split("\n");
const LINE = STREAM.findIndex((line) => line.includes('"assistant.tool_call_proposed"'));

/** Returns the line of a tool call whose input has these members. */
function formatLine(input: object): string {
  const event = JSON.parse(STREAM[LINE] ?? "");
  return JSON.stringify({ ...event, data: { ...event.data, input } });
}

/** Validates the stream, in which the input of a tool call holds these members. */
async function validateInput(input: object, ...options: string[]) {
  const root = createTemporaryFolder({ "run.jsonl": STREAM.with(LINE, formatLine(input)).join("\n") });
  return await runAccrete(["validate", `${root}/run.jsonl`, ...options]);
}

const WRITER = ["--profile", "writer"];

/** The planted secrets, each with the name of the file that holds it. */
const PLANTED = Object.entries(PLANTED_SECRETS).map(
  ([form, planted], index) => [form, { ...planted, file: `run-${index}.jsonl` }] as const,
);

/**
 * Validates one file for each planted secret, all at once, because the schemas are loaded by each command. The files hold
 * the same stream, so its events are not checked in it. Returns the output, and the findings in a file.
 */
async function validatePlanted(createInput: (text: string) => object) {
  const files = PLANTED.map(([, { text, file }]) => [
    file,
    STREAM.with(LINE, formatLine(createInput(text))).join("\n"),
  ]);
  const result = await withTemporaryFolder(async (root) => {
    writeFiles(root, Object.fromEntries(files));
    return await runAccrete(["validate", root, ...WRITER, "--events-only", "--limit", "0"]);
  });
  const list = (file: string): readonly string[] =>
    result.stdout.split("\n").filter((line) => line.includes(`/${file}:`) && line.includes("secret-exposed"));
  return { ...result, list };
}

describe("validate --profile writer", () => {
  describe("in values", () => {
    const createInput = (text: string): object => ({ env: ["A=1", text] });
    let validated: Awaited<ReturnType<typeof validatePlanted>>;
    beforeAll(async () => {
      validated = await validatePlanted(createInput);
    });
    it.each(PLANTED)("warns of a secret: %s", (_form, { text, secret, file }) => {
      const column = formatLine(createInput(text)).indexOf(JSON.stringify(text)) + 1;
      const { exitCode, stdout, list } = validated;
      expect(exitCode).toBe(0);
      expect(list(file)).toEqual([
        expect.stringContaining(
          `${file}:${LINE + 1}:${column}: warning secret-exposed /data/input/env/1 The value`,
        ),
      ]);
      expect(stdout).not.toContain(secret.trim());
    });
  });

  describe("in names", () => {
    let validated: Awaited<ReturnType<typeof validatePlanted>>;
    beforeAll(async () => {
      validated = await validatePlanted((text) => ({ headers: [{ [text]: { more: 1 } }] }));
    });
    it.each(PLANTED)(
      "warns of a secret in the name of a field, and does not print it: %s",
      (_form, { secret, file }) => {
        const { stdout, list } = validated;
        expect(list(file)).toEqual([
          expect.stringContaining(
            "warning secret-exposed /data/input/headers/0 The name of a field looks like a secret",
          ),
        ]);
        expect(stdout).not.toContain(secret.trim());
      },
    );
  });

  it("warns of values in fields with secret-like names such as api_key, but not of placeholders", async () => {
    const { stdout } = await validateInput(
      { api_key: "q", password: "****", auth_token: "$TOKEN" },
      ...WRITER,
    );
    expect(stdout).toContain(
      "warning secret-exposed /data/input/api_key The value looks like a secret (secret-field).",
    );
    expect(stdout.match(/secret-exposed/g)).toHaveLength(1);
  });

  it("finds a secret whose first letter is a JSON escape", async () => {
    const { secret } = PLANTED_SECRETS["aws access key"] ?? { secret: "" };
    // The first letter of the key is A, which is \u0041.
    const escaped = STREAM[LINE]?.replace('"input":{', `"input":{"x":"\\u0041${secret.slice(1)}",`) ?? "";
    const root = createTemporaryFolder({ "run.jsonl": STREAM.with(LINE, escaped).join("\n") });
    const { stdout } = await runAccrete(["validate", `${root}/run.jsonl`, ...WRITER]);
    expect(stdout).toContain("secret-exposed /data/input/x");
  });

  it("warns in lists, single documents and with --events-only", async () => {
    const { text } = PLANTED_SECRETS["github token"] ?? { text: "" };
    const event = JSON.parse(STREAM[LINE] ?? "");
    const secret = { ...event, data: { ...event.data, input: { text } } };
    const root = createTemporaryFolder({
      "list.json": JSON.stringify({ object: "list", data: [secret] }, undefined, 2),
      "one.json": JSON.stringify(secret),
    });
    const { stdout } = await runAccrete([
      "validate",
      `${root}/list.json`,
      `${root}/one.json`,
      ...WRITER,
      "--events-only",
    ]);
    expect(stdout).toMatch(/list\.json:\d+:\d+: warning secret-exposed \/data\/0\/data\/input\/text/);
    expect(stdout).toMatch(/one\.json:1:\d+: warning secret-exposed \/data\/input\/text/);
  });

  it("is silent about look-alikes", async () => {
    const names = Object.fromEntries(LOOK_ALIKES.map((text) => [text, 1]));
    const { stdout } = await validateInput({ texts: LOOK_ALIKES, names }, ...WRITER);
    expect(stdout).not.toContain("secret-exposed");
  });

  it("is silent about all fixtures", async () => {
    const { stdout } = await runAccrete(["validate", "fixtures", ...WRITER]);
    expect(stdout).not.toContain("secret-exposed");
  });
});

it("validate --profile reader does not search for secrets", async () => {
  const { text } = PLANTED_SECRETS["github token"] ?? { text: "" };
  const { stdout } = await validateInput({ text }, "--profile", "reader");
  expect(stdout).not.toContain("secret-exposed");
});

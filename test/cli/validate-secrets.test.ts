/** If this fails, `accrete validate` stays silent about secrets that a writer sends, prints them, or warns of harmless texts. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../folders.js";
import { LOOK_ALIKES, PLANTED_SECRETS } from "../redact/planted-secrets.js";
import { runAccrete } from "./run-in-process.js";

const STREAM = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8")
  .trimEnd()
  .split("\n");
const LINE = STREAM.findIndex((line) => line.includes('"assistant.tool_call_proposed"'));

/** Validates the stream, in which the input of a tool call holds these members. */
async function validateInput(input: object, ...options: string[]) {
  const event = JSON.parse(STREAM[LINE] ?? "");
  const line = JSON.stringify({ ...event, data: { ...event.data, input } });
  const root = createTemporaryFolder({ "run.jsonl": STREAM.with(LINE, line).join("\n") });
  const result = await runAccrete(["validate", `${root}/run.jsonl`, ...options]);
  return { ...result, line };
}

const WRITER = ["--profile", "writer"];

describe("validate --profile writer", () => {
  it.each(Object.entries(PLANTED_SECRETS))("warns of a secret: %s", async (_form, { text, secret }) => {
    const { exitCode, stdout, line } = await validateInput({ env: ["A=1", text] }, ...WRITER);
    const column = line.indexOf(JSON.stringify(text)) + 1;
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      `run.jsonl:${LINE + 1}:${column}: warning secret-exposed /data/input/env/1 The value`,
    );
    expect(stdout.match(/secret-exposed/g)).toHaveLength(1);
    expect(stdout).not.toContain(secret.trim());
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

  it.each(Object.entries(PLANTED_SECRETS))(
    "warns of a secret in the name of a field, and does not print it: %s",
    async (_form, { text, secret }) => {
      const { stdout } = await validateInput({ headers: [{ [text]: { more: 1 } }] }, ...WRITER);
      expect(stdout).toContain(
        "warning secret-exposed /data/input/headers/0 The name of a field looks like a secret",
      );
      expect(stdout.match(/secret-exposed/g)).toHaveLength(1);
      expect(stdout).not.toContain(secret.trim());
    },
  );

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

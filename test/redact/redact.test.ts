/** If this fails, a secret of a recording gets into a fixture, or a redacted stream is not valid any more. */
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRecording } from "../../generator/ingest/read-recording.js";
import type { Json } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { findSecrets, findSecretValues } from "../../generator/redact/find-secrets.js";
import { redactRecordings } from "../../generator/redact/redact-recordings.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { runAccrete } from "../commands/run-in-process.js";
import { checkLines } from "../conform/check-stream.js";
import { chooseCases, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";
import { LOOK_ALIKES, PLANTED_SECRETS } from "./planted-secrets.js";

const { protocols } = await loadSchemas("schemas");
const VALIDATORS = protocols.map(createValidators);
const NAMES = [...new Set(protocols.map(({ envelope }) => envelope.discriminator))];

function redact(text: string): { text: string; broken: number; places: number } {
  const { texts, broken, places } = redactRecordings([readRecording("run.jsonl", text, NAMES)], VALIDATORS);
  return { text: texts[0] ?? "", broken: broken.length, places: places.length };
}

const STREAM = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8");

/** Returns the stream with `chunks` as its shell output, and with matching offsets and totals. */
function replaceOutput(chunks: readonly string[]): string {
  const lines = STREAM.trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const first = lines.findIndex(({ type }) => type === "tool.shell.output_chunk");
  const model = lines[first];
  const others = lines.filter(({ type }) => type !== "tool.shell.output_chunk");
  let offset = 0;
  const output = chunks.map((data) => {
    const chunk = { ...model, data: { ...model.data, stream: "stdout", data, byte_offset: offset } };
    offset += Buffer.byteLength(data);
    return chunk;
  });
  const all = [...others.slice(0, first), ...output, ...others.slice(first)].map((event, sequence) => ({
    ...event,
    event_id: `evt_01KQPNTYZ078KC0JSFASW9${String(sequence).padStart(4, "0")}`,
    sequence,
  }));
  for (const event of all) {
    if (event.type !== "tool.shell.exited" && event.type !== "tool.completed") continue;
    for (const name of ["stdout_bytes", "hecate.tool.stdout.bytes"])
      if (name in event.data) event.data[name] = offset;
    for (const name of ["stderr_bytes", "hecate.tool.stderr.bytes"])
      if (name in event.data) event.data[name] = 0;
  }
  return `${all.map((event) => JSON.stringify(event)).join("\n")}\n`;
}

function listFindings(text: string): string[] {
  return checkLines("hecate/v1", "writer", text.trim().split("\n")).map(({ rule }) => rule);
}

describe("secrets", () => {
  it.each(chooseCases(Object.entries(PLANTED_SECRETS), 12))(
    "of the form %s are found",
    (_form, { text, secret }) => {
      const found = findSecrets(`before ${text} after`).map(({ start, stop }) =>
        `before ${text} after`.slice(start, stop),
      );
      expect(found.some((each) => each.includes(secret))).toBe(true);
    },
  );

  quick.it.each(LOOK_ALIKES)("are not found in %s", (text) => {
    expect(findSecrets(text)).toEqual([]);
  });

  it.each(chooseCases(Object.entries(PLANTED_SECRETS), 12))(
    "of the form %s are found once: what redact writes holds none",
    (_form, { text }) => {
      const model = JSON.parse(
        STREAM.split("\n").find((each) => each.includes("tool_call_proposed")) as string,
      );
      const input = {
        command: `before ${text} after`,
        api_key: text,
        lines: [text, "x"],
        headers: { note: text },
      };
      const first = redact(`${JSON.stringify({ ...model, data: { ...model.data, input } })}\n`);
      expect(first.places).toBeGreaterThan(0);
      expect(redact(first.text)).toEqual({ text: first.text, broken: 0, places: 0 });
      expect(findSecretValues(JSON.parse(first.text))).toEqual([]);
    },
  );

  quick.it.each<[string, Json, Json]>([
    ["the arguments of curl", ["curl", "-u", "me:hunter2", "-v"], ["curl", "-u", "me:*******", "-v"]],
    ["the arguments of a database", ["mysql", "--password", "hunter2x"], ["mysql", "--password", "********"]],
    ["a quoted argument", ["curl", "-u", "me:hunter two"], ["curl", "-u", "me:**********"]],
    ["an argument with a quotation mark", ["redis-cli", "-a", "it's"], ["redis-cli", "-a", "****"]],
    ["an attached argument", ["mysql", "-uroot", "-phunter2"], ["mysql", "-uroot", "-p*******"]],
    [
      "arguments after a subcommand",
      ["docker", "login", "-u", "me", "-p", "hunter2"],
      ["docker", "login", "-u", "me", "-p", "*******"],
    ],
    [
      "a cookie of curl",
      ["/usr/bin/curl", "-b", "sid=0123456789"],
      ["/usr/bin/curl", "-b", "sid=**********"],
    ],
    ["a variable", ["env", "PGPASSWORD=pw", "psql"], ["env", "PGPASSWORD=**", "psql"]],
    ["a header without its name", { Cookie: "sid=0123456789" }, { Cookie: "sid=**********" }],
    [
      "several cookies",
      { "set-cookie": "a=0123456789; b=1; c=9876543210" },
      { "set-cookie": "a=**********; b=1; c=**********" },
    ],
  ])("in %s are masked", (_where, value, expected) => {
    const model = JSON.parse(
      STREAM.split("\n").find((each) => each.includes("tool_call_proposed")) as string,
    );
    const { text } = redact(`${JSON.stringify({ ...model, data: { ...model.data, input: { value } } })}\n`);
    expect(JSON.parse(text).data.input.value).toEqual(expected);
    expect(redact(text).places).toBe(0);
  });

  quick.it.each([
    ["sudo sshpass -p one1 mysql -ptwo2 shop", "sudo sshpass -p **** mysql -p**** shop"],
    ["curl -u a:one1 --proxy-user b:two2 x", "curl -u a:**** --proxy-user b:**** x"],
    ["A_TOKEN=one1 B_PASS=two2 run", "A_TOKEN=**** B_PASS=**** run"],
    [
      "kubectl create secret generic x --from-literal=a=one1 --from-literal b=two2",
      "kubectl create secret generic x --from-literal=a=**** --from-literal b=****",
    ],
  ])("of one command are masked: %s", (text, expected) => {
    const letters = [...text];
    for (const { start, stop } of findSecrets(text)) letters.fill("*", start, stop);
    expect(letters.join("")).toBe(expected);
    expect(findSecrets(expected)).toEqual([]);
  });

  quick.it("are masked to their end, however long they are", () => {
    const long = "0aB-".repeat(2_000);
    for (const text of [`API_TOKEN=${long}`, `curl -u me:${long}`, `Cookie: sid=${long}`, `Bearer ${long}`])
      expect(findSecrets(`${text} end`).map(({ start, stop }) => text.slice(start, stop))).toEqual([long]);
  });

  quick.it.each<[string, Json]>([
    ["file names", ["docs/basic", "internal/something/long.go"]],
    ["options without values", ["--password", "--user", "me"]],
    ["names of headers", ["Authorization", "Cookie", "Accept"]],
    ["ports of a container", ["docker", "run", "-p", "80:80", "nginx"]],
    ["a port of ssh", ["ssh", "-p", "22", "example.com"]],
    ["a folder", ["mkdir", "-p", "password1/token2"]],
    ["a database", ["mysql", "-p", "shop"]],
    ["a file with cookies", ["curl", "-b", "cookies.txt"]],
    ["arguments of git", ["git", "push", "-u", "origin", "HEAD:main"]],
    ["words about cookies", { cookie: "accepted", cookie_policy: "https://example.com/policy" }],
  ])("are not found in %s", (_where, value) => {
    expect(findSecretValues(value)).toEqual([]);
  });

  it.each(chooseCases(Object.entries(PLANTED_SECRETS), 12))(
    "of the form %s are gone wherever output is cut",
    (_form, { text, secret }) => {
      const whole = `$ env\n${text}\ndone\n`;
      fc.assert(
        fc.property(fc.array(fc.nat(whole.length), { maxLength: 6 }), (cuts) => {
          const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
          const chunks = places.slice(1).map((stop, index) => whole.slice(places[index], stop));
          const before = replaceOutput(chunks);
          expect(listFindings(before)).toEqual([]);
          const { text: after, broken } = redact(before);
          const output = after
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
            .filter(({ type }) => type === "tool.shell.output_chunk")
            .map(({ data }) => data.data)
            .join("");
          expect(output).not.toContain(secret);
          expect(output.startsWith("$ env\n") && output.endsWith("\ndone\n")).toBe(true);
          expect(broken).toBe(0);
          expect(listFindings(after)).toEqual([]);
        }),
        { numRuns: 20 },
      );
    },
  );
});

describe("recordings", () => {
  quick.it("without secrets stay as they are, byte by byte", () => {
    for (const { id } of protocols)
      for (const file of readdirSync(`fixtures/${id}/streams`)) {
        const text = readFileSync(`fixtures/${id}/streams/${file}`, "utf8");
        expect(redact(text)).toEqual({ text, broken: 0, places: 0 });
      }
  });

  quick.it("keep everything but the secret, and list the place", () => {
    const { text, secret } = PLANTED_SECRETS["bearer header"] as { text: string; secret: string };
    const line = STREAM.split("\n").find((each) => each.includes("assistant.tool_call_proposed")) as string;
    const event = JSON.parse(line);
    event.data.input = { command: `curl -H "${text}" x`, headers: [{ note: text }], count: 1 };
    const spaced = JSON.stringify(event).replace('"count":1', '"count" : 1.0');
    const after = redact(`${spaced}\n`).text;
    const mask = "*".repeat(secret.length);
    expect(after).toContain('"count" : 1.0');
    expect(JSON.parse(after).data).toEqual({
      ...event.data,
      input: {
        command: `curl -H "${text.replace(secret, mask)}" x`,
        headers: [{ note: text.replace(secret, mask) }],
        count: 1,
      },
      redacted_paths: ["/input/command", "/input/headers/0/note"],
    });
  });

  it.each(chooseCases(Object.entries(PLANTED_SECRETS), 12))(
    "with a secret as name list the object: %s",
    (_form, { text }) => {
      const line = STREAM.split("\n").find((each) => each.includes("assistant.tool_call_proposed")) as string;
      const event = JSON.parse(line);
      event.data.input = { environment: { [text]: 1, PATH: "/bin" }, names: LOOK_ALIKES };
      const recording = readRecording("run.jsonl", `${JSON.stringify(event)}\n`, NAMES);
      const { secretNames, texts } = redactRecordings([recording], VALIDATORS);
      expect(secretNames).toEqual([
        { recording: "run.jsonl", event: 1, pointer: "/data/input/environment", reason: expect.any(String) },
      ]);
      expect(texts).toEqual([recording.text]);
    },
  );

  quick.it("with a secret as name give the exit code 1, and the secret is not printed", async () => {
    const { text, secret } = PLANTED_SECRETS["aws access key"] as { text: string; secret: string };
    const line = STREAM.split("\n").find((each) => each.includes("assistant.tool_call_proposed")) as string;
    const event = JSON.parse(line);
    event.data.input = { [text]: 1 };
    const root = createTemporaryFolder({ "run.jsonl": JSON.stringify(event) });
    const { exitCode, stderr } = await runAccrete(["redact", `${root}/run.jsonl`]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "event 1: the name of a field of /data/input looks like a secret (aws-access-key)",
    );
    expect(stderr).not.toContain(secret);
  });

  quick.it("with sensitive ids get the same replacement everywhere", () => {
    const hecate = protocols.find(({ id }) => id === "hecate/v1") as (typeof protocols)[number];
    const sensitive = structuredClone(hecate) as unknown as {
      definitions: { SessionId: { schema: { [name: string]: Json } } };
    };
    sensitive.definitions.SessionId.schema["x-sensitive"] = true;
    const validators = [createValidators(sensitive as unknown as typeof hecate)];
    const recordings = ["a.jsonl", "b.jsonl"].map((name) => readRecording(name, STREAM, NAMES));
    const { texts, broken } = redactRecordings(recordings, validators);
    const ids = texts.flatMap((text) =>
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).session_id),
    );
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).not.toBe(JSON.parse(STREAM.split("\n")[0] as string).session_id);
    expect(broken).toEqual([]);
    const again = texts.map((text, index) => readRecording(`${index}.jsonl`, text, NAMES));
    expect(redactRecordings(again, validators)).toMatchObject({ texts, places: [] });
  });
});

/** If this fails, a release can be changed or written again without an error. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { emitRelease } from "../../generator/emit/release.js";
import { loadSchemas } from "../../generator/load/load.js";
import { readRelease } from "../../generator/load/releases/read-release.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { TOOL_MEMBERS } from "../../generator/protocol/tool-members.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject } from "../commands/temporary-project.js";
import { createProject } from "../compat/project.js";
import { createTinySchemas } from "../folders.js";

const { protocols } = await loadSchemas(path.join(import.meta.dirname, "../../schemas"));
const encodeText = (text: string) => new TextEncoder().encode(text);

/** Members of any object that releases do not contain. */
const LEFT_OUT = ["at", "$schema", "sources", "ruleSources"];

/** Returns a protocol without locations, without `$schema`, and without members that releases do not contain. */
function removeLocations(protocol: Protocol): unknown {
  const text = JSON.stringify(protocol, (key, value) => (LEFT_OUT.includes(key) ? undefined : value));
  const members = Object.entries(JSON.parse(text)).filter(
    ([name]) => !TOOL_MEMBERS.some((each) => each === name),
  );
  return Object.fromEntries(members);
}

describe.each(protocols)("the release of $id", (protocol) => {
  const { path: file, content } = emitRelease(protocol);

  it("is read as the same protocol, except for locations and members that only tools read", () => {
    const { protocol: read, findings } = readRelease(file, encodeText(content));
    expect(findings).toEqual([]);
    expect(read && removeLocations(read)).toEqual(removeLocations(protocol));
  });

  it("has the same bytes after it is read and written again", () => {
    const { protocol: read } = readRelease(file, encodeText(content));
    expect(read && emitRelease(read).content).toBe(content);
  });

  it("is refused if its end is missing", () => {
    for (let part = 0; part < 10; part++) {
      const beginning = content.slice(0, (content.length * part) / 10);
      const { protocol: read, findings } = readRelease(file, encodeText(beginning));
      expect(read).toBeUndefined();
      expect(findings).toMatchObject([
        { rule: "release-altered", severity: "error", at: { line: expect.any(Number) } },
      ]);
    }
  });

  it("is refused if a line was changed", () => {
    const lines = content.split("\n");
    for (let i = 0; i < lines.length; i += Math.ceil(lines.length / 40)) {
      const changed = (lines[i] ?? "").replace(/[a-z]/, (letter) => (letter === "z" ? "y" : "z"));
      const text = lines.with(i, changed).join("\n");
      if (text === content) continue;
      const { protocol: read, findings } = readRelease(file, encodeText(text));
      expect(read, lines[i]).toBeUndefined();
      expect(findings.length, lines[i]).toBeGreaterThan(0);
      for (const { rule, at } of findings)
        expect([rule, at.file, typeof at.line]).toEqual(["release-altered", file, "number"]);
    }
  });
});

it("reports the definition of a release that was edited, and does not change the file", async () => {
  const schemas = await createProject();
  const file = path.join(schemas, "hecate/v1/releases/1.0.json");
  const edited = readFileSync(file, "utf8").replace('"duration_ms"', '"duration_s"');
  writeFileSync(file, edited);
  const { stdout, exitCode } = await runAccrete(["compat", "--schemas", schemas]);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/releases\/1\.0\.json:\d+:\d+: error release-altered .*was changed by hand/);
  expect(readFileSync(file, "utf8")).toBe(edited);
  const against = await runAccrete(["compat", "--schemas", schemas, "--against", "release:1.0"]);
  expect(against).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("release 1.0 cannot be read"),
  });
});

it("a release is written once and never again", async () => {
  const schemas = await createProject("evva/v0");
  const out = path.join(path.dirname(schemas), "generated");
  const fixtures = path.join(path.dirname(schemas), "fixtures");
  const options = ["--schemas", schemas, "--out", out, "--fixtures", fixtures];
  const folder = path.join(schemas, "evva/v0/releases");
  const before = readFileSync(path.join(folder, "0.1.json"), "utf8");
  expect(await runAccrete(["release", "0.1", ...options])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/already released/),
  });
  const manifest = path.join(schemas, "evva/v0/protocol.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"version": "0.1"', '"version": "0.2"'));
  const stale = await runAccrete(["release", "0.2", ...options]);
  expect(stale).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("generated files are stale") });
  expect(readdirSync(folder)).toEqual(["0.1.json"]);
  await runAccrete(["generate", ...options]);
  expect(await runAccrete(["release", "0.2", ...options])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/released evva\/v0 0.2/),
  });
  expect(await runAccrete(["release", "0.3", ...options])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/is at 0.2/),
  });
  expect(readFileSync(path.join(folder, "0.1.json"), "utf8")).toBe(before);
  expect(readdirSync(folder)).toEqual(["0.1.json", "0.2.json"]);
});

it("an event type that cannot be sent is not released", async () => {
  const schemas = createTinySchemas();
  const event = "tiny/v1/events/tea.served.schema.json";
  const text = (schemas[event] ?? "").replace('"minimum": 0', '"allOf": [{ "type": "string" }]');
  const files = Object.entries({ ...schemas, [event]: text });
  const { run } = createTemporaryProject(
    Object.fromEntries(files.map(([name, content]) => [`schemas/${name}`, content])),
  );
  const { exitCode, stdout } = await run("release 1.0");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /tea\.served\.schema\.json:\d+:\d+: warning event-impossible \/properties\/cups .*no event tea\.served can be sent/,
  );
});

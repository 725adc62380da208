/** If this fails, a baseline or release that cannot be read crashes the comparison, or passes as equal. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { emitRelease } from "../../generator/emit/release.js";
import { areEqual, type Json } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { readRelease } from "../../generator/load/releases/read-release.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, readTree } from "../folders.js";
import { freezeContract } from "./project.js";
import { writeTea } from "./tea.js";

const SERVED = "events/tea.served.schema.json";

/** Runs a command line that must change nothing below `folder`. */
async function runWithoutChanges(folder: string, ...argv: readonly string[]) {
  const before = readTree(folder);
  const outcome = await runAccrete([...argv, "--schemas", folder]);
  expect(readTree(folder)).toEqual(before);
  return outcome;
}

const waiver = {
  fingerprint: "0123456789abcdef",
  rule: "bound-tightened",
  reason: "Nobody sends it.",
  expires: "1.3",
};

/** Lists of waivers, each with the JSON pointer and a part of the message of its finding. */
const WAIVERS: readonly (readonly [name: string, waivers: Json, pointer: string, message: string])[] = [
  ["an object instead of a list", {}, "/waivers", "must be array"],
  ["a waiver that is a text", ["0123456789abcdef"], "/waivers/0", "must be object"],
  ["no reason", [{ ...waiver, reason: "" }], "/waivers/0/reason", "fewer than 1"],
  ["a reason that is a number", [{ ...waiver, reason: 3 }], "/waivers/0/reason", "must be a string"],
  ["an unknown member", [{ ...waiver, until: "1.3" }], "/waivers/0/until", 'There is no key "until"'],
  [
    "something that is not a fingerprint",
    [{ ...waiver, fingerprint: "x" }],
    "/waivers/0/fingerprint",
    "pattern",
  ],
  ["something that is not a rule", [{ ...waiver, rule: "*" }], "/waivers/0/rule", "pattern"],
  [
    "an end that is not a version",
    [{ ...waiver, expires: "soon" }],
    "/waivers/0/expires",
    "must be a version",
  ],
  [
    "an end that is a date",
    [{ ...waiver, expires: "2030-01-01" }],
    "/waivers/0/expires",
    "must be a version",
  ],
  [
    "a fingerprint twice",
    [waiver, { ...waiver, expires: "1.4" }],
    "/waivers/1/fingerprint",
    "is listed twice",
  ],
  ["an unknown rule", [{ ...waiver, rule: "bond-tightened" }], "/waivers/0", "of the rule bond-tightened"],
];

describe("a malformed waiver", () => {
  it.each(WAIVERS)("%s", async (_name, waivers, pointer, message) => {
    const schemas = createTemporaryFolder();
    const folder = writeTea(schemas, { "protocol.json": { waivers } });
    const { stdout, exitCode } = await runWithoutChanges(schemas, "compat", "--format", "json");
    const { findings } = JSON.parse(stdout);
    // A waiver of an unknown rule is an ordinary finding. Every other malformed waiver stops the command.
    expect(exitCode).toBe(findings[0].rule === "waiver-unused" ? 1 : 2);
    expect(findings).toMatchObject([{ severity: "error", at: { file: `${folder}/protocol.json`, pointer } }]);
    expect(findings[0].message).toContain(message);
    expect(findings[0].at.line).toBeGreaterThan(1);
    const lines = readFileSync(`${folder}/protocol.json`, "utf8").split("\n");
    expect(findings[0].at.line).toBeLessThan(lines.length);
  });
});

describe("a protocol.json that lint refuses", () => {
  const rules = { openings: [{ type: "tea.served", after: ["tea.nowhere"] }] };

  it("is refused after the comparison if only a declaration is wrong", async () => {
    const schemas = createTemporaryFolder();
    writeTea(schemas, { "protocol.json": { stream: { key: ["id"], rules } } });
    const lint = await runWithoutChanges(schemas, "lint", "--format", "json");
    const { stdout, exitCode } = await runWithoutChanges(schemas, "compat", "--format", "json");
    const isError = ({ severity }: { severity: string }): boolean => severity === "error";
    const { summary, findings } = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    expect(findings.filter(isError)).toEqual(JSON.parse(lint.stdout).findings.filter(isError));
    expect(findings.filter(isError)).toHaveLength(1);
    expect(summary.protocols).toHaveLength(1);
  });

  it("is not compared if it cannot be read, and the JSON says so", async () => {
    const schemas = createTemporaryFolder();
    writeTea(schemas, { "protocol.json": { title: 3 } });
    const { stdout, exitCode } = await runWithoutChanges(schemas, "compat", "--format", "json");
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout).summary).toEqual({ errors: 1, protocols: [], compared: false });
  });
});

/** Baselines that cannot be read. The test creates the folder `elsewhere`. */
const BASELINES: readonly (readonly [against: string, message: RegExp])[] = [
  ["dir:elsewhere/nowhere", /nowhere is not a protocol folder/],
  ["dir:elsewhere/empty", /empty is not a protocol folder, and there is no tea\/v1 in it/],
  ["dir:elsewhere/file.json", /file\.json is not a protocol folder/],
  ["dir:elsewhere/cut/tea/v1", /cannot be read: .*cut\/tea\/v1\/protocol\.json:3:\d+: /],
  ["dir:elsewhere/cut", /cannot be read: .*cut\/tea\/v1\/protocol\.json:3:\d+: /],
  ["dir:elsewhere/wrong/tea/v1", /cannot be read: .*wrong\/tea\/v1\/envelope\.schema\.json:\d+:\d+: /],
  ["git:nothing", /is not in a git repository/],
  ["git:-x", /"-x" is not a git revision/],
  ["npm:accrete-not-there", /npm cannot get accrete-not-there: .+/],
  ["npm:../x", /is not an npm package/],
  ["release:9.9", /There is no release 9\.9 of tea/],
  ["release:1.0.0", /write X\.Y, such as 1\.0/],
  ["release:1.1", /release 1\.1 cannot be read: .*releases\/1\.1\.json:\d+:\d+: /],
  ["cvs:main", /"cvs:" is not a kind of baseline/],
];

describe("refuses with one line a baseline that cannot be read:", () => {
  it.each(BASELINES)("%s", async (against, message) => {
    // The test must not use the network.
    vi.stubEnv("npm_config_offline", "true");
    onTestFinished(() => void vi.unstubAllEnvs());
    const [root, schemas] = [createTemporaryFolder(), createTemporaryFolder()];
    const elsewhere = path.join(root, "elsewhere");
    mkdirSync(path.join(elsewhere, "empty"), { recursive: true });
    writeFileSync(path.join(elsewhere, "file.json"), "{}");
    const cut = writeTea(path.join(elsewhere, "cut"), {});
    const manifest = readFileSync(path.join(cut, "protocol.json"), "utf8");
    writeFileSync(path.join(cut, "protocol.json"), manifest.slice(0, manifest.indexOf("major") + 3));
    writeTea(path.join(elsewhere, "wrong"), { "envelope.schema.json": { type: "object", properties: 3 } });
    const folder = writeTea(schemas, {});
    await freezeContract(schemas, "tea/v1");
    const release = readFileSync(path.join(folder, "releases/1.0.json"), "utf8");
    writeFileSync(path.join(folder, "releases/1.1.json"), release.slice(0, release.length / 2));
    const baseline = against.replace("elsewhere", elsewhere);
    const { stdout, stderr, exitCode } = await runWithoutChanges(schemas, "compat", "--against", baseline);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("a damaged release file", async () => {
  const { protocols } = await loadSchemas(path.join(import.meta.dirname, "../../schemas"), ["evva/v0"]);
  const [evva] = protocols;
  const bytes = Buffer.from(evva ? emitRelease(evva).content : "");
  const written = JSON.parse(bytes.toString());

  const place = fc.nat(bytes.length - 1);
  const mutation = fc.oneof(
    fc.record({ how: fc.constant("replace"), place, byte: fc.nat(255) }),
    fc.record({ how: fc.constant("insert"), place, byte: fc.nat(255) }),
    fc.record({ how: fc.constant("remove"), place, byte: fc.nat(40) }),
    fc.record({ how: fc.constant("truncate"), place, byte: fc.constant(0) }),
  );
  const applyMutation = ({ how, place, byte }: { how: string; place: number; byte: number }): Buffer => {
    const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)];
    if (how === "replace") return Buffer.concat([head, Buffer.from([byte]), tail.subarray(1)]);
    if (how === "insert") return Buffer.concat([head, Buffer.from([byte]), tail]);
    return how === "remove" ? Buffer.concat([head, tail.subarray(byte + 1)]) : head;
  };

  const isSameContent = (changed: Buffer): boolean => {
    try {
      return areEqual(JSON.parse(changed.toString()), written);
    } catch {
      return false;
    }
  };

  it("is an error at a line of the file, unless the content is the same", () => {
    let refused = 0;
    fc.assert(
      fc.property(mutation, (each) => {
        const changed = applyMutation(each);
        const { protocol, findings } = readRelease("releases/0.1.json", changed);
        if (protocol) return isSameContent(changed) && findings.length === 0;
        refused++;
        const lines = changed.toString().split("\n").length;
        return (
          findings.length > 0 &&
          findings.every(
            ({ rule, severity, at }) =>
              rule === "release-altered" &&
              severity === "error" &&
              at.file === "releases/0.1.json" &&
              (at.line ?? 0) >= 1 &&
              (at.line ?? 0) <= lines,
          )
        );
      }),
      { numRuns: 200, seed: 4 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it.each(["compat", "changelog", "release"])("makes %s fail and is not changed", async (command) => {
    const schemas = createTemporaryFolder();
    const folder = writeTea(schemas, { [SERVED]: { properties: {} } });
    await freezeContract(schemas, "tea/v1", "1.1");
    const file = path.join(folder, "releases/1.0.json");
    const text = readFileSync(file, "utf8");
    for (const damaged of [
      text.slice(0, 500),
      text.replace("Something", "Anything"),
      "",
      "{}",
      text.replace('"1.0"', '"1.00"'),
    ]) {
      writeFileSync(file, damaged);
      const operands = command === "release" ? ["1.1", "--out", path.join(schemas, "../none")] : [];
      const { stdout, stderr, exitCode } = await runWithoutChanges(schemas, command, ...operands);
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toMatch(/releases\/1\.0\.json:\d+/);
    }
  });
});

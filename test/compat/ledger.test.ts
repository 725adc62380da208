/** What is said once releases, waivers and other baselines stand side by side: each a small history and its findings. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ExampleFiles } from "../../generator/compat/rule.js";
import type { JsonObject } from "../../generator/json.js";
import { accrete } from "../cli/run-in-process.js";
import { freeze } from "./project.js";
import { writeTea } from "./tea.js";

const SERVED = "events/tea.served.schema.json";
const POURED = "events/tea.poured.schema.json";
const text = { type: "string", description: "Which." };
const cups = { type: "integer", description: "How many." };
const going = { deprecated: true, "x-deprecated-since": "1.1", "x-replaced-by": "title" };
const tombstone = (name: string, removedIn: string) => ({
  ...{ kind: "field", name, in: "tea.served", removedIn, reason: "Nobody reads it." },
});

function temporary(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "accrete-ledger-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function at(
  version: string,
  properties: object,
  protocol: object = {},
  files: ExampleFiles = {},
): ExampleFiles {
  const head = { version, major: Number(version.split(".")[0]), ...protocol };
  return JSON.parse(JSON.stringify({ "protocol.json": head, [SERVED]: { properties }, ...files }));
}

/** Schemas at the last version, with every version but the last `open` ones frozen. */
function history(versions: readonly ExampleFiles[], open = 1): string {
  const schemas = temporary();
  for (const [index, files] of versions.entries()) {
    rmSync(path.join(schemas, "tea/v1/events"), { recursive: true, force: true });
    const folder = writeTea(schemas, files);
    if (index < versions.length - open) freeze(schemas, path.relative(schemas, folder));
  }
  return schemas;
}

interface Seen {
  readonly rule: string;
  readonly severity: string;
  readonly fingerprint: string;
  readonly [member: string]: unknown;
}

async function compat(schemas: string, ...more: readonly string[]) {
  const outcome = await accrete(["compat", "--schemas", schemas, "--format", "json", ...more]);
  const report = outcome.stdout.startsWith("{") ? JSON.parse(outcome.stdout) : { findings: [] };
  const findings: Seen[] = report.findings;
  return { ...outcome, findings, rules: findings.map(({ rule }) => rule), summary: report.summary };
}

/** The same contract with a waiver for the only error. */
async function waive(schemas: string, version: string, ...more: readonly string[]): Promise<JsonObject[]> {
  const { findings } = await compat(schemas);
  const [error] = findings.filter(({ severity }) => severity === "error");
  const args = ["--waive", String(error?.fingerprint), "--reason", "Nobody reads it.", ...more];
  expect(await accrete(["compat", "--schemas", schemas, ...args])).toMatchObject({ exitCode: 0 });
  const file = path.join(schemas, `tea/v${version.split(".")[0]}/protocol.json`);
  return JSON.parse(readFileSync(file, "utf8")).waivers;
}

describe("a baseline that is no release", () => {
  const old = at("1.0", { sort: text });
  const grown = at("1.1", { sort: text, pot: text }, {}, { [POURED]: { properties: { sort: text } } });

  it("does not stand behind the releases", async () => {
    const other = temporary();
    const folder = writeTea(other, old);
    const schemas = history([old, grown], 0);
    const { rules, exitCode } = await compat(schemas, "--against", `dir:${folder}`);
    expect([rules, exitCode]).toEqual([[], 0]);
  });

  it("does not stand behind the releases where something grew since", async () => {
    const folder = writeTea(temporary(), old);
    const poured = { [POURED]: { properties: { sort: text, lid: text } } };
    const more = at("1.2", { sort: text, pot: text }, {}, poured as unknown as ExampleFiles);
    const { rules, exitCode } = await compat(history([old, grown, more]), "--against", `dir:${folder}`);
    expect([rules, exitCode]).toEqual([[], 0]);
  });

  it("may be another major version", async () => {
    const other = temporary();
    const folder = writeTea(other, old);
    const next = at("2.0", { pot: text }, { tombstones: [tombstone("sort", "2.0")] });
    const { findings, exitCode } = await compat(
      history([old, next], 0),
      "tea/v2",
      "--against",
      `dir:${folder}`,
    );
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(exitCode).toBe(0);
  });

  it("has names that are free until the next release", async () => {
    const other = temporary();
    const draft = { ...at("1.1", { sort: text }), [POURED]: { "x-stability": "experimental" } };
    const folder = writeTea(other, draft);
    const { rules, exitCode } = await compat(
      history([old, at("1.1", { sort: text })]),
      "--against",
      `dir:${folder}`,
    );
    expect([rules.filter((rule) => rule.startsWith("tombstone")), exitCode]).toEqual([[], 0]);
  });

  it("must be the same protocol", async () => {
    const other = temporary();
    const folder = path.join(other, "mate/v1");
    writeTea(other, old);
    mkdirSync(path.join(folder, "events"), { recursive: true });
    for (const file of ["protocol.json", "envelope.schema.json", SERVED]) {
      const content = readFileSync(path.join(other, "tea/v1", file), "utf8");
      writeFileSync(path.join(folder, file), content.replace('"name": "tea"', '"name": "mate"'));
    }
    const schemas = history([old, grown]);
    for (const ids of [[], ["tea/v1"]]) {
      const { stdout, stderr, exitCode } = await compat(schemas, ...ids, "--against", `dir:${folder}`);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).toMatch(/is the protocol mate and cannot be compared with tea\/v1/);
    }
    const both = await compat(other, "--against", `dir:${folder}`);
    expect(both.exitCode).toBe(0);
    expect(both.summary.protocols).toMatchObject([{ id: "mate/v1" }]);
    expect(both.stderr).toMatch(/not compared: .*tea\/v1/);
  });
});

describe("a break against several releases", () => {
  const first = at("1.0", { summary: text });
  const title = { ...text, "x-renamed-from": "summary" };
  const second = at("1.1", { summary: { ...text, ...going }, title });
  const third = at("1.2", { title }, { tombstones: [tombstone("summary", "1.2")] });

  it("is said once although it looks otherwise from each of them", async () => {
    const { findings } = await compat(history([first, second, third]));
    expect(findings.filter(({ severity }) => severity === "error")).toMatchObject([
      { rule: "field-removed-optional", against: "release 1.1" },
    ]);
  });

  it("stays said where the newer release has it as experimental", async () => {
    const loose = (contract: ExampleFiles): ExampleFiles => ({
      ...contract,
      [SERVED]: { ...contract[SERVED], "x-stability": "experimental" },
    });
    const { findings } = await compat(history([first, loose(second), loose(third)]));
    expect(findings.filter(({ severity }) => severity === "error")).toMatchObject([
      { against: "release 1.0" },
    ]);
  });

  it("takes one waiver, which the release that was made with it keeps for the whole major", async () => {
    const schemas = history([first, second, third]);
    const waivers = await waive(schemas, "1.2");
    expect((await compat(schemas)).rules).toEqual([]);
    const waived = at("1.2", { title }, { tombstones: [tombstone("summary", "1.2")], waivers });
    const later = (version: string) => at(version, { title }, { tombstones: [tombstone("summary", "1.2")] });
    const kept = await compat(history([first, second, waived, later("1.3"), later("1.4")]));
    expect([kept.rules, kept.exitCode]).toEqual([[], 0]);
    // A release that was made without it is no evidence.
    const dropped = await compat(history([first, second, later("1.2"), later("1.3")]));
    expect(dropped.exitCode).toBe(1);
    // What the release brought back and lost again is a new break.
    const back = at("1.3", { title, pot: text });
    const again = await compat(
      history([
        first,
        second,
        waived,
        { ...back, ...later("1.3"), [SERVED]: back[SERVED] ?? {} },
        later("1.4"),
      ]),
    );
    expect(again.findings).toMatchObject([{ rule: "field-removed-optional", against: "release 1.3" }]);
  });

  it("stands in the changelog although it is waived", async () => {
    const schemas = history([first, at("1.1", {}, { tombstones: [tombstone("summary", "1.1")] })]);
    await waive(schemas, "1.1");
    freeze(schemas, "tea/v1");
    const { stdout } = await accrete(["changelog", "--schemas", schemas]);
    expect(stdout).toMatch(/## 1\.1\n\n- \*\*Breaking\.\*\* .*summary/);
    expect(stdout).not.toContain("Nothing that readers notice");
    const json = JSON.parse((await accrete(["changelog", "--schemas", schemas, "--format", "json"])).stdout);
    expect(json.protocols[0].versions[0].changes).toMatchObject([
      { rule: "field-removed-optional" },
      { rule: "removed-without-deprecation" },
    ]);
  });
});

describe("version-bump-insufficient", () => {
  const old = at("1.0", { sort: text });
  const grown = at("1.1", { sort: text, pot: text });
  it.each([
    ["is not said right after a release", [old, grown], 0, "release:1.0", false],
    ["is not said right after a release, against all of them", [old, grown], 0, undefined, false],
    [
      "is said when something came after it",
      [old, grown, at("1.1", { sort: text, pot: text, lid: text })],
      1,
      "release:1.0",
      true,
    ],
    [
      "is said against all of them, too",
      [old, grown, at("1.1", { sort: text, pot: text, lid: text })],
      1,
      undefined,
      true,
    ],
  ] as const)("%s", async (_name, versions, open, against, said) => {
    const more = against === undefined ? [] : ["--against", against];
    const { rules } = await compat(history(versions, open), ...more);
    expect(rules.includes("version-bump-insufficient")).toBe(said);
  });

  it("is not said after a release with a waived break", async () => {
    const schemas = history([old, at("1.1", {}, { tombstones: [tombstone("sort", "1.1")] })]);
    await waive(schemas, "1.1");
    freeze(schemas, "tea/v1");
    expect((await compat(schemas)).rules).toEqual([]);
  });
});

it("says nothing about names while a release is damaged", async () => {
  const buried = { tombstones: [tombstone("sort", "1.1")] };
  const wild = { [POURED]: { "x-stability": "experimental", deprecated: true } } as ExampleFiles;
  const schemas = history([
    at("1.0", {}, {}, wild),
    at("1.1", {}, buried, wild),
    at("1.2", { pot: { ...text, "x-renamed-from": "lid" } }, buried, wild),
  ]);
  for (const broken of [
    (release: string) => release.slice(0, 400),
    (release: string) => release.replace("Tea", "Coffee"),
  ]) {
    const file = path.join(schemas, "tea/v1/releases/1.1.json");
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, broken(whole));
    const { rules, exitCode } = await compat(schemas);
    expect([new Set(rules), exitCode]).toEqual([new Set(["release-altered"]), 1]);
    writeFileSync(file, whole);
  }
  expect((await compat(schemas)).rules).toContain("rename-unmatched");
});

it("knows that a name which comes back means what it meant", async () => {
  const wild = { [POURED]: { "x-stability": "experimental", properties: { sort: text } } } as ExampleFiles;
  const again = { [POURED]: { ...wild[POURED], "x-since": "1.2", deprecated: true } } as ExampleFiles;
  const versions = [at("1.0", {}, {}, wild), at("1.1", {}), at("1.2", {}, {}, again)];
  expect((await compat(history(versions))).rules).not.toContain("tombstone-reused");
  const other = { [POURED]: { "x-stability": "experimental", properties: { sort: cups } } } as ExampleFiles;
  expect((await compat(history([...versions.slice(0, 2), at("1.2", {}, {}, other)]))).rules).toContain(
    "tombstone-reused",
  );
});

describe("a waiver on the command line", () => {
  const reason = ["--reason", "Nobody reads it."];
  const schemas = () => history([at("1.0", { sort: text }), at("1.1", {})]);
  it.each([
    ["--reason alone", reason, /--reason and --expires belong to --waive/],
    ["--expires alone", ["--expires", "1.3"], /--reason and --expires belong to --waive/],
    [
      "an end that has passed",
      ["--waive", "FP", ...reason, "--expires", "1.1"],
      /ends with 1\.1 has expired already.* 1\.2/,
    ],
  ])("refuses %s", async (_name, args, message) => {
    const folder = schemas();
    const [finding] = (await compat(folder)).findings;
    const before = readFileSync(path.join(folder, "tea/v1/protocol.json"), "utf8");
    const filled = args.map((each) => (each === "FP" ? String(finding?.fingerprint) : each));
    const { stderr, exitCode } = await compat(folder, ...filled);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(readFileSync(path.join(folder, "tea/v1/protocol.json"), "utf8")).toBe(before);
  });

  it("is not written twice", async () => {
    const folder = schemas();
    const [waiver] = await waive(folder, "1.1");
    const again = await compat(folder, "--waive", String(waiver?.fingerprint), ...reason);
    expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/is waived already/) });
  });
});

it("names a release file that is a folder", async () => {
  const schemas = history([at("1.0", {}), at("1.1", {})]);
  mkdirSync(path.join(schemas, "tea/v1/releases/1.1.json"));
  const { stderr, exitCode } = await compat(schemas);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/releases\/1\.1\.json: it is a folder/)]);
});

describe("advice", () => {
  const wild = (properties: object): ExampleFiles =>
    JSON.parse(JSON.stringify({ [POURED]: { "x-stability": "experimental", properties } }));
  const cup = (fields: object) => ({ cup: { type: "object", description: "A cup.", properties: fields } });
  it.each([
    ["an event type", {}, wild({}), {}, [{ kind: "event", name: "tea.poured" }]],
    ["a field", {}, wild({ sort: text }), wild({}), [{ kind: "field", name: "sort", in: "tea.poured" }]],
    [
      "a field inside",
      {},
      wild(cup({ lid: text })),
      wild(cup({})),
      [{ kind: "field", name: "lid", in: "tea.poured#/properties/cup" }],
    ],
  ])("has the tombstone of %s ready to paste", async (_name, fields, before, after, stones) => {
    const schemas = history([at("1.0", fields, {}, before), at("1.1", fields, {}, after)]);
    const { findings } = await compat(schemas);
    const [missing] = findings.filter(({ rule }) => rule === "tombstone-missing");
    const text = String(missing?.hint).replace(/^[^{]*/, "");
    const tombstones = JSON.parse(`[${text}]`);
    expect(tombstones).toMatchObject(stones.map((stone) => ({ ...stone, removedIn: "1.1" })));
    const mended = history([at("1.0", fields, {}, before), at("1.1", fields, { tombstones }, after)]);
    expect((await compat(mended)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("says what remains where the tombstone is there", async () => {
    const stone = { kind: "event", name: "tea.poured", removedIn: "1.1", reason: "Nobody pours." };
    const schemas = history([at("1.0", {}, {}, { [POURED]: {} }), at("1.1", {}, { tombstones: [stone] })]);
    const { findings } = await compat(schemas);
    expect(findings[0]).toMatchObject({
      rule: "event-removed",
      hint: expect.stringMatching(/^The tombstone is there; the break remains: .*--waive/),
    });
  });
});

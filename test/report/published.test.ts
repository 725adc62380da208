/** If this fails, tools that read the JSON or SARIF reports refuse them. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../generator/compat/change.js";
import { BOUND_RULES } from "../../generator/compat/rules/bounds.js";
import { RULES } from "../../generator/compat/rules/rules.js";
import type { Finding } from "../../generator/finding.js";
import { formatSarifReport } from "../../generator/report/sarif.js";
import { runAccrete } from "../commands/run-in-process.js";
import { writeExample } from "../compat/examples.js";
import { chooseCases, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";

const root = path.join(import.meta.dirname, "../..");
const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/** The published schema with every object closed, so that an undescribed member is an error. */
const closedSchema = JSON.parse(
  readFileSync(path.join(root, "generator/report/report.schema.json"), "utf8"),
  (_key, value) =>
    value?.properties?.rule ||
    value?.properties?.file ||
    value?.properties?.against ||
    value?.properties?.findings
      ? { ...value, additionalProperties: false }
      : value,
);
const isReport = new Ajv2020({ strict: false }).compile(closedSchema);

/**
 * The schema of SARIF 2.1.0 as the authors of its tools publish it. "rtm.5" is the last draft. The schema declares draft 4,
 * but later drafts give it the same meaning. One of its patterns is invalid with the u flag.
 */
const {
  $schema: _dialect,
  id: _id,
  ...sarifSchema
} = readJson(
  createRequire(import.meta.url).resolve("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"),
);
const ajv = addFormats.default(new Ajv({ strict: false, unicodeRegExp: false, allErrors: true }));
const isSarif = ajv.compile(sarifSchema);

function findSarifErrors(text: string): readonly object[] {
  return isSarif(JSON.parse(text)) ? [] : (isSarif.errors ?? []);
}

/** Returns the report of a command line. */
async function createReport(format: string, ...argv: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await runAccrete([...argv, "--format", format]);
  expect([stderr, [0, 1, 2].includes(exitCode)]).toEqual(["", true]);
  return stdout;
}

/** Returns the command line that compares both sides of the example of a rule. */
function createComparison({ example }: Pick<Rule, "example">): readonly string[] {
  const { before, after } = writeExample(example);
  return ["compat", "--schemas", after, "--against", `dir:${before}/tea/v1`];
}

/** Creates runs of other commands, and one with a waived finding. */
async function createOtherRuns(): Promise<{ name: string; argv: string[] }[]> {
  const temporary = createTemporaryFolder();
  const [waived, before, broken] = ["waived", "before", "broken"].map((name) =>
    path.join(temporary, name),
  ) as [string, string, string];
  const example = writeExample(BOUND_RULES["bound-tightened"].example);
  cpSync(example.before, before, { recursive: true });
  cpSync(example.after, waived, { recursive: true });
  cpSync(before, broken, { recursive: true });
  writeFileSync(path.join(broken, "tea/v1/envelope.schema.json"), "{");
  const events = path.join(temporary, "events.jsonl");
  writeFileSync(events, '{"type":"run.queued"}\n');
  const comparison = ["compat", "--schemas", waived, "--against", `dir:${before}/tea/v1`];
  const [finding] = JSON.parse(await createReport("json", ...comparison)).findings;
  await runAccrete([...comparison, "--waive", finding.fingerprint, "--reason", "A test."]);
  return [
    { name: "a waived break", argv: comparison },
    { name: "broken schemas", argv: ["compat", "--schemas", broken] },
    { name: "lint of broken schemas", argv: ["lint", "--schemas", broken] },
    { name: "lint", argv: ["lint"] },
    { name: "the repository", argv: ["compat"] },
    { name: "generate --check", argv: ["generate", "evva/v0", "--check"] },
    {
      name: "generate --check of nothing",
      argv: ["generate", "evva/v0", "--check", "--out", path.join(temporary, "none")],
    },
    { name: "validate", argv: ["validate", "--protocol", "hecate/v1", events] },
  ];
}

describe("every report of a comparison", () => {
  it.each(chooseCases(RULES, 24))("is valid: $id", async (rule) => {
    const json = JSON.parse(await createReport("json", ...createComparison(rule)));
    expect(isReport(json), JSON.stringify(isReport.errors)).toBe(true);
    expect(findSarifErrors(formatSarifReport(json.findings))).toEqual([]);
  });
});

quick.it("reports of other commands are valid", async () => {
  const seen = new Set<string>();
  for (const { name, argv } of await createOtherRuns()) {
    const json = JSON.parse(await createReport("json", ...argv));
    expect(isReport(json), `${name}: ${JSON.stringify(isReport.errors)}`).toBe(true);
    expect(findSarifErrors(await createReport("sarif", ...argv)), name).toEqual([]);
    const isWaived = JSON.stringify(json).includes('"waived":[{');
    seen.add(isWaived ? "waived" : json.findings.length > 0 ? "findings" : "none");
  }
  expect([...seen].sort()).toEqual(["findings", "none", "waived"]);
});

const finding: Finding = {
  rule: "some-rule",
  severity: "error",
  message: "It is.",
  at: { file: "a", pointer: "" },
};

const MISTAKES: readonly (readonly [string, object])[] = [
  ["severity", { severity: "fatal" }],
  ["rule", { rule: "Some rule" }],
  ["line", { at: { file: "a", pointer: "", line: 0 } }],
  ["pointer", { at: { file: "a", pointer: "x" } }],
  ["fingerprint", { fingerprint: "1" }],
  ["affected group", { affects: ["me"] }],
  ["member", { colour: "red" }],
];

quick.it.each(MISTAKES)("the schema rejects an invalid %s", (_what, change) => {
  expect(isReport({ findings: [finding] })).toBe(true);
  expect(isReport({ findings: [{ ...finding, ...change }] })).toBe(false);
});

quick.it.each([
  ["no location", { ...finding, at: { file: "", pointer: "" } }],
  [
    "a hostile location",
    { ...finding, at: { file: "a b\u0000/\ud800:é?#[]@.json", pointer: "/\u202e", line: 1 } },
  ],
  ["an empty message", { ...finding, message: "" }],
])("SARIF is valid with %s", (_what, one) => {
  expect(findSarifErrors(formatSarifReport([one as Finding]))).toEqual([]);
});

quick.it("the schema of SARIF rejects an unknown level", () => {
  const text = formatSarifReport([{ ...finding, severity: "fatal" as "error" }]);
  expect(findSarifErrors(text)).not.toEqual([]);
});

/** If this fails, text of schemas can forge or break a report. */
import { describe, expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { formatGithubReport } from "../../generator/report/github.js";
import { formatJunitReport } from "../../generator/report/junit.js";
import { formatMarkdownReport } from "../../generator/report/markdown.js";
import { formatSarifReport } from "../../generator/report/sarif.js";
import { formatTextReport } from "../../generator/report/text.js";

const finding: Finding = {
  rule: "field-removed-optional",
  severity: "error",
  message: "It is missing: 100%\n::error::<b>|`@team`",
  at: { file: "a,b/é.json", pointer: "/x", line: 3, column: 5 },
  baseline: { file: "old.json", pointer: "/y", line: 7, column: 1 },
  witness: { type: "tea.served", note: "]]>```\u001b" },
  hint: "Keep it.",
  fingerprint: "0123456789abcdef",
};
const note: Finding = {
  rule: "enum-opened",
  severity: "note",
  message: "Open.",
  at: { file: "c.json", pointer: "" },
};

it("github: writes one command for each finding, and its text cannot start another command", () => {
  expect(formatGithubReport([finding, note])).toBe(
    "::error file=a%2Cb/é.json,line=3,col=5,title=field-removed-optional::It is missing: 100%25\\n::error::<b>|`@team`%0A" +
      'was old.json:7:1%0Aevent {"type":"tea.served","note":"]]>```\\u001b"}%0AKeep it.%0Afingerprint 0123456789abcdef\n' +
      "::notice file=c.json,title=enum-opened::Open.\n",
  );
});

it("text: prints the baseline, the event and the fingerprint below the finding", () => {
  expect(formatTextReport([finding]).split("\n").slice(1)).toEqual([
    "    was old.json:7:1",
    '    event {"type":"tea.served","note":"]]>```\\u001b"}',
    "    Keep it.",
    "    fingerprint 0123456789abcdef",
    "",
  ]);
});

it("text: prints the hint once for consecutive findings of one rule", () => {
  const other = { ...finding, hint: "Keep the other one." };
  const report = formatTextReport([finding, finding, other, finding, { ...finding, rule: "field-renamed" }]);
  expect(report.match(/: error |Keep.*$/gm)).toEqual([
    ...[": error ", "Keep it.", ": error "],
    ...[": error ", "Keep the other one."],
    ...[": error ", "Keep it."],
    ...[": error ", "Keep it."],
  ]);
});

describe("sarif", () => {
  const log = JSON.parse(formatSarifReport([finding, note]));

  it("is a log of version 2.1.0 with one run", () => {
    expect(log).toMatchObject({ version: "2.1.0", runs: [{ tool: { driver: { name: "accrete" } } }] });
  });

  it("contains rule, level, location and fingerprint of each result", () => {
    const [run] = log.runs;
    expect(run.results).toHaveLength(2);
    expect(run.results[0]).toMatchObject({
      ruleId: "field-removed-optional",
      level: "error",
      partialFingerprints: { "accrete/v1": "0123456789abcdef" },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "a%2Cb/%C3%A9.json" },
            region: { startLine: 3, startColumn: 5 },
          },
        },
      ],
    });
    for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
  });
});

it("junit: errors fail, notes do not, and all text is escaped", () => {
  const report = formatJunitReport([finding, note]);
  expect(report).toContain('<testsuite name="accrete" tests="2" failures="1">');
  for (const raw of ["<b>", "]]>", "\u001b"]) expect(report).not.toContain(raw);
  expect(report.match(/<failure /g)).toHaveLength(1);
  expect(formatJunitReport([], { summary: { text: "all well", data: {} } })).toContain('name="all well"');
});

it("markdown: text of schemas is escaped, and the witness is a code block", () => {
  const report = formatMarkdownReport([finding, note], { summary: { text: "1 error", data: {} } });
  expect(report).toContain("**1 error**");
  expect(report).toContain("\\<b\\>\\|\\`@\u2060team\\`");
  expect(report).toContain("  ````json\n");
  expect(report).toContain("`0123456789abcdef`");
});

const streamed: Finding = {
  ...note,
  rule: "stream-promise-removed",
  severity: "error",
  stream: [
    { type: "tea.poured", note: "]]>```\u001b" },
    { type: "tea.served", note: "::error::" },
  ],
};

it("every report contains each event of a stream on its own line, and escapes it", () => {
  const first = '{"type":"tea.poured","note":"]]>```\\u001b"}';
  const second = '{"type":"tea.served","note":"::error::"}';
  expect(formatTextReport([streamed]).split("\n").slice(1, 3)).toEqual([
    `    stream ${first}`,
    `           ${second}`,
  ]);
  expect(formatGithubReport([streamed])).toBe(
    `::error file=c.json,title=stream-promise-removed::Open.%0Astream ${first}%0A       ${second}\n`,
  );
  expect(formatMarkdownReport([streamed])).toContain(`  \`\`\`\`jsonl\n  ${first}\n  ${second}\n  \`\`\`\``);
  expect(formatJunitReport([streamed])).toContain(`${first.replace(/"/g, "&quot;").replace(/>/g, "&gt;")}\n`);
  const [result] = JSON.parse(formatSarifReport([streamed])).runs[0].results;
  expect(result.properties).toEqual({ stream: streamed.stream });
});

it("every report contains the witnesses of both directions", () => {
  const both: Finding = { ...note, severity: "error", witness: { n: 1 }, opposite: { n: 2 } };
  for (const report of [
    formatTextReport,
    formatGithubReport,
    formatJunitReport,
    formatSarifReport,
    formatMarkdownReport,
  ]) {
    const shown = report([both])
      .replace(/&quot;/g, '"')
      .replace(/\s/g, "");
    expect(shown).toContain('{"n":1}');
    expect(shown).toContain('{"n":2}');
  }
});

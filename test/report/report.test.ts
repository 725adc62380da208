/** If this fails, reports hide part of a finding, or hostile text in a schema controls the terminal or the page. */
import { expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { formatJsonReport } from "../../generator/report/json.js";
import { escapeMarkdown } from "../../generator/report/markdown.js";
import { REPORTERS } from "../../generator/report/report.js";
import { formatTextReport } from "../../generator/report/text.js";
import { formatJson, sanitizeLine } from "../../generator/text.js";

const finding: Finding = {
  rule: "some-rule",
  severity: "error",
  message: "must be >= 0",
  at: { file: "a.json", pointer: "/x", line: 3, column: 5 },
};

const TEXTS: readonly (readonly [string, Finding, string])[] = [
  [
    "everything",
    { ...finding, hint: "Fix it." },
    "a.json:3:5: error some-rule /x must be >= 0\n    Fix it.\n",
  ],
  [
    "a line alone",
    { ...finding, at: { file: "a", pointer: "", line: 3 } },
    "a:3: error some-rule must be >= 0\n",
  ],
  ["a file alone", { ...finding, at: { file: "a", pointer: "" } }, "a: error some-rule must be >= 0\n"],
  [
    "hostile text",
    { ...finding, message: "a\nb\u001b[31m", hint: "c\r\u202e", at: { file: "x\ny", pointer: "/\u009b" } },
    "x\\ny: error some-rule /\\u009b a\\nb\\u001b[31m\n    c\\n\\u202e\n",
  ],
];

it.each(TEXTS)("prints %s", (_name, one, want) => {
  expect(formatTextReport([one])).toBe(want);
});

it.each([
  ["github", /::\/x must be >= 0\n/],
  ["junit", /message="\/x must be &gt;= 0"/],
  ["markdown", /`some-rule` \/x must be \\>= 0\n/],
  ["sarif", /"text": "\/x must be >= 0"/],
] as const)("names the subject of the message in %s", (format, pattern) => {
  expect(REPORTERS[format]([finding])).toMatch(pattern);
});

it("shortens a long event, with a note", () => {
  const line = (size: number): string =>
    formatTextReport([{ ...finding, witness: { text: "x".repeat(size) } }]);
  expect(line(500)).toContain(`    event {"text":"${"x".repeat(500)}"}\n`);
  expect(line(2000)).toMatch(/\n {4}event .{1000}… \(2011 characters; --format json prints all\)\n$/);
});

it.each(["text", "github", "junit", "markdown", "sarif"] as const)("shows both events in %s", (format) => {
  const report = REPORTERS[format]([{ ...finding, witness: { a: "first" }, opposite: { b: "second" } }]);
  expect(report).toMatch(/first[\s\S]*second/);
});

it.each([
  [{ events: [], resources: ["list"] }, "value"],
  [{ events: ["*"], resources: ["list"] }, "event"],
])("labels the witness of %j", (places, label) => {
  expect(formatTextReport([{ ...finding, witness: { a: 1 }, ...places }])).toContain(
    `\n    ${label} {"a":1}\n`,
  );
});

it("ends with the summary", () => {
  expect(formatTextReport([], { summary: { text: "no findings", data: {} } })).toBe("no findings\n");
  expect(formatTextReport([])).toBe("");
});

it("prints findings unchanged as JSON", () => {
  const report = formatJsonReport([finding], { summary: { text: "", data: { events: 1 } } });
  expect(JSON.parse(report)).toEqual({ summary: { events: 1 }, findings: [finding] });
});

it("escapes control characters and keeps visible ones", () => {
  expect(sanitizeLine("naïve 日本 😀 a\tb\u{e0041}\ud800")).toBe("naïve 日本 😀 a b\\udb40\\udc41\ufffd");
  const hostile = { "\u200b": "\u001b]0;\u0007\u2028\u{e0041}\n" };
  expect(JSON.parse(formatJson(hostile))).toEqual(hostile);
  expect(formatJson(hostile)).not.toMatch(/[^\P{C}\n]/u);
});

it.each([
  [
    "x-renamed-from of tool_call_id (1) is {a} + b = c!",
    "x-renamed-from of tool_call_id (1) is {a} + b = c!",
  ],
  ["- a", "\\- a"],
  ["+ a", "\\+ a"],
  ["---", "\\---"],
  ["==", "\\=="],
  ["1. a", "1\\. a"],
  ["12) a", "12\\) a"],
  ["# a #12", "\\# a \\#12"],
  ["> a", "\\> a"],
  ["_a_ __b__ c_d", "\\_a\\_ \\_\\_b\\_\\_ c_d"],
  ["*a* `b` ~~c~~", "\\*a\\* \\`b\\` \\~\\~c\\~\\~"],
  ["![a](b) [c]: d", "!\\[a\\](b) \\[c\\]: d"],
  ["<b>&amp;|", "\\<b\\>\\&amp;\\|"],
  ["@team GH-12 http://a", "@\u2060team GH-\u206012 http:\u2060//a"],
  ["a\nb\\", "a\\\\nb\\\\"],
])("escapes %j for Markdown, and no more than necessary", (text, marked) => {
  expect(escapeMarkdown(text)).toBe(marked);
});

it("shows the event, the former place and the hint in GitHub annotations", () => {
  const witness = { text: "50%\n::error::" };
  const one: Finding = {
    ...finding,
    witness,
    hint: "Restore it.",
    fingerprint: "0123456789abcdef",
    baseline: { file: "old.json", pointer: "/y", line: 7, column: 2 },
  };
  expect(REPORTERS.github([one])).toBe(
    `::error file=a.json,line=3,col=5,title=some-rule::/x must be >= 0%0Awas old.json:7:2%0Aevent {"text":"50%25\\n::error::"}%0ARestore it.%0Afingerprint 0123456789abcdef\n`,
  );
  expect(REPORTERS.github([{ ...finding, witness: { text: "x".repeat(2000) } }])).toContain(
    "… (2011 characters; --format json prints all)",
  );
});

it("gives GitLab each finding with its place, and a fingerprint that lines do not change", () => {
  const moved = { ...finding, at: { ...finding.at, line: 9 } };
  const reports = [finding, moved].map((each) =>
    JSON.parse(REPORTERS.gitlab([{ ...each, hint: "Restore it." }])),
  );
  expect(reports[0]).toEqual([
    {
      description: "/x must be >= 0 Restore it.",
      check_name: "some-rule",
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      severity: "critical",
      location: { path: "a.json", lines: { begin: 3 } },
    },
  ]);
  expect(reports[1][0].fingerprint).toBe(reports[0][0].fingerprint);
  const known = { ...finding, fingerprint: "0123456789abcdef" };
  expect(JSON.parse(REPORTERS.gitlab([known]))[0].fingerprint).toBe("0123456789abcdef");
});

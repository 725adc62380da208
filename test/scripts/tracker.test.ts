/** If this fails, the tracker shows breaks that no validator confirms, hides what it leaves out, or shows text of packages as markup. */
import path from "node:path";
import { expect, it } from "vitest";
import { compareVersions, type JudgedEvent, openVersion } from "../../scripts/incidents/compare-versions.js";
import { SCHEMA_PACKAGES } from "../../scripts/incidents/packages.js";
import { ISSUES } from "../../scripts/tracker/issues.js";
import { formatTrackerTable, renderTracker } from "../../scripts/tracker/render-tracker.js";
import { type TrackedPackage, trackComparison } from "../../scripts/tracker/tracked-package.js";
import { readPage } from "../docs/blocks.js";
import { createTemporaryFolder } from "../folders.js";

const HOSTILE = '<img src=x onerror="alert(1)"> | `a` & [b](javascript:alert(2))\n<script>';

const createPackage = (name: string, issue?: string): TrackedPackage => ({
  name,
  contract: `the type ${HOSTILE}`,
  pairs: [
    {
      from: "1.0.0",
      to: `2.0.0${HOSTILE}`,
      breaks: [
        {
          rule: HOSTILE,
          message: `a: ${HOSTILE}. More.`,
          breaks: [HOSTILE],
          events: [{ [HOSTILE]: HOSTILE }],
          ...(issue !== undefined && { issue }),
        },
      ],
      leftOut: { refuted: 1, undecided: 2, unshown: 3, convention: 4 },
    },
  ],
  skipped: [HOSTILE],
});

const render = (packages: readonly TrackedPackage[]): Map<string, string> =>
  new Map(renderTracker(packages).map(({ path: file, content }) => [file, content]));

it("shows text of packages as text, on every page", () => {
  const files = render([createPackage(HOSTILE), createPackage("b", "a/b.c#12")]);
  const pages = [...files].filter(([file]) => file.endsWith(".html"));
  expect(pages.length).toBe(3);
  const ALLOWED =
    /^<(?:\/?(?:a|body|code|div|h1|h2|h3|head|header|html|input|label|li|link|main|meta|nav|p|pre|script|search|table|tbody|td|th|thead|title|tr|ul)|!doctype)\b|^<!--/;
  for (const [, text] of pages) {
    const tags = [...text.matchAll(/<[^>]*>?/g)].map(([tag]) => tag);
    expect(tags.filter((tag) => !ALLOWED.test(tag) || / on\w+=|javascript:/i.test(tag))).toEqual([]);
    expect(text.match(/<script/g)).toHaveLength(1);
    for (const [, address = ""] of text.matchAll(/<a href="([^"]*)"/g))
      expect(
        address.startsWith("https://github.com/a/b.c/issues/12") ||
          pages.some(([file]) => address.endsWith(file)),
      ).toBe(true);
  }
  expect(() => render([createPackage("b", "javascript:alert(1)")])).toThrow("is not an issue");
});

it("says how many breaks there are, and how many errors are left out", () => {
  const packages = [createPackage("b"), createPackage("@a/c")];
  for (const text of [render(packages).get("index.html"), formatTrackerTable(packages)]) {
    expect(text).toContain("2 packages, 2 comparisons of two versions: 2 breaks confirmed");
    for (const count of ["2 refuted", "4 undecided", "6 without an event", "8 not visible"])
      expect(text).toContain(count);
  }
  const rows = formatTrackerTable(packages)
    .split("\n")
    .filter((line) => /^\| (?!package )/.test(line));
  expect(rows.map((row) => row.replace(/(?<!\\)\|/g, "¦").split("¦")).map((cells) => cells.length)).toEqual([
    7, 7,
  ]);
  expect(rows[0]).toContain("a/c");
});

it("shows an error only if Ajv confirms one of its events, and refutes none", () => {
  const track = (...judgements: JudgedEvent["judgement"][]) => {
    const judged = judgements.map((judgement) => ({ judgement, event: { judgement } }));
    const finding = { rule: "r", severity: "error", message: "m", at: { file: "f", pointer: "" } } as const;
    return trackComparison({
      entry: { name: "p", paths: [] },
      from: "1",
      to: "2",
      errors: [{ finding, judged }],
      seconds: 0,
    });
  };
  const NONE = { refuted: 0, undecided: 0, unshown: 0, convention: 0 };
  for (const judgement of ["published", "union"] as const)
    expect(track(judgement, "closed")).toMatchObject({
      breaks: [{ events: [{ judgement }] }],
      leftOut: NONE,
    });
  expect(track("published", "refuted")).toMatchObject({ breaks: [], leftOut: { ...NONE, refuted: 1 } });
  expect(track("published", "undecided")).toMatchObject({ breaks: [], leftOut: { ...NONE, undecided: 1 } });
  expect(track()).toMatchObject({ breaks: [], leftOut: { ...NONE, unshown: 1 } });
  for (const judgement of ["closed", "opened", "format", "name"] as const)
    expect(track(judgement)).toMatchObject({ breaks: [], leftOut: { ...NONE, convention: 1 } });
});

it("judges a removed event type by the published unions", async () => {
  const event = (type: string, properties: object) => ({
    type: "object",
    properties: { type: { const: type }, ...properties },
    required: ["type"],
  });
  const versions = [
    { anyOf: [event("a", {}), event("b", {}), event("c", { n: { type: "number" } })] },
    { anyOf: [event("a", {}), event("c", { n: { type: "integer" } })] },
  ];
  const [before, after] = versions.map((schema, index) => {
    const folder = createTemporaryFolder({ "events.json": JSON.stringify(schema) });
    return openVersion(String(index), path.join(folder, "events.json"));
  });
  if (before === undefined || after === undefined) throw new Error("there are two versions");
  const { errors } = await compareVersions({ name: "p", paths: [] }, before, after);
  const judged = errors.map(({ finding, judged: all }) => [
    finding.rule,
    ...all.map(({ judgement }) => judgement),
  ]);
  expect(judged).toContainEqual(["event-removed", "union"]);
  expect(judged.flat()).toContain("published");
});

it("compares at least 25 packages, each of which has a row", () => {
  const names = new Set(SCHEMA_PACKAGES.map(({ name }) => name));
  expect(names.size).toBeGreaterThanOrEqual(25);
  const rows = [...readPage("docs/tracker.md").matchAll(/^\| (\S+) \|/gm)].map(([, name = ""]) =>
    name.replace(/[\\\u2060]/g, ""),
  );
  expect(new Set(rows.filter((name) => name !== "package"))).toEqual(names);
});

it("knows issues only of packages that it compares", () => {
  const names = new Set(SCHEMA_PACKAGES.map(({ name }) => name));
  for (const { package: name, issue } of ISSUES) {
    expect(names).toContain(name);
    expect(issue).toMatch(/^[\w.-]+\/[\w.-]+#\d+$/);
  }
});

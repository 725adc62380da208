/** If this fails, the page shows another edit than the one that a tool made, or hangs on an edit. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../generator/random.js";
import { createRun } from "./create-run.js";
import { CHROMIUM, launchBrowser, openPage, waitForEnd } from "./open-page.js";

/** The name of a case, the input of the tool, and the shown lines; undefined if the input is shown as text. */
type EditCase = readonly [name: string, input: object, lines: readonly string[] | undefined];

const BIDI = "\u202e";

const CASES: readonly EditCase[] = [
  ["a changed line", { old_text: "a\nb\nc\n", new_text: "a\nB\nc\n" }, ["  a", "− b", "+ B", "  c"]],
  ["a text that becomes empty", { old_string: "a\nb", new_string: "" }, ["− a", "− b"]],
  ["a text that was empty", { oldText: "", newText: "a\n" }, ["+ a", "+ "]],
  ["a line feed at the end of the new text only", { old: "a", new: "a\n" }, ["  a", "+ "]],
  ["texts that are equal", { before: "a\nb", after: "a\nb" }, ["… No line is changed"]],
  ["texts that are both empty", { old_str: "", new_str: "" }, ["… No line is changed"]],
  ["other ends of lines", { old_text: "a\r\n", new_text: "a\n" }, ["− a␍", "+ a"]],
  [
    "lines far from the change",
    { old_text: "1\n2\n3\n4\n5\n6\n7\n8\n9", new_text: "1\n2\n3\n4\n5\n6\n7\n8\n10" },
    ["… 5 lines left out", "  6", "  7", "  8", "− 9", "+ 10"],
  ],
  [
    "markup",
    { old_text: "<b>a</b>", new_text: "<img src=x onerror=alert(1)>" },
    ["− <b>a</b>", "+ <img src=x onerror=alert(1)>"],
  ],
  [
    "characters that reverse the text after them, and other control characters",
    { old_text: `if (${BIDI}a)`, new_text: "if (\u0000\u001b[31ma)\tb\u0085" },
    ["− if (<U+202E>a)", "+ if (␀␛[31ma)\tb<U+0085>"],
  ],
  ["half a surrogate pair", { old_text: "\ud83d", new_text: "\ude00" }, ["− \ud83d", "+ \ude00"]],
  [
    "a patch of a file whose lines begin with dashes",
    {
      patch:
        "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- old comment\n+-- comment\n x\n",
    },
    [
      "… 2 lines left out",
      "  --- a/x",
      "  +++ b/x",
      "  @@ -1,2 +1,2 @@",
      "− -- old comment",
      "+ -- comment",
      "  x",
    ],
  ],
  ["a patch without ranges", { diff: "--- a\n+++ b\n-x\n+y" }, ["  --- a", "  +++ b", "− x", "+ y"]],
  ["an old text that is a number", { old_text: 1, new_text: "a" }, undefined],
  ["an old text that is null", { old_text: null, new_text: "a" }, undefined],
  ["texts that are lists", { old_text: ["a"], new_text: ["b"] }, undefined],
  ["a patch that is an object", { patch: { "+": "a" } }, undefined],
  ["no new text", { old_text: "a" }, undefined],
];

describe.skipIf(CHROMIUM === undefined)("an edit on the page, if chromium is installed,", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("is shown line by line, or as text if it is no edit", async () => {
    const calls = CASES.map(([, input], index) => createCall(index, input));
    const { page, problems } = await openPage(browser, {
      recording: createRun(["run.created", {}], ...calls),
    });
    await waitForEnd(page);
    const shown = await readShownEdits(page);
    expect(shown).toHaveLength(CASES.length);
    for (const [index, [name, , lines]] of CASES.entries()) expect(shown[index], name).toEqual(lines);
    expect(await page.locator(".diff img, .diff b").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each([
    ["JSON that ends too early", '{"old_text":"a","new_text":'],
    ["a list", '[{"old_text":"a","new_text":"b"}]'],
    ["a text with signs", "- a\n+ b"],
  ])("is not found in %s", async (_, input) => {
    const { page } = await openPage(browser, { recording: createRun(["run.created", {}]) });
    const find = `import("/-/serve/page/diff.js").then(({ findEdit }) => typeof findEdit(${JSON.stringify(input)}))`;
    expect(await page.evaluate(find)).toBe("undefined");
  });

  it("with many lines, long lines and many fields keeps the page small and quick", async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `line ${index}`);
    const others = Object.fromEntries(many.slice(0, 5000).map((name) => [name, name.repeat(500)]));
    const edits = [
      { old_text: many.join("\n"), new_text: many.map((line) => `${line}!`).join("\n") },
      { old_text: "a".repeat(3_000_000), new_text: "b".repeat(3_000_000) },
      { old_text: "a", new_text: "b", ...others },
    ];
    const calls = edits.map((input, index) => createCall(index, input));
    const started = performance.now();
    const { page } = await openPage(browser, { recording: createRun(["run.created", {}], ...calls) });
    await page.locator(".diff").nth(2).waitFor({ timeout: 20_000 });
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(await page.locator("*").count()).toBeLessThan(1500);
    const [first = [], second = []] = await readShownEdits(page);
    expect(first).toHaveLength(401);
    expect(first.at(-1)).toBe("… 199,600 lines left out");
    expect(second.map((line) => line?.length)).toEqual([1002, 1002]);
  });

  it("contains all lines of both texts in their order, and no more changes than necessary", async () => {
    const { page } = await openPage(browser, { recording: createRun(["run.created", {}]) });
    const random = createRandom(7);
    const createText = () =>
      Array.from({ length: random.below(9) }, () => random.pick(["a", "b", "c"])).join("\n");
    const pairs = Array.from({ length: 300 }, () => [`${createText()}\nx`, `${createText()}\nx`] as const);
    const found = await page.evaluate(
      `import("/-/serve/page/diff.js").then(({ findEdit }) => ${JSON.stringify(pairs)}
        .map(([old_text, new_text]) => findEdit(JSON.stringify({ old_text, new_text })).lines))`,
    );
    for (const [index, lines] of (found as DiffLine[][]).entries()) {
      const [before = "", after = ""] = pairs[index] ?? [];
      const join = (left: string) =>
        lines.flatMap(({ kind, text }) => (kind === left ? [] : [text])).join("\n");
      expect(join("added")).toBe(before);
      expect(join("removed")).toBe(after);
      const common = lines.filter(({ kind }) => kind === "same").length;
      expect(common, `${before} → ${after}`).toBe(countCommonLines(before.split("\n"), after.split("\n")));
    }
  });
});

interface DiffLine {
  readonly kind: string;
  readonly text: string;
}

/** Creates the event of a call with this input. */
function createCall(index: number, input: object): readonly [type: string, data: object] {
  const call = { tool_call_id: `call_${index}`, tool_name: "edit", turn_index: 0 };
  return ["assistant.tool_call_proposed", { ...call, input }];
}

/** Returns the lines of each call's diff in the order of the calls; undefined for a call without a diff. */
async function readShownEdits(page: Page): Promise<(string[] | undefined)[]> {
  const calls = await page.locator(".tool").all();
  return Promise.all(
    calls.map(async (call) => {
      if ((await call.locator(".diff").count()) === 0) return undefined;
      const lines = await call.locator(".diff > span").allTextContents();
      return lines.map((line) => line.replace(/\n$/, ""));
    }),
  );
}

/** Returns the largest number of lines that both texts have in the same order, by trying everything. */
function countCommonLines(a: readonly string[], b: readonly string[]): number {
  const [first, ...rest] = a;
  if (first === undefined || b.length === 0) return 0;
  const place = b.indexOf(first);
  const without = countCommonLines(rest, b);
  return place === -1 ? without : Math.max(without, 1 + countCommonLines(rest, b.slice(place + 1)));
}

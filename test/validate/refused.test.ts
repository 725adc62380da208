/** If this fails, a refused event counts as a missing one, or the commands do not agree on streams with refused events. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { createRandom } from "../../generator/random.js";
import type { StreamStats } from "../../generator/validate/stats.js";
import { shuffle } from "../audit/archive.js";
import { runAccrete } from "../commands/run-in-process.js";
import { chooseCases, deep, quick } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";

const FIXTURE = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8").split("\n");

/** How a line is damaged, by the mark behind the number of its event. */
const DAMAGES: { readonly [mark: string]: (line: string) => string } = {
  "": (line) => line,
  envelope: (line) => line.replace(/"occurred_at":"[^"]*"/, '"occurred_at":7'),
  payload: (line) => line.replace(/"data":\{/, '"data":7,"other":{'),
  type: (line) => line.replace(/"type":"[^"]*",?/, ""),
  spaced: (line) =>
    line.replace(/"run_id":/, '"run_id" : ').replace(/"occurred_at":"[^"]*"/, '"occurred_at":7'),
  number: (line) => line.replace(/"sequence":\d+/, '"sequence":"7"'),
  stream: (line) => line.replace(/"run_id":"[^"]*"/, '"run_id":7'),
  cut: (line) => line.slice(0, 30),
};

/** Returns the text of a line such as `6 envelope`: event 6 with this damage. */
function createLine(description: string): string {
  const [number = "", mark = ""] = description.split(" ");
  const damage = DAMAGES[mark];
  if (damage === undefined) throw new Error(`There is no damage ${mark}.`);
  return damage(FIXTURE[Number(number)] ?? "");
}

interface Case {
  readonly about: string;
  readonly lines: readonly string[];
  /** The findings about numbers, as `<rule>@<line> <message after its last colon>`. */
  readonly found: readonly string[];
  /** The line that the hints name. */
  readonly names?: number;
}

const CASES: readonly Case[] = [
  { about: "in its envelope", lines: ["0", "1", "2 envelope", "3"], found: [] },
  { about: "without a type", lines: ["0", "1", "2 type", "3"], found: [] },
  { about: "in its payload", lines: ["0", "1", "2 payload", "3"], found: [] },
  { about: "in a line whose stream must be parsed", lines: ["0", "1", "2 spaced", "3"], found: [] },
  { about: "as the first of its stream", lines: ["0 envelope", "1", "2"], found: [] },
  { about: "twice", lines: ["0", "1", "2 envelope", "2 envelope", "3"], found: [] },
  { about: "before it is sent again", lines: ["0", "1", "2 envelope", "2", "3"], found: [] },
  { about: "after it was accepted", lines: ["0", "1", "2", "2 envelope", "3"], found: [] },
  {
    about: "after missing ones",
    lines: ["0", "3 envelope", "4"],
    found: ["sequence-gap@3 1 to 2 are missing."],
  },
  {
    about: "between missing ones",
    lines: ["0", "2 envelope", "4"],
    found: ["sequence-gap@3 1 is missing.", "sequence-gap@3 3 is missing."],
  },
  { about: "with a number far above", lines: ["0", "29 envelope", "1", "2"], found: [] },
  {
    about: "without a number",
    lines: ["0", "1", "2 number", "3"],
    found: ["sequence-gap@4 2 is missing."],
    names: 3,
  },
  {
    about: "without a stream",
    lines: ["0", "1", "2 stream", "3"],
    found: ["sequence-gap@4 2 is missing."],
    names: 3,
  },
  {
    about: "as the first of its stream, without a number",
    lines: ["0 number", "1", "2"],
    found: ["sequence-start@2 0 is missing."],
    names: 1,
  },
  {
    about: "as a text that is not JSON",
    lines: ["0", "1", "2 cut", "3"],
    found: ["sequence-gap@4 2 is missing."],
    names: 3,
  },
  {
    about: "without a number, before another one that is refused",
    lines: ["0", "1 number", "2 envelope", "3"],
    found: ["sequence-gap@4 1 is missing."],
    names: 2,
  },
  {
    about: "elsewhere than the missing one",
    lines: ["0", "1 number", "1", "2", "4"],
    found: ["sequence-gap@5 3 is missing."],
  },
];

const RULES = ["sequence-gap", "sequence-start", "sequence-late", "event-repeated", "event-conflict"];

/** Returns the findings about numbers of a command, as a case lists them, and their hints. */
async function reportNumbers(...argv: readonly string[]): Promise<{ found: string[]; hints: string[] }> {
  const options = ["--protocol", "hecate/v1", "--profile", "writer", "--format", "json", "--limit", "0"];
  const { stdout } = await runAccrete([...argv, ...options]);
  const findings = (JSON.parse(stdout).findings as Finding[]).filter(({ rule }) => RULES.includes(rule));
  return {
    found: findings.map(({ rule, at, message }) => `${rule}@${at.line} ${message.split(": ").at(-1)}`),
    hints: findings.map(({ hint = "" }) => hint),
  };
}

it.each(chooseCases(CASES, 4))("an event that is refused $about", async ({ lines, found, names }) => {
  const folder = createTemporaryFolder({ "a.jsonl": `${lines.map(createLine).join("\n")}\n` });
  const file = path.join(folder, "a.jsonl");
  const one = await reportNumbers("validate", file);
  expect(one.found).toEqual(found);
  const hint =
    names === undefined ? "S" : `Line ${names} of ${file} was refused and may be what is missing. S`;
  for (const each of one.hints) expect(each.slice(0, hint.length)).toBe(hint);
  expect(await reportNumbers("validate", file, "--threads", "2")).toEqual(one);
  expect(await reportNumbers("audit", file)).toEqual(one);
});

deep.it("the views have the same violations and figures", async () => {
  const lines = CASES.flatMap((each, index) =>
    each.lines.map((line) =>
      createLine(line).replace(/((?:run|evt)_[0-9A-Z]{18})../g, `$1${String(index).padStart(2, "0")}`),
    ),
  );
  const file = path.join(createTemporaryFolder({ "a.jsonl": `${lines.join("\n")}\n` }), "a.jsonl");
  const run = async (...argv: readonly string[]) =>
    JSON.parse((await runAccrete([...argv, file, "--protocol", "hecate/v1", "--format", "json"])).stdout);
  const { found } = await reportNumbers("validate", file);
  expect(found).toHaveLength(CASES.flatMap((each) => each.found).length);
  const rules = RULES.map((rule) => `'${rule}'`).join(", ");
  const rows = await run("audit", "--sql", `SELECT rule, position FROM violations WHERE rule IN (${rules})`);
  expect(rows.map((row: { rule: string; position: number }) => `${row.rule}@${row.position}`).sort()).toEqual(
    [...new Set(found.map((each) => each.split(" ")[0]))].sort(),
  );
  const { streams } = (await run("validate", "--stats")).summary.stats;
  expect(await run("audit", "--sql", "SELECT stream, gaps, missing FROM streams ORDER BY stream")).toEqual(
    streams.map(({ stream, gaps, missing }: StreamStats) => ({ stream, gaps, missing })),
  );
});

quick.it("sorted events keep the numbers of refused ones, wherever these stand", async () => {
  const numbers = Array.from({ length: 29 }, (_, index) => index).filter((index) => index !== 14);
  const lines = numbers.map((number) => createLine(number % 5 === 0 ? `${number} envelope` : String(number)));
  for (let seed = 1; seed <= 5; seed++) {
    const text = shuffle(lines, createRandom(seed)).join("\n");
    const folder = createTemporaryFolder({ "a.jsonl": text });
    const { found } = await reportNumbers("audit", folder);
    expect(found.map((each) => each.replace(/@\d+/, ""))).toEqual(["sequence-gap 14 is missing."]);
  }
});

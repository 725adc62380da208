/** If this fails, the laws do not catch bugs of consumers in Go or Rust, or a correct consumer there breaks laws. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { getItem } from "../../generator/get-item.js";
import { groupBy } from "../../generator/group-by.js";
import { runAccrete } from "../commands/run-in-process.js";
import { thinCases } from "../depth.js";
import { createSharedFolder, writeFiles } from "../folders.js";
import { BUGS } from "../kit/bugs.js";
import { getProtocol } from "../kit/planted.js";
import { buildGoConsumers } from "./build-go.js";
import { buildRustConsumers } from "./build-rust.js";
import { checkLaws, listBrokenLaws, listUnkeptLaws } from "./check-laws.js";
import { describeProtocol, PYTHON_BUGS } from "./plant-python.js";

/** A compiled language. */
interface Language {
  readonly name: "go" | "rust";
  readonly compiler: string;
  /** Builds the consumers. Returns the paths of their programs; throws with the errors of the compiler. */
  readonly build: (folder: string) => Programs;
}

/** The programs that answer for the consumer of the documentation, and for those with planted bugs. */
type Programs = { readonly [consumer in "example" | "reducer" | "rebuilder"]: string };

const LANGUAGES: readonly Language[] = [
  { name: "go", compiler: "go", build: buildGoConsumers },
  { name: "rust", compiler: "cargo", build: () => buildRustConsumers() },
];

/** The consumers with bugs in each language. */
const SOURCES = {
  go: ["go/reducer/timeline.go", "go/rebuilder/timeline.go", "go/sse.go"],
  rust: ["rust/reducer.rs", "rust/rebuilder.rs", "rust/sse.rs"],
} as const;

function isPlanted(bug: string, language: Language["name"]): boolean {
  return SOURCES[language].some((file) => readFileSync(`test/kit-process/${file}`, "utf8").includes(bug));
}

const SKIPPED = [
  "claims-shown",
  "input-untouched",
  "linear-cost",
  "previous-version",
  "sse-framing",
  "sse-wrapped",
];

describe.each(LANGUAGES)("in $name", ({ name: language, compiler, build }) => {
  const folder = createSharedFolder();
  const isInstalled = spawnSync(compiler, ["version"]).error === undefined;
  if (!isInstalled) console.warn(`${compiler} is absent: the adapter in ${language} is not checked`);
  const notPortable: readonly { readonly name: string; readonly reason: string }[] = JSON.parse(
    readFileSync(`test/cases/kit-process/${language}-bugs.json`, "utf8"),
  );
  // Compiling and running all of them in both languages would take minutes, and the languages have the same adapter.
  const planted = BUGS.filter(({ name }) => !notPortable.some((each) => each.name === name)).filter(
    ({ name }, index) =>
      isPlanted(name, language) &&
      ((index % 2 === 0) === (language === "go") || !LANGUAGES.every((each) => isPlanted(name, each.name))),
  );
  let programs: Programs;

  beforeAll(() => {
    if (isInstalled) programs = build(folder);
  }, 900_000);

  /** Returns the command that starts a consumer with a bug, or a correct one. */
  function formatCommand(design: "reducer" | "rebuilder", id: string, bug = ""): string {
    const protocol = getProtocol({ protocol: id } as (typeof BUGS)[number]);
    const file = `${id.replace("/", "-")}.json`;
    writeFiles(folder, { [file]: JSON.stringify(describeProtocol(protocol)) });
    return `BUG="${bug}" PROTOCOL="${path.join(folder, file)}" exec "${programs[design]}"`;
  }

  it.skipIf(!isInstalled)(
    "the example of the documentation keeps all laws that its methods allow",
    async () => {
      const results = await checkLaws(`exec "${programs.example}"`, hecate, { runs: 1 });
      expect(listUnkeptLaws(results)).toEqual([]);
      const skipped = results.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id);
      expect(skipped.sort()).toEqual(SKIPPED);
    },
  );

  it.skipIf(!isInstalled)("the example of the documentation answers each request as it must", async () => {
    const command = ["--command", `exec "${programs.example}"`, "--protocol", "hecate/v1"];
    const { exitCode, stdout } = await runAccrete(["kit", ...command, "--check-adapter"]);
    expect(stdout).toContain("The adapter answers 15 of 15 requests as it must.");
    expect(exitCode).toBe(0);
  });

  /** The bugs of each design on each protocol. */
  const groups = groupBy(planted, (bug) => `${bug.in} of ${bug.protocol ?? "hecate/v1"}`);
  const listLaws = (bug: (typeof BUGS)[number]): readonly string[] =>
    PYTHON_BUGS.planted.find(({ name }) => name === bug.name)?.breaks ?? bug.breaks;

  it.skipIf(!isInstalled).each([...groups])(
    "a correct %s keeps the laws that its bugs break",
    async (_name, bugs) => {
      const bug = getItem(bugs, 0);
      const laws = new Set(bugs.flatMap(listLaws));
      const command = formatCommand(bug.in, bug.protocol ?? "hecate/v1");
      const results = await checkLaws(command, getProtocol(bug), { runs: 1, laws: [...laws] });
      expect(listUnkeptLaws(results)).toEqual([]);
    },
  );

  it.skipIf(!isInstalled).each(thinCases(planted, 3).map((bug) => [bug.name, bug] as const))(
    "the laws that catch it in JavaScript catch a consumer that %s",
    async (name, bug) => {
      const laws = listLaws(bug);
      const command = formatCommand(bug.in, bug.protocol ?? "hecate/v1", name);
      const results = await checkLaws(command, getProtocol(bug), { runs: 20, laws });
      expect(listBrokenLaws(results)).toEqual(laws);
    },
  );

  it("each bug of the JavaScript consumers is planted, or has a reason why not", () => {
    const names = BUGS.map(({ name }) => name);
    const isKnown = (name: string) =>
      LANGUAGES.some((each) => isPlanted(name, each.name)) || notPortable.some((each) => each.name === name);
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
    for (const { name, reason } of notPortable) {
      expect(names).toContain(name);
      expect(reason).not.toBe("");
    }
  });
});

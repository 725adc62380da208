/** If this fails, the laws do not catch bugs of consumers in Go or Rust, or a correct consumer there breaks laws. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { emitRust } from "../../generator/emit/rust/rust.js";
import { writeOutputs } from "../emit/emit-all.js";
import { PROTOCOLS } from "../emit/fixtures.js";
import { createSharedFolder } from "../folders.js";
import { checkLaws, listBrokenLaws, listUnkeptLaws } from "./check-laws.js";
import { applyEdits, type Edit, findBug } from "./plant-python.js";

/** A consumer of docs/examples that must be compiled. */
interface CompiledExample {
  /** The folder in docs/examples. */
  readonly language: "go" | "rust";
  /** The source of the consumer in it. */
  readonly source: string;
  readonly build: readonly [command: string, ...parameters: string[]];
  /** The file that the build writes. */
  readonly program: string;
  /** The laws that are skipped, because the consumer lacks a method, or receives copies. */
  readonly skipped: readonly string[];
}

const EXAMPLES: readonly CompiledExample[] = [
  {
    language: "go",
    source: "timeline.go",
    build: ["go", "build", "-o", "adapter", "."],
    program: "adapter",
    skipped: ["unknown-type-opaque"],
  },
  {
    language: "rust",
    source: "src/timeline.rs",
    build: ["cargo", "build", "--quiet"],
    program: "target/debug/timeline",
    skipped: [],
  },
];

const ALWAYS_SKIPPED = ["input-untouched", "linear-cost", "sse-framing", "sse-wrapped", "previous-version"];

/** Builds the program in `folder`. Returns the command that starts it; throws with the errors of the compiler. */
function build(folder: string, { build: [command, ...parameters], program }: CompiledExample): string {
  const env = { ...process.env, RUSTFLAGS: "", CARGO_TERM_COLOR: "never", CARGO_PROFILE_DEV_DEBUG: "false" };
  const { error, status, stderr } = spawnSync(command, parameters, { cwd: folder, env, encoding: "utf8" });
  if (error !== undefined || status !== 0) throw error ?? new Error(stderr);
  return `exec ${path.join(folder, program)}`;
}

describe.each(EXAMPLES)("in $language", (example) => {
  const { language, source } = example;
  const folder = createSharedFolder();
  const [compiler] = example.build;
  const isInstalled = spawnSync(compiler, ["version"]).error === undefined;
  if (!isInstalled) console.warn(`${compiler} is absent: the adapter in ${language} is not checked`);
  const consumer = readFileSync(path.join("docs/examples", language, source), "utf8");
  const bugs: readonly { readonly name: string; readonly edits: readonly Edit[] }[] = JSON.parse(
    readFileSync(`test/cases/kit-process/${language}-bugs.json`, "utf8"),
  );

  beforeAll(() => {
    cpSync(path.join("docs/examples", language), folder, { recursive: true });
    if (language !== "rust") return;
    const protocols = PROTOCOLS.filter(({ id }) => id === "hecate/v1");
    writeOutputs(path.join(folder, "generated"), protocols.flatMap(emitRust));
    cpSync("test/emit/rust/Cargo.lock", path.join(folder, "Cargo.lock"));
  });

  it.skipIf(!isInstalled)(
    "a correct consumer keeps all laws that its methods allow",
    async () => {
      const results = await checkLaws(build(folder, example), hecate, { runs: 1 });
      expect(listUnkeptLaws(results)).toEqual([]);
      const skipped = results.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id);
      expect(skipped.sort()).toEqual([...ALWAYS_SKIPPED, ...example.skipped].sort());
    },
    600_000,
  );

  it.skipIf(!isInstalled).each(bugs.map(({ name, edits }) => [name, edits] as const))(
    "the laws that catch it in JavaScript catch a consumer that %s",
    async (name, edits) => {
      writeFileSync(path.join(folder, source), applyEdits(consumer, edits));
      const laws = findBug(name).breaks;
      const results = await checkLaws(build(folder, example), hecate, { runs: 20, laws });
      expect(listBrokenLaws(results)).toEqual(laws);
    },
    120_000,
  );
});

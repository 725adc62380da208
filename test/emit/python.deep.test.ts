/** If this fails, generated Python packages lose fields of events, misplace redeliveries and gaps, or do not type-check. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { emitPython } from "../../generator/emit/python/python.js";
import { PYTHON_FACETS } from "../../generator/emit/python/types.js";
import type { JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { readBlocks } from "../docs/blocks.js";
import { createSharedFolder } from "../folders.js";
import { createTextCases } from "./decoded-texts.js";
import { writeOutputs } from "./emit-all.js";
import { PROTOCOLS } from "./fixtures.js";
import { loadHostileProtocols } from "./hostile-protocols.js";
import { createRandomProtocols, PROTOCOL_COUNT, SEED } from "./made-protocols.js";
import { listPlaceDifferences } from "./mutated-events.js";
import {
  chooseChecks,
  createFixtureCases,
  createHostileCases,
  listDifferences,
  listHostileVerdictDifferences,
  parseAnswers,
} from "./package-cases.js";
import { preparePython, runPyright, runPython } from "./python/environment.js";
import { expectAnswers, makeReaderCases } from "./reader-cases.js";

const python = preparePython();
const root = createSharedFolder();

/** Returns the name of the package of a protocol. */
function getPackageName(protocol: Protocol): string {
  const file = emitPython(protocol).find(({ path }) => path.endsWith("/__init__.py"));
  return path.basename(path.dirname(file?.path ?? ""));
}

/** Writes the packages of protocols below one folder. */
function writePackages(protocols: readonly Protocol[]): void {
  const files = protocols
    .flatMap((each) => emitPython(each, chooseChecks(each)))
    .filter(({ path }) => !path.endsWith(".toml"));
  writeOutputs(
    root,
    files.map((file) => ({ ...file, path: file.path.replace(/^.*?\/python\//, "") })),
  );
}

/** Passes requests to the packages, and returns their answers. */
function askPackages(requests: readonly object[]): JsonObject[] {
  const drive = path.resolve("test/emit/python/drive.py");
  const output = runPython(
    python ?? "",
    root,
    [drive],
    requests.map((one) => JSON.stringify(one)).join("\n"),
  );
  if (output.startsWith("failed")) throw new Error(output);
  return parseAnswers(output);
}

const fixtures = createFixtureCases(getPackageName);

const hostileEvents = createHostileCases((name) => `${name.replace(/-/g, "_")}_v1`);

/** The arguments for mypy. Its second run reuses the results of the first. */
const MYPY = ["-m", "mypy", "--strict", "--python-version", "3.10"];

describe.skipIf(python === undefined)("Python packages", { timeout: 600_000 }, async () => {
  const hostile = await loadHostileProtocols();
  const random = await createRandomProtocols(PROTOCOL_COUNT, SEED);
  writePackages([...PROTOCOLS, ...hostile, ...random]);

  it("keep every field and number of the valid fixtures", () => {
    expect(fixtures.length).toBeGreaterThan(200);
    expect(listDifferences(askPackages, fixtures)).toEqual([]);
  });

  it("keep unknown events and fields, and refuse values that are not events", () => {
    expect(listDifferences(askPackages, createTextCases("python", "hecate_v1"))).toEqual([]);
  });

  it("give the verdicts and places of the contract, also for mutated events and random schemas", () => {
    const differences = listPlaceDifferences(askPackages, [...PROTOCOLS, ...random], getPackageName);
    // Models refuse some texts with half of a surrogate pair.
    expect(differences.filter(({ answer }) => !/string_unicode|surrogates/.test(answer))).toEqual([]);
  });

  it("keep the events of hostile protocols", () => {
    expect(hostileEvents.length).toBeGreaterThan(200);
    expect(listDifferences(askPackages, hostileEvents)).toEqual([]);
  });

  it("give the verdicts of the vectors of hostile protocols, apart from declared differences", () => {
    const differences = listHostileVerdictDifferences(askPackages, hostile, getPackageName, PYTHON_FACETS);
    expect(differences).toEqual([]);
  });

  it("place events in streams like the reader of accrete-client/stream", async () => {
    const cases = await makeReaderCases(getPackageName);
    expectAnswers(cases, askPackages(cases.map(({ request }) => request)));
  });

  it("pass mypy, for hostile schemas too", () => {
    expect(runPython(python ?? "", root, [...MYPY, "."])).toMatch(
      /^Success: no issues found in \d+ source files/,
    );
  });

  it("pass ruff, for hostile schemas too", () => {
    const parameters = ["-m", "ruff", "check", "--isolated", "--no-cache", "."];
    expect(runPython(python ?? "", root, parameters)).toBe("All checks passed!\n");
  });

  it("pass pyright, for hostile schemas too", (context) => {
    const findings = runPyright(python ?? "", root);
    if (findings === undefined) return context.skip("pyright is absent");
    expect(findings).toBe("");
  });

  it("are installed by pip", () => {
    const [protocol] = PROTOCOLS.filter(({ id }) => id === "hecate/v1");
    writeOutputs(path.join(root, "source"), protocol === undefined ? [] : emitPython(protocol));
    const parameters = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"];
    const place = ["--target", path.join(root, "installed"), path.join(root, "source/hecate/v1/python")];
    expect(runPython(python ?? "", root, ["-m", "pip", ...parameters, ...place])).toBe("");
    expect(readdirSync(path.join(root, "installed/hecate_v1")).sort()).toEqual(
      expect.arrayContaining([
        "__init__.py",
        "checker.py",
        "events.py",
        "machines.json",
        "py.typed",
        "stream.py",
      ]),
    );
  });

  it("run the samples of docs/python.md, and type-check them", () => {
    const stream = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
    const samples = path.join(root, "samples");
    writeOutputs(samples, [{ path: "run.jsonl", content: readFileSync(stream, "utf8") }]);
    writePackages(PROTOCOLS);
    const blocks = readBlocks("docs/python.md").filter(({ language }) => language === "python");
    expect(blocks.length).toBeGreaterThan(2);
    for (const [i, { text }] of blocks.entries()) {
      const file = path.join(samples, `sample_${i}.py`);
      writeFileSync(file, text);
      const parameters = [
        "-c",
        "import runpy, sys; sys.path.insert(0, '..'); runpy.run_path(sys.argv[1])",
        file,
      ];
      expect([text, runPython(python ?? "", samples, parameters)]).toEqual([text, readShownOutput(text)]);
    }
    expect(runPython(python ?? "", root, [...MYPY, "samples"])).toMatch(/^Success/);
  });
});

/** Returns what a sample prints, from the comments at the end of its lines with `print`. */
function readShownOutput(text: string): string {
  return [...text.matchAll(/print\(.*\) {2}# (.*)$/gm)].map(([, shown]) => `${shown}\n`).join("");
}

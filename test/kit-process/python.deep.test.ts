/** If this fails, the laws do not catch bugs of a consumer in Python that they catch in JavaScript. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { emitPython } from "../../generator/emit/python/python.js";
import { runAccrete } from "../commands/run-in-process.js";
import { thinCases } from "../depth.js";
import { writeOutputs } from "../emit/emit-all.js";
import { PROTOCOLS } from "../emit/fixtures.js";
import { preparePython } from "../emit/python/environment.js";
import { createTemporaryFolder } from "../folders.js";
import { BUGS } from "../kit/bugs.js";
import { getProtocol } from "../kit/planted.js";
import { checkLaws, listBrokenLaws, listUnkeptLaws } from "./check-laws.js";
import { findBug, PYTHON_BUGS, writePythonAdapter } from "./plant-python.js";

const python = preparePython();
const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Writes the package of hecate/v1, and returns the command that starts the example with it. */
function prepareExample(): string {
  const folder = createTemporaryFolder();
  writeOutputs(
    folder,
    PROTOCOLS.filter(({ id }) => id === "hecate/v1").flatMap((each) => emitPython(each)),
  );
  return `PYTHONPATH=${path.join(folder, "hecate/v1/python")} exec ${python} docs/examples/python/adapter.py`;
}

describe.skipIf(python === undefined)("the example of the documentation", () => {
  it("answers each request as it must", async () => {
    const command = ["--command", prepareExample(), "--protocol", "hecate/v1"];
    const { exitCode, stdout } = await runAccrete(["kit", ...command, "--check-adapter"]);
    expect(stdout).toContain("The adapter answers 15 of 15 requests as it must.");
    expect(exitCode).toBe(0);
  });

  it("keeps all laws that its methods allow", async () => {
    const results = await checkLaws(prepareExample(), hecate, { runs: 1 });
    expect(listUnkeptLaws(results)).toEqual([]);
    const skipped = results.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id);
    expect(skipped).toEqual([
      "input-untouched",
      "claims-shown",
      "linear-cost",
      "sse-framing",
      "sse-wrapped",
      "previous-version",
    ]);
  });
});

describe.skipIf(!hasPython)("in Python", () => {
  it.each([
    ["reducer", "hecate/v1"],
    ["rebuilder", "frames/v2"],
    ["rebuilder", "evva/v0"],
  ] as const)("a correct %s of %s breaks no law", async (design, id) => {
    const protocol = getProtocol({ protocol: id } as (typeof BUGS)[number]);
    const command = writePythonAdapter(createTemporaryFolder(), design, protocol);
    const results = await checkLaws(command, protocol, { runs: 1 });
    expect(listUnkeptLaws(results)).toEqual([]);
  });

  it.each(thinCases(PYTHON_BUGS.planted, 3).map((each) => [each.name, each] as const))(
    "the laws that catch it in JavaScript catch a consumer that %s",
    async (name, { edits, breaks }) => {
      const bug = findBug(name);
      const laws = breaks ?? bug.breaks;
      const protocol = getProtocol(bug);
      const command = writePythonAdapter(createTemporaryFolder(), bug.in, protocol, edits);
      const results = await checkLaws(command, protocol, { runs: 20, laws });
      expect(listBrokenLaws(results)).toEqual(laws);
    },
  );
});

it("each bug of the JavaScript consumers is planted in Python, or has a reason why not", () => {
  const names = [...PYTHON_BUGS.planted, ...PYTHON_BUGS.notPortable].map(({ name }) => name);
  expect(names.sort()).toEqual(BUGS.map(({ name }) => name).sort());
  for (const { reason } of PYTHON_BUGS.notPortable) expect(reason).not.toBe("");
});

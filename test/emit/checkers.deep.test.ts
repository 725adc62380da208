/** If this fails, the stream checkers of generated Go and Python packages report other findings than `accrete validate`. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { listMachines } from "../../generator/conform/check-plan.js";
import { STREAM_RULES } from "../../generator/conform/stream-rules.js";
import { emitGo } from "../../generator/emit/go/go.js";
import { emitPython } from "../../generator/emit/python/python.js";
import { emitStreamVectors, type StreamVector } from "../../generator/emit/vectors/stream-vectors.js";
import { readFixtureEvents, readFixtureStreams } from "../../generator/load/fixtures.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createSharedFolder } from "../folders.js";
import {
  EXPECTED,
  expectFindings,
  hasProgram,
  runProgram,
  VECTOR_FILES,
  VECTORS,
} from "./checkers/check-cases.js";
import { CHECKED_PROTOCOLS, CONTRACTS } from "./checkers/stream-makers.js";
import { writeOutputs } from "./emit-all.js";
import { PROTOCOLS } from "./fixtures.js";
import { preparePython } from "./python/environment.js";

describe("stream vectors", () => {
  /** Findings that need more events than a vector should have, or limits. */
  const RARE = ["sequence-uncertain", "stream-limit-reached"];

  it.each(VECTORS)("of $protocol.id have every finding of the contract", ({ protocol, files }) => {
    const [file] = files;
    const [, ...lines] = (file?.content ?? "").trim().split("\n");
    const found = lines.flatMap((line) => {
      const { reader, writer }: StreamVector = JSON.parse(line);
      return [...reader, ...writer].map(({ rule }) => rule);
    });
    const machines = (["reader", "writer"] as const).flatMap((profile) =>
      listMachines(protocol, profile).flatMap(({ findings }) =>
        findings.filter(({ severity }) => severity[profile] !== "off"),
      ),
    );
    const ids = machines.map(({ id }) => id).filter((id) => !RARE.includes(id));
    expect([...new Set(found)]).toEqual(expect.arrayContaining([...new Set(ids)]));
    expect(file?.content.length).toBeLessThan(400_000);
  });

  it("are the same in each run", () => {
    const [first] = VECTORS.filter(({ protocol }) => protocol.id === "frames/v1");
    const folder = "fixtures/frames/v1";
    const again = emitStreamVectors(
      first?.protocol as Protocol,
      readFixtureStreams(folder),
      readFixtureEvents(folder),
    );
    expect(again).toEqual(first?.files);
  });
});

describe("random streams", () => {
  it("belong to contracts with every member of stream.rules", () => {
    const members = new Set(CONTRACTS.flatMap(({ stream }) => Object.keys(stream?.rules ?? {})));
    expect([...members].sort()).toEqual(STREAM_RULES.map(({ member }) => member).sort());
  });

  it("have every finding", () => {
    const found = new Set([...EXPECTED.values()].flat().map(({ rule }) => rule));
    const all = STREAM_RULES.flatMap(({ findings }) => findings.map(({ id }) => id));
    expect(all.filter((id) => !found.has(id))).toEqual([]);
    expect([...found]).toEqual(expect.arrayContaining(["sequence-uncertain", "stream-limit-reached"]));
  });
});

describe.skipIf(!hasProgram("go", "version"))("Go", { timeout: 3_600_000 }, () => {
  const root = createSharedFolder();
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", GO111MODULE: "on", GOWORK: "off" };
  const template = readFileSync("test/emit/checkers/check-package.go", "utf8");
  writeOutputs(root, [
    ...CHECKED_PROTOCOLS.flatMap((each) => emitGo(each)),
    ...VECTOR_FILES,
    ...CHECKED_PROTOCOLS.map(({ id }, index) => ({
      path: `check/package_${index}.go`,
      content: template.replaceAll("PROTOCOL", id),
    })),
    { path: "check/main.go", content: readFileSync("test/emit/checkers/check-streams.go", "utf8") },
    { path: "go.mod", content: "module accrete.test\n\ngo 1.21\n" },
  ]);

  it("is laid out as gofmt does", () => {
    expect(runProgram("gofmt", ["-l", "generator/emit/go/package"], {})).toBe("");
  });

  it("gives the findings of the vectors in the own tests of the packages", () => {
    const packages = PROTOCOLS.map(({ id }) => `./${id}/go`);
    const output = runProgram("go", ["test", "-v", ...packages], { cwd: root, env });
    expect(output.match(/^--- PASS: TestStreamVectors/gm)?.length).toBe(PROTOCOLS.length);
  });

  it("gives the findings of TypeScript", () => {
    runProgram("go", ["build", "-o", "checker", "./check"], { cwd: root, env });
    expectFindings(
      ({ id }) => id,
      (input) => runProgram(path.join(root, "checker"), [], { input }),
    );
  });
});

const python = preparePython();

describe.skipIf(python === undefined)("Python", { timeout: 3_600_000 }, () => {
  const root = createSharedFolder();
  writeOutputs(root, [...CHECKED_PROTOCOLS.flatMap((each) => emitPython(each)), ...VECTOR_FILES]);
  const getFolder = ({ id }: Protocol): string => path.join(root, id, "python");
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };

  it.each(PROTOCOLS)(
    "gives the findings of the vectors in the own test of the package of $id",
    (protocol) => {
      const parameters = ["-m", "unittest", "discover", "tests"];
      const { stderr, status } = spawnSync(python ?? "", parameters, {
        cwd: getFolder(protocol),
        env,
        encoding: "utf8",
      });
      expect([status, stderr]).toEqual([0, expect.stringMatching(/Ran 1 test in .*\n\nOK\n$/)]);
    },
  );

  it("gives the findings of TypeScript", () => {
    const getName = (protocol: Protocol): string =>
      readdirSync(getFolder(protocol)).find((name) => name.endsWith(`_v${protocol.major}`)) ?? "";
    const PYTHONPATH = CHECKED_PROTOCOLS.map(getFolder).join(path.delimiter);
    const drive = path.resolve("test/emit/checkers/check_streams.py");
    const run = (input: string): string =>
      runProgram(python ?? "", [drive], { input, env: { ...env, PYTHONPATH } });
    expectFindings(getName, run, () => true);
  });
});

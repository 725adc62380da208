/** If this fails, the stream checkers of generated Go, Python and Rust packages report other findings than `accrete validate`. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { listMachines } from "../../generator/conform/check-plan.js";
import { createStreamChecker, type StreamFinding } from "../../generator/conform/stream-checker.js";
import { STREAM_RULES } from "../../generator/conform/stream-rules.js";
import { emitGo } from "../../generator/emit/go/go.js";
import { emitPython } from "../../generator/emit/python/python.js";
import { emitRust } from "../../generator/emit/rust/rust.js";
import { createStreamDisturber } from "../../generator/emit/vectors/disturb-streams.js";
import { emitStreamVectors, type StreamVector } from "../../generator/emit/vectors/stream-vectors.js";
import type { JsonObject } from "../../generator/json.js";
import { readFixtureEvents, readFixtureStreams } from "../../generator/load/fixtures.js";
import type { OutputFile, Protocol } from "../../generator/protocol/protocol.js";
import { combineSeeds, createRandom, type Random } from "../../generator/random.js";
import type { Profile } from "../../generator/schema/readings.js";
import { readPosition } from "../../generator/stream/stream-key.js";
import { createTracker, type TrackLimits } from "../../generator/stream/tracker.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { writeChangedFiles } from "../cache.js";
import { readStreamCases } from "../conform/stream-cases.js";
import { createSharedFolder } from "../folders.js";
import { createRandomContract, createRandomStream } from "./checkers/random-contracts.js";
import { writeOutputs } from "./emit-all.js";
import { PROTOCOLS } from "./fixtures.js";
import { preparePython } from "./python/environment.js";
import { CLIPPY, fetchPackages, getProgram, openWorkspace, runCargo } from "./rust/cargo.js";

/** The number of random streams that each language checks. `ACCRETE_TEST_STREAMS=20000` checks more. */
const STREAM_COUNT = Number(process.env.ACCRETE_TEST_STREAMS ?? 180);

/** The first seed of the random streams and contracts. */
const SEED = Number(process.env.ACCRETE_TEST_SEED ?? 1);

const CONTRACTS = Array.from({ length: 8 }, (_, index) => createRandomContract(SEED + index));

const ALL = [...PROTOCOLS, ...CONTRACTS];

/** A stream that a checker has to check, and the findings that TypeScript gives. */
interface CheckCase {
  readonly protocol: Protocol;
  readonly profile: Profile;
  readonly limits: Required<TrackLimits>;
  /** Texts of events, and texts that are not events. */
  readonly events: readonly string[];
}

/** Limits under which everything is remembered, and others under which ids and streams are forgotten. */
const LIMITS = [
  { window: 65_536, streams: 10_000 },
  { window: 3, streams: 2 },
] as const;

/** Functions that return whether readers of a protocol accept an event. */
const acceptors = new Map(
  PROTOCOLS.map((protocol) => {
    const { decodeEvent } = createValidators(protocol);
    return [protocol, (event: object) => decodeEvent(event, { profile: "reader" }).kind !== "invalid"];
  }),
);

function makeCases(): CheckCase[] {
  const makers = ALL.map((protocol) => createStreamMaker(protocol));
  return Array.from({ length: STREAM_COUNT }, (_, index): CheckCase => {
    const random = createRandom(combineSeeds(SEED, index));
    const protocol = ALL[index % ALL.length] as Protocol;
    const events = (makers[index % ALL.length] as (random: Random) => readonly JsonObject[])(random);
    return {
      protocol,
      profile: random.pick(["reader", "writer"]),
      limits: LIMITS[random.chance(0.2) ? 1 : 0],
      events: events.flatMap((event) => refuseSome(protocol, event, random)),
    };
  });
}

/** Returns the text of an event, sometimes without its type, and sometimes after a text that is not an event. */
function refuseSome({ envelope, stream }: Protocol, event: JsonObject, random: Random): readonly string[] {
  const { [envelope.discriminator]: _, ...rest } = event;
  const field = random.pick([stream?.sequence ?? "", ...(stream?.key ?? [])]);
  const refused = random.chance(0.2) ? { ...rest, [field]: random.pick([null, 1.5, "7"]) } : rest;
  const text = JSON.stringify(random.chance(0.05) ? refused : event);
  return random.chance(0.005) ? ["null", text] : [text];
}

/** Returns a maker of streams whose events the contract accepts. */
function createStreamMaker(protocol: Protocol): (random: Random) => readonly JsonObject[] {
  if (CONTRACTS.includes(protocol)) return (random) => createRandomStream(protocol, random);
  const accepts = acceptors.get(protocol) as (event: object) => boolean;
  const folder = `fixtures/${protocol.id}`;
  const cases = readStreamCases().filter(({ given }) => given.protocol === protocol.id);
  const streams = [
    ...readFixtureStreams(folder).map(({ events }) => events),
    ...cases.map(({ lines }) => lines.map((line): JsonObject => JSON.parse(line))),
  ];
  const events = readFixtureEvents(folder).map(({ event }) => event as JsonObject);
  const disturb = createStreamDisturber(protocol, { streams, events: events.filter(accepts) });
  return (random) => disturb(random).filter(accepts);
}

/** Streams that reach limits: more gaps and more things than are remembered. */
function makeLongCases(): CheckCase[] {
  const numbered = PROTOCOLS.find(({ id }) => id === "frames/v1") as Protocol;
  const [frame] = readFixtureStreams("fixtures/frames/v1")[0]?.events ?? [];
  const gaps = Array.from({ length: 1_010 }, (_, index) => ({ ...frame, type: "later", seq: 2 * index + 1 }));
  const things = CONTRACTS[0] as Protocol;
  const keys = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [name, ""]));
  const many = Array.from({ length: 10_010 }, (_, index) => {
    const data = Object.fromEntries(Object.keys(keys).map((name) => [name, `${name}${index}`]));
    return { type: `t${index % 8}`, stream: "s0", seq: index, data };
  });
  return [
    { protocol: numbered, events: gaps },
    { protocol: things, events: many },
  ].map(({ protocol, events }) => ({
    protocol,
    profile: "writer",
    limits: LIMITS[0],
    events: events.map((event) => JSON.stringify(event)),
  }));
}

/** Returns the findings of the checker in TypeScript, as they are printed. */
function checkCase({ protocol, profile, limits, events }: CheckCase): StreamFinding[] {
  const tracker = createTracker(protocol.stream, limits);
  const checker = createStreamChecker(protocol, { profile });
  const findings = events.flatMap((text, index) => {
    const event = JSON.parse(text);
    const { discriminator } = protocol.envelope;
    if (event !== null && discriminator in event) return checker.check(event, tracker.place(event), index);
    return checker.refuse(readPosition(protocol.stream, event), index);
  });
  // Only the command knows the lines of refused values.
  return [...findings, ...checker.end()].map(({ refused: _, ...finding }) => ({
    ...finding,
    message: finding.message.toWellFormed(),
    pointer: finding.pointer.toWellFormed(),
  }));
}

/** The cases of test/cases/stream, which have every finding. */
function readCases(): CheckCase[] {
  return readStreamCases().flatMap(({ given, lines }) => {
    const protocol = PROTOCOLS.find(({ id }) => id === given.protocol) as Protocol;
    const limits = { ...LIMITS[0], ...given.limits };
    const events = lines.filter((line) => acceptors.get(protocol)?.(JSON.parse(line)));
    return (["reader", "writer"] as const).map((profile) => ({ protocol, profile, limits, events }));
  });
}

const cases = [...makeCases(), ...readCases(), ...makeLongCases()];
const expected = new Map(cases.map((one) => [one, checkCase(one)]));

/**
 * Expects that the checkers of a language give the findings of TypeScript. `getName` returns the name of a package. Texts of
 * Go and Rust cannot hold half of a surrogate pair, which `JSON.stringify` escapes.
 */
function expectFindings(
  getName: (protocol: Protocol) => string,
  run: (input: string) => string,
  canHold = (text: string): boolean => !/\\ud[89a-f]/.test(text),
): void {
  const chosen = cases.filter(({ events }) => events.every(canHold));
  const requests = chosen.map(({ protocol, profile, limits, events }) =>
    JSON.stringify({ package: getName(protocol), profile, ...limits, events }),
  );
  const answers = run(requests.join("\n")).trim().split("\n");
  expect(answers.length).toBe(chosen.length);
  for (const [index, answer] of answers.entries()) {
    const found: StreamFinding[] = JSON.parse(answer);
    const one = chosen[index] as CheckCase;
    const { protocol, profile, events } = one;
    const describe = (finding: StreamFinding | undefined): object => ({
      ...finding,
      protocol: protocol.id,
      profile,
    });
    const wanted = expected.get(one) ?? [];
    const wrong = Array.from({ length: Math.max(found.length, wanted.length) }, (_, i) => i).find(
      (i) => JSON.stringify(sortMembers(found[i])) !== JSON.stringify(sortMembers(wanted[i])),
    );
    if (wrong === undefined) continue;
    expect([describe(found[wrong]), events.slice(0, 50)]).toEqual([
      describe(wanted[wrong]),
      events.slice(0, 50),
    ]);
  }
}

function sortMembers(finding: StreamFinding | undefined): object | undefined {
  return finding && Object.fromEntries(Object.entries(finding).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function runProgram(name: string, parameters: readonly string[], options: object): string {
  const result: SpawnSyncReturns<string> = spawnSync(name, parameters, {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    ...options,
  });
  if (result.status !== 0)
    throw result.error ?? new Error(`${name} failed: ${result.stdout}${result.stderr}`);
  return result.stdout;
}

function hasProgram(name: string, parameter = "--version"): boolean {
  const isThere = spawnSync(name, [parameter]).error === undefined;
  if (!isThere) console.warn(`${name} is absent: the checkers of generated packages are not checked with it`);
  return isThere;
}

/** Returns the stream vectors of the bundled protocols. */
const vectors = PROTOCOLS.map(
  (protocol): { readonly protocol: Protocol; readonly files: readonly OutputFile[] } => {
    const folder = `fixtures/${protocol.id}`;
    return {
      protocol,
      files: emitStreamVectors(protocol, readFixtureStreams(folder), readFixtureEvents(folder)),
    };
  },
);

describe("stream vectors", () => {
  /** Findings that need more events than a vector should have, or limits. */
  const RARE = ["sequence-uncertain", "stream-limit-reached"];

  it.each(vectors)("of $protocol.id have every finding of the contract", ({ protocol, files }) => {
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
    const [first] = vectors.filter(({ protocol }) => protocol.id === "frames/v1");
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
    const found = new Set([...expected.values()].flat().map(({ rule }) => rule));
    const all = STREAM_RULES.flatMap(({ findings }) => findings.map(({ id }) => id));
    expect(all.filter((id) => !found.has(id))).toEqual([]);
    expect([...found]).toEqual(expect.arrayContaining(["sequence-uncertain", "stream-limit-reached"]));
  });
});

const allVectors = vectors.flatMap(({ files }) => files);

describe.skipIf(!hasProgram("go", "version"))("Go", { timeout: 3_600_000 }, () => {
  const root = createSharedFolder();
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", GO111MODULE: "on", GOWORK: "off" };
  const template = readFileSync("test/emit/checkers/check-package.go", "utf8");
  writeOutputs(root, [
    ...ALL.flatMap(emitGo),
    ...allVectors,
    ...ALL.map(({ id }, index) => ({
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
  writeOutputs(root, [...ALL.flatMap(emitPython), ...allVectors]);
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
    const PYTHONPATH = ALL.map(getFolder).join(path.delimiter);
    const drive = path.resolve("test/emit/checkers/check_streams.py");
    const run = (input: string): string =>
      runProgram(python ?? "", [drive], { input, env: { ...env, PYTHONPATH } });
    expectFindings(getName, run, () => true);
  });
});

const hasRust = hasProgram("cargo") && hasProgram("rustfmt") && hasProgram("clippy-driver");

describe.skipIf(!hasRust)("Rust", { timeout: 3_600_000 }, () => {
  const root = hasRust ? openWorkspace("checkers") : "";
  const isReady = hasRust && writeWorkspace(root);
  if (hasRust && !isReady) console.warn("cargo cannot fetch serde: generated Rust crates are not checked");

  it.skipIf(!isReady)("has no warnings of clippy, and is laid out as rustfmt does", () => {
    expect(runCargo(root, ["build", "--package=check"], CLIPPY)).toBe("");
    const files = ["checker.rs", "lib.rs", "machine.rs", "stream.rs", "values.rs"].map(
      (name) => `generator/emit/rust/package/${name}`,
    );
    expect(runProgram("rustfmt", ["--check", "--edition=2021", ...files], {})).toBe("");
  });

  // The others are compiled for minutes.
  it.skipIf(!isReady)("gives the findings of the vectors in the own test of a crate", () => {
    runCargo(root, ["test", "--package=evva-v0"]);
  });

  it.skipIf(!isReady)("gives the findings of TypeScript", () => {
    const program = getProgram("check");
    expectFindings(getCrateName, (input) => runProgram(program, [], { input }));
  });
});

function getCrateName({ name, major }: Protocol): string {
  return `${name}-v${major}`;
}

/** Writes a workspace with all crates and a program that uses them. Returns true if cargo has what it needs. */
function writeWorkspace(root: string): boolean {
  const template = readFileSync("test/emit/checkers/check_streams.rs", "utf8");
  const names = ALL.map(getCrateName);
  const arms = names.map((name) => `"${name}" => answer!(${name.replaceAll("-", "_")}, request),`);
  const dependencies = ALL.map((each) => `${getCrateName(each)} = { path = "../${each.id}/rust" }`);
  const members = [...ALL.map(({ id }) => `${id}/rust`), "check"];
  const manifest = `[package]\nname = "check"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\nserde_json = "1"\n`;
  const files = [
    ...ALL.flatMap(emitRust),
    ...allVectors,
    { path: "Cargo.toml", content: `[workspace]\nresolver = "2"\nmembers = ${JSON.stringify(members)}\n` },
    { path: "check/Cargo.toml", content: `${manifest}${dependencies.join("\n")}\n` },
    { path: "check/src/main.rs", content: template.replace("// PACKAGES", arms.join("\n            ")) },
  ];
  writeChangedFiles(root, Object.fromEntries(files.map(({ path, content }) => [path, content])));
  return fetchPackages(root);
}

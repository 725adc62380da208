/** If this fails, generated Go packages lose fields or numbers of events, misplace redeliveries and gaps, or do not pass Go's tools. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect } from "vitest";
import { emitGo } from "../../generator/emit/go/go.js";
import { GO_FACETS } from "../../generator/emit/go/types.js";
import type { Location } from "../../generator/finding.js";
import type { Json, JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Schema } from "../../generator/schema/json-schema.js";
import { deep, quick, whole } from "../depth.js";
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
  editNote,
  listDifferences,
  listHostileVerdictDifferences,
  parseAnswers,
} from "./package-cases.js";
import { expectAnswers, makeReaderCases } from "./reader-cases.js";

const root = createSharedFolder();

/** The environment of the Go tools. Without a proxy they do not use the network. */
const OFFLINE = { GOFLAGS: "-mod=mod", GOPROXY: "off", GO111MODULE: "on", GOWORK: "off" };

function runTool(
  name: string,
  parameters: readonly string[],
  input = "",
  environment: object = OFFLINE,
): string {
  const { error, stdout, stderr, status } = spawnSync(name, parameters, {
    cwd: root,
    env: { ...process.env, ...environment },
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return error === undefined && status === 0 ? stdout : `${name} failed: ${stdout}${stderr}`;
}

/** Returns true if go and gofmt are there, and go is not older than the packages need. */
function findTools(): boolean {
  if (spawnSync("gofmt", ["-h"]).error !== undefined) return false;
  const [, minor = "0"] = /go1\.(\d+)/.exec(runTool("go", ["version"])) ?? [];
  return Number(minor) >= 21;
}

const hasGo = findTools();
if (!hasGo) console.warn("go 1.21 or gofmt is absent: generated Go packages are not checked");

/** A text of which gofmt makes lists, headings, links and quotes at the beginning of a line. */
const MARKS = "- a * b # C 1. d 2) e + f [Go]: https://go.dev `` '' //go:build x ".repeat(30);

const at = { file: "odd", pointer: "" };

/** Definitions that have no equal type in Go. */
const ODD: Protocol["definitions"] = Object.fromEntries(
  Object.entries({
    Node: {
      type: "object",
      properties: { next: { $ref: "#/$defs/Node" } },
      required: ["next"],
      description: MARKS,
    },
    A: { type: "object", properties: { b: { $ref: "#/$defs/B" } }, required: ["b"] },
    B: { type: "object", properties: { a: { $ref: "#/$defs/A" } }, required: ["a"] },
    NullableText: { type: ["string", "null"] },
    Other: { $ref: "#/$defs/Any" },
    Any: true,
    Never: false,
    Event: { type: "string", enum: ["", "a", "A", "-a"] },
    Mixed: { anyOf: [{ type: "string" }, { $ref: "#/$defs/A" }] },
    Maybe: { oneOf: [{ $ref: "#/$defs/A" }, { type: "null" }] },
  }).map(([name, schema]): [string, { schema: Schema; at: Location }] => [name, { schema, at }]),
);

/** Creates a protocol with odd names, texts and definitions from another one. */
function createOddProtocols(protocol: Protocol | undefined): Protocol[] {
  if (!protocol) return [];
  const properties = Object.fromEntries(
    Object.keys(ODD).map((name) => [
      `${name}_field`,
      { $ref: `#/$defs/${name}`, deprecated: true, description: MARKS },
    ]),
  );
  const payload = {
    type: "object",
    properties: {
      ...properties,
      event_type: { type: "string" },
      "a,b": {},
      a: {},
      A: {},
    },
  };
  const events = protocol.events.map((event) => ({ ...event, description: MARKS, payload }));
  return [{ ...protocol, id: "odd/v1", name: "1-odd", title: MARKS, events, definitions: ODD }];
}

const random = await createRandomProtocols(PROTOCOL_COUNT, SEED);
const hostile = [...(await loadHostileProtocols()), ...createOddProtocols(PROTOCOLS[0]), ...random];
const all = [...PROTOCOLS, ...hostile];

/** Writes one module with all packages and the program that uses them, and builds the program. */
function writeModule(): void {
  const folder = "test/emit/go";
  const template = readFileSync(`${folder}/drive-package.go`, "utf8");
  const drivers = all.map(({ id }, i) => ({
    path: `drive/package_${i}.go`,
    content: template.replaceAll("PROTOCOL", id).replaceAll("NAME", `Package${i}`),
  }));
  const main = readFileSync(`${folder}/drive.go`, "utf8");
  // The oldest Go compiles few packages only, because it is slow.
  const oldest = drivers
    .slice(0, PROTOCOLS.length)
    .map((file) => ({ ...file, path: file.path.replace("drive", "drive-oldest") }));
  writeOutputs(root, [
    ...all.flatMap((each) => emitGo(each, chooseChecks(each))),
    ...drivers,
    ...oldest,
    { path: "drive/main.go", content: main },
    { path: "drive-oldest/main.go", content: main },
    { path: "go.mod", content: "module accrete.test\n\ngo 1.21\n" },
  ]);
  expect(runTool("go", ["build", "-o", "driver", "./drive"])).toBe("");
}

/** Passes requests to the packages, and returns their answers. `driver` names the built program. */
function askPackages(requests: readonly object[], driver = "driver"): JsonObject[] {
  const input = requests.map((one) => JSON.stringify(one)).join("\n");
  const output = runTool(path.join(root, driver), [], input);
  return parseAnswers(output);
}

const fixtures = createFixtureCases(({ id }) => id);

const hostileEvents = createHostileCases((name) => `${name}/v1`);

/** `marshaled` is what `json.Marshal` writes. Go reads half of a surrogate pair as U+FFFD. */
const COMPARISON = {
  members: ["text", "marshaled"],
  normalize: (text: string) => text.replaceAll("\\ud800", "\ufffd"),
};

/** The oldest Go that docs/go.md names. */
const OLDEST_GO = "go1.21.13";

/** Builds the program with the oldest Go. Returns its errors; undefined if the Go proxy does not serve that version. */
function buildWithOldestGo(): string | undefined {
  const environment = { ...OFFLINE, GOPROXY: process.env.GOPROXY, GOTOOLCHAIN: OLDEST_GO };
  if (!runTool("go", ["version"], "", environment).includes(OLDEST_GO)) {
    console.warn(`${OLDEST_GO} cannot be fetched: generated Go packages are not compiled with it`);
    return undefined;
  }
  return runTool("go", ["build", "-o", "oldest-driver", "./drive-oldest"], "", environment);
}

const STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.7.0";

/** Runs staticcheck on all packages. Returns undefined if the Go proxy does not serve it. */
function runStaticcheck(): string | undefined {
  const environment = { ...OFFLINE, GOPROXY: process.env.GOPROXY };
  if (runTool("go", ["run", STATICCHECK, "-version"], "", environment).includes("failed")) {
    console.warn("staticcheck cannot be fetched: generated Go packages are not checked by it");
    return undefined;
  }
  return runTool("go", ["run", STATICCHECK, "./..."], "", environment);
}

describe("Go packages", () => {
  quick.it("begin with the line by which Go tools recognise generated code", () => {
    for (const protocol of PROTOCOLS)
      for (const { content } of emitGo(protocol).filter(({ path }) => path.endsWith(".go")))
        expect(content).toMatch(/^\/\/ Code generated .* DO NOT EDIT\.\n/);
  });

  quick.it.each<[schema: Json, field: string]>([
    [{ properties: { a: true } }, 'json.RawMessage `json:"value,omitzero"`'],
    [{ type: ["string", "integer"] }, 'json.RawMessage `json:"value,omitzero"`'],
    [
      { type: "object", additionalProperties: { type: "integer" } },
      'map[string]int64 `json:"value,omitzero"`',
    ],
    [
      { type: "object", additionalProperties: { type: "integer" }, patternProperties: { "^x": true } },
      'map[string]json.RawMessage `json:"value,omitzero"`',
    ],
    [{ type: "array", items: { type: ["string", "null"] } }, '[]*string `json:"value,omitzero"`'],
    [{ type: ["array", "null"], items: { type: "string" } }, '[]string `json:"value,omitzero" null:"true"`'],
    [
      { type: "array", items: { type: "string" }, prefixItems: [{ type: "null" }] },
      '[]json.RawMessage `json:"value,omitzero"`',
    ],
    [{ type: "string", "x-extensible-enum": ["a"] }, '*OddPayloadValue `json:"value,omitzero"`'],
    [{ enum: [1, 1.5] }, '*float64 `json:"value,omitzero"`'],
    [{ type: ["number", "null"] }, '*float64 `json:"value,omitzero" null:"true"`'],
  ])("hold every value that a reader accepts: %j", (schema, field) => {
    const [protocol] = PROTOCOLS;
    const [first] = protocol?.events ?? [];
    if (!protocol || !first) throw new Error("there is no protocol");
    const event = { ...first, type: "odd", payload: { type: "object", properties: { value: schema } } };
    const [file] = emitGo({ ...protocol, events: [event], definitions: {}, resources: [] });
    expect(file?.content).toContain(`\tValue ${field}\n`);
  });
});

describe.skipIf(!hasGo)("Go packages under the Go tools", { timeout: 300_000 }, () => {
  if (hasGo) writeModule();

  quick.it("are formatted as gofmt formats them, for hostile schemas too", () => {
    expect(hostile.length).toBeGreaterThan(20);
    expect(runTool("gofmt", ["-l", ...all.map(({ id }) => id)])).toBe("");
  });

  deep.it("pass go vet, for hostile schemas too", () => {
    expect(runTool("go", ["vet", "./..."])).toBe("");
  });

  whole.it("pass staticcheck, for hostile schemas too", (context) => {
    const findings = runStaticcheck();
    if (findings === undefined) return context.skip("staticcheck cannot be fetched");
    expect(findings).toBe("");
  });

  quick.it("keep every field of the valid fixtures", () => {
    expect(fixtures.length).toBeGreaterThan(200);
    expect(listDifferences(askPackages, fixtures, COMPARISON)).toEqual([]);
  });

  whole.it(`keep events if they are compiled with ${OLDEST_GO}`, (context) => {
    expect(readFileSync("docs/go.md", "utf8")).toContain("for Go 1.21 and later");
    const problems = buildWithOldestGo();
    if (problems === undefined) return context.skip(`${OLDEST_GO} cannot be fetched`);
    expect(problems).toBe("");
    const askOldest = (requests: readonly object[]): JsonObject[] => askPackages(requests, "oldest-driver");
    expect(listDifferences(askOldest, fixtures, COMPARISON)).toEqual([]);
  });

  deep.it("keep the events of hostile protocols", () => {
    expect(hostileEvents.length).toBeGreaterThan(200);
    expect(listDifferences(askPackages, hostileEvents, COMPARISON)).toEqual([]);
  });

  deep.it("give the verdicts of the vectors of hostile protocols, apart from declared differences", () => {
    const differences = listHostileVerdictDifferences(askPackages, hostile, ({ id }) => id, GO_FACETS);
    expect(differences).toEqual([]);
  });

  quick.it("keep unknown events and fields, and refuse values that are not events", () => {
    expect(listDifferences(askPackages, createTextCases("go", "hecate/v1"), COMPARISON)).toEqual([]);
  });

  quick.it("keep the texts of unknown events and fields, such as the digits of numbers", () => {
    const kept = '[1.0, 12345678901234567890123, -0.10, 1.5E300, "<\\u00e9\\/>"]';
    const known = editNote('"data":{}', `"data":{"a":${kept}},"later":${kept}`);
    const texts = [known, known.replace("run.created", "no.such")];
    for (const answer of askPackages(texts.map((text) => ({ package: "hecate/v1", text }))))
      expect(String(answer.text).split(kept).length).toBe(3);
  });

  quick.it("give the verdicts and places of the contract, also for mutated events and random schemas", () => {
    const differences = listPlaceDifferences(askPackages, [...PROTOCOLS, ...random], ({ id }) => id);
    expect(differences.filter(({ answer }) => !/^types: .* fits (int64|float64)$/.test(answer))).toEqual([]);
  });

  quick.it("place events in streams like the reader of accrete-client/stream", async () => {
    const cases = await makeReaderCases(({ id }) => id);
    expectAnswers(cases, askPackages(cases.map(({ request }) => request)));
  });

  quick.it("run the samples of docs/go.md", () => {
    const blocks = readBlocks("docs/go.md").filter(({ language }) => language === "go");
    expect(blocks.length).toBeGreaterThan(2);
    const stream = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8");
    const samples = blocks.map(({ text }, i) => ({
      path: `samples/${i}/main.go`,
      content: text.replaceAll("example.com/app/generated", "accrete.test"),
    }));
    writeOutputs(root, [{ path: "run.jsonl", content: stream }, ...samples]);
    expect(runTool("gofmt", ["-l", "samples"])).toBe("");
    for (const [i, { text }] of blocks.entries()) {
      const shown = [...text.matchAll(/fmt\.Println\(.*\) \/\/ (.*)$/gm)].map(([, line]) => `${line}\n`);
      expect([text, runTool("go", ["run", `./samples/${i}`])]).toEqual([text, shown.join("")]);
    }
  });
});

/**
 * If this fails, generated Rust crates lose fields or numbers of events, misplace redeliveries and gaps, report other findings
 * about streams than `accrete validate`, or have warnings.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { emitRust } from "../../generator/emit/rust/rust.js";
import { RUST_FACETS } from "../../generator/emit/rust/types.js";
import { isObject, type JsonObject } from "../../generator/json.js";
import type { OutputFile, Protocol } from "../../generator/protocol/protocol.js";
import type { Schema } from "../../generator/schema/json-schema.js";
import { writeChangedFiles } from "../cache.js";
import { readBlocks } from "../docs/blocks.js";
import { expectFindings, runProgram, VECTOR_FILES } from "./checkers/check-cases.js";
import { CHECKED_PROTOCOLS } from "./checkers/stream-makers.js";
import { createTextCases } from "./decoded-texts.js";
import { PROTOCOLS } from "./fixtures.js";
import { loadHostileProtocols } from "./hostile-protocols.js";
import { createRandomProtocols, PROTOCOL_COUNT, SEED } from "./made-protocols.js";
import { listPlaceDifferences } from "./mutated-events.js";
import {
  chooseChecks,
  createFixtureCases,
  createHostileCases,
  type DecodeCase,
  editNote,
  listDifferences,
  listHostileVerdictDifferences,
  parseAnswers,
} from "./package-cases.js";
import { expectAnswers, makeReaderCases } from "./reader-cases.js";
import { CLIPPY, fetchPackages, getProgram, openWorkspace, runCargo } from "./rust/cargo.js";

const root = openWorkspace("crates");

function writeOutputs(folder: string, outputs: readonly OutputFile[]): void {
  writeChangedFiles(folder, Object.fromEntries(outputs.map(({ path, content }) => [path, content])));
}

function runTool(name: string, parameters: readonly string[], input = ""): string {
  const { error, stdout, stderr, status } = spawnSync(name, parameters, {
    cwd: root,
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return error === undefined && status === 0 ? stdout : `failed: ${stderr}`;
}

/** Returns the name of the crate of a protocol. */
function getCrateName({ name, major }: Protocol): string {
  return `${name}-v${major}`;
}

/** Returns the name of the crate of a protocol, as Rust code names it. */
function getCratePath(protocol: Protocol): string {
  return getCrateName(protocol).replaceAll("-", "_");
}

/** Formats the dependencies on the crates of protocols. */
function formatDependencies(protocols: readonly Protocol[]): string {
  return protocols.map((each) => `${getCrateName(each)} = { path = "../${each.id}/rust" }\n`).join("");
}

/** The dependencies of a crate as its manifest lists them. Another list could add features that the crates lack. */
const DEPENDENCIES = PROTOCOLS.slice(0, 1)
  .flatMap((each) => emitRust(each))
  .flatMap(({ path, content }) => (path.endsWith("Cargo.toml") ? content.split("[dependencies]\n") : []))
  .at(-1);

function formatManifest(name: string, dependencies: string): string {
  return `[package]\nname = "${name}"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${dependencies}`;
}

/** The samples of docs/rust.md, which the program runs as well. */
const SAMPLES = readBlocks("docs/rust.md").filter(({ language }) => language === "rust");

/** The number of crates that hold the hostile sources: one for each processor. */
const HOSTILE_CRATES = 2;

/** Returns the folder in which the sources of a hostile protocol are a module. */
function getHostileFolder(index: number): string {
  return `hostile${index % HOSTILE_CRATES}/src/m${index}`;
}

/** A hostile protocol that is not compiled: its payload types are those of all-nested/v1, and compiling is slow. */
const NOT_COMPILED = "all-keyed/v1";

/** Returns the path of the module of a hostile protocol, as Rust code names it. */
function getHostilePath(index: number): string {
  return `hostile${index % HOSTILE_CRATES}::m${index}`;
}

/** Writes crates with the sources of hostile protocols as modules. Few crates are compiled faster than many. */
function writeHostileCrates(hostile: readonly Protocol[]): void {
  const allowed = new Set<string>();
  for (const [i, protocol] of hostile.entries())
    for (const file of emitRust(protocol, chooseChecks(protocol)).filter(({ path }) =>
      path.includes("/src/"),
    )) {
      // A module cannot have the attributes of its crate.
      const [attributes = ""] = /(?:^#!\[.*\]\n)+/m.exec(file.content) ?? [];
      if (attributes !== "") allowed.add(attributes);
      const name = path.basename(file.path).replace("lib.rs", "mod.rs");
      const content = file.content.replace(attributes, "");
      writeOutputs(root, [{ path: `${getHostileFolder(i)}/${name}`, content }]);
    }
  expect(allowed.size).toBe(1);
  for (let crate = 0; crate < HOSTILE_CRATES; crate++) {
    const modules = hostile.flatMap(({ id }, i) =>
      i % HOSTILE_CRATES === crate && id !== NOT_COMPILED ? [`pub mod m${i};\n`] : [],
    );
    writeOutputs(root, [
      { path: `hostile${crate}/Cargo.toml`, content: formatManifest(`hostile${crate}`, DEPENDENCIES ?? "") },
      { path: `hostile${crate}/src/lib.rs`, content: [...allowed, ...modules].join("") },
    ]);
  }
}

/**
 * Writes a workspace with all crates, the program `drive`, which reads events, and the program `check`, which checks streams.
 * They share a workspace so that each crate is compiled once. Returns true if cargo has what it needs.
 */
function writeWorkspace(hostile: readonly Protocol[]): boolean {
  const crates = Array.from({ length: HOSTILE_CRATES }, (_, i) => `hostile${i}`);
  const paths = [
    ...PROTOCOLS.map(getCratePath),
    ...hostile.flatMap(({ id }, i) => (id === NOT_COMPILED ? [] : getHostilePath(i))),
  ];
  const members = [...CHECKED_PROTOCOLS.map(({ id }) => `${id}/rust`), ...crates, "drive", "check"];
  const hostileDependencies = crates.map((name) => `${name} = { path = "../${name}" }\n`).join("");
  writeHostileCrates(hostile);
  writeOutputs(root, [
    ...CHECKED_PROTOCOLS.flatMap((each) => emitRust(each)),
    ...VECTOR_FILES,
    { path: "Cargo.toml", content: `[workspace]\nresolver = "2"\nmembers = ${JSON.stringify(members)}\n` },
    {
      path: "drive/Cargo.toml",
      content: formatManifest(
        "drive",
        `serde_json = "1"\n${formatDependencies(PROTOCOLS)}${hostileDependencies}`,
      ),
    },
    { path: "drive/src/main.rs", content: formatMain(paths) },
    ...SAMPLES.map(({ text }, i) => ({
      path: `drive/src/sample_${i}.rs`,
      content: text.replace("fn main", "pub fn main"),
    })),
    {
      path: "check/Cargo.toml",
      content: formatManifest("check", `serde_json = "1"\n${formatDependencies(CHECKED_PROTOCOLS)}`),
    },
    { path: "check/src/main.rs", content: formatStreamCheck() },
  ]);
  return fetchPackages(root);
}

/** Formats a Rust program that checks streams with the crates of all checked protocols. */
function formatStreamCheck(): string {
  const arms = CHECKED_PROTOCOLS.map(
    (each) => `"${getCrateName(each)}" => answer!(${getCratePath(each)}, request),`,
  );
  const template = readFileSync("test/emit/checkers/check_streams.rs", "utf8");
  return template.replace("// PACKAGES", arms.join("\n            "));
}

/** Formats a Rust program that decodes or reads the texts of the requests on its input with the crates and modules of these paths. */
function formatMain(paths: readonly string[]): string {
  const rows = paths.map((path) => `        "${path}" => answer!(${path}, request, readers),`);
  return `#![allow(clippy::all)]
${SAMPLES.map((_, i) => `mod sample_${i};\n`).join("")}
use std::any::Any;
use std::collections::HashMap;
use std::io::BufRead;

use serde_json::{json, Value};

macro_rules! answer {
    ($($path:ident)::+, $request:expr, $readers:expr) => {{
        use $($path)::+::{decode_event, DecodeError, Delivery, Event, EventReader, Gap, Integer};
        if let Some(text) = $request["integer"].as_str() {
            let integer: Integer = serde_json::from_str(text).unwrap();
            let copy = integer.as_i64().map(|value| Integer::from(value).to_string());
            return json!([integer.to_string(), integer.as_number().to_string(), integer.as_i64(), copy]);
        }
        let text = $request["text"].as_str().unwrap_or_default();
        let Some(name) = $request["reader"].as_str() else {
            return match decode_event(text) {
                Ok(event) => json!({
                    "known": !matches!(event, Event::Unknown(_)),
                    "text": serde_json::to_string(&event).unwrap(),
                }),
                Err(error) => {
                    let text = error.to_string();
                    let issues: Vec<Value> = match error {
                        DecodeError::Invalid(issues) => {
                            issues.iter().map(|issue| json!([issue.pointer, issue.keyword])).collect()
                        }
                        DecodeError::Unreadable(_) => Vec::new(),
                    };
                    json!({ "error": text, "issues": issues })
                }
            };
        };
        let options = &$request["options"];
        let size = |name: &str, default: u64| options[name].as_u64().unwrap_or(default) as usize;
        let reader = $readers
            .entry(name.to_owned())
            .or_insert_with(|| {
                let mut reader = match (options.get("window"), options.get("streams")) {
                    (None, None) => EventReader::default(),
                    _ => EventReader::new(size("window", 65536), size("streams", 10000)),
                };
                for (stream, cursor) in options["cursors"].as_object().into_iter().flatten() {
                    reader.resume(stream, cursor.as_i64().unwrap());
                }
                Box::new(reader)
            })
            .downcast_mut::<EventReader>()
            .unwrap();
        let describe_gap = |gap: &Gap| json!({ "after": gap.after, "before": gap.before });
        let describe_delivery = |delivery: Delivery| match delivery {
            Delivery::New { position, gap, evicted, .. } => json!({
                "kind": "new", "stream": position.stream, "sequence": position.sequence,
                "gap": gap.as_ref().map(describe_gap), "evicted": evicted,
            }),
            Delivery::Late { position, cursor, forgotten, .. } => json!({
                "kind": "late", "stream": position.stream, "sequence": position.sequence,
                "cursor": cursor, "forgotten": forgotten,
            }),
            Delivery::Duplicate { position, .. } => json!({
                "kind": "duplicate", "stream": position.stream, "sequence": position.sequence,
            }),
            Delivery::Conflict { position, .. } => json!({
                "kind": "conflict", "stream": position.stream, "sequence": position.sequence,
            }),
            Delivery::Invalid(_) => json!({ "kind": "invalid" }),
        };
        let delivery = match ($request["forget"].as_str(), $request["id"].as_str()) {
            (Some(stream), _) => {
                reader.forget(stream);
                Value::Null
            }
            (None, None) => describe_delivery(reader.read(text)),
            (None, id) => describe_delivery(reader.read_with_id(text, id)),
        };
        let streams: HashMap<&str, Value> = reader
            .streams()
            .into_iter()
            .map(|key| {
                let gaps: Vec<Value> = reader.gaps(key).iter().map(describe_gap).collect();
                (key, json!([reader.cursor(key), gaps]))
            })
            .collect();
        json!({ "delivery": delivery, "streams": streams })
    }};
}

fn answer(request: &Value, readers: &mut HashMap<String, Box<dyn Any>>) -> Value {
    match request["package"].as_str().unwrap() {
${rows.join("\n")}
        name => panic!("there is no {name}"),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
${SAMPLES.map((_, i) => `        Some("${i}") => return sample_${i}::main(),`).join("\n")}
        _ => {}
    }
    let mut readers = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let request = serde_json::from_str(&line.unwrap()).unwrap();
        println!("{}", answer(&request, &mut readers));
    }
    Ok(())
}
`;
}

/** Returns whether cargo, rustfmt and clippy are installed, and recent enough for the crates. */
function findTools(): boolean {
  const found = ["cargo", "rustfmt", "clippy-driver"].every(
    (name) => spawnSync(name, ["--version"]).error === undefined,
  );
  const [, minor = "0"] = /^cargo 1\.(\d+)/.exec(found ? runTool("cargo", ["--version"]) : "") ?? [];
  return Number(minor) >= 82;
}

const hasTools = findTools();
if (!hasTools) console.warn("cargo 1.82, rustfmt or clippy is absent: generated Rust crates are not checked");

function askCrates(requests: readonly object[]): JsonObject[] {
  const input = requests.map((one) => JSON.stringify(one)).join("\n");
  const output = runTool(DRIVE, [], input);
  if (output.startsWith("failed")) throw new Error(output);
  return parseAnswers(output);
}

/** The built program. */
const DRIVE = getProgram("drive");

const NUMBERS = ["1.0", "12345678901234567890123", "-0.10", "1.5e+300", "0"];

/** An event of an unknown type, with numbers that no floating-point number represents exactly. */
const UNKNOWN = `{"schema_version":"1","event_id":"e","run_id":"r","sequence":1.0,"occurred_at":"2026-05-03T10:23:40Z","type":"no.such","data":{"a":[${NUMBERS}]},"later":[${NUMBERS}]}`;

const fixtures = createFixtureCases(getCratePath);

/** Expects the error of texts with half of a surrogate pair, which texts of Rust cannot hold. */
function expectSurrogatesRefused(cases: readonly DecodeCase[]): DecodeCase[] {
  return cases.map((each) => (/\\ud[89ab]../.test(each.text) ? { ...each, error: "hex escape" } : each));
}

/** Returns a file of the crate of a protocol. */
function findFile(protocol: Protocol, name: string): string {
  return emitRust(protocol).find((file) => file.path.endsWith(name))?.content ?? "";
}

/** Returns the text of all doc comments, on one line. */
function joinDocComments(source: string): string {
  const comments = [...source.matchAll(/^ *\/\/\/ ?(.*)$/gm)].map(([, line]) => line);
  return comments.join(" ").replace(/\s+/g, " ");
}

describe("Rust crates without cargo", () => {
  it.each(PROTOCOLS)(
    "describe the events and fields of $id, and let a match go on when types come",
    (protocol) => {
      const source = findFile(protocol, "lib.rs");
      const comments = joinDocComments(source);
      for (const { type, description, payload } of protocol.events) {
        const { properties = {} } = payload as { readonly properties?: { readonly [name: string]: Schema } };
        const texts = Object.values(properties).flatMap((field) =>
          isObject(field) ? (field.description ?? []) : [],
        );
        for (const text of [description, ...texts])
          expect([type, comments]).toEqual([
            type,
            expect.stringContaining(String(text).replace(/\s+/g, " ").trim()),
          ]);
      }
      expect(source).toContain("#[non_exhaustive]\npub enum Event {\n");
      // The enums of open lists.
      for (const [, attribute, body = ""] of source.matchAll(/^(.*)\npub enum (?!Event )\w+ \{\n([^}]*)\}/gm))
        expect([body, attribute === "#[non_exhaustive]"]).toEqual([
          body,
          /^ {4}Other\(String\),$/m.test(body),
        ]);
    },
  );

  it("name the version of the contract", () => {
    for (const protocol of PROTOCOLS) {
      const { name, major, version } = protocol;
      expect(findFile(protocol, "Cargo.toml")).toContain(
        `[package]\nname = "${name}-v${major}"\nversion = "${version}.0"\n`,
      );
    }
  });

  it("mark what is deprecated", () => {
    const [protocol] = PROTOCOLS;
    const [first] = protocol?.events ?? [];
    if (!protocol || !first) throw new Error("there is no protocol");
    const value = { type: "string", description: "Old.", deprecated: true, "x-replaced-by": "new" };
    const payload = { type: "object", properties: { value } };
    const source = findFile({ ...protocol, events: [{ ...first, payload }], resources: [] }, "lib.rs");
    expect(source).toMatch(
      / {4}\/\/\/ Old\.\n {4}\/\/\/\n {4}\/\/\/ Deprecated: Use new\.\n(?: {4}#.*\n)* {4}pub value:/,
    );
  });
});

describe.skipIf(!hasTools)("Rust crates", { timeout: 900_000 }, async () => {
  const random = hasTools ? await createRandomProtocols(PROTOCOL_COUNT, SEED) : [];
  const hostile = hasTools ? [...(await loadHostileProtocols()), ...random] : [];
  const isReady = hasTools && writeWorkspace(hostile);
  if (hasTools && !isReady) console.warn("cargo cannot fetch serde: generated Rust crates are not checked");

  describe.skipIf(!isReady)("with cargo", () => {
    let warnings = "";
    beforeAll(() => {
      warnings = runCargo(root, ["build", "--package=drive", "--package=check"], CLIPPY);
    }, 900_000);

    it("keep every field and number of the valid fixtures", () => {
      expect(fixtures.length).toBeGreaterThan(200);
      expect(listDifferences(askCrates, fixtures)).toEqual([]);
    });

    it("keep the events of hostile protocols, and refuse half of a surrogate pair", () => {
      const paths = new Map(hostile.map(({ name }, i) => [name, getHostilePath(i)]));
      const skipped = paths.get(path.dirname(NOT_COMPILED));
      const cases = createHostileCases((name) => paths.get(name) ?? "").filter(
        ({ package: name }) => name !== skipped,
      );
      expect(cases.length).toBeGreaterThan(200);
      expect(listDifferences(askCrates, expectSurrogatesRefused(cases))).toEqual([]);
    });

    it("give the verdicts of the vectors of hostile protocols, apart from declared differences", () => {
      const getPath = (protocol: Protocol): string => getHostilePath(hostile.indexOf(protocol));
      expect(listHostileVerdictDifferences(askCrates, hostile, getPath, RUST_FACETS)).toEqual([]);
    });

    it("keep unknown events and fields, and refuse values that are not events", () => {
      expect(listDifferences(askCrates, createTextCases("rust", "hecate_v1"))).toEqual([]);
    });

    it("keep the digits of numbers, also in unknown events", () => {
      const known = UNKNOWN.replace("no.such", "run.created");
      const [unknown, created] = askCrates([UNKNOWN, known].map((text) => ({ package: "hecate_v1", text })));
      for (const answer of [unknown, created]) {
        expect(String(answer?.text).split(`[${NUMBERS}]`).length).toBe(3);
        expect(answer?.text).toContain('"sequence":1.0,');
      }
      expect([unknown?.known, created?.known]).toEqual([false, true]);
    });

    it.each([
      ["12", "12", 12],
      ["-1.0", "-1.0", -1],
      ["1e3", "1e+3", 1000],
      ["9223372036854775807", "9223372036854775807", "9223372036854775807"],
      ["9223372036854775808", "9223372036854775808", null],
      ["1e300", "1e+300", null],
    ])("return the whole number %s as a number of 64 bits if it fits", (integer, text, value) => {
      const output = runTool(DRIVE, [], JSON.stringify({ package: "hecate_v1", integer }));
      const copy = value === null ? "null" : `"${value}"`;
      expect(output).toBe(`["${text}","${text}",${value},${copy}]\n`);
    });

    it("give the verdicts and places of the contract, also for mutated events and random schemas", () => {
      const getPath = (each: Protocol): string =>
        PROTOCOLS.includes(each) ? getCratePath(each) : getHostilePath(hostile.indexOf(each));
      const differences = listPlaceDifferences(askCrates, [...PROTOCOLS, ...random], getPath);
      // Texts of Rust cannot hold half of a surrogate pair.
      const others = differences.filter(({ event }) => !/\\ud[89a-f]/.test(JSON.stringify(event)));
      expect(others).toEqual([]);
    });

    it("place events in streams like the reader of accrete-client/stream", async () => {
      const cases = await makeReaderCases(getCratePath);
      expectAnswers(cases, askCrates(cases.map(({ request }) => request)));
    });

    it.each(["1e30", "9223372036854775808", "0.5"])(
      "refuse the number %s, which cannot order events",
      (number) => {
        const text = editNote('"sequence":1', `"sequence":${number}`);
        const [answer] = askCrates([{ package: "hecate_v1", reader: number, options: {}, text }]);
        expect(answer).toEqual({ delivery: { kind: "invalid" }, streams: {} });
      },
    );

    it("are formatted like rustfmt does, for hostile schemas too", () => {
      const files = [
        ...PROTOCOLS.map(({ id }) => `${id}/rust/src/lib.rs`),
        ...hostile.map((_, i) => `${getHostileFolder(i)}/mod.rs`),
      ];
      expect(runTool("rustfmt", ["--check", "--edition", "2021", ...files])).toBe("");
    });

    it("pass clippy without warnings, for hostile schemas too", () => {
      expect(warnings).toBe("");
    });

    it("hold code that is laid out as rustfmt does", () => {
      const files = ["checker", "lib", "machine", "stream", "validation", "values"].map((name) =>
        path.resolve(`generator/emit/rust/package/${name}.rs`),
      );
      expect(runTool("rustfmt", ["--check", "--edition=2021", ...files])).toBe("");
    });

    it("report what TypeScript reports about streams", { timeout: 3_600_000 }, () => {
      const program = getProgram("check");
      expectFindings(getCrateName, (input) => runProgram(program, [], { input }));
    });

    // The others are compiled for minutes.
    it("have a test of their own with the findings of the vectors", () => {
      runCargo(root, ["test", "--package=evva-v0"]);
    });

    it("have manifests that cargo reads, for hostile schemas too", () => {
      const files = hostile.flatMap((each) => emitRust(each));
      const members = JSON.stringify(hostile.map(({ id }) => `${id}/rust`));
      const workspace = {
        path: "Cargo.toml",
        content: `[workspace]\nresolver = "2"\nmembers = ${members}\n`,
      };
      writeOutputs(path.join(root, "manifests"), [...files, workspace]);
      const parameters = ["metadata", "--no-deps", "--format-version", "1", "--manifest-path"];
      const { packages } = JSON.parse(runTool("cargo", [...parameters, "manifests/Cargo.toml"]));
      expect(packages.length).toBe(hostile.length);
      for (const { name, publish, rust_version, targets } of packages)
        expect([name, publish, rust_version, targets.map((one: JsonObject) => one.doctest)]).toEqual([
          expect.stringMatching(/^[a-z][a-z0-9-]*-v1$/),
          [],
          "1.82",
          [false],
        ]);
    });

    it("run the samples of docs/rust.md", () => {
      expect(SAMPLES.length).toBeGreaterThan(1);
      const stream = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8");
      writeOutputs(root, [{ path: "run.jsonl", content: stream }]);
      for (const [i, { text }] of SAMPLES.entries()) {
        const shown = [...text.matchAll(/println!\(.*\); \/\/ (.*)$/gm)].map(([, line]) => `${line}\n`);
        expect([text, runTool(DRIVE, [String(i)])]).toEqual([text, shown.join("")]);
      }
    });
  });
});

/** The generated validators by language, and how long they take for events. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { emitProtocol } from "../../generator/emit/emit.js";
import { readRuntime } from "../../generator/load/runtime.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { writeChangedFiles } from "../../test/cache.js";
import { preparePython } from "../../test/emit/python/environment.js";
import { fetchPackages, getProgram, openWorkspace, runCargo } from "../../test/emit/rust/cargo.js";

/** Returns the milliseconds that each event takes; undefined if the tools of the language are absent. */
type MeasureValidator = (
  protocol: Protocol,
  events: readonly string[],
  folder: string,
) => Promise<readonly number[] | undefined>;

async function writeOutputs(folder: string, protocol: Protocol, output?: string): Promise<void> {
  const optionalOutputs = output === undefined ? [] : [output];
  const outputs = await emitProtocol(protocol, { runtime: readRuntime(), fixtures: "none", optionalOutputs });
  writeChangedFiles(folder, Object.fromEntries(outputs.map(({ path, content }) => [path, content])));
}

function copyDriver(language: string, folder: string, file: string): void {
  const content = readFileSync(path.join(import.meta.dirname, `decode-events.${language}`), "utf8");
  writeChangedFiles(folder, { [file]: content });
}

/** A validator that hangs on a text is ended after this time. */
const TIMEOUT_MS = 60_000;

function readTimes(
  program: string,
  parameters: readonly string[],
  events: readonly string[],
  environment: object = {},
): number[] {
  const { status, signal, stdout, stderr } = spawnSync(program, parameters, {
    env: { ...process.env, ...environment },
    input: `${events.join("\n")}\n`,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    timeout: TIMEOUT_MS,
  });
  if (status !== 0) throw new Error(`${program} ended with ${status ?? signal}: ${stderr}`);
  return stdout.trim().split("\n").map(Number);
}

const measureTypeScript =
  (profile: "reader" | "writer"): MeasureValidator =>
  async (protocol, events, folder) => {
    await writeOutputs(folder, protocol);
    writeChangedFiles(folder, { "package.json": '{"type":"module"}' });
    const module = pathToFileURL(path.join(folder, protocol.id, `${profile}.js`)).href;
    return readTimes(process.execPath, [path.join(import.meta.dirname, "decode-events.mjs"), module], events);
  };

const measureGo: MeasureValidator = async (protocol, events, folder) => {
  if (spawnSync("go", ["version"]).status !== 0) return undefined;
  await writeOutputs(folder, protocol, "go");
  writeChangedFiles(folder, { "go.mod": "module accrete.test\n\ngo 1.21\n" });
  copyDriver("go", folder, "drive/main.go");
  const environment = { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", GOWORK: "off" };
  const build = spawnSync("go", ["build", "-o", "driver", "./drive"], { cwd: folder, env: environment });
  if (build.status !== 0) throw new Error(String(build.stderr));
  return readTimes(path.join(folder, "driver"), [], events);
};

const measurePython: MeasureValidator = async (protocol, events, folder) => {
  const python = preparePython();
  if (python === undefined) return undefined;
  await writeOutputs(folder, protocol, "python");
  copyDriver("py", folder, "drive.py");
  const packages = path.join(folder, protocol.id, "python");
  return readTimes(python, [path.join(folder, "drive.py")], events, { PYTHONPATH: packages });
};

const measureRust: MeasureValidator = async (protocol, events) => {
  if (spawnSync("cargo", ["--version"]).status !== 0) return undefined;
  const workspace = openWorkspace("patterns");
  await writeOutputs(workspace, protocol, "rust");
  const crate = `${protocol.name}-v${protocol.major}`;
  writeChangedFiles(workspace, {
    "Cargo.toml": `[workspace]\nresolver = "2"\nmembers = ["${protocol.id}/rust", "drive"]\n`,
    "drive/Cargo.toml": `[package]\nname = "decode-attacks"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${crate} = { path = "../${protocol.id}/rust" }\n`,
  });
  copyDriver("rs", workspace, "drive/src/main.rs");
  if (!fetchPackages(workspace)) return undefined;
  runCargo(workspace, ["build", "--release", "-p", "decode-attacks"]);
  return readTimes(getProgram("decode-attacks", "release"), [], events);
};

const VALIDATORS: { readonly [name: string]: MeasureValidator } = {
  "TypeScript, reader": measureTypeScript("reader"),
  "TypeScript, writer": measureTypeScript("writer"),
  Go: measureGo,
  Python: measurePython,
  Rust: measureRust,
};

/** The names of the generated validators. */
export const VALIDATOR_NAMES: readonly string[] = Object.keys(VALIDATORS);

/** Returns the milliseconds that a generated validator takes for each event; undefined if its tools are absent. */
export async function measureValidator(
  name: string,
  protocol: Protocol,
  events: readonly string[],
  root: string,
): Promise<readonly number[] | undefined> {
  const folder = path.join(root, name.replace(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  return await VALIDATORS[name]?.(protocol, events, folder);
}

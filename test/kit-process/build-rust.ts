/** Builds the consumers in Rust: the one of the documentation, and those with planted bugs. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { emitRust } from "../../generator/emit/rust/rust.js";
import { writeChangedFiles } from "../cache.js";
import { PROTOCOLS } from "../emit/fixtures.js";
import { type Build, fetchPackages, getProgram, openWorkspace, runCargo } from "../emit/rust/cargo.js";
import { removeHooks } from "./remove-hooks.js";

const EXAMPLE = "docs/examples/rust";
const CONSUMERS = path.join(import.meta.dirname, "rust");

/** Builds all consumers in one workspace. Returns the paths of their programs. */
export function buildRustConsumers(build: Build = "debug") {
  const read = (file: string): string => readFileSync(file, "utf8");
  const manifest = read(path.join(EXAMPLE, "Cargo.toml"));
  const adapter = read(path.join(EXAMPLE, "src/main.rs"));
  const designManifest = manifest.replace(/^hecate-v1 = .*\n|^serde = .*\n/gm, "");
  const workspace = openWorkspace("consumers");
  const crates = PROTOCOLS.filter(({ id }) => id === "hecate/v1").flatMap(emitRust);
  writeChangedFiles(workspace, {
    "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["example", "reducer", "rebuilder"]\n',
    "example/Cargo.toml": manifest,
    "example/src/main.rs": adapter,
    "example/src/timeline.rs": read(path.join(EXAMPLE, "src/timeline.rs")),
    "reducer/Cargo.toml": designManifest.replace('"timeline"', '"reducer"'),
    "reducer/src/main.rs": adapter,
    "reducer/src/timeline.rs": read(path.join(CONSUMERS, "reducer.rs")),
    "rebuilder/Cargo.toml": designManifest.replace('"timeline"', '"rebuilder"'),
    "rebuilder/src/main.rs": removeHooks(adapter),
    "rebuilder/src/timeline.rs": read(path.join(CONSUMERS, "rebuilder.rs")),
    ...Object.fromEntries(crates.map(({ path: file, content }) => [`example/generated/${file}`, content])),
  });
  fetchPackages(workspace);
  runCargo(workspace, ["build", "--workspace", ...(build === "release" ? ["--release"] : [])]);
  return {
    example: getProgram("timeline", build),
    reducer: getProgram("reducer", build),
    rebuilder: getProgram("rebuilder", build),
  };
}

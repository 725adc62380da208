/** Builds the consumers in Rust: the one of the documentation, and those with planted bugs. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { emitRust } from "../../generator/emit/rust/rust.js";
import { writeChangedFiles } from "../cache.js";
import { PROTOCOLS } from "../emit/fixtures.js";
import { type Build, fetchPackages, getProgram, openWorkspace, runCargo } from "../emit/rust/cargo.js";
import { addIngest, removeReducerHooks } from "./adapter-hooks.js";

const EXAMPLE = "docs/examples/rust";
const CONSUMERS = path.join(import.meta.dirname, "rust");

/** Builds all consumers in one workspace. Returns the paths of their programs. */
export function buildRustConsumers(build: Build = "debug") {
  const read = (file: string): string => readFileSync(file, "utf8");
  const manifest = read(path.join(EXAMPLE, "Cargo.toml"));
  const example = read(path.join(EXAMPLE, "src/main.rs"));
  const adapter = addIngest(example, "rust");
  const parser = read(path.join(CONSUMERS, "sse.rs"));
  const designManifest = `${manifest.replace(/^hecate-v1 = .*\n|^serde = .*\n/gm, "")}base64 = "0.22"\n`;
  const workspace = openWorkspace("consumers");
  const crates = PROTOCOLS.filter(({ id }) => id === "hecate/v1").flatMap((each) => emitRust(each));
  writeChangedFiles(workspace, {
    "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["example", "reducer", "rebuilder"]\n',
    "example/Cargo.toml": manifest,
    "example/src/main.rs": example,
    "example/src/timeline.rs": read(path.join(EXAMPLE, "src/timeline.rs")),
    "reducer/Cargo.toml": designManifest.replace('"timeline"', '"reducer"'),
    "reducer/src/main.rs": adapter,
    "reducer/src/timeline.rs": read(path.join(CONSUMERS, "reducer.rs")),
    "reducer/src/timeline/sse.rs": parser,
    "rebuilder/Cargo.toml": designManifest.replace('"timeline"', '"rebuilder"'),
    "rebuilder/src/main.rs": removeReducerHooks(adapter),
    "rebuilder/src/timeline.rs": read(path.join(CONSUMERS, "rebuilder.rs")),
    "rebuilder/src/timeline/sse.rs": parser,
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

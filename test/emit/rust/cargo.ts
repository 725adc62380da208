/** Runs cargo for tests. All of them build into one folder, so that serde is compiled once. */
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import path from "node:path";
import { getToolFolder } from "../../cache.js";

const TARGET = getToolFolder("rust-target");

/** The environment of cargo. Nobody debugs the programs. */
const ENVIRONMENT = {
  ...process.env,
  RUSTFLAGS: "",
  CARGO_TERM_COLOR: "never",
  CARGO_TARGET_DIR: TARGET,
  CARGO_INCREMENTAL: "0",
  CARGO_PROFILE_DEV_DEBUG: "false",
};

/** Lets clippy compile the crates of the workspace, so that each is read once. */
export const CLIPPY = { RUSTC_WORKSPACE_WRAPPER: "clippy-driver" };

/** How cargo compiles: quickly, or so that the program is fast. */
export type Build = "debug" | "release";

/** Returns the path of the program of a crate. */
export function getProgram(name: string, build: Build = "debug"): string {
  return path.join(TARGET, build, name);
}

/**
 * Returns the folder of a workspace. It stays the same, so that cargo compiles only crates that have changed since the
 * last run.
 */
export function openWorkspace(name: string): string {
  return getToolFolder(`rust-${name}`);
}

/** Pins the versions of all packages in a workspace, and fetches them. Returns false if that is not possible here. */
export function fetchPackages(workspace: string): boolean {
  copyFileSync("test/emit/rust/Cargo.lock", path.join(workspace, "Cargo.lock"));
  return [["fetch", "--offline"], ["fetch"]].some((parameters) => {
    const { error, status } = spawnSync("cargo", parameters, { cwd: workspace, env: ENVIRONMENT });
    return error === undefined && status === 0;
  });
}

/** Runs cargo without the network. Returns its warnings, and throws its errors. */
export function runCargo(
  workspace: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): string {
  const { error, status, stderr } = spawnSync("cargo", [...parameters, "--offline", "--quiet"], {
    cwd: workspace,
    env: { ...ENVIRONMENT, ...environment },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (error !== undefined || status !== 0) throw error ?? new Error(stderr);
  return stderr;
}

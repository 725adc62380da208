/** Makes the Python environments in which tests check generated packages. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const CACHE = path.resolve("node_modules/.cache");

/**
 * Returns the Python of a virtual environment with the packages that check generated packages. Creates the environment if
 * it does not exist. If that fails, prints a warning and returns undefined.
 */
export function preparePython(): string | undefined {
  return prepareEnvironment("test/emit/python/requirements.txt", "generated Python packages are not checked");
}

/**
 * Returns the Python of a virtual environment with Spark. Creates the environment only if ACCRETE_TEST_SPARK is set, because
 * Spark is a download of 430 MB. If there is none, prints a warning and returns undefined.
 */
export function prepareSpark(): string | undefined {
  const pins = "test/emit/spark/requirements.txt";
  const consequence = "the Spark job and the views on Spark are not checked";
  const isWanted = process.env.ACCRETE_TEST_SPARK !== undefined || existsSync(locateEnvironment(pins));
  const isJavaPresent = spawnSync("java", ["-version"]).status === 0;
  if (isWanted && isJavaPresent) return prepareEnvironment(pins, consequence);
  const reason = isWanted ? "java is absent" : "pyspark is absent (ACCRETE_TEST_SPARK=1 installs it)";
  console.warn(`${reason}: ${consequence}`);
  return undefined;
}

/** Returns the folder of the environment with the packages of a file of requirements. */
function locateEnvironment(pins: string): string {
  const digest = createHash("sha256").update(readFileSync(pins)).digest("hex").slice(0, 12);
  return path.join(CACHE, `accrete-python-${digest}`);
}

function prepareEnvironment(pins: string, consequence: string): string | undefined {
  const folder = locateEnvironment(pins);
  const python = path.join(folder, "bin/python");
  if (existsSync(python)) return python;
  const problem = createEnvironment(folder, pins);
  if (problem === undefined) return python;
  console.warn(`${problem}: ${consequence}`);
  return undefined;
}

/**
 * Creates the environment in a temporary folder and renames that, so that concurrent tests never see an incomplete one.
 * Returns an error message; undefined on success.
 */
function createEnvironment(folder: string, pins: string): string | undefined {
  const version = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]);
  if (version.error !== undefined || version.status !== 0) return "python3 3.10 or later is absent";
  const draft = `${folder}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  const made = spawnSync("python3", ["-m", "venv", draft], { encoding: "utf8" });
  if (made.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    return "python3 cannot create a virtual environment";
  }
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", pins];
  const installed = spawnSync(path.join(draft, "bin/python"), pip, { encoding: "utf8" });
  if (installed.status !== 0) {
    rmSync(draft, { recursive: true });
    return `pip cannot install the packages of ${pins}`;
  }
  if (existsSync(folder)) rmSync(draft, { recursive: true });
  else renameSync(draft, folder);
  return undefined;
}

/** Runs Python in `folder`. Returns its output, or a text that begins with "failed" and holds its errors. */
export function runPython(python: string, folder: string, parameters: readonly string[], input = ""): string {
  const { stdout, stderr, status } = spawnSync(python, parameters, {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" },
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return status === 0 ? stdout : `failed: ${stdout}${stderr}`;
}

/** Runs pyright, if it is installed, on `folder`. Returns its findings, which are empty if there are none; undefined if it is absent. */
export function runPyright(python: string, folder: string): string | undefined {
  const load = createRequire(path.resolve(".ci/tools/package.json"));
  try {
    const program = path.join(path.dirname(load.resolve("pyright/package.json")), "index.js");
    const run = [program, "--pythonpath", python, "."];
    const { stdout, status } = spawnSync(process.execPath, run, { cwd: folder, encoding: "utf8" });
    return status === 0 ? "" : stdout;
  } catch {
    console.warn(
      "pyright is absent (npm ci --prefix .ci/tools): generated Python packages are not checked by it",
    );
    return undefined;
  }
}

/** Shares results that take long to make between test files and test runs. They are kept in node_modules/.cache. */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const CACHE = path.join(root, "node_modules/.cache");

/** The age from which a lock counts as left behind by a test that was stopped. */
const LOCK_EXPIRES_MS = 10 * 60_000;

/** The age from which a result that no test used is removed. */
const RESULT_EXPIRES_MS = 24 * 60 * 60_000;

/**
 * Returns the folder with the result of `make` for the contents of `inputs`: files and folders of the repository. Calls
 * `make` with an empty folder if there is no such result yet. Concurrent tests wait for each other.
 */
export function getCachedFolder(
  name: string,
  inputs: readonly string[],
  make: (folder: string) => void,
): string {
  const folder = path.join(CACHE, `accrete-${name}-${hashFiles(inputs)}`);
  const lock = `${folder}.lock`;
  mkdirSync(CACHE, { recursive: true });
  while (!existsSync(folder)) {
    if (createLock(lock)) {
      try {
        if (!existsSync(folder)) makeFolder(folder, make);
      } finally {
        rmSync(lock, { force: true });
      }
    } else sleep(200);
  }
  utimesSync(folder, new Date(), new Date());
  removeOldResults(`accrete-${name}-`);
  return folder;
}

/** Returns a folder in which tools may keep what they compiled. They lock it themselves. */
export function getToolFolder(name: string): string {
  const folder = path.join(CACHE, `accrete-${name}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Makes the result in a draft, so that a test that is stopped leaves no incomplete result. */
function makeFolder(folder: string, make: (folder: string) => void): void {
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  make(draft);
  renameSync(draft, folder);
}

/** Returns false if another process holds the lock. */
function createLock(lock: string): boolean {
  try {
    writeFileSync(lock, "", { flag: "wx" });
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > LOCK_EXPIRES_MS) rmSync(lock, { force: true });
    return false;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function removeOldResults(prefix: string): void {
  for (const name of readdirSync(CACHE).filter((each) => each.startsWith(prefix))) {
    const result = path.join(CACHE, name);
    const age = Date.now() - (statSync(result, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > RESULT_EXPIRES_MS) rmSync(result, { recursive: true, force: true });
  }
}

/** Returns a digest of the names and contents of files and folders of the repository. */
function hashFiles(inputs: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of inputs.flatMap(listFiles))
    hash.update(`${file}\n`).update(
      createHash("sha256")
        .update(readFileSync(path.join(root, file)))
        .digest(),
    );
  return hash.digest("hex").slice(0, 16);
}

/** Returns the files of a folder, or the file itself. */
function listFiles(input: string): string[] {
  const place = path.join(root, input);
  if (statSync(place).isFile()) return [input];
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** Writes files below `folder`. Leaves those with the same content alone, so that tools see that they have not changed. */
export function writeChangedFiles(folder: string, files: { readonly [relative: string]: string }): void {
  for (const [relative, content] of Object.entries(files)) {
    const file = path.join(folder, relative);
    if (existsSync(file) && readFileSync(file, "utf8") === content) continue;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/**
 * The main script of the binary: unpacks the command line, which is an asset of the binary, once into a folder for caches, and
 * runs it from there.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { getAsset } from "node:sea";
import { unzipSync } from "fflate";

/** Returns the folder into which the command line of this version is unpacked. */
function findFolder() {
  const { ACCRETE_UNPACKED, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const caches = XDG_CACHE_HOME || LOCALAPPDATA || path.join(homedir(), ".cache");
  return path.join(ACCRETE_UNPACKED || path.join(caches, "accrete", "binary"), getAsset("digest", "utf8"));
}

/** Unpacks all files beside `folder` and then renames the whole, so that no process sees half of them. */
function unpack(folder) {
  const temporary = `${folder}.${process.pid}`;
  const files = Object.entries(unzipSync(new Uint8Array(getAsset("archive"))));
  try {
    for (const parent of new Set(files.map(([name]) => path.dirname(path.join(temporary, name)))))
      mkdirSync(parent, { recursive: true });
    for (const [name, bytes] of files) writeFileSync(path.join(temporary, name), bytes);
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another process has unpacked the same files.
    if (!existsSync(folder)) throw error;
  }
}

try {
  const folder = findFolder();
  if (!existsSync(folder)) unpack(folder);
  createRequire(path.join(folder, "start.cjs"))("./start.cjs");
} catch (error) {
  process.stderr.write(
    `accrete: the binary could not unpack itself: ${error.message}\nSet ACCRETE_UNPACKED to a folder that this user can write.\n`,
  );
  process.exitCode = 2;
}

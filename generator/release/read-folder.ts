import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { lstatIfExists, toForwardSlashes } from "../io.js";

/**
 * Returns the texts of all files below a folder by their paths, sorted; none if it does not exist. Throws if there is a link,
 * or a file that is not UTF-8, because a copy would differ.
 */
export function readFolder(folder: string): Map<string, string> {
  if (!lstatIfExists(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const locate = (entry: (typeof entries)[number]): string => path.join(entry.parentPath, entry.name);
  const other = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (other)
    throw new UsageError(`${toForwardSlashes(locate(other))} is a link; put a file in its place first.`);
  const files = entries.filter((entry) => entry.isFile()).map(locate);
  return new Map(
    files.sort().map((file) => [toForwardSlashes(path.relative(folder, file)), readExactText(file)]),
  );
}

/** Returns the text of a file. Throws if it is not UTF-8, because it could not be written again as it was. */
function readExactText(file: string): string {
  const bytes = readFileSync(file);
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  throw new UsageError(`${toForwardSlashes(file)} is not a text in UTF-8; move it out of the folder first.`);
}

import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { getSystemErrorReason } from "../failure.js";
import { toForwardSlashes } from "../io.js";
import type { Input } from "./place.js";
import { isUncompressed } from "./read-input.js";

/** Matches the names of files that are read in folders. The format is detected from the content. */
const RECORDING_NAME = /\.(json|jsonl|ndjson|sse)(\.(gz|zst))?$/i;

/** The inputs that operands name: files, `-`, and the files below folders, sorted by path. */
interface FoundInputs {
  readonly inputs: readonly Input[];
  /** A message for each operand that cannot be read. */
  readonly unreadable: readonly string[];
}

/** Finds the inputs that operands and patterns of paths name, in folders the files with these names. Reads only the first two bytes of each file. */
export async function findInputs(
  operands: readonly string[],
  fileName = RECORDING_NAME,
): Promise<FoundInputs> {
  const inputs: Input[] = [];
  const unreadable: string[] = [];
  const collectError = (file: string, addInputs: () => void): void => {
    try {
      addInputs();
    } catch (error) {
      const reason = getSystemErrorReason(error);
      if (reason === undefined) throw error;
      unreadable.push(`cannot read ${file}: ${reason}`);
    }
  };
  const addOperand = (operand: string): void => {
    if (operand === "-") inputs.push({ index: inputs.length, name: "<stdin>" });
    else if (!statSync(operand).isDirectory()) inputs.push(createFileInput(inputs.length, operand));
    else {
      const files = listFilesBelow(operand, fileName);
      if (files.length === 0)
        unreadable.push(`cannot read ${operand}: no file in it ends in .json, .jsonl, .ndjson or .sse`);
      for (const file of files) collectError(file, () => inputs.push(createFileInput(inputs.length, file)));
    }
  };
  for (const operand of await expandPatterns(operands)) collectError(operand, () => addOperand(operand));
  return { inputs, unreadable };
}

/** Creates an input from a file. A file that is not a regular file, such as a pipe, can be read only once. */
export function createFileInput(index: number, file: string): Input {
  const name = toForwardSlashes(file);
  return { index, name, file, isRereadable: statSync(file).isFile() && isUncompressed(file) };
}

/** Matches fixtures that are not recordings: events that must be rejected, and the records of tested frontends. */
const NOT_RECORDINGS = /\/([a-z][a-z0-9_-]*\/v\d+\/invalid\/|fixtures\/consumers\.json$)/;

/** Lists the files below a folder that may be recordings. Fixtures that are not recordings are listed only if an operand names their folder. */
function listFilesBelow(folder: string, fileName: RegExp): string[] {
  const isInNonRecordings = NOT_RECORDINGS.test(`${toForwardSlashes(path.resolve(folder))}/`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && fileName.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => isInNonRecordings || !NOT_RECORDINGS.test(toForwardSlashes(path.resolve(file))))
    .sort();
}

/**
 * Returns the id of the protocol in whose folder an input is: `notes/v1` for `fixtures/notes/v1/streams/day.jsonl`. If the
 * path has several, the last one counts. For a feed, the address is the path.
 */
export function findProtocolIdInPath(
  { file, name }: Pick<Input, "file" | "name">,
  ids: readonly string[],
): string | undefined {
  const inputPath = `/${toForwardSlashes(file === undefined ? name : path.resolve(file))}`;
  const found = ids
    .map((id) => ({ id, index: inputPath.lastIndexOf(`/${id}/`) }))
    .filter(({ index }) => index >= 0)
    .sort((a, b) => b.index - a.index);
  return found[0]?.id;
}

const PATTERN_CHARACTER = /[*?[\](){}!]/;

/** Replaces each pattern by the files that it matches, sorted by their paths. A pattern without matches stays as it is. */
async function expandPatterns(operands: readonly string[]): Promise<readonly string[]> {
  if (!operands.some((operand) => PATTERN_CHARACTER.test(operand))) return operands;
  // The library is loaded on demand, because few commands get patterns.
  const { globSync, isDynamicPattern } = await import("tinyglobby");
  return operands.flatMap((operand) => {
    if (existsSync(operand) || !isDynamicPattern(operand)) return [operand];
    const files = globSync(operand, {
      absolute: path.isAbsolute(operand),
      dot: true,
      expandDirectories: false,
    });
    return files.length > 0 ? files.sort() : [operand];
  });
}

import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { getSystemErrorReason } from "../failure.js";
import { getItem } from "../get-item.js";
import { toForwardSlashes } from "../io.js";
import type { Input } from "./place.js";
import { isUncompressed } from "./read-input.js";

/** The names of the files that are read in folders, as a pattern and in words. The format is detected from the content. */
interface FileNames {
  readonly pattern: RegExp;
  readonly endings: string;
}

const RECORDING_NAMES: FileNames = {
  pattern: /\.(json|jsonl|ndjson|sse)(\.(gz|zst))?$/i,
  endings: ".json, .jsonl, .ndjson or .sse",
};

/** The inputs that operands name: files, `-`, and the files below folders, sorted by path. */
interface FoundInputs {
  readonly inputs: readonly Input[];
  /** A message for each operand that cannot be read. */
  readonly unreadable: readonly string[];
}

/** Finds the inputs that operands and patterns of paths name, in folders the files with these names. Reads only the first two bytes of each file. */
export async function findInputs(
  operands: readonly string[],
  fileNames = RECORDING_NAMES,
): Promise<FoundInputs> {
  const inputs: Input[] = [];
  const unreadable: string[] = [];
  const collectError: CollectError = (file, read) => {
    try {
      read();
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
      const files = listFilesBelow(operand, fileNames.pattern, collectError);
      if (files.length === 0)
        unreadable.push(`cannot read ${operand}: no file in it ends in ${fileNames.endings}`);
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

/** Calls `read`. If the operating system refuses it, keeps a message about the file. */
type CollectError = (file: string, read: () => void) => void;

/**
 * Lists the files below a folder that may be recordings. Fixtures that are not recordings are listed only if an operand names
 * their folder. Links are followed unless they lead to what is listed anyway. A folder that cannot be read is left out.
 */
function listFilesBelow(root: string, fileName: RegExp, collectError: CollectError): string[] {
  const isInNonRecordings = NOT_RECORDINGS.test(`${toForwardSlashes(path.resolve(root))}/`);
  const files: string[] = [];
  const realRoot = realpathSync(root);
  const folders = [realRoot];
  const linkedFiles = new Set<string>();
  const visitLink = (file: string): void => {
    const isWanted = fileName.test(file);
    // A link that leads nowhere matters only if a recording should be there.
    if (!existsSync(file) && !isWanted) return;
    const target = realpathSync(file);
    const isListed = folders.some((folder) => isSameOrBelow(target, folder));
    if (statSync(target).isDirectory()) {
      if (isListed || isSameOrBelow(realRoot, target)) return;
      folders.push(target);
      visitFolder(file);
    } else if (isWanted && !(isListed && fileName.test(target)) && !linkedFiles.has(target)) {
      linkedFiles.add(target);
      files.push(file);
    }
  };
  const visitFolder = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) collectError(file, () => visitFolder(file));
      else if (entry.isSymbolicLink()) collectError(file, () => visitLink(file));
      else if (entry.isFile() && fileName.test(entry.name)) files.push(file);
    }
  };
  visitFolder(root);
  return files
    .filter((file) => isInNonRecordings || !NOT_RECORDINGS.test(toForwardSlashes(path.resolve(file))))
    .sort();
}

function isSameOrBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(path.join(folder, path.sep));
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

/** Replaces each pattern by the files and folders that it matches, sorted by their paths. A pattern without matches stays as it is. */
async function expandPatterns(operands: readonly string[]): Promise<readonly string[]> {
  if (!operands.some((operand) => PATTERN_CHARACTER.test(operand))) return operands;
  // The library is loaded on demand, because few commands get patterns.
  const { globSync, isDynamicPattern } = await import("tinyglobby");
  return operands.flatMap((operand) => {
    if (existsSync(operand) || !isDynamicPattern(operand)) return [operand];
    const matches = globSync(operand, {
      absolute: path.isAbsolute(operand),
      dot: true,
      expandDirectories: false,
      onlyFiles: false,
    });
    return matches.length > 0 ? omitContents(omitLinks(matches.sort())) : [operand];
  });
}

/** Omits links to other matches, also those whose path leads through a link, and all but one link to anything else. */
function omitLinks(matches: readonly string[]): readonly string[] {
  const targets = matches.map((match) => realpathSync(match));
  const chosen = new Map<string, string>();
  for (const [index, match] of matches.entries()) {
    const target = getItem(targets, index);
    if (!chosen.has(target) || path.resolve(match) === target) chosen.set(target, match);
  }
  return matches.filter((match, index) => chosen.get(getItem(targets, index)) === match);
}

/** Omits the matches that are below another match. The paths are sorted, and those of folders end with a slash. */
function omitContents(matches: readonly string[]): readonly string[] {
  let folder: string | undefined;
  return matches.filter((match) => {
    if (folder !== undefined && match.startsWith(folder)) return false;
    if (match.endsWith("/")) folder = match;
    return true;
  });
}

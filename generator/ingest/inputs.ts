import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { bareReason } from "../failure.js";
import { slashes } from "../io.js";
import type { Input } from "./place.js";
import { isPlain } from "./read-input.js";

/** The names of files that are read in folders. Their format is detected from their content. */
const ENDINGS = /\.(json|jsonl|ndjson|sse)(\.gz)?$/i;

/** The inputs that operands name: files, `-`, and the files below folders, sorted by path. */
interface FoundInputs {
  readonly inputs: readonly Input[];
  /** A message for each operand that cannot be read. */
  readonly unreadable: readonly string[];
}

/** Finds the inputs of operands. Reads only the first two bytes of files. */
export function findInputs(operands: readonly string[]): FoundInputs {
  const inputs: Input[] = [];
  const unreadable: string[] = [];
  const collectError = (file: string, add: () => void): void => {
    try {
      add();
    } catch (error) {
      const reason = bareReason(error);
      if (reason === undefined) throw error;
      unreadable.push(`cannot read ${file}: ${reason}`);
    }
  };
  const addOperand = (operand: string): void => {
    if (operand === "-") inputs.push({ index: inputs.length, name: "<stdin>" });
    else if (!statSync(operand).isDirectory()) inputs.push(fileInput(inputs.length, operand));
    else {
      const files = filesBelow(operand);
      if (files.length === 0)
        unreadable.push(`cannot read ${operand}: no file in it ends in .json, .jsonl, .ndjson or .sse`);
      for (const file of files) collectError(file, () => inputs.push(fileInput(inputs.length, file)));
    }
  };
  for (const operand of operands) collectError(operand, () => addOperand(operand));
  return { inputs, unreadable };
}

/** Returns a file as an input. Anything but a regular file, such as a pipe, can be read only once. */
export function fileInput(index: number, file: string): Input {
  const name = slashes(file);
  return { index, name, file, plain: statSync(file).isFile() && isPlain(file) };
}

/** Files among fixtures that are not recordings: events that must be refused, and the records of tested frontends. */
const NOT_RECORDINGS = /\/([a-z][a-z0-9_-]*\/v\d+\/invalid\/|fixtures\/consumers\.json$)/;

/** Returns the files of a folder that may be recordings. Other files among fixtures are read only if they are named. */
function filesBelow(folder: string): string[] {
  const all = NOT_RECORDINGS.test(`${slashes(path.resolve(folder))}/`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ENDINGS.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => all || !NOT_RECORDINGS.test(slashes(path.resolve(file))))
    .sort();
}

/**
 * Returns the protocol in whose folder an input is, the innermost: `notes/v1` for `fixtures/notes/v1/streams/day.jsonl`.
 * For a feed its address counts.
 */
export function protocolIdInPath(
  { file, name }: Pick<Input, "file" | "name">,
  ids: readonly string[],
): string | undefined {
  const place = `/${slashes(file === undefined ? name : path.resolve(file))}`;
  const found = ids
    .map((id) => ({ id, at: place.lastIndexOf(`/${id}/`) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at);
  return found[0]?.id;
}

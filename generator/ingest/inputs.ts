import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { bareReason } from "../failure.js";
import { slashes } from "../io.js";
import type { Input } from "./place.js";
import { isPlain } from "./read-input.js";

/** Files that a folder is searched for; what they hold is found out from their content. */
const ENDINGS = /\.(json|jsonl|ndjson|sse)(\.gz)?$/i;

/** What the operands name: files, `-`, and of folders the files below them, sorted by path. */
export interface Operands {
  readonly inputs: readonly Input[];
  /** A sentence for each operand that cannot be read. */
  readonly unreadable: readonly string[];
}

/** Finds the inputs; of files only the first two bytes are read. */
export function inputsOf(operands: readonly string[]): Operands {
  const inputs: Input[] = [];
  const unreadable: string[] = [];
  const attempt = (file: string, add: () => void): void => {
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
      for (const file of files) attempt(file, () => inputs.push(fileInput(inputs.length, file)));
    }
  };
  for (const operand of operands) attempt(operand, () => addOperand(operand));
  return { inputs, unreadable };
}

/** A file as an input. What is no regular file, such as a pipe, can be read only once and from its beginning. */
export function fileInput(index: number, file: string): Input {
  const name = slashes(file);
  return { index, name, file, plain: statSync(file).isFile() && isPlain(file) };
}

/** What fixtures hold besides recordings: events to be refused, each in a file that says why, and who is tested. */
const BESIDE = /\/([a-z][a-z0-9_-]*\/v\d+\/invalid\/|fixtures\/consumers\.json$)/;

/** The files of a folder that may be recordings; what stands beside those in fixtures has to be named to be read. */
function filesBelow(folder: string): string[] {
  const all = BESIDE.test(`${slashes(path.resolve(folder))}/`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ENDINGS.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => all || !BESIDE.test(slashes(path.resolve(file))))
    .sort();
}

/**
 * The protocol in whose folder an input lies, the innermost: `notes/v1` for `fixtures/notes/v1/streams/day.jsonl`. Of
 * a feed the address says it.
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

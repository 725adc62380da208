/** Expands patterns of paths, for more files than a shell passes to a command, and for shells that expand nothing. */
import { existsSync } from "node:fs";
import path from "node:path";
import { globSync, isDynamicPattern } from "tinyglobby";

/** Replaces each pattern by the files that it matches, sorted by their paths. A pattern without matches stays as it is. */
export function expandGlobs(operands: readonly string[]): readonly string[] {
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

import path from "node:path";
import { getChild, type Json, join, tokens } from "../json.js";
import { createSourceReader, type LocatePlace, readIfPossible } from "../load/baseline/locate-place.js";
import type { Origin } from "./protocol-files.js";

/**
 * Creates a function that finds the places of an imported protocol in the original files, which are in `folder`. If the
 * import changed a schema, the place is the nearest part around it that the original has.
 */
export function createOriginLocator(origins: readonly Origin[], folder: string): LocatePlace {
  const readSource = createSourceReader(readIfPossible);
  return (file, pointer, part = "value") => {
    const found = findOrigin(origins, file, pointer);
    if (found === undefined) return { file: folder, pointer: "" };
    const originalFile = path.posix.join(folder, found.origin.file);
    const source = readSource(originalFile);
    if (source === undefined) return { file: originalFile, pointer: found.origin.pointer };
    const original = followPointer(
      source.document,
      found.origin.pointer,
      pointer.slice(found.pointer.length),
    );
    return part === "name" ? source.locateKey(original) : source.locate(original);
  };
}

/** Returns the origin of the innermost imported schema around a place. */
function findOrigin(origins: readonly Origin[], file: string, pointer: string): Origin | undefined {
  return origins.findLast(
    (each) => each.file === file && (pointer === each.pointer || pointer.startsWith(`${each.pointer}/`)),
  );
}

/** Returns the pointer of the deepest value on the way from `start` along `rest`. Parts that only the import has are skipped. */
function followPointer(document: Json, start: string, rest: string): string {
  let value: Json | undefined = document;
  for (const token of tokens(start)) value = getChild(value, token);
  let pointer = start;
  const remaining = tokens(rest);
  for (let index = 0; index < remaining.length; index++) {
    const token = remaining[index] ?? "";
    const child = getChild(value, token);
    if (child !== undefined) {
      value = child;
      pointer = join(pointer, token);
    } else if (token === "allOf") index++;
    else break;
  }
  return pointer;
}

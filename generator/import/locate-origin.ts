import path from "node:path";
import { getChild, type Json, joinPointer, splitPointer } from "../json.js";
import { createSourceReader, type LocatePlace, readIfPossible } from "../load/baseline/locate-place.js";
import type { Origin } from "./protocol-files.js";

/**
 * Creates a function that finds the places of an imported protocol in the original files, which are in `folder`. If the
 * import changed a schema, the place is the nearest part around it that the original has. `read` returns the bytes of a file.
 */
export function createOriginLocator(
  origins: readonly Origin[],
  folder: string,
  read: (file: string) => Uint8Array | undefined = readIfPossible,
): LocatePlace {
  const readSource = createSourceReader(read);
  return (file, pointer, part = "value") => {
    const importedSchema = findOrigin(origins, file, pointer);
    if (importedSchema === undefined) return { file: folder, pointer: "" };
    const { origin } = importedSchema;
    const originalFile = path.posix.join(folder, origin.file);
    const source = readSource(originalFile);
    if (source === undefined) return { file: originalFile, pointer: origin.pointer };
    const pointerInSchema = pointer.slice(importedSchema.pointer.length);
    const originalPointer = followPointer(source.document, origin.pointer, pointerInSchema);
    return part === "name" ? source.locateKey(originalPointer) : source.locate(originalPointer);
  };
}

/** Returns the origin of the innermost imported schema around a place. */
function findOrigin(origins: readonly Origin[], file: string, pointer: string): Origin | undefined {
  return origins.findLast(
    (schema) =>
      schema.file === file && (pointer === schema.pointer || pointer.startsWith(`${schema.pointer}/`)),
  );
}

/**
 * Returns the pointer of the deepest value on the way from `start` along `relativePointer`. An `allOf` that only the import
 * has is skipped together with the index after it.
 */
function followPointer(document: Json, start: string, relativePointer: string): string {
  let value: Json | undefined = document;
  for (const token of splitPointer(start)) value = getChild(value, token);
  let pointer = start;
  const steps = splitPointer(relativePointer);
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] ?? "";
    const child: Json | undefined = getChild(value, step);
    if (child !== undefined) {
      value = child;
      pointer = joinPointer(pointer, step);
    } else if (step === "allOf") index++;
    else break;
  }
  return pointer;
}

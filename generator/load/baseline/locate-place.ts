import type { Location } from "../../finding.js";
import type { Source } from "../../source/source.js";
import { parseByName } from "../../source/yaml-source.js";
import { readBytes } from "../read-bytes.js";

/** Returns the line and column of the value at a pointer, or of the name that the pointer ends with. */
export type LocatePlace = (file: string, pointer: string, part?: "value" | "name") => Location;

/** Creates a function that finds places in the files that `read` returns. A file is parsed when the first place in it is asked for. */
export function createLocator(read: (file: string) => Uint8Array | undefined): LocatePlace {
  const readSource = createSourceReader(read);
  return (file, pointer, part = "value") => {
    const source = readSource(file);
    if (!source) return { file, pointer };
    return part === "name" ? source.locateKey(pointer) : source.locate(pointer);
  };
}

/** Creates a function that parses each file once. It returns undefined for a file that cannot be read or parsed. */
export function createSourceReader(
  read: (file: string) => Uint8Array | undefined,
): (file: string) => Source | undefined {
  const sources = new Map<string, Source | undefined>();
  return (file) => {
    if (!sources.has(file)) sources.set(file, parseIfPossible(file, read(file)));
    return sources.get(file);
  };
}

/** Creates a function that finds places in files on the disk. */
export const locateOnDisk = (): LocatePlace => createLocator(readIfPossible);

/** Returns the bytes of a file, or undefined if it cannot be read. A place without a line is better than an error. */
export function readIfPossible(file: string): Uint8Array | undefined {
  try {
    return readBytes(file);
  } catch {
    return undefined;
  }
}

/** Returns the parsed bytes of a file; undefined if there are none, or if they cannot be parsed. */
export function parseIfPossible(file: string, bytes: Uint8Array | undefined): Source | undefined {
  const parsed = bytes && parseByName(file, bytes);
  return parsed && "source" in parsed ? parsed.source : undefined;
}

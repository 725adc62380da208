import { readFileSync } from "node:fs";

/**
 * Reads a source file in another language that is copied into generated packages. `path` begins with the folder of the
 * emitter, such as `go/package/machine.go`. The same relative path leads to the file from the compiled modules.
 */
export function readSourceFile(path: string): string {
  return readFileSync(new URL(`../emit/${path}`, import.meta.url), "utf8");
}

/**
 * Replaces the values of constants in `source`, by their names. A definition stands on a line of its own and may end with a
 * semicolon.
 */
export function replaceConstants(source: string, values: { readonly [name: string]: string }): string {
  return Object.entries(values).reduce((text, [name, value]) => {
    const definition = new RegExp(`^(.*\\b${name}\\b[^=\\n]*= )[^;\\n]*(;?)$`, "m");
    if (!definition.test(text)) throw new Error(`The source file does not define ${name}`);
    return text.replace(definition, (_line, start, end) => start + value + end);
  }, source);
}

/** Replaces the part of `source` from the text `start` to the text `end`, which stands for what depends on the protocol. */
export function replaceRegion(source: string, start: string, end: string, text: string): string {
  const [before, region, ...others] = source.split(start);
  const after = region?.split(end)[1];
  if (after === undefined || others.length > 0) throw new Error(`The source file has no region ${start}`);
  return before + text + after;
}

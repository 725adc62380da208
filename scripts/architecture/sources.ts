import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..", "generator");

/** A source file of the generator and what it imports. */
export interface Source {
  readonly file: string;
  readonly unit: string;
  readonly text: string;
  /** Files of generator/ that it imports, types included. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

/** Reads every source file below generator/. */
export function readSources(): Source[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => /\.(ts|js)$/.test(file))
    .map((file): Source => {
      const text = readFileSync(path.join(root, file), "utf8");
      const targets = [...emptyTemplates(text).matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
        ([, target = ""]) => target,
      );
      return {
        file,
        unit: findUnit(file),
        text,
        imports: targets
          .filter((target) => target.startsWith("."))
          .map((target) => resolveImport(file, target)),
        packages: targets.filter((target) => !target.startsWith(".")),
      };
    });
}

/** Returns the folder of generator/ that a file is in, or the file itself at the top. */
export function findUnit(file: string): string {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : file;
}

function resolveImport(from: string, target: string): string {
  return path.posix.join(path.posix.dirname(from), target).replace(/(?<!runtime\/runtime)\.js$/, ".ts");
}

/** Returns the text with empty template literals: these may hold code of generated files. */
function emptyTemplates(text: string): string {
  return text.replace(/`(?:[^`\\]|\\.)*`/g, "``");
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
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
      const targets = [...clearTemplates(text).matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
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
  return findSource(path.posix.join(path.posix.dirname(from), target));
}

/** Returns the source of an imported file: the file itself, or the TypeScript that it is compiled from. Both are below generator/. */
export function findSource(file: string): string {
  const candidates = [file, file.replace(/\.js$/, ".ts"), `${file}.ts`];
  return candidates.find((candidate) => existsSync(path.join(root, candidate))) ?? file;
}

/** Returns the text with empty template literals: these may hold code of generated files. */
function clearTemplates(text: string): string {
  return text.replace(/`(?:[^`\\]|\\.)*`/g, "``");
}

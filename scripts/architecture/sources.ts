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

/** Every source file below generator/, read from the disk. */
export function readSources(): Source[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => /\.(ts|js)$/.test(file))
    .map((file): Source => {
      const text = readFileSync(path.join(root, file), "utf8");
      const targets = [...withoutTemplates(text).matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
        ([, target = ""]) => target,
      );
      return {
        file,
        unit: findUnit(file),
        text,
        imports: targets.filter((target) => target.startsWith(".")).map((target) => resolve(file, target)),
        packages: targets.filter((target) => !target.startsWith(".")),
      };
    });
}

/** The folder of generator/ that a file is in, or the file itself at the top. */
export function findUnit(file: string): string {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : file;
}

function resolve(from: string, target: string): string {
  return path.posix.join(path.posix.dirname(from), target).replace(/(?<!runtime\/runtime)\.js$/, ".ts");
}

/** Template literals may hold code of generated files. */
function withoutTemplates(text: string): string {
  return text.replace(/`(?:[^`\\]|\\.)*`/g, "``");
}

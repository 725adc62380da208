/** Reads the pages of the documentation and their code blocks. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");

/** The pages of the documentation, relative to the root of the repository. */
export const PAGES: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The pages whose blocks run from the packed packages, each in an empty folder of its own. */
export const OPERATOR_PAGES: readonly string[] = [
  "docs/auditing.md",
  "docs/monitoring.md",
  "docs/querying.md",
];

/** Reads the text of a page. */
export function readPage(page: string): string {
  return readFileSync(path.join(root, page), "utf8");
}

/** A fenced block of a page. */
export interface Block {
  /** The page and the line of the opening fence. */
  readonly at: string;
  /** The first word after the opening fence; empty if there is none. */
  readonly language: string;
  /** The second word: the file whose content the block is; empty if there is none. */
  readonly file: string;
  readonly text: string;
}

/** Reads the fenced blocks of a page, in their order. */
export function readBlocks(page: string): Block[] {
  const text = readPage(page);
  return [...text.matchAll(/^```(\S*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = "", file = "", body = ""] = match;
    return { at: `${page}:${text.slice(0, match.index).split("\n").length}`, language, file, text: body };
  });
}

/** Reads a page without its fenced blocks. */
export function readProse(page: string): string {
  return readPage(page).replace(/^```[\s\S]*?^```$/gm, "");
}

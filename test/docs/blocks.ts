import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");

/** The pages that people read, relative to the repository. */
export const PAGES: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The text of a page. */
export function pageText(page: string): string {
  return readFileSync(path.join(root, page), "utf8");
}

/** What stands between two fences. */
export interface Block {
  /** Page and line. */
  readonly at: string;
  /** The first word behind the fence; empty for none. */
  readonly language: string;
  /** The second one: the file that the block is. */
  readonly file: string;
  readonly text: string;
}

/** The fenced blocks of a page, in their order. */
export function blocksOf(page: string): Block[] {
  const text = pageText(page);
  return [...text.matchAll(/^```(\S*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = "", file = "", body = ""] = match;
    return { at: `${page}:${text.slice(0, match.index).split("\n").length}`, language, file, text: body };
  });
}

/** A page without its fenced blocks. */
export function proseOf(page: string): string {
  return pageText(page).replace(/^```[\s\S]*?^```$/gm, "");
}

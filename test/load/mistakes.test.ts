/** If this fails, a first author who errs is not told where, and what to do instead. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createScaffold } from "../../generator/init/scaffold.js";
import { runAccrete } from "../commands/run-in-process.js";
import { withTemporaryFolder } from "../folders.js";
import { readJson } from "./case-folder.js";

/** A mistake in the project of `accrete init`: one replacement in a file, a file with other text, or a file that was moved. */
interface Mistake {
  readonly mistake: string;
  /** The file in which the mistake is found, with a mark « at its place if `by` or `text` has one. */
  readonly file: string;
  readonly replace?: string;
  readonly by?: string;
  /** A second replacement that the mistake needs. */
  readonly more?: readonly [string, string];
  readonly text?: string | null;
  readonly move?: string;
  readonly to?: string;
  /** Matches the message or the hint: the way out. */
  readonly says: string;
}

const MISTAKES = readJson(path.join(import.meta.dirname, "../cases/mistakes.json")) as unknown as Mistake[];

/** Writes the project with the mistake. Returns the place that the finding should have: `file:line:column`. */
function writeMistake(root: string, mistake: Mistake): string {
  const { schemas, fixtures } = createScaffold({ name: "notes", placement: "nested", discriminator: "type" });
  const files = new Map<string, string>();
  for (const { path: name, content } of schemas) files.set(`schemas/${name}`, content);
  for (const { path: name, content } of fixtures) files.set(`fixtures/${name}`, content);
  let marked = files.get(mistake.file) ?? "";
  if (mistake.replace !== undefined) {
    expect(marked.split(mistake.replace)).toHaveLength(2);
    marked = marked.replace(mistake.replace, () => mistake.by ?? "");
    if (mistake.more) marked = marked.replace(mistake.more[0], mistake.more[1]);
  }
  if (typeof mistake.text === "string") marked = mistake.text;
  if (marked !== "" || mistake.text === "«") files.set(mistake.file, marked.replace("«", ""));
  for (const [name, content] of files) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    const isUtf16 = name === mistake.file && mistake.text === null;
    writeFileSync(file, isUtf16 ? Buffer.from(`\ufeff${content}`, "utf16le") : content);
  }
  if (mistake.move !== undefined && mistake.to !== undefined)
    renameSync(path.join(root, mistake.move), path.join(root, mistake.to));
  const before = marked.split("«");
  if (before.length < 2) return mistake.file;
  const lines = (before[0] ?? "").split("\n");
  return `${mistake.file}:${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
}

it.each(MISTAKES)("$mistake", async (mistake) =>
  withTemporaryFolder(async (root) => {
    const place = writeMistake(root, mistake);
    const folders = ["--schemas", path.join(root, "schemas"), "--fixtures", path.join(root, "fixtures")];
    const { stdout, stderr } = await runAccrete(["lint", "--format", "json", ...folders]);
    const { findings } = JSON.parse(stdout || '{"findings": []}');
    const found = findings.map(
      ({
        message,
        hint = "",
        at,
      }: {
        message: string;
        hint?: string;
        at: { file: string; line?: number; column?: number };
      }) => {
        const position = at.line === undefined || !/:\d+:\d+$/.test(place) ? "" : `:${at.line}:${at.column}`;
        return { at: path.relative(root, at.file) + position, says: `${message} ${hint}` };
      },
    );
    expect({ found, stderr }).toEqual({
      found: [{ at: place, says: expect.stringMatching(new RegExp(mistake.says)) }],
      stderr: "",
    });
    expect(stdout).not.toMatch(/\n\s+at .*\.[jt]s:\d+/);
  }),
);

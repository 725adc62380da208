/** The commands that change files, each with a project in which it has something to do. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { writeFiles } from "../folders.js";
import { createRow } from "../rows/rows.js";
import { createProject, type Files } from "./project.js";
import { snapshotFolder } from "./run-case.js";

/** A command that changes files. */
export interface Writer {
  readonly name: string;
  readonly argv: readonly string[];
  /** The files of the project before it runs. */
  readonly files: Files;
}

const replaceText = (files: Files, file: string, from: string, to: string): Files => ({
  ...files,
  [file]: (files[file] ?? "").replaceAll(from, to),
});

/** Returns a project without the files that match. */
const removeMatching = (files: Files, gone: RegExp): Files =>
  Object.fromEntries(Object.entries(files).filter(([file]) => !gone.test(file)));

const STREAM = "fixtures/tea/v1/streams/two-notes.jsonl";

/** Returns the rows of a run of a protocol that declares rows. */
function createRows(): string {
  const events = readFileSync("fixtures/hecate/v1/streams/agent-loop-shell.jsonl", "utf8").trim().split("\n");
  return events.map((line) => `${JSON.stringify(createRow(JSON.parse(line)))}\n`).join("");
}

/** Creates all writers. */
export async function createWriters(): Promise<Writer[]> {
  const tea = await createProject("nested");
  const two = await createProject("nested", [["import", "samples.jsonl", "--name", "shop"], ["generate"]]);
  return [
    { name: "the first generate", argv: ["generate"], files: removeMatching(tea, /^generated/) },
    {
      name: "a later generate",
      argv: ["generate"],
      files: {
        ...replaceText(tea, "schemas/tea/v1/events/mug.filled.schema.json", "A mug was filled", "Filled"),
        "generated/tea/v1/old/gone.ts": tea["generated/tea/v1/index.js"] ?? "",
      },
    },
    { name: "the first release", argv: ["release", "1.0"], files: removeMatching(tea, /releases/) },
    {
      name: "a release of two protocols",
      argv: ["release", "1.0", "shop/v1", "tea/v1"],
      files: two,
    },
    {
      name: "a withdrawal",
      argv: ["release", "--withdraw", "1.0", "tea/v1", "--reason", "A mistake."],
      files: tea,
    },
    { name: "init", argv: ["init", ".", "--name", "mugs"], files: {} },
    { name: "init in a project", argv: ["init", "--name", "mugs"], files: tea },
    { name: "import", argv: ["import", "samples.jsonl", "--name", "shop"], files: tea },
    { name: "import of a union", argv: ["import", "union.json", "--name", "trees"], files: tea },
    { name: "import --force", argv: ["import", "samples.jsonl", "--name", "tea", "--force"], files: tea },
    { name: "rename", argv: ["rename", "tea", "chai"], files: tea },
    { name: "major", argv: ["major", "tea"], files: tea },
    { name: "site", argv: ["site"], files: tea },
    { name: "redact", argv: ["redact", STREAM, "--out", "clean"], files: tea },
    {
      name: "upcast of a recording",
      argv: ["upcast", "tea/v1@1.0", "tea/v1", STREAM, "--out", "later"],
      files: tea,
    },
    {
      name: "map-rows",
      argv: ["map-rows", "rows.jsonl", "--out", "later", "--schemas", path.resolve("schemas")],
      files: { ...tea, "rows.jsonl": createRows() },
    },
  ];
}

/** Replaces the files of the folder by these. */
export function resetFolder(folder: string, files: Files): void {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true });
  writeFiles(folder, { ...files, ".here": "" });
}

/** Returns the digests of the files below a folder, without empty folders. */
export function readContents(folder: string): Map<string, string> {
  // The cache has tests of its own: a run that ends early may leave it incomplete.
  const isChecked = ([file, what]: readonly [string, string]): boolean =>
    what !== "" && !file.startsWith("node_modules/.cache/");
  return new Map([...snapshotFolder(folder)].filter(isChecked).sort());
}

/** Lists the files in which two states of a folder differ. */
export function listDifferences(
  left: ReadonlyMap<string, string>,
  right: ReadonlyMap<string, string>,
): string[] {
  const files = [...new Set([...left.keys(), ...right.keys()])].filter(
    (file) => left.get(file) !== right.get(file),
  );
  const describeChange = (file: string): string => {
    if (!left.has(file)) return "is missing";
    return right.has(file) ? "differs" : "is there";
  };
  return files.slice(0, 5).map((file) => `${file} ${describeChange(file)}`);
}

/** The commands that change files, each with a project in which it has something to do. */
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { writeFiles } from "../cli/folders.js";
import { type Files, project } from "./project.js";
import { snapshot } from "./run-case.js";

/** A command that changes files. */
export interface Writer {
  readonly name: string;
  readonly argv: readonly string[];
  /** The files of the project before it runs. */
  readonly files: Files;
}

const change = (files: Files, file: string, from: string, to: string): Files => ({
  ...files,
  [file]: (files[file] ?? "").replaceAll(from, to),
});

/** Returns a project without the files that match. */
const without = (files: Files, gone: RegExp): Files =>
  Object.fromEntries(Object.entries(files).filter(([file]) => !gone.test(file)));

/** Creates all of them. */
export async function writers(): Promise<Writer[]> {
  const tea = await project("nested");
  const two = await project("nested", [["import", "samples.jsonl", "--name", "shop"], ["generate"]]);
  return [
    { name: "the first generate", argv: ["generate"], files: without(tea, /^generated/) },
    {
      name: "a later generate",
      argv: ["generate"],
      files: {
        ...change(tea, "schemas/tea/v1/events/mug.filled.schema.json", "A mug was filled", "Filled"),
        "generated/tea/v1/old/gone.ts": tea["generated/tea/v1/index.js"] ?? "",
      },
    },
    { name: "the first release", argv: ["release", "1.0"], files: without(tea, /releases/) },
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
  ];
}

/** Replaces the files of the folder by these. */
export function reset(folder: string, files: Files): void {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true });
  writeFiles(folder, { ...files, ".here": "" });
}

/** The files below a folder; without empty folders. */
export function contents(folder: string): Map<string, string> {
  return new Map([...snapshot(folder)].filter(([, what]) => what !== "").sort());
}

/** Lists the files in which two states of a folder differ. */
export function difference(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): string[] {
  const files = [...new Set([...left.keys(), ...right.keys()])].filter(
    (file) => left.get(file) !== right.get(file),
  );
  const what = (file: string): string =>
    !left.has(file) ? "is missing" : !right.has(file) ? "is there" : "differs";
  return files.slice(0, 5).map((file) => `${file} ${what(file)}`);
}

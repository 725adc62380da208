/** Projects in temporary folders, in which tests run commands. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { createTemporaryFolder, readTree } from "../folders.js";
import { type Outcome, runAccrete } from "./run-in-process.js";

/** A project in a temporary folder. */
export interface TemporaryProject {
  readonly root: string;
  /** Returns the path of a file or folder of the project. */
  locateFile(name: string): string;
  /** Returns the text of a file of the project. */
  read(name: string): string;
  /** Returns all files by relative path. */
  readFiles(): { [relative: string]: string };
  /**
   * Runs a command line, whose words are separated by spaces, with the schemas, outputs and fixtures of the project. `@/`
   * in a word is its folder; the paths in the output are relative to it.
   */
  run(line: string, stdin?: string | Uint8Array): Promise<Outcome>;
}

/** Creates a project with these files, which is removed after the test. */
export function createTemporaryProject(
  files: { readonly [relative: string]: string } = {},
): TemporaryProject {
  const root = createTemporaryFolder(files);
  const locateFile = (name: string): string => path.join(root, name);
  const folders = [
    "--schemas",
    locateFile("schemas"),
    "--out",
    locateFile("generated"),
    "--fixtures",
    locateFile("fixtures"),
  ];
  return {
    root,
    locateFile,
    read: (name) => readFileSync(locateFile(name), "utf8"),
    readFiles: () => readTree(root),
    run: async (line, stdin) => {
      const words = line.split(" ").map((word) => word.replace("@/", `${root}/`));
      const { exitCode, stdout, stderr } = await runAccrete([...words, ...folders], stdin);
      const shorten = (text: string): string => text.replaceAll(`${root}/`, "");
      return { exitCode, stdout: shorten(stdout), stderr: shorten(stderr) };
    },
  };
}

/** Generates after each of several edits, with and without the cache, and compares the outputs. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { readTree, withTemporaryFolder, writeFiles } from "../folders.js";
import { anyEdit, createProject, type Edit, type ProjectFiles } from "./edits.js";

/** What happens between two runs. */
export type Step =
  | { readonly kind: "edit"; readonly edit: Edit }
  /** The files of an earlier step return. */
  | { readonly kind: "undo"; readonly steps: number }
  /** A byte of an entry changes, or its end is lost. */
  | { readonly kind: "damage"; readonly entry: number; readonly at: number; readonly truncates: boolean }
  | { readonly kind: "delete outputs" }
  | { readonly kind: "change an output" };

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** A sequence of steps, and the optional outputs of its runs. */
export const anySequence = fc.record({
  emit: fc.constantFrom("", "", "vectors", "go,openapi"),
  steps: fc.array(
    fc.oneof(
      { weight: 8, arbitrary: anyEdit.map((edit): Step => ({ kind: "edit", edit })) },
      { weight: 2, arbitrary: fc.nat({ max: 4 }).map((steps): Step => ({ kind: "undo", steps })) },
      {
        weight: 1,
        arbitrary: fc
          .record({ entry: fc.nat({ max: 9 }), at: fraction, truncates: fc.boolean() })
          .map((damage): Step => ({ kind: "damage", ...damage })),
      },
      { weight: 1, arbitrary: fc.constant<Step>({ kind: "delete outputs" }) },
      { weight: 1, arbitrary: fc.constant<Step>({ kind: "change an output" }) },
    ),
    { minLength: 3, maxLength: 6 },
  ),
});

/** The folder of the cache of a project. */
export const CACHE = "node_modules/.cache/accrete";

/** Returns the paths of the entries of a cache. */
export function listEntries(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".entry"))
    .sort()
    .map((name) => path.join(folder, name));
}

const DAMAGE_NOTE = /^accrete: note: The cache entry .* is damaged and was ignored\.$/;

/** Changes a byte of a file, or cuts the file off. */
export function damageFile(file: string, at: number, truncates: boolean): void {
  const bytes = readFileSync(file);
  const index = Math.floor(at * bytes.length);
  if (!truncates) bytes[index] = (bytes[index] ?? 0) ^ 1;
  writeFileSync(file, truncates ? bytes.subarray(0, index) : bytes);
}

/** Replaces the files of a project, so that it has no others than these and the outputs. */
function replaceFiles(root: string, files: ProjectFiles): void {
  for (const folder of ["schemas", "fixtures"])
    rmSync(path.join(root, folder), { recursive: true, force: true });
  writeFiles(root, files);
}

/** Runs a sequence. Fails if a run with the cache has other outputs, findings or exit codes than one without. */
export async function checkSequence({
  emit,
  steps,
}: {
  readonly emit: string;
  readonly steps: readonly Step[];
}): Promise<void> {
  await withTemporaryFolder(async (root) => {
    const versions: ProjectFiles[] = [createProject()];
    const runCommand = (command: string, out: string, ...args: string[]) =>
      runAccrete([
        ...[command, "--schemas", path.join(root, "schemas"), "--fixtures", path.join(root, "fixtures")],
        ...["--out", path.join(root, out), ...(emit === "" ? [] : ["--emit", emit]), ...args],
      ]);
    const run = (out: string, ...args: string[]) => runCommand("generate", out, ...args);
    const out = path.join(root, "generated");
    let mayHaveNotes = false;
    for (const step of [undefined, ...steps]) {
      const files = versions.at(-1) ?? {};
      if (step?.kind === "edit") versions.push(step.edit.apply(files));
      if (step?.kind === "undo") versions.push(versions.at(-1 - step.steps) ?? createProject());
      if (step?.kind === "delete outputs") rmSync(out, { recursive: true, force: true });
      if (step?.kind === "change an output")
        writeFiles(out, {
          "tea/v1/types.ts": readFileSync(path.join(root, "plain/tea/v1/types.ts"), "utf8").replace(
            "export",
            " export",
          ),
        });
      if (step?.kind === "damage") {
        const entries = listEntries(path.join(root, CACHE));
        const entry = entries[step.entry % entries.length];
        if (entry !== undefined) damageFile(entry, step.at, step.truncates);
        mayHaveNotes ||= entry !== undefined;
      }
      replaceFiles(root, versions.at(-1) ?? {});
      const cached = await run("generated");
      const plain = await run("plain", "--no-cache");
      expect(cached.exitCode).toBe(plain.exitCode);
      if (plain.exitCode !== 0) continue;
      expect(readTree(out)).toEqual(readTree(path.join(root, "plain")));
      const others = cached.stderr.split("\n").filter((line) => !DAMAGE_NOTE.test(line) || !mayHaveNotes);
      expect(others).toEqual([""]);
      const check = await run("generated", "--check");
      expect([check.exitCode, check.stdout]).toEqual([
        0,
        (await run("plain", "--check", "--no-cache")).stdout,
      ]);
    }
    // The second run takes its results from the cache.
    for (let runs = 0; runs < 2; runs++) {
      const checked = await runCommand("check", "generated");
      const plain = await runCommand("check", "generated", "--no-cache");
      expect([checked.exitCode, checked.stdout]).toEqual([plain.exitCode, plain.stdout]);
    }
  });
}

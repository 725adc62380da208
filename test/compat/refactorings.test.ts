import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkFolders } from "./case-folders.js";
import { SILENT_REVERSED, SILENT_UNIONS } from "./silent-unions.js";
import { writeTea } from "./tea.js";

it.each(Object.entries({ ...SILENT_UNIONS, ...SILENT_REVERSED }))(
  "says nothing of a refactoring: %s",
  async (_name, { before, after }) => {
    const root = mkdtempSync(path.join(tmpdir(), "accrete-silent-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const [old, now] = [path.join(root, "before"), path.join(root, "after")];
    writeTea(old, before);
    writeTea(now, after);
    const { findings, additions } = await checkFolders(old, now);
    expect([...findings, ...additions].map(({ rule, message }) => [rule, message])).toEqual([]);
  },
);

/** If this fails, an emitted module does not compile in a strict project. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { emitUpcast } from "../../generator/upcast/emit-upcast.js";
import { planUpcast } from "../../generator/upcast/plan-upcast.js";
import { preparePython, runPyright, runPython } from "../emit/python/environment.js";
import { checkTypes } from "../emit/run.js";
import { createSharedFolder } from "../folders.js";
import { loadVersionPair, PROVEN_CASES } from "./cases.js";

/** Texts that end a literal or a comment of one of the languages. */
const TEXTS = ['"', "'", "\\", "*/", "//", "#", '"""', "\n", "\u2028", "\ud800", "{x}", "__proto__", ""];

const root = createSharedFolder();
const folder = path.join(root, "modules");
const names = await writeModules();

/** Writes the modules of the cases, and those of a plan with every step and such texts, and returns their names. */
async function writeModules(): Promise<string[]> {
  mkdirSync(folder);
  const local = PROVEN_CASES.filter(({ isPublished }) => isPublished !== true);
  const pairs = await Promise.all(local.map(({ load }) => load(mkdtempSync(path.join(root, "case-")))));
  const frames = await loadVersionPair("schemas", "frames/v1", "frames/v2");
  const questions = [
    ...pairs.map(({ from, to }) => ({ from, to, steps: planUpcast(from, to).steps.map(({ step }) => step) })),
    { ...frames, steps: [] },
    ...TEXTS.map((text) => {
      const at = `/${text.replaceAll("/", "~1")}`;
      const condition = {
        types: [`${text}*`],
        streamsWith: [text],
        when: { [at]: [text, { [text]: [null, true, 1e300] }] },
      };
      return {
        ...frames,
        steps: [
          { step: "rename-type", to: text, ...condition },
          { step: "move", from: at, to: `${at}${at}` },
          { step: "move", from: at, to: "/a", alias: true, streamsWithout: [text] },
          { step: "split", from: at, separator: text, to: [at, "/b"] },
          { step: "constant", to: at, value: { [text]: text } },
          { step: "constant", to: at, value: -0.5, replaces: text },
          { step: "default", to: at, value: [null, false] },
          { step: "map", at, values: { [text]: text } },
          { step: "scale", at, by: 1e-7 },
          { step: "template", at, text: `${text}{/a}${text}{/b}${text}` },
          { step: "parse", at, text: `${text}{/a}${text}{/b}${text}` },
          { step: "number-to-text", at },
          { step: "text-to-number", at },
          { step: "number-to-time", at, unit: "seconds" },
          { step: "time-to-number", at, unit: "milliseconds", round: "down" },
        ] as const,
      };
    }),
  ];
  return questions.flatMap((question, index) =>
    emitUpcast(question).map((file) => {
      const name = `module_${index}${path.extname(file.path)}`;
      writeFileSync(path.join(folder, name), file.content);
      return name;
    }),
  );
}

describe("emitted modules", { timeout: 300_000 }, () => {
  it("pass the strict compiler of TypeScript", () => {
    expect(checkTypes(folder, "nodenext")).toBe("");
  });

  it("are compiled by Python", (context) => {
    const modules = names.filter((name) => name.endsWith(".py"));
    expect(modules.length).toBeGreaterThan(TEXTS.length);
    const { error, stderr } = spawnSync("python3", ["-W", "error", "-m", "py_compile", ...modules], {
      cwd: folder,
    });
    if (error) return context.skip("Python is absent");
    expect(String(stderr)).toBe("");
  });

  it("pass mypy, ruff and pyright", (context) => {
    const python = preparePython();
    if (python === undefined) return context.skip("mypy is absent");
    expect(runPython(python, folder, ["-m", "mypy", "--strict", "--python-version", "3.10", "."])).toMatch(
      /^Success/,
    );
    expect(runPython(python, folder, ["-m", "ruff", "check", "--isolated", "--no-cache", "."])).toBe(
      "All checks passed!\n",
    );
    expect(runPyright(python, folder) ?? "").toBe("");
  });
});

/** If this fails, docs/architecture.md shows imports or dependencies that the sources do not have. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import {
  listDirectDependencies,
  listInstalledPackages,
  REASONS,
} from "../scripts/architecture/dependencies.js";
import { formatImportPicture } from "../scripts/architecture/import-picture.js";
import { readPart } from "../scripts/architecture/page-part.js";
import { readSources } from "../scripts/architecture/sources.js";

const root = path.join(import.meta.dirname, "..");
const page = readFileSync(path.join(root, "docs/architecture.md"), "utf8");

it("shows the current imports; `npm run docs` updates them", () => {
  expect(readPart(page, "imports")).toBe(formatImportPicture(readSources()));
});

it("names tables that exist, in their files", () => {
  const [, section = ""] = page.split("## Tables that contributors extend");
  const tables = [...(section.split("\n## ")[0] ?? "").matchAll(/`(\w+)` in `([\w./-]+)`/g)];
  expect(tables.length).toBeGreaterThan(10);
  const missing = tables.filter(([, name, file = ""]) => {
    const text = readFileSync(path.join(root, "generator", file), "utf8");
    return !new RegExp(`(const|function|interface) ${name}\\b`).test(text);
  });
  expect(missing.map(([text]) => text)).toEqual([]);
});

it("omits only the arrows that longer paths imply", () => {
  const createSource = (unit: string, ...targets: readonly string[]) => ({
    file: `${unit}/x.ts`,
    unit,
    text: "",
    packages: [],
    imports: targets.map((target) => `${target}/y.ts`),
  });
  const sources = [
    createSource("a", "b", "c", "a"),
    createSource("b", "c"),
    createSource("c", "d"),
    createSource("a", "d"),
    createSource("e", "d"),
  ];
  const arrows = [...formatImportPicture(sources).matchAll(/(\w)\[.*?--> (\w)\[/g)];
  expect(arrows.map(([, from, to]) => `${from} → ${to}`)).toEqual(["a → b", "b → c", "c → d", "e → d"]);
});

it("lists each dependency with the components that use it, and the number of all packages", () => {
  const { dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(listDirectDependencies()).toEqual(Object.keys(dependencies).sort());
  expect(Object.keys(REASONS).sort()).toEqual(listDirectDependencies());
  const rows = readPart(page, "dependencies")
    .split("\n")
    .slice(2)
    .map((row) => row.split(" | "));
  expect(rows.map(([name]) => name?.replace("| ", ""))).toEqual([...listDirectDependencies(), "all of them"]);
  expect(rows.at(-1)?.[1]).toBe(String(listInstalledPackages().length));
  const unused = rows.slice(0, -1).filter(([_name, _packages, _size, users = ""]) => users === "");
  expect(unused).toEqual([]);
});

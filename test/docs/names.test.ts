/** If this fails, a page names a command, option, script, export, file or heading that does not exist. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import GithubSlugger from "github-slugger";
import { expect, it } from "vitest";
import { loadAllCommands } from "../../generator/commands/program.js";
import { readPackageTemplates } from "../../scripts/architecture/packages.js";
import { PAGES, readPage, readProse } from "./blocks.js";

const root = path.join(import.meta.dirname, "..", "..");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const commands = new Map(
  (await loadAllCommands()).map(({ name, options }) => [name, options.map(({ long }) => long ?? "")]),
);

/** Options that all commands have, and that no command lists. */
const COMMON_OPTIONS = ["--help", "--version", "--schemas", "--out", "--fixtures"];

/** Options of the scripts below scripts/. */
const SCRIPT_OPTIONS = [
  "--events",
  "--functions",
  "--mb",
  "--rounds",
  "--seed",
  "--out",
  "--faults",
  "--built",
];

/** Options of the Spark job that `accrete generate --emit spark` writes, and of the command that submits it. */
const JOB_OPTIONS = ["--partitions", "--files"];

/** Commands of other programs, with options of their own. */
const OTHER_PROGRAMS =
  /^(?:npm (?:ci|install|version|publish)|node|cargo|npx vitest|NODE_OPTIONS=\S+ npx jest|sha256sum|codesign|docker|code)\b/;

/** Scripts that `accrete init` adds to a project. */
const INIT_SCRIPTS = ["generate", "check", "test", "contract:test"];

// CHANGELOG.md also names commands and options that were renamed.
const spans = PAGES.filter((page) => page !== "CHANGELOG.md").flatMap((page) =>
  [...readProse(page).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => ({ page, code })),
);

it("every command exists", () => {
  const named = spans.flatMap(({ page, code }) =>
    [...code.matchAll(/^(?:npx )?accrete(?:-cli)? ([a-z][a-z-]*)/g)].map(([, name = ""]) => ({ page, name })),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => !commands.has(name) && name !== "help")).toEqual([]);
});

it("every option exists, for the command that is named with it", () => {
  const known = [...commands.values()].flat();
  const missing = spans.filter(({ code }) => {
    if (OTHER_PROGRAMS.test(code)) return false;
    const command = /^(?:npx )?accrete(?:-cli)? ([a-z][a-z-]*)/.exec(code)?.[1] ?? "";
    const script = /^(npm run|npx tsx)/.test(code);
    const own = commands.get(command) ?? [...known, ...SCRIPT_OPTIONS, ...JOB_OPTIONS];
    return [...code.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].some(
      ([option]) => ![...own, ...COMMON_OPTIONS, ...(script ? SCRIPT_OPTIONS : [])].includes(option),
    );
  });
  expect(missing).toEqual([]);
});

it("every npm script exists", () => {
  const named = spans.flatMap(({ page, code }) =>
    [...code.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = ""]) => ({ page, name })),
  );
  expect(named.filter(({ name }) => !(name in manifest.scripts) && !INIT_SCRIPTS.includes(name))).toEqual([]);
});

it.each(["stream", "view"])("docs/frontends.md describes every export of accrete-client/%s", (entry) => {
  const source = readFileSync(path.join(root, `generator/${entry}/index.ts`), "utf8");
  const names = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) =>
    list.split(",").map((name) => name.replace("type ", "").trim()),
  );
  const page = readPage("docs/frontends.md");
  const section = page.slice(page.indexOf(`\n## accrete-client/${entry}\n`)).split(/\n## /)[1] ?? "";
  const described = [...section.matchAll(/^(?:### `|\| `)(\w+)/gm)].map(([, name = ""]) => name);
  expect(names.filter((name) => name !== "" && !described.includes(name))).toEqual([]);
});

it("every export exists", () => {
  const exported = readPackageTemplates().flatMap(({ name, exports }) =>
    Object.keys(exports).map((key) => key.replace(".", name)),
  );
  const named = spans.filter(({ code }) => /^accrete(-cli|-client|-kit)?\/[\w./-]+$/.test(code));
  const exportedHere = Object.keys(manifest.exports).map((key) => key.replace(".", manifest.name));
  const known = [...exported, ...exportedHere];
  expect(named.filter(({ code }) => !known.includes(code))).toEqual([]);
  expect(named.length).toBeGreaterThan(5);
});

it("every command is in the table of README.md, in the order of the help", () => {
  const rows = [...readPage("README.md").matchAll(/^\| `accrete ([a-z][a-z-]*)[^|]*\|/gm)].map(
    ([, name]) => name,
  );
  expect(rows).toEqual([...commands.keys()]);
});

it("README.md links to every page", () => {
  const linked = new Set(
    [...readPage("README.md").matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target]) => target),
  );
  expect(PAGES.filter((page) => page !== "README.md" && !linked.has(page))).toEqual([]);
});

/** Returns the anchors of a page, as GitHub creates them. */
function listAnchors(file: string): string[] {
  const slugger = new GithubSlugger();
  const text = readFileSync(file, "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    slugger.slug(heading.replace(/[`*]/g, "")),
  );
}

it("every link has a target", () => {
  const broken = PAGES.flatMap((page) =>
    [...readProse(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
      if (/^https?:/.test(target)) return [];
      const [file = "", anchor] = target.split("#");
      const at = file === "" ? path.join(root, page) : path.join(root, path.dirname(page), file);
      const exists = existsSync(at) && (anchor === undefined || listAnchors(at).includes(anchor));
      return exists ? [] : [`${page}: ${target}`];
    }),
  );
  expect(broken).toEqual([]);
});

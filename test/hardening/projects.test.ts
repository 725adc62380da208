/** If this fails, a link, a device or an odd name in a project makes a command hang, write elsewhere, or print outside files. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { LOCK } from "../../generator/output/lock.js";
import { runAccrete } from "../commands/run-in-process.js";
import { writeFiles } from "../folders.js";
import { enterProject } from "./inside.js";
import { createProject, type Files } from "./project.js";
import { listDifferences, readContents } from "./writers.js";

let tea: Files = {};
beforeAll(async () => {
  tea = await createProject("nested");
});

/** Targets of links: a folder outside of the project, a file in it, and a device that never ends. */
const OUTSIDE = "../outside";
const SECRET = "../outside/secret.json";
const DEVICE = "/dev/zero";

const EVENT = "schemas/tea/v1/events/x.schema.json";
const SHARED = "schemas/tea/v1/shared/x.schema.json";
const RESOURCES = "schemas/tea/v1/resources";
const RELEASE = "schemas/tea/v1/releases/0.9.json";
const OUTPUT = "generated/tea/v1/index.js";

/** A link, its target from the project's folder, a command line, its exit code, and what it prints. */
const LINKS: readonly (readonly [
  link: string,
  to: string,
  line: string,
  exitCode: number,
  output: RegExp,
])[] = [
  [EVENT, SECRET, "lint", 1, /x\.schema\.json.* file-outside/],
  [EVENT, DEVICE, "generate", 1, /file-outside/],
  [SHARED, "schemas/nowhere", "lint", 1, /file-unreadable/],
  [SHARED, SHARED, "lint", 1, /file-unreadable/],
  [RESOURCES, OUTSIDE, "lint", 1, /resources.* file-outside/],
  [RESOURCES, "schemas/tea", "lint", 1, /resources/],
  [RELEASE, DEVICE, "compat", 1, /0\.9\.json.* file-outside/],
  [RELEASE, SECRET, "changelog", 1, /0\.9\.json.* file-outside/],
  ["package.json", DEVICE, "lint", 2, /package\.json: it is a device/],
  ["fixtures/consumers.json", DEVICE, "status", 2, /consumers\.json: it is a device/],
  ["fixtures/tea/v1/streams/x.jsonl", DEVICE, "status", 2, /x\.jsonl: it is a device/],
  [OUTPUT, SECRET, "generate", 0, /1 file written/],
  [OUTPUT, DEVICE, "generate --check", 1, /index\.js.* generated-stale This is a symbolic link/],
  ["generated/tea/v1", OUTSIDE, "generate", 1, /output-link/],
  ["generated/tea", "generated/tea", "generate", 1, /output-link/],
  [`generated/${LOCK}`, SECRET, "generate", 0, /^generated 1 protocol/],
  [
    "schemas/tea/v1/releases",
    OUTSIDE,
    "release 1.0",
    2,
    /releases is a file or a link, not a folder; nothing was/,
  ],
  ["fixtures/shop", OUTSIDE, "import samples.jsonl --name shop", 2, /is a file or a link, not a folder/],
  [".github", OUTSIDE, "init . --name mugs", 2, /\.github is a file or a link, not a folder/],
];

it.each(LINKS)(
  "if %s is a link to %s, the target is not changed or printed by accrete %s",
  async (link, to, line, exitCode, output) => {
    const root = enterProject("project", tea);
    const outside = path.join(root, OUTSIDE);
    writeFiles(outside, { "secret.json": '{"title":"SECRET"}' });
    rmSync(path.join(root, link), { recursive: true, force: true });
    mkdirSync(path.dirname(path.join(root, link)), { recursive: true });
    symlinkSync(path.isAbsolute(to) ? to : path.relative(path.dirname(link), to), path.join(root, link));
    const result = await runAccrete(line.split(" "));
    const printed = `${result.stdout}${result.stderr}`;
    expect([result.exitCode, printed]).toEqual([exitCode, expect.stringMatching(output)]);
    expect(printed).not.toContain("SECRET");
    expect([...readContents(outside).keys()]).toEqual(["secret.json"]);
  },
);

const BLOCKED = { blocked: "" };
const UNWRITABLE =
  /^accrete: Could not write to blocked(\/x)?; it is as it was\. The reason: blocked: something else has that name\.\n$/;
const NAMELESS = {
  "schemas/tea/v1/shared/parts.schema.json":
    '{"$defs":{"Mug":{"type":"object","description":"A","required":[{"toString":null}]}}}',
};

/** Command lines that the fuzzer found, the messages that they print, and additional files of the project. */
const REFUSED: readonly (readonly [line: string, stderr: RegExp, files?: Files])[] = [
  ["subset /dev/zero two.json", /^accrete: \/dev\/zero: it is a device\n$/],
  ["subset --pairs /dev/zero", /^accrete: \/dev\/zero: it is a device\n$/],
  ["status --consumers /dev/full", /^accrete: \/dev\/full: it is a device\n$/],
  ["lint --format \u001b[2J", /^accrete: option '--format <format>' argument '\\u001b\[2J' is invalid/],
  ["lint --\u009b2J", /^accrete: unknown option '--\\u009b2J'/],
  ...["schemas", "out", "fixtures"].map((key) => {
    const files = { "package.json": `{"accrete":{"${key}":"a\\u0000b"}}` };
    return ["generate", /^package\.json:1:\d+: error config-invalid /, files] as const;
  }),
  [`explain ${"x".repeat(300)}`, /^accrete: There is no rule and no event type "x+"/],
  [
    "changelog",
    /^accrete: The schemas have errors, the first in .*parts\.schema\.json; run accrete lint/,
    NAMELESS,
  ],
  ["generate --out ./schemas/", /^accrete: Schemas and generated code need two folders/],
  ["init blocked/x --name mugs", /^accrete: blocked is not a folder\.\n$/, BLOCKED],
  ["generate --out blocked/x", UNWRITABLE, BLOCKED],
  ["generate --out blocked", UNWRITABLE, BLOCKED],
  [
    "rename tea chai",
    /^accrete: fixtures\/consumers\.json:1:2: The file is not JSON: /,
    { "fixtures/consumers.json": "{" },
  ],
  [
    "import samples.jsonl --name shop --schemas blocked/x",
    /^accrete: blocked is a file or a link, not a folder; nothing was changed\.\n$/,
    BLOCKED,
  ],
];

const REFUSED_CASES = REFUSED.map(([line, output, files = {}]) => ({ line, output, files }));

it.each(REFUSED_CASES)(
  "refuses and writes nothing: accrete $line, $files",
  async ({ line, output, files }) => {
    const root = enterProject("project", { ...tea, ...files });
    const before = readContents(root);
    const { exitCode, stderr } = await runAccrete(line.split(" "));
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(output)]);
    expect(listDifferences(readContents(root), before)).toEqual([]);
  },
);

it("major leaves a fixture out that nests too deeply", async () => {
  enterProject("project", {
    ...tea,
    "fixtures/tea/v1/valid/note.added/deep.json": `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
  });
  const { exitCode, stdout } = await runAccrete(["major", "tea"]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/deep\.json: .*nests too deeply/)]);
});

/** If this fails, the installed packages do not work in a way that README.md or their manifests promise. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadAllCommands } from "../../generator/commands/program.js";
import { formatPackageTable, readPackageTemplates } from "../../scripts/architecture/packages.js";
import { readBlocks, readPage } from "../docs/blocks.js";
import { checkBlocks } from "../docs/check-block.js";
import { findTarball, getPackages, PACKAGES } from "./build.js";
import { testNewcomer } from "./newcomer.js";
import { openProject, type Project } from "./project.js";
import { type Installation, openUserShell } from "./user-shell.js";

const root = path.join(import.meta.dirname, "..", "..");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const templates = readPackageTemplates();

/** The specifiers of all exports. The pattern is replaced by one of its files. */
const EXPORTS: readonly string[] = templates.flatMap(({ name, exports }) =>
  Object.keys(exports).map((key) => key.replace(/^\./, name).replace("*", "hecate/v1/envelope.schema.json")),
);
const MODULES = EXPORTS.filter((name) => !name.endsWith(".json"));
const DOCUMENTS = EXPORTS.filter((name) => name.endsWith(".json"));

/** An expression for each module that uses its exports `m` and is true if they work. */
const USES: { readonly [name: string]: string } = {
  "accrete-cli": '(await m.loadSchemas(schemas, ["frames/v1"])).protocols[0].events.length > 10',
  "accrete-cli/serve":
    'await m.startServer({ recordings: [recording] }).then(async ({ url, stop }) => { const { ok } = await fetch(url + "/runs"); await stop(); return ok; })',
  "accrete-client/stream": '[m.createReader, m.createSseParser].every((each) => typeof each === "function")',
  "accrete-client/view": 'typeof m.createView === "function"',
  "accrete-client/react": 'typeof m.useRun === "function" && typeof m.createRunStore === "function"',
  "accrete-client/acp": 'Object.values(m).some((each) => typeof each === "function")',
  "accrete-kit/checker": 'typeof m.createStreamChecker === "function"',
  "accrete-kit": 'typeof m.describeConsumer === "function"',
};
const GENERATED: readonly (readonly [end: RegExp, use: string])[] = [
  [/\/reader$/, "m.validateEnvelope({}) === false"],
  [/\/writer$/, "m.validateEnvelope({}) === false"],
  [/\/v\d+$/, 'm.decodeEvent({}).kind === "invalid" && Object.keys(m.metadata).length > 10'],
];
const findUse = (name: string): string =>
  USES[name] ?? GENERATED.find(([end]) => end.test(name))?.[1] ?? "false";

// Each test starts several processes, beside other tests.
vi.setConfig({ testTimeout: 240_000 });

let folder: string;
let packages: string;
/** The projects that the test of README.md creates. */
let notes: Project;
let frontend: Project;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "accrete-packages-")));
  packages = getPackages();
  // Paths of users contain spaces and umlauts.
  const projects = path.join(folder, "meine Projekte ü");
  mkdirSync(projects);
  notes = openProject(path.join(projects, "notes"));
  frontend = openProject(path.join(projects, "frontend"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("README.md works from the packed packages in empty folders", async () => {
  const shell = openUserShell(path.dirname(notes.folder), packages);
  try {
    await checkBlocks(readBlocks("README.md"), shell);
  } finally {
    await shell.close();
  }
  expect(shell.installations.map(({ name }) => name)).toEqual(PACKAGES);
  shell.installations.forEach(expectStatedSize);
  const [, client, kit] = shell.installations;
  expect(client?.packages).toBe(1);
  expect(client?.bytes).toBeLessThan(1.5e6);
  expect(kit?.packages).toBeLessThanOrEqual(5);
  console.info(`README.md took ${shell.processorSeconds.toFixed(1)} s of processor time`);
  // Other processes slow down the clock time, but hardly change the processor time.
  expect(shell.processorSeconds).toBeLessThan(60);
}, 600_000);

/** Expects an installation to be as large as README.md states. Newer versions of dependencies may differ by 5 %. */
function expectStatedSize({ name, packages, bytes }: Installation): void {
  const row = new RegExp(`^\\| \`${name}\` \\|.*\\| (\\d+) \\| ([\\d.]+) \\|$`, "m");
  const [, statedPackages = 0, statedMegabytes = 0] = (row.exec(readPage("README.md")) ?? []).map(Number);
  const rounding = 0.05;
  expect(Math.abs(packages - statedPackages)).toBeLessThanOrEqual(statedPackages * 0.05);
  expect(Math.abs(bytes / 1e6 - statedMegabytes)).toBeLessThanOrEqual(rounding + statedMegabytes * 0.05);
}

it("README.md states the sizes of the packages; `npm run architecture` updates them", () => {
  const rows = formatPackageTable(packages).split("\n").slice(2);
  const shown = readPage("README.md");
  // Each change of a page changes the size of accrete-cli.
  const removeSize = (row: string): string => row.replace(/ [\d.]+ \|$/, "");
  expect(rows.map(removeSize).filter((row) => !shown.includes(row))).toEqual([]);
});

it("the packages export what the repository exports, and nothing else", () => {
  const listTargets = (exports: object): string[] =>
    [...new Set(Object.values(exports).map((target) => JSON.stringify(target)))].sort();
  const exported = listTargets(templates.flatMap(({ exports }) => Object.values(exports)));
  expect(exported).toEqual(listTargets(manifest.exports));
});

it("accrete-cli depends on all dependencies of the repository, and accrete-client on none", () => {
  const [cli, client] = templates;
  for (const field of ["dependencies", "peerDependencies"] as const)
    expect(Object.keys(cli?.[field] ?? {})).toEqual(Object.keys(manifest[field]));
  expect(cli?.peerDependenciesMeta).toEqual(manifest.peerDependenciesMeta);
  expect(client).not.toHaveProperty("dependencies");
});

describe("the generated tests", () => {
  it("name the file, the line and the error of a stream fixture", () => {
    const file = "fixtures/notes/v1/streams/two-notes.jsonl";
    const original = notes.read(file);
    notes.write(file, `${original.replace('"text"', '"words"')}{"type":\n`);
    const { status, stdout, stderr } = notes.shell("npm test");
    notes.write(file, original);
    expect(status).toBe(1);
    expect(stdout + stderr).toMatch(/two-notes\.jsonl:1: \/data must have the field text \(required\)/);
    expect(stdout + stderr).toMatch(/two-notes\.jsonl:3: SyntaxError/);
  });
});

describe("every export", () => {
  beforeAll(() => {
    // The optional peer of accrete-client.
    for (const name of ["react", "@types/react"]) {
      const target = path.join(frontend.folder, "node_modules", name);
      mkdirSync(path.dirname(target), { recursive: true });
      symlinkSync(path.resolve("node_modules", name), target);
    }
  });
  const formatChecks = (load: (name: string) => string, json: (name: string) => string): string =>
    [
      'const schemas = "node_modules/accrete-cli/schemas";',
      'const recording = "node_modules/accrete-cli/fixtures/frames/v2/streams/task.jsonl";',
      "const failed = [];",
      ...MODULES.map(
        (name) => `{ const m = ${load(name)}; if (!(${findUse(name)})) failed.push("${name}"); }`,
      ),
      ...DOCUMENTS.map((name) => `if (Object.keys(${json(name)}).length < 3) failed.push("${name}");`),
      "console.log(JSON.stringify(failed));",
    ].join("\n");

  it("is imported by ES modules", () => {
    const json = (name: string): string => `(await import("${name}", { with: { type: "json" } })).default`;
    frontend.write(
      "use.mjs",
      formatChecks((name) => `await import("${name}")`, json),
    );
    const { status, stdout } = frontend.shell("node --no-warnings use.mjs");
    expect([status, stdout]).toEqual([0, "[]\n"]);
  });

  it("is required by CommonJS, which takes ES modules since Node 20.19", () => {
    const load = (name: string): string => `require("${name}")`;
    frontend.write("use.cjs", `(async () => {\n${formatChecks(load, load)}\n})();\n`);
    expect(frontend.shell("node use.cjs")).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
  });

  const RESOLUTIONS = [
    ["node16", "node16", "use.mts"],
    ["bundler", "esnext", "use.mts"],
    ["nodenext", "nodenext", "use.cts"],
  ] as const;

  it.each(RESOLUTIONS)(
    "has types under moduleResolution %s, module %s, in %s",
    (resolution, module, file) => {
      const lines = MODULES.map((name, index) => `import * as m${index} from "${name}";`);
      // Without types, m would be `any`, and the line would have no error.
      const uses = MODULES.map((_, index) => `// @ts-expect-error\nm${index}.nothing;`);
      const json =
        resolution === "bundler"
          ? DOCUMENTS.map((name, index) => `import j${index} from "${name}";\nj${index};`)
          : [];
      const types =
        'import type { EventOf } from "accrete-client/hecate/v1";\nconst type: EventOf<"run.queued">["type"] = "run.queued";\ntype;';
      frontend.write(file, [...lines, ...uses, ...json, types].join("\n"));
      const tsc = path.join(root, "node_modules/typescript/bin/tsc");
      const options = `--noEmit --strict --target es2022 --resolveJsonModule --types node --typeRoots "${root}/node_modules/@types"`;
      const { stdout } = frontend.shell(
        `node "${tsc}" ${options} --module ${module} --moduleResolution ${resolution} ${file}`,
      );
      expect(stdout).toBe("");
    },
  );
});

/** Returns the files of packages that a bundle of `code` contains, and the packages that it still imports. */
async function listBundledFiles(code: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: frontend.folder },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    metafile: true,
    absWorkingDir: frontend.folder,
    platform: "node",
    logLevel: "error",
    external: Object.keys(manifest.dependencies),
  });
  return Object.values(metafile.outputs).flatMap(({ inputs, imports }) => [
    ...Object.entries(inputs)
      .filter(([file, { bytesInOutput }]) => file.includes("node_modules/") && bytesInOutput > 0)
      .map(([file]) => file.replace(/^.*?node_modules\//, "")),
    ...imports.map((each) => each.path),
  ]);
}

describe("a bundle", () => {
  const PROTOCOL_MODULES = MODULES.filter((name) => /\/v\d+/.test(name));

  it.each(PROTOCOL_MODULES)("of %s contains only files of its own folder", async (name) => {
    const folder = `accrete-client/generated/${name.split("/").slice(1, 3).join("/")}/`;
    const files = await listBundledFiles(`export * from "${name}";`);
    expect(files).not.toEqual([]);
    expect(files.filter((file) => !file.startsWith(folder))).toEqual([]);
  });

  const PARTS: readonly (readonly [code: string, allowed: RegExp])[] = [
    ['export * from "accrete-client/stream";', /^accrete-client\/dist\/(stream|runtime)\//],
    ['export * from "accrete-client/view";', /^accrete-client\/dist\/(view\/|stream\/stream-key\.js)/],
    [
      'export * from "accrete-kit";',
      /^(accrete-kit\/dist\/(kit|stream|runtime|conform|sample|schema|protocol|validators)\/|accrete-kit\/dist\/(json|text|nearest|finding|hash|random|group-by|get-item)\.js|fast-check$|fastest-levenshtein$|node:buffer$)/,
    ],
    [
      'export { formatTextReport } from "accrete-cli";',
      /^(accrete-cli\/dist\/(report\/|text\.js)|picocolors$)/,
    ],
    ['export { parseBaseline } from "accrete-cli";', /^accrete-cli\/dist\/load\/baseline\/baseline-spec\.js/],
    ['import "accrete-cli"; import "accrete-kit"; import "accrete-client/hecate/v1";', /^$/],
  ];

  it.each(PARTS)("of %s contains only what it needs", async (code, allowed) => {
    const files = await listBundledFiles(code);
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
  });
});

describe("package linters", () => {
  it.each(PACKAGES)("publint finds nothing in %s", async (name) => {
    const tarball = new Uint8Array(readFileSync(findTarball(packages, name))).buffer;
    expect((await publint({ pack: { tarball } })).messages).toEqual([]);
  });

  it.each(PACKAGES)("attw finds in %s only that CommonJS loads ES modules", (name) => {
    const attw = path.join(root, "node_modules/.bin/attw");
    const { status, stdout } = frontend.shell(
      `"${attw}" "${findTarball(packages, name)}" --profile node16 --ignore-rules cjs-resolves-to-esm`,
    );
    expect([status, stdout]).toEqual([0, expect.stringContaining(name)]);
  });
});

/** An adapter of a consumer that shows nothing. */
const EMPTY_ADAPTER = `import { createInterface } from "node:readline";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: method === "hello" ? { hooks: [] } : null }));
});
`;

describe("every command", () => {
  const own = "--schemas node_modules/accrete-cli/schemas";
  const streams = "node_modules/accrete-cli/fixtures/frames/v2/streams";
  const STORED_ROW = {
    sequence: 0,
    task_id: "task_1",
    run_id: "run_1",
    event_type: "run.created",
    event_data: { run: { id: "run_1" } },
    created_at: "2026-05-03T10:23:40Z",
  };
  /** Commands that README.md does not run, and one with threads. */
  const LINES: readonly (readonly [line: string, says: RegExp])[] = [
    ["changelog", /First release/],
    ["status", /note\.added/],
    ["subset schema.json schema.json", /contained/],
    ["explain field-renamed", /^field-renamed:/],
    ["report report.json", /^0 errors, 0 warnings, 0 notes$/m],
    ["site", /^1 protocol: \d+ pages and files written, /],
    ["mcp < /dev/null", /^$/],
    [`validate ${own} --threads 2 ${streams}`, /0 invalid/],
    [`audit ${own} ${streams}`, /0 invalid/],
    [
      `kit --command "node adapter.mjs" --protocol evva/v0 --law unknown-fields ${own} --format tap`,
      /^ok 1 - unknown-fields/m,
    ],
    [`monitor - --format text ${own} 2>&1 < ${streams}/task.jsonl`, /, 0 invalid, 0 findings/],
    [
      `monitor --kafka kafka://127.0.0.1/events --state state.json ${own} 2>&1 || true`,
      /Install it: npm install @platformatic\/kafka/,
    ],
    [
      `monitor --nats nats://127.0.0.1/EVENTS ${own} 2>&1 || true`,
      /Install them: npm install @nats-io\/transport-node/,
    ],
    [
      `monitor --listen 0 --otlp http://127.0.0.1:9 ${own} 2>&1 || true`,
      /Install it: npm install @opentelemetry/,
    ],
    [`redact ${own} ${streams}/task.jsonl 2> redact.txt`, /^\{/],
    [
      `upcast ${own} frames/v1 frames/v2 ${streams.replace("v2", "v1")}/task.jsonl 2> upcast.txt`,
      /"stream_kind":"task"/,
    ],
    [`map-rows ${own} rows.jsonl 2> rows.txt`, /"schema_version":"1"/],
    ["diff union.json union.json", /^0 errors, 0 warnings, 0 notes, 0 additions/],
    ["rollout fleet.json", /^Nothing is to be deployed\.$/m],
    ["watch accrete-cli:schemas/hecate/v1", /^accrete-cli .* is the newest version in /],
    ["lsp --help", /^Usage: accrete lsp /],
    ["completion bash", /^_accrete\(\) \{$/m],
    ["import union.json --name trees --schemas imported", /imported trees\/v1/],
    ["lint --schemas imported", /^0 errors, .*1 valid protocol$/m],
    ["rename trees woods --schemas imported", /^renamed trees to woods: /],
    ["major notes", /^began notes\/v2 as a copy of notes\/v1: /],
  ];

  it("is run by a test of this file, by README.md or by a script of the project", async () => {
    const scripts = Object.values(JSON.parse(notes.read("package.json")).scripts).join("\n");
    const commands = `${readBlocks("README.md")
      .map(({ text }) => text.replaceAll("npx accrete-cli", "accrete"))
      .join("\n")}\n${scripts}`;
    const missing = (await loadAllCommands()).filter(
      ({ name }) => !LINES.some(([line]) => line.startsWith(name)) && !commands.includes(`accrete ${name}`),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it.each(LINES)("accrete %s", (line, says) => {
    const branch = (type: string): object => ({
      type: "object",
      properties: { type: { const: type } },
      required: ["type"],
    });
    notes.write("adapter.mjs", EMPTY_ADAPTER);
    notes.write("schema.json", '{"type":"string"}');
    notes.write("report.json", '{"findings":[]}');
    notes.write("rows.jsonl", JSON.stringify(STORED_ROW));
    notes.write(
      "fleet.json",
      '{"versions":{"1":"union.json"},"writers":{"agent":["1"]},"readers":{"web":["1"]}}',
    );
    notes.write("union.json", JSON.stringify({ oneOf: [branch("tree.felled"), branch("tree.planted")] }));
    const { status, stdout, stderr } = notes.shell(`node_modules/.bin/accrete ${line}`);
    expect([status, stdout.slice(0, 4000), stderr]).toEqual([0, expect.stringMatching(says), ""]);
  });
});

describe("starting", () => {
  /** Returns the files that Node loads for a command line, relative to node_modules. */
  const listLoadedFiles = (line: string): string[] => {
    notes.runSuccessfully(`rm -rf loaded && node_modules/.bin/accrete ${line}`, {
      NODE_V8_COVERAGE: "loaded",
    });
    const [record = ""] = readdirSync(path.join(notes.folder, "loaded"));
    const { result } = JSON.parse(notes.read(`loaded/${record}`));
    return (result as { readonly url: string }[])
      .filter(({ url }) => url.startsWith("file:"))
      .map(({ url }) => url.replace(/^.*\/node_modules\//, ""));
  };

  it("loads few files of accrete and no dependency if all events are valid and have only declared fields", () => {
    const stream = "node_modules/accrete-cli/fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
    const files = listLoadedFiles(`validate --schemas node_modules/accrete-cli/schemas ${stream}`);
    expect(files.filter((file) => !file.startsWith("accrete-cli/dist/"))).toEqual([]);
    expect(files.length).toBeLessThan(6);
  });
});

testNewcomer(() => frontend);

it("the packages contain no tests, sources or scripts", () => {
  const files = PACKAGES.flatMap((name) =>
    readdirSync(path.join(frontend.folder, "node_modules", name, "."), { recursive: true, encoding: "utf8" }),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => /\.test\.ts$|tsconfig|^(generator|test|scripts)\b/.test(file))).toEqual([]);
});

/** If this fails, the installed package does not work in a way that its manifest promises. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadAllCommands } from "../../generator/commands/program.js";
import { testNewcomer } from "./newcomer.js";
import { installProject, type Project, readProcessorTime } from "./project.js";

const root = path.join(import.meta.dirname, "..", "..");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** The specifiers of all exports. The pattern is replaced by one of its files. */
const EXPORTS: readonly string[] = Object.keys(manifest.exports).map((key) =>
  key.replace(/^\./, "accrete").replace("*", "hecate/v1/envelope.schema.json"),
);
const MODULES = EXPORTS.filter((name) => !name.endsWith(".json"));
const DOCUMENTS = EXPORTS.filter((name) => name.endsWith(".json"));

/** An expression for each module that uses its exports `m` and is true if they work. */
const USES: { readonly [name: string]: string } = {
  accrete: '(await m.loadSchemas(schemas, ["frames/v1"])).protocols[0].events.length > 10',
  "accrete/stream": '[m.createReader, m.createSseParser].every((each) => typeof each === "function")',
  "accrete/view": 'typeof m.createView === "function"',
  "accrete/kit": 'typeof m.describeConsumer === "function"',
  "accrete/serve":
    'await m.startServer().then(async ({ url, stop }) => { const { ok } = await fetch(url + "/runs"); await stop(); return ok; })',
  "accrete/acp": 'Object.values(m).some((each) => typeof each === "function")',
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

let project: Project;
beforeAll(() => {
  const before = performance.now();
  project = installProject();
  console.info(`packed and installed in ${formatSeconds(before)}`);
}, 240_000);
afterAll(() => project?.remove());

const formatSeconds = (before: number): string => `${((performance.now() - before) / 1000).toFixed(1)} s`;

/** Creates a contract, and renames a field after its release, which compat must refuse. */
const FIRST_DAY = [
  "npx accrete init --name notes --placement nested --discriminator type",
  "npm run generate",
  "npm run check",
  "npx accrete release 1.0",
  `sed -i 's/"text"/"body"/' schemas/notes/v1/events/note.added.schema.json`,
  "npx accrete compat > compat.txt && exit 1",
  "npm test",
];

describe("the first contract of a team", () => {
  it("takes less than a minute from an empty project to a refused break", () => {
    const before = performance.now();
    const printed = project.runSuccessfully(`set -e\n${FIRST_DAY.join("\n")}\ntimes`);
    const cpu = project.installSeconds + readProcessorTime(printed);
    console.info(
      `a team's first day: ${cpu.toFixed(1)} s of processor time, ${project.installSeconds.toFixed(1)} s of them to install; ${formatSeconds(before)} on the clock since then`,
    );
    expect(project.read("compat.txt")).toMatch(
      /error field-[a-z-]+ .*\n(.*\n)*? {4}event \{"data":\{"text":/,
    );
    expect(printed).toMatch(/Tests\s+5 passed/);
    // Other processes slow down the clock time, but hardly change the processor time.
    expect(cpu).toBeLessThan(60);
  });
});

describe("the generated tests", () => {
  it("name the file, the line and the error of a stream fixture", () => {
    const file = "fixtures/notes/v1/streams/two-notes.jsonl";
    const original = project.read(file);
    project.write(file, `${original.replace('"text"', '"words"')}{"type":\n`);
    const { status, stdout, stderr } = project.shell("npm test");
    project.write(file, original);
    expect(status).toBe(1);
    expect(stdout + stderr).toMatch(/two-notes\.jsonl:1: \/data must have the field text \(required\)/);
    expect(stdout + stderr).toMatch(/two-notes\.jsonl:3: SyntaxError/);
  });
});

describe("every export", () => {
  const formatChecks = (load: (name: string) => string, json: (name: string) => string): string =>
    [
      `const schemas = ${JSON.stringify("node_modules/accrete/schemas")};`,
      "const failed = [];",
      ...MODULES.map(
        (name) => `{ const m = ${load(name)}; if (!(${findUse(name)})) failed.push("${name}"); }`,
      ),
      ...DOCUMENTS.map((name) => `if (Object.keys(${json(name)}).length < 3) failed.push("${name}");`),
      "console.log(JSON.stringify(failed));",
    ].join("\n");

  it("is imported by ES modules", () => {
    const json = (name: string): string => `(await import("${name}", { with: { type: "json" } })).default`;
    project.write(
      "use.mjs",
      formatChecks((name) => `await import("${name}")`, json),
    );
    const { status, stdout } = project.shell("node --no-warnings use.mjs");
    expect([status, stdout]).toEqual([0, "[]\n"]);
  });

  it("is required by CommonJS, which takes ES modules since Node 20.19", () => {
    const load = (name: string): string => `require("${name}")`;
    project.write("use.cjs", `(async () => {\n${formatChecks(load, load)}\n})();\n`);
    expect(project.shell("node use.cjs")).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
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
        'import type { EventOf } from "accrete/hecate/v1";\nconst type: EventOf<"run.queued">["type"] = "run.queued";\ntype;';
      project.write(file, [...lines, ...uses, ...json, types].join("\n"));
      const tsc = path.join(root, "node_modules/typescript/bin/tsc");
      const options = `--noEmit --strict --target es2022 --resolveJsonModule --types node --typeRoots "${root}/node_modules/@types"`;
      const { stdout } = project.shell(
        `node "${tsc}" ${options} --module ${module} --moduleResolution ${resolution} ${file}`,
      );
      expect(stdout).toBe("");
    },
  );
});

/** Returns the files of packages that a bundle of `code` contains, and the packages that it still imports. */
async function listBundledFiles(code: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: project.folder },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
    metafile: true,
    absWorkingDir: project.folder,
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
    const folder = `accrete/generated/${name.split("/").slice(1, 3).join("/")}/`;
    const files = await listBundledFiles(`export * from "${name}";`);
    expect(files).not.toEqual([]);
    expect(files.filter((file) => !file.startsWith(folder))).toEqual([]);
  });

  const PARTS: readonly (readonly [code: string, allowed: RegExp])[] = [
    ['export * from "accrete/stream";', /^accrete\/dist\/(stream|runtime)\//],
    ['export * from "accrete/view";', /^accrete\/dist\/(view\/|stream\/stream-key\.js)/],
    [
      'export * from "accrete/kit";',
      /^(accrete\/dist\/(kit|stream|runtime|conform|sample|schema|protocol|validators)\/|accrete\/dist\/(json|text|nearest|finding|hash|random)\.js|fast-check$|fastest-levenshtein$|node:buffer$)/,
    ],
    ['export { formatTextReport } from "accrete";', /^(accrete\/dist\/(report\/|text\.js)|picocolors$)/],
    ['export { parseBaseline } from "accrete";', /^accrete\/dist\/load\/baseline\/baseline-spec\.js/],
    ['import "accrete"; import "accrete/kit"; import "accrete/hecate/v1";', /^$/],
  ];

  it.each(PARTS)("of %s contains only what it needs", async (code, allowed) => {
    const files = await listBundledFiles(code);
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
  });
});

describe("package linters", () => {
  it("publint finds nothing", async () => {
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(readFileSync(project.tarball)).buffer },
    });
    expect(messages).toEqual([]);
  });

  it("attw finds only that CommonJS loads ES modules", () => {
    const attw = path.join(root, "node_modules/.bin/attw");
    const { status, stdout } = project.shell(
      `"${attw}" "${project.tarball}" --profile node16 --ignore-rules cjs-resolves-to-esm`,
    );
    expect([status, stdout]).toEqual([0, expect.stringContaining("accrete/hecate/v1")]);
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
  const own = "--schemas node_modules/accrete/schemas";
  const streams = "node_modules/accrete/fixtures/frames/v2/streams";
  const serving =
    "> served.txt & server=$!; until grep -qs . served.txt || ! kill -0 $server; do sleep 0.1; done; kill $server; wait $server && cat served.txt";
  const STORED_ROW = {
    sequence: 0,
    task_id: "task_1",
    run_id: "run_1",
    event_type: "run.created",
    event_data: { run: { id: "run_1" } },
    created_at: "2026-05-03T10:23:40Z",
  };
  /** Commands that the first contract does not need. */
  const LINES: readonly (readonly [line: string, says: RegExp])[] = [
    ["changelog", /Breaking/],
    ["status", /note\.added/],
    ["subset schema.json schema.json", /contained/],
    ["explain field-renamed", /^field-renamed:/],
    [`validate ${own} --threads 2 ${streams}`, /0 invalid/],
    [`replay ${own} ${streams}/task.jsonl`, /./],
    [`serve ${own} --fixtures node_modules/accrete/fixtures --port 0 ${serving}`, /^Serving \d+ runs/],
    [
      `kit --command "node adapter.mjs" --protocol evva/v0 --law unknown-fields ${own} --format tap`,
      /^ok 1 - unknown-fields/m,
    ],
    [`redact ${own} ${streams}/task.jsonl 2> redact.txt`, /^\{/],
    [
      `upcast ${own} frames/v1 frames/v2 ${streams.replace("v2", "v1")}/task.jsonl 2> upcast.txt`,
      /"stream_kind":"task"/,
    ],
    [`map-rows ${own} rows.jsonl 2> rows.txt`, /"schema_version":"1"/],
    ["import union.json --name trees --schemas imported", /imported trees\/v1/],
  ];

  it("is run by a test of this file or by a script of the project", async () => {
    const lines = [
      ...LINES.map(([line]) => line),
      ...FIRST_DAY.map((step) => step.replace("npx accrete ", "")),
    ];
    const scripts = Object.values(JSON.parse(project.read("package.json")).scripts).join("\n");
    const missing = (await loadAllCommands()).filter(
      ({ name }) => !lines.some((line) => line.startsWith(name)) && !scripts.includes(`accrete ${name}`),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it.each(LINES)("accrete %s", (line, says) => {
    const branch = (type: string): object => ({
      type: "object",
      properties: { type: { const: type } },
      required: ["type"],
    });
    project.write("adapter.mjs", EMPTY_ADAPTER);
    project.write("schema.json", '{"type":"string"}');
    project.write("rows.jsonl", JSON.stringify(STORED_ROW));
    project.write("union.json", JSON.stringify({ oneOf: [branch("tree.felled"), branch("tree.planted")] }));
    const { status, stdout, stderr } = project.shell(`node_modules/.bin/accrete ${line}`);
    expect([status, stdout.slice(0, 4000), stderr]).toEqual([0, expect.stringMatching(says), ""]);
  });
});

describe("starting", () => {
  /** Returns the files that Node loads for a command line, relative to node_modules. */
  const listLoadedFiles = (line: string): string[] => {
    project.runSuccessfully(`rm -rf loaded && node_modules/.bin/accrete ${line}`, {
      NODE_V8_COVERAGE: "loaded",
    });
    const [record = ""] = readdirSync(path.join(project.folder, "loaded"));
    const { result } = JSON.parse(project.read(`loaded/${record}`));
    return (result as { readonly url: string }[])
      .filter(({ url }) => url.startsWith("file:"))
      .map(({ url }) => url.replace(/^.*\/node_modules\//, ""));
  };

  it("loads few files of accrete and no dependency if all events are valid and have only declared fields", () => {
    const stream = "node_modules/accrete/fixtures/hecate/v1/streams/agent-loop-shell.jsonl";
    const files = listLoadedFiles(`validate --schemas node_modules/accrete/schemas ${stream}`);
    expect(files.filter((file) => !file.startsWith("accrete/dist/"))).toEqual([]);
    expect(files.length).toBeLessThan(6);
  });
});

testNewcomer(() => project);

it("contains no tests, sources or scripts", () => {
  const files = readdirSync(path.join(project.folder, "node_modules/accrete"), {
    recursive: true,
    encoding: "utf8",
  });
  expect(files.filter((file) => /\.test\.ts$|tsconfig|^(generator|test|scripts)\b/.test(file))).toEqual([]);
});

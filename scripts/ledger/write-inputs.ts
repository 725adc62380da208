/**
 * Writes the inputs of a ledger into an empty folder, with `entries.json`, the commands to run on them. The inputs are the
 * case files, the examples of rules, the bundled protocols with their recordings, and a corpus with faults. `serve` and
 * `watch` are left out, because they wait for clients or need a registry.
 *
 *     tsx scripts/ledger/write-inputs.ts FOLDER
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loadAllCommands } from "../../generator/commands/program.js";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { RULES } from "../../generator/compat/rules/rules.js";
import { SILENT } from "../../test/compat/silent.js";
import { SILENT_UNIONS } from "../../test/compat/silent-unions.js";
import { writeTea } from "../../test/compat/tea.js";
import { readStreamCases } from "../../test/conform/stream-cases.js";
import { buildAdapter } from "../../test/kit-process/serve-adapter.js";
import { readLintCases, writeCase } from "../../test/load/case-folder.js";
import { createRow } from "../../test/rows/rows.js";
import { readHistories } from "../renames/read-histories.js";
import type { Entry } from "./entry.js";

const [root = ""] = process.argv.slice(2);
const JSON_FORMAT = ["--format", "json"];
const PROJECT = "project";
const PROFILES = ["reader", "writer"];
const RECORDINGS = "fixtures/hecate/v1/streams";
/** Two services that read each other's frames, in the versions that they can have. */
const FLEET = {
  versions: { "1": "schemas/frames/v1", "2": "schemas/frames/v2" },
  writers: { agent: ["1", "2"] },
  readers: { page: ["1", "2"], editor: ["1", "2"] },
};

const entries = [
  ...writeLintCases(),
  ...writeQuestions(),
  ...writeExamples(),
  ...writeStreamCases(),
  ...writeHistories(),
  ...(await writeProject()),
];
writeFileSync(path.join(root, "entries.json"), JSON.stringify(entries));

/** Creates a folder of the inputs and returns its path. */
function createFolder(...names: readonly string[]): string {
  const folder = path.join(root, ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function writeLintCases(): Entry[] {
  return readLintCases().map(([name, given]) => {
    writeCase(createFolder("lint", name), given);
    return { name: `lint ${name}`, args: ["lint", ...JSON_FORMAT], folder: `lint/${name}` };
  });
}

/** Writes the questions whether one schema contains another, each in both directions. */
function writeQuestions(): Entry[] {
  const folder = createFolder("contain");
  return readdirSync("test/cases/contain").map((file): Entry => {
    const cases: {
      readonly name: string;
      readonly a: unknown;
      readonly b: unknown;
      readonly dialect?: string;
    }[] = JSON.parse(readFileSync(`test/cases/contain/${file}`, "utf8"));
    const pairs = cases.flatMap(({ name, a, b, dialect }) => [
      { id: name, a, b, dialect },
      { id: `${name}, reversed`, a: b, b: a, dialect },
    ]);
    writeFileSync(path.join(folder, file), pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(""));
    return { name: `subset ${file}`, args: ["subset", "--pairs", file, ...JSON_FORMAT], folder: "contain" };
  });
}

/** Writes the examples of changes, and compares each in both directions. */
function writeExamples(): Entry[] {
  const examples = [
    ...RULES.map(({ id, example }) => [id, example] as const),
    ...Object.entries({ ...SILENT, ...SILENT_UNIONS }).map(([id, each]) => [`silent ${id}`, each] as const),
  ];
  return examples.flatMap(([id, { before, after }]) => {
    const folder = `compat/${id}`;
    const write = (side: string, files: ExampleFiles): string =>
      path.relative(path.join(root, folder), writeTea(createFolder(folder, side), files));
    const sides = [write("before", before), write("after", after)] as const;
    const compare = (baseline: string, current: string): Entry => ({
      name: `compat ${id}, ${baseline} to ${current}`,
      args: [
        "compat",
        "--schemas",
        path.join(current, "../.."),
        "--against",
        `dir:${baseline}`,
        ...JSON_FORMAT,
      ],
      folder,
    });
    return [compare(...sides), compare(sides[1], sides[0])];
  });
}

/** Writes the cases of stream rules. Cases with rules of their own get schemas with these rules. */
function writeStreamCases(): Entry[] {
  return readStreamCases().flatMap(({ rule, file, given, lines }) => {
    const folder = path.join("streams", rule, path.parse(file).name);
    writeFileSync(path.join(createFolder(folder), "events.jsonl"), lines.map((line) => `${line}\n`).join(""));
    if (given.rules !== undefined) {
      const schemas = path.join(root, folder, "schemas", given.protocol);
      cpSync(path.join("schemas", given.protocol), schemas, { recursive: true });
      const manifest = path.join(schemas, "protocol.json");
      const protocol = JSON.parse(readFileSync(manifest, "utf8"));
      protocol.stream.rules = { ...protocol.stream.rules, ...given.rules };
      writeFileSync(manifest, JSON.stringify(protocol, null, 2));
    }
    const schemas =
      given.rules === undefined ? path.relative(folder, path.join(PROJECT, "schemas")) : "schemas";
    return PROFILES.map((profile) => ({
      name: `validate ${rule} ${file}, ${profile}`,
      args: [
        "validate",
        "events.jsonl",
        "--protocol",
        given.protocol,
        "--profile",
        profile,
        "--schemas",
        schemas,
        ...JSON_FORMAT,
      ],
      folder,
    }));
  });
}

/** Compares, imports and carries over the two versions of each history whose schemas are in the project. */
function writeHistories(): Entry[] {
  return readHistories()
    .filter(({ isFetched }) => !isFetched)
    .flatMap(({ history, baseline, current }) => {
      const folder = path.join("histories", path.basename(path.dirname(baseline)));
      cpSync(path.dirname(baseline), createFolder(folder), { recursive: true });
      const [before, after] = [path.basename(baseline), path.basename(current)];
      return [
        { name: `diff ${history}`, args: ["diff", before, after, ...JSON_FORMAT], folder },
        { name: `diff ${history}, reversed`, args: ["diff", after, before, ...JSON_FORMAT], folder },
        { name: `import ${history}`, args: ["import", after, "--name", "history"], folder, writes: true },
      ];
    });
}

/** Copies the protocols, their fixtures and their generated code, and runs every command on them. */
async function writeProject(): Promise<Entry[]> {
  const folder = createFolder(PROJECT);
  for (const each of ["schemas", "fixtures", "generated", "package.json"])
    cpSync(each, path.join(folder, each), { recursive: true });
  for (const [name, faults] of [
    ["valid", ""],
    ["faulty", "drop,duplicate,reorder,corrupt,unknown"],
  ] as const)
    execFileSync(
      "node",
      [
        "--import",
        "tsx",
        "scripts/make-corpus.ts",
        "--mb",
        "10",
        "--faults",
        faults,
        "--out",
        path.join(folder, `${name}.jsonl`),
      ],
      { stdio: "ignore" },
    );
  writeFileSync(path.join(folder, "fleet.json"), JSON.stringify(FLEET));
  const rows = readdirSync(RECORDINGS).flatMap((file) => {
    const lines = readFileSync(path.join(RECORDINGS, file), "utf8").trim().split("\n");
    return lines.map((line) => `${JSON.stringify(createRow(JSON.parse(line)))}\n`);
  });
  writeFileSync(path.join(folder, "rows.jsonl"), rows.join(""));
  await buildAdapter(folder, { in: "reducer" });
  const protocols = listProtocols();
  const recordings = protocols.flatMap((id) =>
    readdirSync(`fixtures/${id}/streams`).map((file) => `fixtures/${id}/streams/${file}`),
  );
  const invalid = protocols.map((id) => [id, `fixtures/${id}/invalid`] as const);
  const commands: { readonly [name: string]: readonly string[] } = {
    lint: ["lint", ...JSON_FORMAT],
    status: ["status", "--json"],
    explain: ["explain"],
    "compat with the releases": ["compat", ...JSON_FORMAT],
    changelog: ["changelog", ...JSON_FORMAT],
    "diff of frames": ["diff", "schemas/frames/v1", "schemas/frames/v2", ...JSON_FORMAT],
    "plan of frames": ["upcast", "frames/v1", "frames/v2"],
    rollout: ["rollout", "fleet.json", "--json"],
    ...Object.fromEntries(
      invalid.map(([id, place]) => [
        `validate ${place}`,
        ["validate", place, "--protocol", id, ...JSON_FORMAT],
      ]),
    ),
    ...Object.fromEntries(
      recordings.flatMap((file) => [
        ...PROFILES.map(
          (profile) =>
            [
              `validate ${file}, ${profile}`,
              ["validate", file, "--profile", profile, "--stats", ...JSON_FORMAT],
            ] as const,
        ),
        [`replay ${file}`, ["replay", file, "--reasoning", "--times", "--width", "80"]] as const,
        [`redact ${file}`, ["redact", file]] as const,
        ...(file.includes("/frames/v1/")
          ? [[`upcast ${file}`, ["upcast", "frames/v1", "frames/v2", file]] as const]
          : []),
      ]),
    ),
    ...Object.fromEntries(
      ["valid", "faulty"].flatMap((name) =>
        PROFILES.flatMap((profile) =>
          ["validate", "audit"].map((command) => [
            `${command} ${name}, ${profile}`,
            [
              command,
              `${name}.jsonl`,
              "--protocol",
              "hecate/v1",
              "--profile",
              profile,
              "--stats",
              "--limit",
              "0",
              ...JSON_FORMAT,
            ],
          ]),
        ),
      ),
    ),
    kit: ["kit", "--command", "node adapter.mjs", "--protocol", "hecate/v1", "--runs", "3", ...JSON_FORMAT],
    "map-rows": ["map-rows", "rows.jsonl"],
    help: ["--help"],
    ...Object.fromEntries((await loadAllCommands()).map(({ name }) => [`help of ${name}`, ["help", name]])),
  };
  const writing: { readonly [name: string]: readonly string[] } = {
    generate: ["generate", "--emit", "go,python,rust,vectors,sql,spark,openapi,asyncapi"],
    "import of recordings": ["import", "fixtures/hecate/v1/streams", "--name", "recorded"],
    rename: ["rename", "frames", "pictures"],
    major: ["major", "hecate"],
    init: ["init", "new", "--name", "orders", "--placement", "nested", "--discriminator", "type"],
    "waive nothing": ["compat", "--waive", "0123456789abcdef", "--reason", "none"],
    "release twice": ["release", "1.0", "hecate/v1"],
  };
  return [
    ...Object.entries(commands).map(([name, args]): Entry => ({ name, args, folder: PROJECT })),
    ...Object.entries(writing).map(([name, args]): Entry => ({ name, args, folder: PROJECT, writes: true })),
  ];
}

function listProtocols(): string[] {
  return readdirSync("schemas", { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(`schemas/${name}`)
        .filter((each) => /^v\d+$/.test(each))
        .map((major) => `${name}/${major}`),
    );
}

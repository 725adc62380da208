/** Without these, an import could destroy releases or files of others, or follow a link out of the project. */
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { LOCK } from "../../generator/output/lock.js";
import { folder, tree } from "../cli/folders.js";
import { accrete } from "../cli/run-in-process.js";

const SAMPLES = '{"type":"a"}\n{"type":"b"}\n';
const at = (root: string, name: string): string => path.join(root, name);
const argv = (root: string, ...more: string[]): string[] => [
  ...["import", at(root, "my.jsonl"), "--schemas", at(root, "schemas"), "--fixtures", at(root, "fixtures")],
  ...more,
];

it("refuses folders that exist, schemas and fixtures alike, and replaces them with --force", async () => {
  const root = folder({ "my.jsonl": SAMPLES, "fixtures/my/v1/valid/a/mine.json": "{}" });
  const refused = await accrete(argv(root));
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toContain("my/v1 exists already; --force replaces it.");
  expect(Object.keys(tree(root))).toEqual(["fixtures/my/v1/valid/a/mine.json", "my.jsonl"]);
  expect((await accrete(argv(root, "--force"))).exitCode).toBe(0);
  expect(readdirSync(at(root, "fixtures/my/v1/valid/a"))).toEqual(["sample-1.json"]);
  expect(readdirSync(at(root, "schemas"))).toEqual(["my"]);
});

it("keeps the releases of what it replaces: a release never goes away", async () => {
  const root = folder({ "my.jsonl": SAMPLES });
  expect((await accrete(argv(root))).exitCode).toBe(0);
  const folders = [
    "--schemas",
    at(root, "schemas"),
    "--out",
    at(root, "out"),
    "--fixtures",
    at(root, "fixtures"),
  ];
  for (const command of [["generate"], ["release", "1.0"]])
    expect(await accrete([...command, ...folders])).toMatchObject({ exitCode: 0, stderr: "" });
  const released = tree(root)["schemas/my/v1/releases/1.0.json"];
  expect(released).toContain('"x-release"');
  writeFileSync(at(root, "my.jsonl"), '{"type":"a"}\n{"type":"c"}\n');
  writeFileSync(at(root, "schemas/my/v1/notes.md"), "of the old protocol");
  expect(await accrete(argv(root, "--force"))).toMatchObject({ exitCode: 0 });
  const files = tree(root);
  expect(files["schemas/my/v1/releases/1.0.json"]).toBe(released);
  expect(Object.keys(files).filter((file) => /b\.schema|notes|v1\/$/.test(file))).toEqual([]);
  expect((await accrete(["compat", "--schemas", at(root, "schemas")])).stdout).toContain(
    "against release 1.0",
  );
});

const OBSTACLES: readonly (readonly [what: string, put: (root: string) => void, message: RegExp])[] = [
  [
    "a link where the protocol's folder would be",
    (root) => {
      mkdirSync(at(root, "elsewhere"));
      mkdirSync(at(root, "schemas"));
      symlinkSync(at(root, "elsewhere"), at(root, "schemas/my"));
    },
    /schemas\/my is a file or a link, not a folder. Nothing was imported/,
  ],
  [
    "a file where the schemas would be",
    (root) => writeFileSync(at(root, "schemas"), ""),
    /schemas is a file or a link, not a folder; nothing was changed/,
  ],
  [
    "a link to nothing as the version's folder",
    (root) => {
      mkdirSync(at(root, "schemas/my"), { recursive: true });
      symlinkSync(at(root, "nothing"), at(root, "schemas/my/v1"));
    },
    /is a file or a link, not a folder/,
  ],
  [
    "another import at work",
    (root) => writeFileSync(at(root, LOCK), JSON.stringify({ pid: 7, host: "elsewhere" })),
    /Another accrete \(process 7\) is writing/,
  ],
];

for (const [what, prepare, message] of OBSTACLES)
  it(`stops with a sentence before ${what}`, async () => {
    const root = folder({ "my.jsonl": SAMPLES });
    prepare(root);
    const before = tree(root);
    for (const force of [[], ["--force"]]) {
      const done = await accrete(argv(root, ...force));
      expect(done).toMatchObject({ exitCode: 2, stdout: "" });
      expect(done.stderr).toMatch(message);
      expect(done.stderr).not.toContain("unexpected");
      expect(tree(root)).toEqual(before);
    }
  });

it("does not follow a link out of the folder that is imported", async () => {
  const root = folder({
    "in/a.json": '{"properties":{"x":{"$ref":"b.json"}}}',
    "secret.json": '{"type":"string"}',
  });
  symlinkSync(at(root, "secret.json"), at(root, "in/b.json"));
  const done = await accrete(["import", at(root, "in"), "--schemas", at(root, "schemas")]);
  expect(done).toMatchObject({ exitCode: 2, stdout: "" });
  expect(done.stderr).toContain("leads out of the schemas folder");
});

it("wants two folders for schemas and fixtures", async () => {
  const root = folder({ "my.jsonl": SAMPLES });
  const done = await accrete([
    "import",
    at(root, "my.jsonl"),
    "--schemas",
    at(root, "x"),
    "--fixtures",
    at(root, "x"),
  ]);
  expect(done).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("need two folders") });
});

/** If this fails, the action of GitHub does not check, annotate or comment, or reports success for a break. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, readTree } from "../folders.js";
import { createFakeForge, type FakeForge, serveFakeForge } from "./fake-forge.js";

const root = path.join(import.meta.dirname, "../..");
const { load } = createRequire(import.meta.url)("js-yaml") as { load(text: string): unknown };

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly env: { readonly [name: string]: string };
  readonly run: string;
}

const action = load(readFileSync(path.join(root, "action.yml"), "utf8")) as {
  readonly inputs: { readonly [name: string]: { readonly default: string } };
  readonly runs: { readonly steps: readonly Step[] };
};

/** What a run of the steps left. */
interface Run {
  readonly exitCode: number;
  readonly log: string;
  readonly summary: string;
}

/** Runs the steps of the action in a project, as the runner of GitHub does: each in bash -e, with its expressions replaced. */
async function runAction(
  project: string,
  forge: FakeForge,
  address: string,
  inputs: { readonly [name: string]: string } = {},
): Promise<Run> {
  const temporary = createTemporaryFolder({ output: "", summary: "" });
  const locate = (name: string): string => path.join(temporary, name);
  const npx = locate("npx");
  const cli = path.join(root, "generator/cli.ts");
  const tsx = createRequire(import.meta.url).resolve("tsx");
  // The command of the project, as `npx --no accrete-cli` finds it.
  writeFileSync(
    npx,
    `#!/bin/bash\n[ "$1 $2" = "--no accrete-cli" ] && [ ! -e not-installed ] || exit 127\nexec node --import "${tsx}" "${cli}" "\${@:3}"\n`,
  );
  chmodSync(npx, 0o755);
  let run: Run = { exitCode: 0, log: "", summary: "" };
  for (const step of action.runs.steps) {
    const outputs = new Map(
      readFileSync(locate("output"), "utf8")
        .split("\n")
        .map((line) => line.split("=") as [string, string]),
    );
    const evaluate = (text: string): string =>
      text.replace(/\$\{\{ (.*?) \}\}/g, (_all, expression: string) => {
        const [, input] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
        const [, output] = /^steps\.check\.outputs\.(\w+)$/.exec(expression) ?? [];
        if (input === "token") return "secret";
        if (input !== undefined) return inputs[input] ?? action.inputs[input]?.default ?? "";
        if (output !== undefined) return outputs.get(output) ?? "";
        throw new Error(`unknown expression ${expression}`);
      });
    if (step.if?.includes("inputs.comment == 'true'") && inputs.comment === "false") continue;
    if (run.exitCode !== 0) break;
    const environment = {
      ...process.env,
      ...{ ...forge.createEnvironment(), GITHUB_API_URL: address, GITHUB_TOKEN: "" },
      ...{ RUNNER_TEMP: temporary, GITHUB_OUTPUT: locate("output"), GITHUB_STEP_SUMMARY: locate("summary") },
      PATH: `${temporary}:${process.env.PATH}`,
      ...Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, evaluate(value)])),
    };
    const options = { cwd: project, env: environment };
    const { exitCode, log } = await new Promise<Pick<Run, "exitCode" | "log">>((resolve) => {
      const child = execFile(
        "bash",
        ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run],
        options,
        (_error, stdout, stderr) => resolve({ exitCode: child.exitCode ?? 1, log: stdout + stderr }),
      );
    });
    run = { exitCode, log: run.log + log, summary: readFileSync(locate("summary"), "utf8") };
  }
  return run;
}

/** Creates a package with a released contract, and the text of its only event type. */
async function createPackage(folder: string): Promise<string> {
  const folders = ["schemas", "fixtures", "out"].flatMap((name) => [
    `--${name}`,
    path.join(folder, name === "out" ? "generated" : name),
  ]);
  await runAccrete(["init", folder, "--name", "notes"]);
  await runAccrete(["generate", ...folders]);
  expect(await runAccrete(["release", "1.0", "notes/v1", ...folders])).toMatchObject({ exitCode: 0 });
  return path.join(folder, "schemas/notes/v1/events/note.added.schema.json");
}

it("checks all packages, annotates, and keeps one comment that is crossed out in the end", async () => {
  const project = createTemporaryFolder();
  mkdirSync(path.join(project, "packages"));
  const event = await createPackage(path.join(project, "packages/a"));
  await createPackage(path.join(project, "packages/b"));
  const forge = createFakeForge("github");
  const address = await serveFakeForge(forge);
  const inputs = { folder: "packages/a\npackages/b\n" };
  const run = () => runAction(project, forge, address, inputs);

  expect(await run()).toMatchObject({
    exitCode: 0,
    log: expect.stringContaining("the comment was not needed"),
  });

  const text = readFileSync(event, "utf8");
  writeFileSync(event, text.replaceAll('"text"', '"note_text"'));
  const broken = await run();
  expect(broken.exitCode).toBe(1);
  const file = "packages/a/schemas/notes/v1/events/note.added.schema.json";
  expect(broken.log).toContain(`::error file=${file},line=9,col=5,title=field-renamed::`);
  expect(broken.summary).toMatch(/\*\*\d+ errors?, .*\n[\s\S]*`field-renamed`/);
  expect(forge.comments).toHaveLength(1);
  expect(forge.comments[0]?.body).toContain(`| ❌ | \`${file}:9\` | \`field-renamed\` |`);

  expect((await run()).log).toContain("the comment was unchanged");
  writeFileSync(event, text);
  expect(await run()).toMatchObject({ exitCode: 0 });
  expect(forge.comments[0]?.body).toContain(`| ✅ | ~~\`${file}\`~~ |`);
  expect(forge.changes).toEqual(["create 1", "update 1"]);
});

it("fails if a comment cannot be written only with a warning, and passes on what it is given", async () => {
  const project = createTemporaryFolder();
  const event = await createPackage(project);
  writeFileSync(event, readFileSync(event, "utf8").replaceAll('"text"', '"note_text"'));
  const forge = createFakeForge("github");
  const withoutServer = await runAction(project, forge, "http://127.0.0.1:9/api");
  expect(withoutServer.log).toContain("::warning title=accrete::The comment on the pull request could not");
  expect(withoutServer.exitCode).toBe(1);
  const address = await serveFakeForge(forge);
  // Compared with itself, nothing has changed; the generated files are still stale.
  const same = { baseline: "dir:schemas", comment: "false" };
  const compared = await runAction(project, forge, address, same);
  expect(compared.log).not.toContain("field-renamed");
  expect(forge.changes).toEqual([]);
  expect(Object.keys(readTree(project)).filter((name) => name.includes("report"))).toEqual([]);
});

it("says in which folder accrete-cli is not installed", async () => {
  const project = createTemporaryFolder({ "services/a/not-installed": "" });
  const address = await serveFakeForge(createFakeForge("github"));
  const { exitCode, log } = await runAction(project, createFakeForge("github"), address, {
    folder: "services/a",
  });
  expect([exitCode, log]).toEqual([
    2,
    expect.stringContaining("accrete-cli is not installed in services/a."),
  ]);
});

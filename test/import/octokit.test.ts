/** If this fails, an import of the real GitHub webhooks changes which events are valid. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createSharedFolder } from "../folders.js";
import { compareOctokit, fetchPackage, readJson, readOctokitExamples } from "./packages.js";

/** A few events of GitHub. `npm run prove:import` imports all of them, and another package. */
const EVENT_NAMES = ["issues_event", "ping$event", "label_event", "star_event", "check_run_event"];
const ROOTS = new Set(EVENT_NAMES.map((name) => `#/definitions/${name}`));

const root = createSharedFolder();

const isRequested = process.env.ACCRETE_TEST_PACKAGES !== undefined;
const packages = ["webhooks-schemas@7.1.0", "webhooks-schemas@7.6.1", "webhooks-examples@7.6.1"].map(
  (name) => (isRequested ? fetchPackage(root, `@octokit/${name}`) : undefined),
);
const isMissing = packages.includes(undefined);
const [before = "", after = "", published = ""] = packages.map((folder) => folder ?? "");
if (isMissing)
  console.warn(
    isRequested
      ? "skipped: npm could not fetch the packages of @octokit"
      : "skipped: real packages are imported where ACCRETE_TEST_PACKAGES is set",
  );

/** Imports some events of a version of the package. */
async function importSome(
  folder: string,
  as: string,
): Promise<{ schemas: string; stdout: string; original: JsonObject }> {
  const whole = readJson(folder, "schema.json") as JsonObject;
  const oneOf = (whole.oneOf as readonly JsonObject[]).filter(({ $ref }: JsonObject) =>
    ROOTS.has(String($ref)),
  );
  const original: JsonObject = { ...whole, oneOf: oneOf as Json };
  const file = path.join(folder, "some.json");
  writeFileSync(file, JSON.stringify(original));
  const schemas = path.join(folder, "schemas");
  const folders = ["--schemas", schemas, "--fixtures", path.join(folder, "fixtures")];
  const done = await runAccrete(["import", file, "--name", "github", "--as", as, ...folders, "--open"]);
  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  return { schemas, stdout: done.stdout, original };
}

/** The tests may take minutes on a busy machine. */
const PATIENCE = { timeout: 300_000 };

describe.skipIf(isMissing)("some events of @octokit/webhooks-schemas", PATIENCE, () => {
  let older: Awaited<ReturnType<typeof importSome>>;
  let newer: typeof older;
  beforeAll(async () => {
    older = await importSome(before, "7.1");
    newer = await importSome(after, "7.6");
  }, PATIENCE.timeout);

  it("are proven equal to the original", () => {
    for (const { stdout } of [older, newer]) {
      const [, equal, all] =
        /proven equal to the original, formats ignored: (\d+) of (\d+) events/.exec(stdout) ?? [];
      expect(Number(all)).toBeGreaterThan(EVENT_NAMES.length);
      expect(equal).toBe(all);
      expect(stdout).not.toMatch(/LOST|CHANGED|UNDECIDED/);
    }
  });

  it("validate the published examples, and variants of them, as Ajv does with the original", async () => {
    const out = path.join(after, "generated");
    const argv = [
      "generate",
      "--schemas",
      newer.schemas,
      "--fixtures",
      path.join(after, "fixtures"),
      "--out",
      out,
    ];
    expect((await runAccrete(argv)).exitCode).toBe(0);
    const load = async (
      profile: string,
    ): Promise<(type: string) => ((event: JsonObject) => boolean) | undefined> => {
      const { events } = await import(pathToFileURL(path.join(out, "github/v7", `${profile}.js`)).href);
      return (type) => events.get(type);
    };
    const validators = { writer: await load("writer"), reader: await load("reader") };
    const names = EVENT_NAMES.map((name) => name.replace(/[_$]event$/, ""));
    const examples = readOctokitExamples(published).filter(({ name }) => names.includes(name));
    const { differences, lost, accepted, refused, valid } = compareOctokit(
      newer.original,
      examples,
      validators,
      1,
    );
    expect(differences).toEqual([]);
    expect(lost).toBe(0);
    expect(Math.min(accepted, refused, valid)).toBeGreaterThan(0);
  });

  it("differ between the versions in ways that each have a witness", async () => {
    const argv = [
      "compat",
      "--schemas",
      newer.schemas,
      "--against",
      `dir:${older.schemas}`,
      "--format",
      "json",
    ];
    const { findings } = JSON.parse((await runAccrete(argv)).stdout);
    const errors = findings.filter(({ severity }: { severity: string }) => severity === "error");
    expect(errors.length).toBeGreaterThan(0);
    for (const { witness } of errors) expect(witness).toBeDefined();
  });
});

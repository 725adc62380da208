import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { protocolValidators } from "../../generator/conform/validators.js";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { FORMATS } from "../../generator/model/formats.js";
import { accrete } from "../cli/run-in-process.js";

const VERSION = "7.6.1";
const root = mkdtempSync(path.join(tmpdir(), "accrete-import-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Fetches a package through npm and unpacks it; undefined where that fails. */
function fetched(name: string): string | undefined {
  const folder = path.join(root, name.replace(/\W/g, "-"));
  mkdirSync(folder);
  try {
    const options = { cwd: folder, encoding: "utf8", stdio: "pipe", timeout: 30_000 } as const;
    const tarball = execFileSync("npm", ["pack", "--silent", `${name}@${VERSION}`], options).trim();
    execFileSync("tar", ["xzf", tarball], options);
    return path.join(folder, "package");
  } catch {
    return undefined;
  }
}

/** Minutes of work: 224 event types are proven, generated and judged, so it runs where it is asked for. */
const asked = process.env.ACCRETE_TEST_PACKAGES !== undefined;
const schemas = asked ? fetched("@octokit/webhooks-schemas") : undefined;
const examples = asked ? fetched("@octokit/webhooks-examples") : undefined;
const absent = schemas === undefined || examples === undefined;
if (absent)
  console.warn(
    asked
      ? "skipped: npm could not fetch @octokit/webhooks-schemas and -examples"
      : "skipped: real packages are imported where ACCRETE_TEST_PACKAGES is set",
  );

interface Examples {
  readonly name: string;
  readonly examples: readonly JsonObject[];
}

const readJson = (folder: string | undefined, file: string): unknown =>
  JSON.parse(readFileSync(path.join(folder ?? "", file), "utf8"));

describe.skipIf(absent)("@octokit/webhooks-schemas", () => {
  let stdout = "";
  const out = path.join(root, "schemas");

  beforeAll(async () => {
    const file = path.join(schemas ?? "", "schema.json");
    const done = await accrete(["import", file, "--name", "github", "--as", "7.6", "--out", out]);
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    stdout = done.stdout;
  }, 300_000);

  it("gives an event type for each event and action, each proven equal to what it was", () => {
    expect(stdout).toContain("224 events, told apart by the name of its definition and the field action");
    expect(stdout).toContain("proven equal to the original, formats aside: 224 of 224 events");
    expect(stdout).not.toMatch(/LOST|CHANGED|UNDECIDED/);
  });

  it("judges the published examples, and each without one of its fields, as Ajv does with the original", () => {
    const { protocols, findings } = loadSchemas(out);
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    const [protocol] = protocols;
    if (!protocol) throw new Error("the import left no protocol");
    const { writer } = protocolValidators(protocol).profiles;
    const ajv = new Ajv({ strict: false, validateSchema: false, logger: false });
    for (const [name, { test }] of FORMATS) ajv.addFormat(name, test);
    const original = readJson(schemas, "schema.json") as JsonObject;
    ajv.addSchema(original, "original");
    const definitions = original.definitions as JsonObject;
    const counts = { accepted: 0, refused: 0 };
    const differences: string[] = [];
    const judge = (name: string, payload: JsonObject): void => {
      const definition = [`${name}_event`, `${name}$event`].find((each) => Object.hasOwn(definitions, each));
      const type = writer.events.has(`${name}.${payload.action}`) ? `${name}.${payload.action}` : name;
      const before = ajv.validate({ $ref: `original#/definitions/${definition}` }, payload);
      const after = writer.events.get(type)?.({ type, payload }) ?? false;
      counts[before ? "accepted" : "refused"]++;
      if (before !== after) differences.push(`${name} ${payload.action}: ${before} before, ${after} after`);
    };
    for (const { name, examples: payloads } of readJson(examples, "api.github.com/index.json") as Examples[])
      for (const payload of payloads) {
        judge(name, payload);
        judge(name, { ...payload, undeclared: true });
        for (const field of Object.keys(payload)) {
          const { [field]: _left, ...rest } = payload;
          judge(name, rest);
        }
      }
    expect(differences).toEqual([]);
    expect(counts.accepted).toBeGreaterThan(300);
    expect(counts.refused).toBeGreaterThan(1000);
  });
});

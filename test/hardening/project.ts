/** Creates small complete projects as files in memory: schemas, fixtures, a release, generated code, files to import. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { createScaffold } from "../../generator/init/scaffold.js";
import type { Placement } from "../../generator/protocol/protocol.js";
import { runAccrete } from "../commands/run-in-process.js";
import { writeFiles } from "../folders.js";

/** Contents by path. */
export type Files = { readonly [file: string]: string };

/** A second event type, which uses most kinds of keywords. */
const MUG = {
  title: "A mug was filled",
  description: "Sent when a mug is full.",
  "x-stability": "experimental",
  "x-since": "1.0",
  type: "object",
  properties: {
    mug: { $ref: "../shared/parts.schema.json#/$defs/Mug" },
    kind: { type: "string", enum: ["tea", "milk"], description: "What is in it." },
    temperature: { type: ["number", "null"], minimum: -5.5, maximum: 100, description: "In degrees." },
    cups: { type: "array", items: { type: "integer", minimum: 0 }, maxItems: 9, description: "Counts." },
    label: { type: "string", pattern: "^[a-z]+$", maxLength: 20, description: "Beside it." },
    lid: {
      description: "What covers it.",
      oneOf: [
        { type: "object", properties: { of: { const: "wood" } }, required: ["of"] },
        { type: "object", properties: { of: { const: "glass" } }, required: ["of"] },
      ],
    },
  },
  required: ["kind"],
  if: { properties: { kind: { const: "tea" } } },
  then: { required: ["temperature"] },
};

const PARTS = {
  $defs: {
    Mug: {
      type: "object",
      description: "A mug.",
      properties: { name: { type: "string" }, inner: { $ref: "#/$defs/Mug" } },
      additionalProperties: { type: "integer" },
    },
  },
};

const createBranch = (type: string): object => ({
  type: "object",
  properties: { type: { const: type }, count: { $ref: "#/$defs/Count" } },
  required: ["type"],
});

const UNION = {
  oneOf: [createBranch("tree.felled"), createBranch("tree.planted")],
  $defs: { Count: { type: "integer", minimum: 0 } },
};

const FLEET = {
  versions: { old: "schemas/tea/v1/releases/1.0.json", new: "schemas/tea/v1" },
  writers: { tap: ["old", "new"] },
  readers: { table: ["old", "new"] },
};

const formatJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Returns the files of a project that people write. */
function createSources(placement: Placement): Files {
  const { schemas, fixtures } = createScaffold({ name: "tea", placement, discriminator: "type" });
  const mug = placement === "keyed" ? { ...MUG, "x-payload-property": "mug" } : MUG;
  return {
    ...Object.fromEntries(schemas.map((file) => [`schemas/${file.path}`, file.content])),
    ...Object.fromEntries(fixtures.map((file) => [`fixtures/${file.path}`, file.content])),
    "schemas/tea/v1/events/mug.filled.schema.json": formatJson(mug),
    "schemas/tea/v1/shared/parts.schema.json": formatJson(PARTS),
    "fixtures/consumers.json": formatJson({ "tea/v1": { web: { version: "1.0", events: ["note.added"] } } }),
    "package.json": formatJson({
      name: "project",
      type: "module",
      scripts: {},
      accrete: { schemas: "schemas" },
    }),
    "union.json": formatJson(UNION),
    "one.json": formatJson({ type: "integer" }),
    "two.json": formatJson({ type: "number" }),
    "pairs.jsonl": `${JSON.stringify({ id: 1, a: { type: "integer" }, b: { type: "number" } })}\n`,
    "samples.jsonl": '{"type":"a","n":1}\n{"type":"b","s":"x"}\n',
    "fleet.json": formatJson(FLEET),
    "report.json": formatJson({ summary: "no findings", findings: [] }),
    "faults.json": formatJson({ faults: [{ fault: "drop", events: 1 }] }),
  };
}

/** Creates a project and runs commands in it. By default they generate code and release the protocol. */
export async function createProject(
  placement: Placement,
  commands: readonly (readonly string[])[] = [["generate"], ["release", "1.0"]],
): Promise<Files> {
  const files = createSources(placement);
  const [home, root] = [cwd(), mkdtempSync(path.join(tmpdir(), "accrete-project-"))];
  try {
    writeFiles(root, files);
    chdir(root);
    for (const argv of commands) {
      const { exitCode, stdout, stderr } = await runAccrete(argv);
      if (exitCode !== 0) throw new Error(`accrete ${argv[0]} of the project: ${stdout}${stderr}`);
    }
    return readFiles(root);
  } finally {
    chdir(home);
    rmSync(root, { recursive: true });
  }
}

function readFiles(root: string): Files {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(root, file), readFileSync(file, "utf8")];
    }),
  );
}

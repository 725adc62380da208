import { beforeAll, expect, it } from "vitest";
import { accrete } from "../cli/run-in-process.js";
import { inside } from "./inside.js";
import { type Files, project } from "./project.js";
import { contents, difference } from "./writers.js";

/** What fuzzing found once, in a project that is sound but for `files`; nothing may be written. */
const MENDED: readonly {
  readonly says: string;
  readonly argv: readonly string[];
  readonly files?: Files;
  readonly told: RegExp;
}[] = [
  {
    says: "a schema to compare that never ends",
    argv: ["subset", "/dev/zero", "two.json"],
    told: /^accrete: \/dev\/zero: it is a device\n$/,
  },
  {
    says: "pairs that never end",
    argv: ["subset", "--pairs", "/dev/zero"],
    told: /^accrete: \/dev\/zero: it is a device\n$/,
  },
  {
    says: "records that never end",
    argv: ["status", "--consumers", "/dev/full"],
    told: /^accrete: \/dev\/full: it is a device\n$/,
  },
  {
    says: "an option that clears the terminal",
    argv: ["lint", "--format", "\u001b[2J"],
    told: /^accrete: option '--format <format>' argument '\\u001b\[2J' is invalid/,
  },
  {
    says: "an unknown option that clears the terminal",
    argv: ["lint", "--\u009b2J"],
    told: /^accrete: unknown option '--\\u009b2J'/,
  },
  ...["schemas", "out", "fixtures"].map((key) => ({
    says: `${key} that no system takes for a path`,
    argv: ["generate"],
    files: { "package.json": `{"accrete":{"${key}":"a\\u0000b"}}` },
    told: /^package\.json:1:\d+: error config-invalid /,
  })),
  {
    says: "a rule whose name is too long for a path",
    argv: ["explain", "x".repeat(300)],
    told: /^accrete: There is no rule "x+"/,
  },
  {
    says: "a required name that is an object without a text",
    argv: ["changelog"],
    files: {
      "schemas/tea/v1/shared/parts.schema.json":
        '{"$defs":{"Mug":{"type":"object","description":"A","required":[{"toString":null}]}}}',
    },
    told: /^accrete: The schemas have errors, the first in .*parts\.schema\.json; run accrete lint/,
  },
  {
    says: "generated code among the schemas, whose releases it would remove",
    argv: ["generate", "--out", "./schemas/"],
    told: /^accrete: Schemas and generated code need two folders/,
  },
  {
    says: "a project below a file",
    argv: ["init", "blocked/x", "--name", "mugs"],
    files: { blocked: "" },
    told: /^accrete: blocked is not a folder\.\n$/,
  },
  {
    says: "outputs below a file",
    argv: ["generate", "--out", "blocked/x"],
    files: { blocked: "" },
    told: /^accrete: Could not write to blocked\/x; it is as it was\. The reason: blocked: something else has that name\.\n$/,
  },
  {
    says: "outputs where a file stands",
    argv: ["generate", "--out", "blocked"],
    files: { blocked: "" },
    told: /^accrete: Could not write to blocked; it is as it was\. The reason: blocked: something else has that name\.\n$/,
  },
  {
    says: "an import below a file, named as the user names it",
    argv: ["import", "samples.jsonl", "--name", "shop", "--schemas", "blocked/x"],
    files: { blocked: "" },
    told: /^accrete: blocked is a file or a link, not a folder; nothing was changed\.\n$/,
  },
];

let tea: Files = {};
beforeAll(async () => {
  tea = await project("nested");
});

it.each(MENDED)("$says", async ({ argv, files = {}, told }) => {
  const root = inside("project", { ...tea, ...files });
  const before = contents(root);
  const { exitCode, stderr } = await accrete(argv);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(told)]);
  expect(difference(contents(root), before)).toEqual([]);
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { renderWorkflow } from "../../generator/init/workflow.js";
import type { Block } from "./blocks.js";
import type { Printed, Shell } from "./shell.js";

const root = path.join(import.meta.dirname, "..", "..");
const { load } = createRequire(import.meta.url)("js-yaml") as { load(text: string): unknown };

/** What a file claims to be, by the end of its name. */
const SCHEMAS: readonly (readonly [end: string, schema: string])[] = [
  ["accrete.config.json", "generator/load/config.schema.json"],
];

/** Makes the branch that pull requests are compared with. */
export const BRANCH =
  "git init -q && git add --all . && git -c user.name=a -c user.email=a@example.com commit -qm first && git update-ref refs/remotes/origin/main HEAD";

/** What the blocks of docs/stream-rules.md are members of. */
const STREAM_RULES = "generator/load/protocol.schema.json#/properties/stream/properties/rules";

/** A page on its way: where it is run, and what the last command said. */
export interface Reading {
  readonly shell: Shell;
  readonly next: Block | undefined;
  said: string;
}

type Check = (block: Block, reading: Reading) => void | Promise<void>;

/** What is done with a block, by its language. */
export const CHECKS: { readonly [language: string]: Check } = {
  sh: async ({ at, text }, reading) => {
    reading.said = "";
    for (const line of text.trim().split("\n")) {
      const printed = await runLine(reading, line);
      reading.said += printed.said;
      // A command that fails has its sentence shown.
      if (reading.next?.language !== "text") expect([at, line, printed]).toMatchObject([at, line, SOUND]);
    }
  },
  console: async ({ at, text }, reading) => {
    for (const step of text.split(/^\$ /m).slice(1)) {
      const [line = "", ...shown] = step.trimEnd().split("\n");
      const { said } = await runLine(reading, line);
      reading.said = said;
      const want = new RegExp(`^${literal(trimmed(shown.join("\n")))}$`);
      expect([at, line, trimmed(said)]).toEqual([at, line, expect.stringMatching(want)]);
    }
  },
  text: ({ at, text }, { said }) => {
    for (const line of text.trim().split("\n"))
      expect([at, said.split("\n")]).toEqual([at, containing(line)]);
  },
  json: (block, { shell }) => {
    const { file, text } = block;
    const values = jsonIn(text);
    if (file === "") return;
    for (const [end, schema] of SCHEMAS) if (file.endsWith(end)) expectValid(schema, values[0], block);
    if (file.endsWith(".schema.json")) expect(new Ajv2020().validateSchema(values[0] as object)).toBe(true);
    if (block.at.startsWith("docs/stream-rules.md")) expectValid(STREAM_RULES, values[0], block);
    written(shell, file, text);
  },
  yaml: async ({ at, text }, reading) => {
    expect([at, load(text)]).toEqual([at, expect.any(Object)]);
    if (text.includes("jobs:")) expect(text).toBe(renderWorkflow("test", "fixtures/notes/v1/streams"));
    for (const [, step = ""] of text.matchAll(/- run: (npx accrete .*)/g)) {
      const line = step.replace(/\$\{\{ github.base_ref \}\}/, "main");
      expect([at, line, await runLine(reading, line)]).toMatchObject([at, line, SOUND]);
    }
  },
  js: ({ file, text }, { shell }) => written(shell, file, text),
  ts: ({ file, text }, { shell }) => written(shell, file, text),
  // A picture that GitHub draws; test/architecture-page.test.ts compares it with the sources.
  mermaid: () => {},
  // Folders and files.
  tree: () => {},
};

/** The result of a command without findings. */
export const SOUND = { exitCode: 0 };

async function runLine({ shell }: Reading, line: string): Promise<Printed> {
  if (line.includes("git:origin/main")) expect(await shell.run(BRANCH)).toMatchObject(SOUND);
  return shell.run(line);
}

const trimmed = (text: string): string => text.replace(/[ \t]+$/gm, "").trim();

/** A pattern for a text in which … stands for anything. */
export const literal = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", "[^]*?");

const containing = (line: string): unknown =>
  expect.arrayContaining([expect.stringMatching(new RegExp(`^${literal(line)}$`))]);

/** A JSON text, members of an object, or a line of JSON each. */
function jsonIn(text: string): unknown[] {
  const whole = text.trimStart().startsWith('"') ? `{${text}}` : text;
  try {
    return [JSON.parse(whole)];
  } catch {
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}

function expectValid(schema: string, value: unknown, { at }: Block): void {
  const [file = "", fragment = ""] = schema.split("#");
  const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
  ajv.addSchema(JSON.parse(readFileSync(path.join(root, file), "utf8")), "schema");
  const valid = ajv.validate({ $ref: `schema#${fragment}` }, value);
  expect([at, valid, ajv.errors]).toEqual([at, true, null]);
}

function written(shell: Shell, file: string, text: string): void {
  if (file === "") throw new Error(`a file without a name:\n${text}`);
  const at = path.join(shell.folder, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
}

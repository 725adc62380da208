/**
 * Asks accrete and other tools about typical changes of an event, and prints a Markdown table of what they say. Each tool is
 * asked its own question: accrete and the registry Karapace, with FULL compatibility, about both directions, oasdiff about clients of the
 * previous version, buf about the same change in Protocol Buffers where they can say it. A tool that is not there is left out.
 *
 *   npm run compare:tools [-- --oasdiff FILE --buf FILE --karapace FOLDER --python FILE]
 *
 * `--karapace` is a checkout of the registry; its Python needs avro, jsonschema and networkx.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../generator/json.js";
import { describeTruth, TYPICAL_CHANGES, type TypicalChange } from "./tools/changes.js";

const { values } = parseArgs({
  options: {
    oasdiff: { type: "string", default: "oasdiff" },
    buf: { type: "string", default: "buf" },
    karapace: { type: "string" },
    python: { type: "string", default: "python3" },
  },
});

/** What a tool says: the change is safe, or breaks something, or the tool ends with an exception; undefined if it cannot be asked. */
type Answer = "safe" | "breaking" | "fails" | undefined;

/** A tool, what it says, and what is true of the question that it answers. */
interface Tool {
  readonly name: string;
  readonly ask: (change: TypicalChange, folder: string) => Answer;
  /** Undefined if the question is one about something else than JSON. */
  readonly isBroken?: (change: TypicalChange) => boolean;
}

const isBrokenAnywhere = ({ newEvent, oldEvent }: TypicalChange): boolean =>
  newEvent !== undefined || oldEvent !== undefined;

const TOOLS: readonly Tool[] = [
  { name: "accrete diff", isBroken: isBrokenAnywhere, ask: askAccrete },
  { name: "Karapace, FULL", isBroken: isBrokenAnywhere, ask: askKarapace },
  { name: "oasdiff", isBroken: ({ newEvent }) => newEvent !== undefined, ask: askOasdiff },
  { name: "buf", ask: askBuf },
];

const folder = mkdtempSync(path.join(tmpdir(), "accrete-tools-"));
try {
  const rows = TYPICAL_CHANGES.map((change) => {
    confirmEvents(change);
    return { change, answers: TOOLS.map(({ ask }) => ask(change, folder)) };
  });
  const cells = rows.map(({ change, answers }) => [
    change.name,
    describeTruth(change),
    ...answers.map((answer, index) => {
      const isBroken = TOOLS[index]?.isBroken?.(change);
      const isWrong =
        isBroken !== undefined && answer !== undefined && answer !== (isBroken ? "breaking" : "safe");
      return `${answer ?? "—"}${isWrong ? " ✗" : ""}`;
    }),
  ]);
  const sums = TOOLS.map(({ isBroken }, index) => {
    const said = rows.filter(({ answers }) => answers[index] !== undefined);
    const right = said.filter(
      ({ change, answers }) => answers[index] === (isBroken?.(change) ? "breaking" : "safe"),
    );
    return isBroken === undefined ? `${said.length} can be said` : `${right.length} of ${said.length} right`;
  });
  const table = [["change", "what breaks", ...TOOLS.map(({ name }) => name)], ...cells, ["", "", ...sums]];
  const [head, ...body] = table.map((row) => `| ${row.join(" | ")} |`);
  console.log([head, `|${"---|".repeat(TOOLS.length + 2)}`, ...body].join("\n"));
} finally {
  rmSync(folder, { recursive: true });
}

/** Throws if Ajv does not confirm the events of a change. The sender sends declared fields only. */
function confirmEvents({ name, before, after, newEvent, oldEvent }: TypicalChange): void {
  const ajv = new Ajv2020({ strict: false });
  const confirm = (event: JsonObject | undefined, sender: JsonObject, reader: JsonObject): void => {
    if (event === undefined) return;
    if (!ajv.validate({ ...sender, additionalProperties: false }, event) || ajv.validate(reader, event))
      throw new Error(`The event of "${name}" does not show the break.`);
  };
  confirm(newEvent, after, before);
  confirm(oldEvent, before, after);
}

/** Runs a command. Returns its exit code and output; undefined if there is no such command. */
function run(
  command: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): { readonly code: number | null; readonly output: string } | undefined {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...options });
  return error === undefined ? { code: status, output: stdout + stderr } : undefined;
}

/** Returns the answer of a command that exits with one code if a change is safe and with another one if it breaks something. */
function readExitCode(result: ReturnType<typeof run>, breaking: number): Answer {
  if (result === undefined) return undefined;
  if (result.code === 0) return "safe";
  if (result.code === breaking) return "breaking";
  throw new Error(result.output);
}

function writeFiles(folder: string, extension: string, before: string, after: string): [string, string] {
  const files: [string, string] = [
    path.join(folder, `before.${extension}`),
    path.join(folder, `after.${extension}`),
  ];
  writeFileSync(files[0], before);
  writeFileSync(files[1], after);
  return files;
}

function askAccrete({ before, after }: TypicalChange, folder: string): Answer {
  const files = writeFiles(folder, "json", JSON.stringify(before), JSON.stringify(after));
  return readExitCode(run(process.execPath, ["--import", "tsx", "generator/cli.ts", "diff", ...files]), 1);
}

/** The registry reads draft-07. */
function askKarapace({ before, after }: TypicalChange): Answer {
  if (values.karapace === undefined) return undefined;
  const script = `
import json, sys
from jsonschema import Draft7Validator
from karapace.core.compatibility.jsonschema.checks import compatibility
before, after = (Draft7Validator(schema) for schema in json.load(sys.stdin))
results = [compatibility(reader=after, writer=before), compatibility(reader=before, writer=after)]
print(all(str(result.compatibility).endswith(".compatible") for result in results))
`;
  const result = run(values.python, ["-c", script], {
    env: { ...process.env, PYTHONPATH: path.join(values.karapace, "src") },
    input: JSON.stringify([before, after])
      .replaceAll("$defs", "definitions")
      .replaceAll("dependentRequired", "dependencies")
      .replaceAll("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"),
  });
  if (result === undefined) throw new Error(`There is no command ${values.python}.`);
  if (result.code !== 0) return "fails";
  return result.output.trim() === "True" ? "safe" : "breaking";
}

function askOasdiff({ before, after }: TypicalChange, folder: string): Answer {
  const describe = ({ $schema: _, $defs, ...schema }: JsonObject): string => {
    const responses = {
      200: { description: "An event.", content: { "application/json": { schema } } },
    };
    const document = {
      openapi: "3.1.0",
      info: { title: "Orders", version: "1" },
      paths: { "/event": { get: { responses } } },
      components: { schemas: $defs ?? {} },
    };
    return JSON.stringify(document).replaceAll("#/$defs/", "#/components/schemas/");
  };
  const files = writeFiles(folder, "json", describe(before), describe(after));
  return readExitCode(run(values.oasdiff, ["breaking", ...files, "--fail-on", "ERR"]), 1);
}

function askBuf({ proto }: TypicalChange, folder: string): Answer {
  if (proto === undefined) return undefined;
  const describe = (fields: string): string =>
    `syntax = "proto3";\npackage orders.v1;\nmessage Order { string type = 1; string id = 2; ${fields} }\n`;
  const config = JSON.stringify({ version: "v2", breaking: { use: ["WIRE_JSON"] } });
  // Both versions must have the same file name.
  const [file, against] = [path.join(folder, "order.proto"), path.join(folder, "before.binpb")];
  writeFileSync(file, describe(proto.before));
  if (run(values.buf, ["build", `${file}#include_package_files=false`, "-o", against]) === undefined)
    return undefined;
  writeFileSync(file, describe(proto.after));
  return readExitCode(run(values.buf, ["breaking", file, "--against", against, "--config", config]), 100);
}

/** If this fails, `accrete validate` exits with a wrong code, or prints findings in the wrong form. */
import { expect, it } from "vitest";
import { type Outcome, runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject } from "../commands/temporary-project.js";
import { createTinySchemas } from "../folders.js";

const GOOD = '{"type":"tea.served","data":{"cups":2}}';
const BAD = '{"type":"tea.served","data":{"cups":-1}}';
const UNKNOWN = '{"type":"tea.spilled","data":{}}';

/** Runs `accrete validate` in a project with a small protocol and these files. */
function validateIn(
  files: { readonly [name: string]: string },
  operands: string,
  stdin?: string,
): Promise<Outcome> {
  const schemas = Object.entries(createTinySchemas()).map(([name, text]) => [`schemas/${name}`, text]);
  return createTemporaryProject({ ...Object.fromEntries(schemas), ...files }).run(
    `validate ${operands}`,
    stdin,
  );
}

const CASES: readonly (readonly [name: string, text: string, exitCode: number, stdout: string])[] = [
  ["a.jsonl", `${GOOD}\n${UNKNOWN}\n`, 0, "2 events, 0 invalid, 1 of unknown type\n"],
  [
    "a.jsonl",
    `${GOOD}\r\n\r\n${BAD}\r\n`,
    1,
    "a.jsonl:3:37: error event-invalid /data/cups must be >= 0 (minimum)\n2 events, 1 invalid\n",
  ],
  [
    "a.json",
    `[\n  ${GOOD},\n  ${BAD}]`,
    1,
    "a.json:3:39: error event-invalid /1/data/cups must be >= 0 (minimum)\n2 events, 1 invalid\n",
  ],
  [
    "a.json",
    '"tea"',
    1,
    "a.json:1:1: error event-invalid An event is an object, not a string.\n1 event, 1 invalid\n",
  ],
  [
    "a.json",
    "[[]]",
    1,
    "a.json:1:2: error event-invalid /0 An event is an object, not an array.\n1 event, 1 invalid\n",
  ],
  [
    "a.json",
    "null",
    1,
    "a.json:1:1: error event-invalid An event is an object, not null.\n1 event, 1 invalid\n",
  ],
  ["a.json", "", 1, "a.json:1:1: error json-syntax The document is empty.\n1 event, 1 invalid\n"],
  ["a.jsonl", "", 0, "a.jsonl: warning events-missing There are no events here.\n0 events, 0 invalid\n"],
  ["a.json", "[]", 0, "a.json: warning events-missing There are no events here.\n0 events, 0 invalid\n"],
  [
    "a.jsonl",
    `{"type":\n${GOOD}`,
    1,
    'a.jsonl:1:9: error json-syntax The line is not JSON: value expected (byte 8: {"type":).\n    A closing bracket is missing: the text ends too early.\n2 events, 1 invalid\n',
  ],
  [
    "a.jsonl",
    `${GOOD}\n{"type":"\\u001b[2J","type":"x"}`,
    1,
    'a.jsonl:2:21: error json-duplicate-key /type The line has the name "type" twice in one object (byte 60: {"type":"\\u001b[2J","type":"x"}).\n2 events, 1 invalid\n',
  ],
];

it.each(CASES)("prints the findings of %s: %j", async (name, text, exitCode, stdout) => {
  expect(await validateIn({ [name]: text }, `@/${name}`)).toEqual({ exitCode, stdout, stderr: "" });
});

it("reads standard input", async () => {
  const { exitCode, stdout } = await validateIn({}, "-", `${GOOD}\n${BAD}`);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout: "<stdin>:2:37: error event-invalid /data/cups must be >= 0 (minimum)\n2 events, 1 invalid\n",
  });
});

it("continues after a file that cannot be read", async () => {
  const { exitCode, stdout, stderr } = await validateIn({ "a.jsonl": GOOD }, "none.jsonl @/a.jsonl");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "1 event, 0 invalid\n" });
  expect(stderr).toBe("accrete: cannot read none.jsonl: there is no such file or folder\n");
});

it("prints at most as many findings as --limit, and the number of the others", async () => {
  const run = async (options: string): Promise<string> =>
    (await validateIn({ "a.jsonl": `${BAD}\n`.repeat(150) }, `@/a.jsonl ${options}`)).stdout;
  const listLines = async (options: string): Promise<string[]> => (await run(options)).trimEnd().split("\n");
  const lines = await listLines("--profile reader");
  expect(lines.length).toBe(102);
  expect(lines.slice(-2)).toEqual([
    "50 more findings not shown (--limit 0 shows all)",
    "150 events, 150 invalid",
  ]);
  expect(await listLines("--limit 1")).toHaveLength(3);
  expect(await listLines("--limit 0")).toHaveLength(151);
  const { summary, findings } = JSON.parse(await run("--format json"));
  expect({ hidden: summary.hidden, shown: findings.length }).toEqual({ hidden: 50, shown: 100 });
  expect(summary.rules).toEqual({ [findings[0].rule]: 150 });
});

it("reads no event if the schemas have errors", async () => {
  const files = { "a.jsonl": GOOD, "schemas/tiny/v1/envelope.schema.json": '{"typ":"object"}' };
  const { exitCode, stdout, stderr } = await validateIn(files, "@/a.jsonl");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(
    /error keyword-unknown[\s\S]*accrete: The schemas have errors, so no event was read/,
  );
});

it("validates against the protocol of --protocol", async () => {
  const event = '{"type":"output_text_delta"}';
  const any = await runAccrete(["validate", "-", "--schemas", "schemas"], event);
  expect(any.stdout).toMatch(/^<stdin>:1:1: error protocol-unknown Not an event of evva\/v0, /);
  const named = await runAccrete(["validate", "-", "--schemas", "schemas", "--protocol", "frames/v1"], event);
  expect(named.stdout).toMatch(
    /^<stdin>:1:1: error event-invalid the event must have the field id \(required\)\n/,
  );
});

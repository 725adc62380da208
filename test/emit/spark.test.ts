/** If this fails, the views or the audit job for Spark do not run, or find other things than one machine does. */
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { emitSpark } from "../../generator/emit/spark/spark.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { seededRandom } from "../../generator/random.js";
import { createFaultyLines, shuffle } from "../audit/archive.js";
import { runAccrete } from "../cli/run-in-process.js";
import { buildPackagesWithDependencies } from "../docs/installed.js";
import { createSharedFolder } from "../folders.js";
import { PROTOCOLS } from "./fixtures.js";
import { preparePython } from "./python/environment.js";
import { createCorpora, queryCorpus, sortRows, validateCorpus } from "./sql/cases.js";
import { type Row, readSchemaName, readStatements } from "./sql/engine.js";

// One Spark session answers all requests. It takes most of the time to start.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const hasJava = spawnSync("java", ["-version"]).status === 0;
if (!hasJava) console.warn("Java is absent: generated code for spark is not checked");
const python = hasJava ? preparePython("spark") : undefined;
const root = createSharedFolder();

/** A request to drive.py. */
type Request = { readonly kind: "views" | "audit"; readonly [name: string]: unknown };

type Answer = { readonly result?: unknown; readonly error?: string };

/** Runs all requests in one Spark session with two executors, which are processes of their own. */
function askSpark(requests: readonly Request[]): readonly Answer[] {
  writeFileSync(path.join(root, "requests.json"), JSON.stringify(requests));
  const { status, stderr } = spawnSync(python ?? "", [path.resolve("test/emit/spark/drive.py")], {
    env: {
      ...process.env,
      SPARK_TEST_FOLDER: root,
      SPARK_TEST_MASTER: "local-cluster[2,1,1024]",
      SPARK_LOCAL_IP: "127.0.0.1",
      PYSPARK_PYTHON: python,
    },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr.slice(-4000));
  return JSON.parse(readFileSync(path.join(root, "answers.json"), "utf8"));
}

/** Returns the result of an answer. */
function readResult<T>(answer: Answer | undefined): T {
  if (answer?.result === undefined) throw new Error(answer?.error ?? "no answer");
  return answer.result as T;
}

/** Creates a request for queries over the views of a protocol. Each file of events has its own name. */
function createViewsRequest(
  name: string,
  protocol: Protocol,
  lines: readonly string[],
  queries: readonly string[],
): Request {
  const events = path.join(root, `${name}.jsonl`);
  const rows = lines.map((event, index) => JSON.stringify({ event, file: "a.jsonl", position: index + 1 }));
  writeFileSync(events, `${rows.join("\n")}\n`);
  const schema = readSchemaName(protocol, "spark");
  // Creating the views of all event types would take most of the time.
  const statements = readStatements(protocol, "spark").filter((one) =>
    /VIEW \S+`(events|deliveries|streams)`/.test(one),
  );
  return { kind: "views", schema, events, statements, queries };
}

const corpora = createCorpora().filter(({ protocol }) => protocol.id === "frames/v1");
const archive = path.join(root, "archive");

/** Writes the events of an archive, in any order, to several files. */
function createArchive(): void {
  const lines = shuffle(createFaultyLines(5, 2000), seededRandom(1));
  for (let file = 0; file < 6; file++)
    writeFileSync(`${archive}-${file}.jsonl`, lines.filter((_, index) => index % 6 === file).join("\n"));
}

/** Writes a program that runs accrete. The first time, it kills the Spark process that called it. */
function createKillingProgram(command: string): string {
  const file = path.join(root, "killing.sh");
  writeFileSync(
    file,
    `#!/bin/bash
if mkdir ${root}/killed 2>/dev/null; then
  pid=$$
  while [ "$(cat /proc/$pid/comm)" != java ]; do pid=$(awk '/^PPid/ {print $2}' /proc/$pid/status); done
  kill -9 "$pid"
fi
exec ${command} "$@"
`,
  );
  chmodSync(file, 0o755);
  return file;
}

/** A finding, without the place that differs between Spark and one machine. */
function describeFinding(finding: Row, file: unknown): string {
  const { rule, severity, message, pointer } = finding;
  return JSON.stringify([rule, severity, message, pointer, path.basename(String(file))]);
}

describe.skipIf(python === undefined)("on Spark", async () => {
  if (python === undefined) return;
  createArchive();
  const hecate = PROTOCOLS.find(({ id }) => id === "hecate/v1");
  if (hecate === undefined) throw new Error("no protocol hecate/v1");
  const job = path.join(root, "audit.py");
  writeFileSync(job, emitSpark(hecate)[0]?.content ?? "");
  const cli = path.join(buildPackagesWithDependencies(root), "accrete-cli/dist/cli.js");
  const flags = ["validate", "--lines", "--profile", "writer", "--protocol", "hecate/v1"];
  const command = [process.execPath, cli, ...flags, "--schemas", path.resolve("schemas"), "-"];
  const audit = { kind: "audit", job, inputs: [`${archive}-*.jsonl`], format: "text" } as const;
  const killing = createKillingProgram(process.execPath);
  const answers = askSpark([
    ...corpora.map(({ protocol, lines }, index) => {
      const schema = readSchemaName(protocol, "spark");
      return createViewsRequest(`corpus-${index}`, protocol, lines, [`SELECT * FROM ${schema}.streams`]);
    }),
    { ...audit, command, output: path.join(root, "findings") },
    { ...audit, command: [killing, ...command.slice(1)], output: path.join(root, "findings-after-loss") },
  ]);

  it.each(corpora.map((corpus, index) => ({ ...corpus, index })))(
    "the views of streams agree with validate: $name",
    async ({ index, ...corpus }) => {
      const rows = readResult<readonly Row[][]>(answers[index]);
      const found = await queryCorpus({
        schema: "",
        quote: (name) => name,
        query: async (sql) => (sql.includes("streams") ? (rows[0] ?? []) : []),
      });
      const expected = await validateCorpus(corpus);
      expect(sortRows(found.streams)).toEqual(sortRows(expected.streams));
    },
  );

  it("the audit job finds what one machine finds, also when an executor is lost", async () => {
    const files = Array.from({ length: 6 }, (_, file) => `${archive}-${file}.jsonl`);
    const argv = ["audit", ...files, "--profile", "writer", "--protocol", "hecate/v1"];
    const { stdout } = await runAccrete([...argv, "--format", "json", "--limit", "0"]);
    const expected = JSON.parse(stdout).findings.map((finding: Row & { at: Row }) =>
      describeFinding({ ...finding, pointer: finding.at.pointer }, finding.at.file),
    );
    for (const answer of answers.slice(-2)) {
      const { findings, counts } = readResult<{ findings: Row[]; counts: Row[] }>(answer);
      expect(findings.map((finding) => describeFinding(finding, finding.file)).sort()).toEqual(
        expected.sort(),
      );
      const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
      expect(counts.reduce((sum, { events }) => sum + Number(events), 0)).toBe(lines.length);
    }
    expect(expected.length).toBeGreaterThan(20);
    expect(readFileSync(killing, "utf8")).toContain("kill -9");
    expect(spawnSync("ls", [path.join(root, "killed")]).status).toBe(0);
  });
});

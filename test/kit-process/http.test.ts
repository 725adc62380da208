/** If this fails, a consumer behind HTTP cannot be tested, or its server stops the run without a reason. */
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { LAWS } from "../../generator/kit/laws/laws.js";
import { runAccrete } from "../commands/run-in-process.js";
import { HTTP_FAULTS, startLyingServer } from "./lying-server.js";

/** The number of laws, and the check that the run covers the protocol. */
const LAW_COUNT = LAWS.length + 1;

/** A fault of a server, and the output of the command. */
interface FaultCase {
  readonly fault: string;
  /** In seconds; 1 by default. */
  readonly timeout?: number;
  readonly exitCode: number;
  readonly says: string;
}

const CASES: readonly FaultCase[] = JSON.parse(
  readFileSync("test/cases/kit-process/http-faults.json", "utf8"),
);

/** Runs `accrete kit` against a server. */
function runKit(url: string, ...options: string[]) {
  return runAccrete(["kit", "--url", url, "--protocol", "evva/v0", "--runs", "1", ...options]);
}

describe("a server that does one thing wrong", () => {
  it.each(CASES.map((each) => [each.fault, each] as const))(
    "%s",
    async (_name, { fault, timeout = 1, exitCode, says }) => {
      const server = await startLyingServer(fault);
      onTestFinished(server.stop);
      const options = ["--law", "never-throws", "--timeout", String(timeout)];
      const outcome = await runKit(server.url, ...options);
      expect(outcome.stdout + outcome.stderr).toContain(says);
      expect(outcome.exitCode).toBe(exitCode);
    },
    30_000,
  );

  it("has a case for each fault", () => {
    expect(CASES.map(({ fault }) => fault).sort()).toEqual([...HTTP_FAULTS].sort());
  });

  it("and ends is not blamed on later streams", async () => {
    const server = await startLyingServer("breaks the connection", { stopsAtFault: true });
    const { exitCode, stdout, stderr } = await runKit(server.url, "--timeout", "1");
    expect(stdout).toContain("broke the connection (other side closed) before it answered create (id 2)");
    expect(stdout).toContain(`evva/v0: ${LAW_COUNT} laws: 1 kept, 1 broken, ${LAW_COUNT - 2} not checked`);
    expect(stderr).toContain("could not be reached (connect ECONNREFUSED 127.0.0.1:");
    expect(exitCode).toBe(1);
  });
});

it("keeps all laws with a correct consumer", async () => {
  const server = await startLyingServer("none");
  onTestFinished(server.stop);
  const { stdout, exitCode } = await runKit(server.url);
  expect(stdout).toContain(`evva/v0: ${LAW_COUNT} laws: ${LAW_COUNT - 24} kept, 24 skipped (seed 1, 1 run)`);
  expect(exitCode).toBe(0);
});

it("walks through the messages with --check-adapter", async () => {
  const server = await startLyingServer("two answers");
  onTestFinished(server.stop);
  const { stdout, exitCode } = await runKit(server.url, "--check-adapter");
  expect(stdout).toContain('-> hello {"protocol":"evva/v0","version":1}\n<- {"hooks":[]}\n');
  expect(stdout).toContain("wrong: The adapter answered the request with id");
  expect(exitCode).toBe(2);
});

it.each([
  [["--url", "ftp://x"], "It must be a URL that begins with http:// or https://."],
  [["--url", "localhost:80"], "It must be a URL that begins with http:// or https://."],
  [["--url", "http://a:b@localhost/"], "It must not hold a user name or a password."],
  [
    ["--url", "http://localhost/", "--command", "x"],
    "Give either --command, which starts the adapter, or --url",
  ],
  [[], "Give either --command, which starts the adapter, or --url"],
  [
    ["--url", "http://127.0.0.1:2/"],
    "could not be reached (connect ECONNREFUSED 127.0.0.1:2) before it answered hello (id 1)",
  ],
])("refuses %j", async (options, message) => {
  const { exitCode, stderr } = await runAccrete(["kit", "--protocol", "evva/v0", ...options]);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});

/** If this fails, the configuration of a stream engine in docs/auditing.md does not report faults of live events. */
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../folders.js";

const isPresent = spawnSync("syslog-ng", ["--version"]).status === 0;
if (!isPresent) console.warn("syslog-ng is absent: the example of a stream engine is not run");

const FIXTURE = "fixtures/hecate/v1/streams/agent-loop-shell.jsonl";

/** Returns the configuration of the page, with files below a folder and the command line from source. */
function readConfiguration(folder: string): string {
  const [, text = ""] =
    /```conf syslog-ng\.conf\n(.*?)```/s.exec(readFileSync("docs/auditing.md", "utf8")) ?? [];
  expect(text).toContain("npx accrete-cli validate --lines");
  const cli = `${process.execPath} --import ${path.resolve("node_modules/tsx/dist/esm/index.mjs")} ${path.resolve("generator/cli.ts")}`;
  return text
    .replaceAll("/var/log/agent", folder)
    .replace("npx accrete-cli", cli)
    .replace("--lines", `--lines --schemas ${path.resolve("schemas")}`);
}

it.skipIf(!isPresent)("syslog-ng passes new events to validate, whose findings arrive at once", async () => {
  const folder = createTemporaryFolder({ "events.jsonl": "" });
  const place = (name: string): string => path.join(folder, name);
  writeFileSync(place("syslog-ng.conf"), readConfiguration(folder));
  const files = ["-f", "syslog-ng.conf", "-R", "persist", "-p", "pid", "-c", "control"];
  const engine = spawn("syslog-ng", [
    "--foreground",
    ...files.map((one) => (one.startsWith("-") ? one : place(one))),
  ]);
  try {
    const lines = readFileSync(FIXTURE, "utf8").trimEnd().split("\n");
    // The second line comes twice, with other content.
    const changed = lines[1]?.replace("agent_loop", "other") ?? "";
    appendFileSync(place("events.jsonl"), `${[...lines.slice(0, 3), changed].join("\n")}\n`);
    const findings = place("findings.jsonl");
    const isReported = (): boolean => existsSync(findings) && readFileSync(findings, "utf8").includes("\n");
    for (let tries = 0; tries < 1000 && !isReported(); tries++) await pause(100);
    expect(JSON.parse(readFileSync(findings, "utf8").split("\n")[0] ?? "")).toMatchObject({
      rule: "event-conflict",
      at: { line: 4 },
    });
  } finally {
    engine.kill();
    await new Promise((resolve) => engine.on("exit", resolve));
  }
});

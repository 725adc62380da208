/**
 * Writes an archive with planted faults, audits it, and compares: each fault must be found, and no other finding may be
 * there. Exits with 1 if not.
 *
 *     npm run audit:faults -- --events 1000000 [--files 50] [--seed 1] [--memory 512MB]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { runAccrete } from "../test/commands/run-in-process.js";
import { compareWithFaults, writeFaultyArchive } from "./corpus/faulty-archive.js";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "100000" },
    files: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    memory: { type: "string", default: "512MB" },
  },
});

const folder = mkdtempSync(path.join(tmpdir(), "accrete-faults-"));
try {
  const archive = writeFaultyArchive({
    folder,
    events: Number(values.events),
    files: Number(values.files),
    seed: Number(values.seed),
    runsPerFault: 20,
  });
  const begin = process.cpuUsage();
  const argv = ["audit", folder, "--protocol", "hecate/v1", "--format", "json", "--limit", "0"];
  const { stdout, stderr } = await runAccrete([...argv, "--memory", values.memory]);
  const { user, system } = process.cpuUsage(begin);
  const { findings } = JSON.parse(stdout);
  const { kinds, missed, invented } = compareWithFaults(archive.faults, findings);
  console.table(kinds);
  console.log(
    `${archive.events} events of ${archive.runs} runs in ${values.files} files: ${archive.faults.length} faults, ${missed.length} missed, ${invented.length} findings invented; ${((user + system) / 1e6).toFixed(0)} s of processor time, ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
  );
  for (const { kind, wrong } of missed.slice(0, 10))
    console.log(`missed: ${kind} at ${[...wrong].join(", ")}`);
  for (const { at, rule, message } of invented.slice(0, 10))
    console.log(`invented: ${at.file}:${at.line} ${rule} ${message}`);
  if (stderr !== "") console.log(stderr);
  if (missed.length > 0 || invented.length > 0 || stderr !== "") process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * Messages of OCPP: of 1.6, those of a tester of charging stations, a central system, and a recorded session, which others
 * wrote; of 2.0.1, those that the Python package `ocpp` sends.
 */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { compileOriginal } from "../../test/import/packages.js";

const PORT = 19_321;

/** Returns the messages of a conversation; undefined if Python or a package is absent. Both programs are on this machine. */
export async function recordOcpp(folder: string): Promise<readonly Json[] | undefined> {
  const environment = path.join(folder, "python");
  const find = (program: string): string => path.join(environment, "bin", program);
  const log = path.join(folder, "ocpp_lens-0.2.0/examples/sample_charger.log");
  try {
    execFileSync("python3", ["-m", "venv", environment], { stdio: "pipe" });
    const packages = ["test-ocpp==1.0.0", "ocpp-csms==0.1.0", "hatchling", "setuptools"];
    execFileSync(find("pip"), ["install", "--quiet", ...packages], { stdio: "pipe" });
    const download = ["download", "--quiet", "--no-deps", "--no-binary", "ocpp-lens", "ocpp-lens==0.2.0"];
    execFileSync(find("pip"), download, { cwd: folder, stdio: "pipe" });
    execFileSync("tar", ["xzf", "ocpp_lens-0.2.0.tar.gz"], { cwd: folder, stdio: "pipe" });
  } catch {
    return undefined;
  }
  const session = readFileSync(log, "utf8").trim().split("\n");
  return [
    ...toEvents(await recordTester(find)),
    ...toEvents(session.map((line) => (JSON.parse(line) as { message: Json }).message)),
  ];
}

/** Returns the messages of 2.0.1; undefined if Python or a package is absent. */
export function recordOcpp201(folder: string): readonly Json[] | undefined {
  const environment = path.join(folder, "python");
  try {
    execFileSync("python3", ["-m", "venv", environment], { stdio: "pipe" });
    const packages = ["ocpp==2.1.0", "websockets==16.0"];
    execFileSync(path.join(environment, "bin/pip"), ["install", "--quiet", ...packages], { stdio: "pipe" });
  } catch {
    return undefined;
  }
  const program = path.join(import.meta.dirname, "ocpp-2.0.1.py");
  const python = path.join(environment, "bin/python");
  const frames = execFileSync(python, [program], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return toEvents(
    frames
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
}

/** Returns a function that tells whether the list of schemas of the package `ocpp-rpc` accepts a message. */
export function compileOcpp(schemas: readonly JsonObject[]): (message: Json) => boolean {
  const checks = new Map(
    schemas.map((schema) => [String(schema.$id).replace(/^urn:/, ""), compileOriginal(schema)]),
  );
  return (message) =>
    isObject(message) && checks.get(String(message.type))?.("", message.payload ?? null) === true;
}

/** Runs the tester against the central system. Returns the frames of both, which the tester prints. */
async function recordTester(find: (program: string) => string): Promise<Json[]> {
  const server = spawn(find("ocpp-csms"), ["--host", "127.0.0.1", "--port", String(PORT)], {
    stdio: "ignore",
  });
  const argv = [`ws://127.0.0.1:${PORT}`, "CP1", "--ocpp", "1.6"];
  try {
    for (let attempt = 0; ; attempt++)
      try {
        const output = execFileSync(find("test-ocpp"), argv, { encoding: "utf8", stdio: "pipe" });
        return [...output.matchAll(/^(?:-->|<--) (.*)$/gm)].map(([, frame]) => JSON.parse(frame ?? ""));
      } catch (error) {
        if (attempt === 50) throw error;
        await setTimeout(200);
      }
  } finally {
    server.kill();
  }
}

/** Returns the payloads of frames with their event types. A result has the action of the call with its id. */
function toEvents(frames: readonly Json[]): Json[] {
  const actions = new Map<Json, Json>();
  return frames.flatMap((frame) => {
    if (!Array.isArray(frame)) return [];
    const [kind, id = null, action = null, call = null] = frame;
    if (kind === 2) actions.set(id, action);
    const payload = kind === 2 ? call : action;
    const type = `${actions.get(id)}.${kind === 2 ? "req" : "conf"}`;
    return isObject(payload) && (kind === 2 || kind === 3) ? [{ type, payload }] : [];
  });
}

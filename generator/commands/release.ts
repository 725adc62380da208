import { existsSync } from "node:fs";
import path from "node:path";
import { readBytes } from "../load/read-bytes.js";
import { readReleases } from "../load/release-history.js";
import type { Protocol } from "../model/protocol.js";
import { compareVersions } from "../model/version.js";
import { REPORTERS } from "../report/report.js";
import type { CommandEntry } from "./command.js";
import { checkProtocol, type ProtocolCheck } from "./compat-check.js";
import { UsageError } from "./failure.js";
import { generate } from "./generate.js";
import { EXIT, type ExitCode, type Io } from "./io.js";
import { severities } from "./lint.js";
import { loadProtocols } from "./load-protocols.js";
import { emitOption, emitted, fixturesOption, outOption, schemasOption, text } from "./options.js";
import { type Change, settle, transact } from "./transaction.js";
import { counted } from "./words.js";

export interface ReleaseOptions {
  readonly version: string;
  /** Id of the protocol; needed where several could be meant. */
  readonly protocol: string | undefined;
  readonly schemas: string;
  readonly out: string;
  readonly fixtures: string;
  /** Names of outputs that are generated besides those that every protocol has. */
  readonly emit: readonly string[];
}

/** Freezes a contract as `releases/X.Y.json`, or says why it cannot be. A release that exists is never written again. */
export async function release(options: ReleaseOptions, io: Io): Promise<ExitCode> {
  const protocol = chosen(options);
  const { version, schemas } = options;
  settle(path.join(schemas, protocol.id), io);
  const checked = await checkProtocol(protocol, schemas, undefined);
  const report = (summary: string): ExitCode => {
    io.stdout(REPORTERS.text(checked.findings, { color: io.colors, summary: { text: summary, data: {} } }));
    return EXIT.findings;
  };
  const { errors } = severities(checked.findings);
  if (errors > 0) return report(`${counted(errors, "error")}: ${protocol.id} was not released`);
  const file = path.join(schemas, protocol.id, "releases", `${version}.json`);
  const { emitRelease } = await import("../emit/release.js");
  const { content } = emitRelease(protocol);
  if (existsSync(file)) {
    if (readBytes(file).toString("utf8") === content) {
      io.stdout(`${protocol.id} ${version} is released already, and nothing has changed since\n`);
      return EXIT.ok;
    }
    return report(`${protocol.id} ${version} is released already; ${suggestion(checked, schemas)}`);
  }
  const newest = newestOf(protocol, schemas);
  if (newest !== undefined && compareVersions(version, newest) <= 0)
    return report(`${version} is not newer than the release ${newest}; ${suggestion(checked, schemas)}`);
  if (!(await upToDate(options, protocol, io))) return EXIT.findings;
  const change: Change = { path: `releases/${version}.json`, content, instead: "nothing" };
  transact(path.join(schemas, protocol.id), () => ({ changes: [change], superfluous: [] }), io);
  io.stdout(`released ${protocol.id} ${version} as ${file}\n`);
  return EXIT.ok;
}

function chosen({ version, protocol: id, schemas }: ReleaseOptions): Protocol {
  if (!/^\d+\.\d+$/.test(version))
    throw new UsageError(`"${version}" is no version; write X.Y, such as 1.0.`);
  const { protocols, findings } = loadProtocols(schemas, id === undefined ? [] : [id]);
  const fault = findings.find(({ severity }) => severity === "error");
  if (fault)
    throw new UsageError(`The schemas have errors, the first in ${fault.at.file}; run accrete lint.`);
  const fitting = protocols.filter((protocol) => protocol.version === version);
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  if (fitting.length > 1)
    throw new UsageError(
      `${fitting.map((each) => each.id).join(" and ")} are at ${version}; name one of them.`,
    );
  const versions = protocols.map((protocol) => `${protocol.id} is at ${protocol.version}`).join(", ");
  throw new UsageError(
    `No protocol is at version ${version}: ${versions}. The version stands in protocol.json.`,
  );
}

function newestOf({ name, major }: Protocol, schemas: string): string | undefined {
  const { releases } = readReleases(schemas, name);
  return releases.filter(({ protocol }) => protocol.major === major).at(-1)?.version;
}

/** The version that the changes call for. */
export function suggestion({ protocol, additions, breaks }: ProtocolCheck, schemas: string): string {
  const newest = newestOf(protocol, schemas);
  if (newest === undefined) return `the first release would be ${protocol.version}`;
  const [major = "0", minor = "0"] = newest.split(".");
  if (breaks) return `with its breaks the contract would be ${Number(major) + 1}.0`;
  const next = `${major}.${Number(minor) + 1}`;
  return additions.length > 0
    ? `with its additions the contract would be ${next}`
    : `the next release would be ${next}`;
}

/** Whether the generated files are those of these schemas; says which are not. */
async function upToDate(
  { schemas, out, fixtures, emit }: ReleaseOptions,
  { id }: Protocol,
  io: Io,
): Promise<boolean> {
  const printed: string[] = [];
  const quiet: Io = { ...io, stdout: (chunk) => void printed.push(chunk) };
  const options = { protocols: [id], schemas, out, fixtures, emit, format: "text", check: true } as const;
  if ((await generate(options, quiet)) === EXIT.ok) return true;
  io.stdout(
    `${printed.join("")}${id} was not released: its generated files are stale; run accrete generate\n`,
  );
  return false;
}

/** `accrete release`. */
export const releaseCommand: CommandEntry = {
  name: "release",
  summary: "freeze a contract under its version",
  operands: {
    syntax: "<release...>",
    description: "the version X.Y that protocol.json states, then the id of its protocol",
  },
  options: [schemasOption, outOption, fixturesOption, emitOption],
  writes: true,
  examples: [["release 1.1 hecate/v1", "freeze it as schemas/hecate/v1/releases/1.1.json"]],
  run: ([version = "", protocol], options, io) =>
    release(
      {
        version,
        protocol,
        schemas: text(options, "schemas"),
        out: text(options, "out"),
        fixtures: text(options, "fixtures"),
        emit: emitted(options),
      },
      io,
    ),
};

/** Begins the next major version of a protocol, beside the one that has releases. */
import path from "node:path";
import { UsageError } from "../failure.js";
import { EXIT, type ExitCode, type Io, lstatIfExists, toForwardSlashes } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { listMajors } from "../load/releases/former-names.js";
import { readReleases } from "../load/releases/release-history.js";
import { findCommonFolder } from "../output/paths.js";
import { changeFolder, recoverInterruptedRun } from "../output/transaction.js";
import type { Protocol } from "../protocol/protocol.js";
import { REPORTERS } from "../report/report.js";
import { formatArgument, formatCount } from "../text.js";
import {
  type CopiedContract,
  copyContract,
  type DeprecatedName,
  type EarlierMajor,
} from "./copy-contract.js";
import { type CopiedFixtures, copyFixtures } from "./copy-fixtures.js";
import { readFolder } from "./read-folder.js";

/** The options of `accrete major`. */
interface MajorOptions {
  /** The name of the protocol. */
  readonly name: string;
  readonly schemas: string;
  readonly fixtures: string;
}

/**
 * Copies the newest major version of a protocol and its fixtures for the next one, all or nothing, without what its newest
 * release deprecates. Prints what it did, and what the owner does next.
 */
export async function beginMajor({ name, schemas, fixtures }: MajorOptions, io: Io): Promise<ExitCode> {
  const top = findCommonFolder(".", [schemas, fixtures]);
  recoverInterruptedRun(top, io);
  const earlier = await readNewestMajor(name, schemas);
  const id = `${name}/v${earlier.protocol.major + 1}`;
  for (const folder of [schemas, fixtures])
    if (lstatIfExists(path.join(folder, id)))
      throw new UsageError(`${toForwardSlashes(path.join(folder, id))} exists already.`);
  const contract = await copyContract(earlier);
  if (!("protocol" in contract)) {
    const text = `${formatCount(contract.length, "error")} in the copy: ${id} was not begun`;
    io.stdout(REPORTERS.text(contract, { color: io.colors, summary: { text, data: {} } }));
    return EXIT.findings;
  }
  const texts = readFolder(path.join(fixtures, earlier.protocol.id));
  const copied = copyFixtures(texts, { earlier: earlier.protocol, ...contract });
  const locate = (folder: string, file: string): string =>
    toForwardSlashes(path.relative(path.resolve(top), path.resolve(folder, file)));
  const changes = [
    ...[...contract.files].map(([file, content]) => ({ path: locate(schemas, `${id}/${file}`), content })),
    ...copied.files.map((file) => ({ path: locate(fixtures, file.path), content: file.content })),
  ];
  changeFolder(
    top,
    changes.map((change) => ({ ...change, exists: false })),
    io,
  );
  io.stdout(describeResult(earlier, contract, copied, { schemas, fixtures }));
  return EXIT.ok;
}

/** Reads the newest major version, which must have a release. */
async function readNewestMajor(name: string, schemas: string): Promise<EarlierMajor> {
  const newest = Math.max(...listMajors(schemas, name).map((folder) => Number(folder.slice(1))));
  // Without a major version, the error lists the protocols.
  const [protocol] = await loadValidProtocols(schemas, [
    Number.isFinite(newest) ? `${name}/v${newest}` : name,
  ]);
  const { releases, findings } = readReleases(schemas, name);
  if (findings[0]) throw new UsageError(`${findings[0].at.file}: ${findings[0].message} Run accrete compat.`);
  const release = releases.findLast((each) => each.protocol.major === newest);
  if (protocol === undefined || release === undefined)
    throw new UsageError(
      `${name}/v${newest} has no release, so nobody depends on it yet: change it, or release it first with accrete release.`,
    );
  const files = [...readFolder(path.join(schemas, protocol.id))]
    .filter(([file]) => file === "protocol.json" || file.endsWith(".schema.json"))
    .map(([file, text]) => [file, text.replace(/^\ufeff/, "")] as const);
  return {
    protocol,
    files: new Map(files),
    release: release.protocol,
    history: releases.map((each) => each.protocol),
    schemas,
  };
}

function describeResult(
  { protocol: earlier, release }: EarlierMajor,
  { protocol, files, removed, kept }: CopiedContract,
  { files: fixtureFiles, leftOut, made }: CopiedFixtures,
  folders: Pick<MajorOptions, "schemas" | "fixtures">,
): string {
  const { id } = protocol;
  const schemas = toForwardSlashes(path.join(folders.schemas, id));
  const removedNames = removed.flatMap(({ names }) => names.map(({ kind, name }) => `${kind} ${name}`));
  const otherTombstones = protocol.tombstones
    .slice(earlier.tombstones.length)
    .filter(({ kind, name }) => !removedNames.includes(`${kind} ${name}`));
  const fixtures = toForwardSlashes(path.join(folders.fixtures, id));
  const lines = [
    `began ${id} as a copy of ${earlier.id}: ${formatCount(files.size, "file")} in ${schemas}, ${formatCount(fixtureFiles.length, "file")} in ${fixtures}`,
    ...removed.map((each) => `removed ${describeName(each)}, with a tombstone`),
    ...otherTombstones.map(
      ({ kind, name, in: owner }) =>
        `wrote a tombstone for the ${kind} ${name}${owner === undefined ? "" : ` of ${owner}`}, which only earlier releases have`,
    ),
    ...kept.map((each) => `kept ${describeName(each)}, although it is deprecated: ${each.reason}`),
    ...leftOut.map(
      ({ file, reason }) =>
        `left out ${toForwardSlashes(path.join(folders.fixtures, earlier.id, file))}: ${reason}`,
    ),
    ...made.map(
      (file) => `made ${toForwardSlashes(path.join(folders.fixtures, file))}, because no fixture was left`,
    ),
    "",
    "Next:",
    ...listNextSteps(earlier, protocol, release, {
      schemas,
      streams: path.join(folders.fixtures, earlier.id, "streams"),
    }),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function describeName({ names: [first, ...others] }: DeprecatedName): string {
  const replacement = typeof first.replacedBy === "string" ? ` (${first.replacedBy} replaces it)` : "";
  if (first.kind === "event") return `the event type ${first.name}${replacement}`;
  const owner = first.event === "" ? "the envelope" : first.event;
  const more = others.length > 0 ? ` and ${formatCount(others.length, "further event type")}` : "";
  return `the field ${first.path}/${first.name} of ${owner}${more}${replacement}`;
}

function listNextSteps(
  earlier: Protocol,
  { id, version }: Protocol,
  release: Protocol,
  { schemas, streams }: { readonly schemas: string; readonly streams: string },
): string[] {
  const steps: (readonly [string, string])[] = [
    ["npx accrete-cli generate", `its outputs, beside those of ${earlier.id}`],
    [
      `npx accrete-cli compat ${id} --against release:${release.version}`,
      `what changes for readers of ${earlier.id}`,
    ],
    [
      `npx accrete-cli upcast ${earlier.id} ${id} ${formatArgument(`${toForwardSlashes(streams)}/*.jsonl`)} --out carried`,
      'tries "upcasts" of protocol.json, which you complete',
    ],
    [`npx accrete-cli release ${version} ${id}`, "from here on it may only grow"],
  ];
  const width = Math.max(...steps.map(([command]) => command.length));
  return [
    `  Change ${schemas}; breaks are free until its first release.`,
    ...steps.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`),
  ];
}

/** Loads the baseline of a comparison: a protocol from a folder, a release, a git revision or an npm package. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Finding, formatLocatedMessage, type Location } from "../../finding.js";
import { toForwardSlashes } from "../../io.js";
import type { Protocol } from "../../protocol/protocol.js";
import { loadSchemas } from "../load.js";
import { CONTRACT_ONLY } from "../protocol.js";
import { readFormerNames, useCurrentName } from "../releases/former-names.js";
import { readRelease } from "../releases/read-release.js";
import { AbsentError, BaselineError, type BaselineSpec } from "./baseline-spec.js";
import { fetchGit, fetchNpm } from "./fetch-baseline.js";
import { createLocator, type LocatePlace, locateOnDisk, readIfPossible } from "./locate-place.js";

/** A protocol version to compare against. */
export interface Baseline {
  /** The name of the baseline for users, such as `release 1.0` or `git:main`. */
  readonly label: string;
  readonly protocol: Protocol;
  readonly locate: LocatePlace;
}

/**
 * Loads the protocol `id`, or another major version of it, from the baseline `spec`. `schemas` is the folder of the current
 * protocols. Throws a BaselineError if the baseline cannot be loaded, and an AbsentError if it holds other protocols only.
 */
export async function openBaseline(spec: BaselineSpec, id: string, schemas: string): Promise<Baseline> {
  const name = id.slice(0, id.indexOf("/"));
  const formerNames = readFormerNames(schemas, name);
  const baseline = await loadBaseline(spec, id, schemas, formerNames);
  const protocol = useCurrentName(baseline.protocol, name, formerNames);
  if (protocol.name === name) return { ...baseline, protocol };
  throw new AbsentError(
    `${baseline.label} is the protocol ${baseline.protocol.name} and cannot be compared with ${id}; name the protocol to compare before --against.`,
  );
}

async function loadBaseline(
  spec: BaselineSpec,
  id: string,
  schemas: string,
  formerNames: readonly string[],
): Promise<Baseline> {
  const ids = [id, ...formerNames.map((name) => name + id.slice(id.indexOf("/")))];
  switch (spec.kind) {
    case "dir":
      return await openProtocolFolder(spec.path, id, ids);
    case "release":
      return loadFromRelease(spec.version, id, schemas);
    case "git":
      return await loadFromCopy(
        `git:${spec.ref}`,
        `${spec.ref}:${toForwardSlashes(schemas)}`,
        ids,
        (folder) => fetchGit(spec.ref, schemas, folder),
      );
    case "npm":
      return await loadFromCopy(`npm:${spec.package}`, `${spec.package}:schemas`, ids, (folder) =>
        fetchNpm(spec.package, folder),
      );
  }
}

/**
 * Loads a folder of one version (`other/schemas/orders/v1`), or the protocol `id` of a folder of all protocols
 * (`other/schemas`), which may have any of `ids` there. Throws as `openBaseline` does.
 */
export async function openProtocolFolder(
  folder: string,
  id: string,
  ids: readonly string[] = [id],
): Promise<Baseline> {
  const isSingleProtocol = existsSync(path.join(folder, "protocol.json"));
  const resolved = path.resolve(folder);
  const protocolId = isSingleProtocol
    ? toForwardSlashes(path.join(path.basename(path.dirname(resolved)), path.basename(resolved)))
    : chooseProtocol(folder, ids);
  const root = isSingleProtocol ? path.join(folder, "..", "..") : folder;
  if (!existsSync(path.join(root, protocolId, "protocol.json")))
    throw new AbsentError(`${folder} is not a protocol folder, and there is no ${id} in it.`);
  return {
    label: `dir:${folder}`,
    protocol: await loadSingleProtocol(root, protocolId, `dir:${folder}`),
    locate: locateOnDisk(),
  };
}

/** Returns the first of the ids that a schemas folder holds; the first one if it holds none. */
function chooseProtocol(schemas: string, ids: readonly string[]): string {
  return ids.find((id) => existsSync(path.join(schemas, id, "protocol.json"))) ?? ids[0] ?? "";
}

function loadFromRelease(version: string, id: string, schemas: string): Baseline {
  const name = id.slice(0, id.indexOf("/"));
  const file = toForwardSlashes(
    path.join(schemas, name, `v${version.split(".")[0]}`, "releases", `${version}.json`),
  );
  const bytes = readIfPossible(file);
  if (!bytes)
    throw new AbsentError(
      `There is no release ${version} of ${name}: ${file} does not exist or cannot be read.`,
    );
  const { protocol, findings } = readRelease(file, bytes);
  if (!protocol) throw createUnreadableError(`release ${version}`, findings);
  return { label: `release ${version}`, protocol, locate: locateOnDisk() };
}

/** Fetches a schemas folder into a temporary folder, loads it, and removes it again. */
async function loadFromCopy(
  label: string,
  displayName: string,
  ids: readonly string[],
  fetch: (folder: string) => string | Promise<string>,
): Promise<Baseline> {
  const temporary = mkdtempSync(path.join(tmpdir(), "accrete-baseline-"));
  try {
    const root = await fetch(temporary);
    const id = chooseProtocol(root, ids);
    if (!existsSync(path.join(root, id, "protocol.json")))
      throw new AbsentError(`There is no protocol ${id} in ${label}.`);
    const rename = (file: string): string => file.replace(toForwardSlashes(root), displayName);
    const protocol = renameFiles(await loadSingleProtocol(root, id, label, rename), rename);
    return { label, protocol, locate: createLocator(readJsonFilesBelow(root, rename)) };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function readJsonFilesBelow(
  root: string,
  rename: (file: string) => string,
): (file: string) => Uint8Array | undefined {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".json"),
  );
  const bytes = new Map(
    files.map((file) => [
      rename(toForwardSlashes(path.join(root, file))),
      readIfPossible(path.join(root, file)),
    ]),
  );
  return (file) => bytes.get(file);
}

async function loadSingleProtocol(
  root: string,
  id: string,
  label: string,
  rename = (file: string) => file,
): Promise<Protocol> {
  const { protocols, findings } = await loadSchemas(root, [id], CONTRACT_ONLY);
  const [protocol] = protocols;
  if (protocol) return protocol;
  throw createUnreadableError(
    label,
    findings.map((finding) => ({ ...finding, at: { ...finding.at, file: rename(finding.at.file) } })),
  );
}

function createUnreadableError(label: string, findings: readonly Finding[]): BaselineError {
  const first = findings.find(({ severity }) => severity === "error");
  if (!first) return new BaselineError(`${label} cannot be read.`);
  const others = findings.length > 1 ? ` (and ${findings.length - 1} more)` : "";
  return new BaselineError(`${label} cannot be read: ${formatLocatedMessage(first)}${others}`);
}

/** Returns the protocol with the files of all its places renamed. */
function renameFiles(protocol: Protocol, rename: (file: string) => string): Protocol {
  const renameFileOf = <T extends { readonly at: Location }>(part: T): T => ({
    ...part,
    at: { ...part.at, file: rename(part.at.file) },
  });
  return {
    ...renameFileOf(protocol),
    envelope: renameFileOf(protocol.envelope),
    events: protocol.events.map(renameFileOf),
    resources: protocol.resources.map(renameFileOf),
    definitions: Object.fromEntries(
      Object.entries(protocol.definitions).map(([name, definition]) => [name, renameFileOf(definition)]),
    ),
    tombstones: protocol.tombstones.map(renameFileOf),
    waivers: protocol.waivers.map(renameFileOf),
    ...(protocol.withdrawn && { withdrawn: protocol.withdrawn.map(renameFileOf) }),
  };
}

/** Reads the configuration of a project: `accrete.config.json`, or `accrete` in package.json, of the folder or one above it. */

import path from "node:path";
import { getSystemErrorReason, UsageError } from "../failure.js";
import { getErrorCode, type Io, lstatIfExists, toForwardSlashes } from "../io.js";
import { isObject } from "../json.js";
import type { Config } from "../load/config.js";
import { readBytes } from "../load/read-bytes.js";
import { getErrorMessage } from "../text.js";

/** The name of a configuration file. */
export const CONFIG_FILE = "accrete.config.json";

/** A configuration and the folder of its file. */
export interface FoundConfig {
  readonly config: Config;
  readonly folder: string;
}

/** Returns the configuration of `folder` or of the nearest folder above it; undefined if there is none. Prints errors in it and throws a UsageError. */
export async function readConfig(
  folder: string,
  io: Pick<Io, "stderr" | "colors">,
): Promise<FoundConfig | undefined> {
  const hasConfigFile = lstatIfExists(path.join(folder, CONFIG_FILE)) !== undefined;
  const hasMember = hasConfigMember(path.join(folder, "package.json"));
  if (hasConfigFile && hasMember)
    throw new UsageError(
      `There are two configurations in ${formatPath(folder)}: ${CONFIG_FILE} and "accrete" in package.json. Keep one of them.`,
    );
  if (hasConfigFile) return { folder, config: await readConfigFile(path.join(folder, CONFIG_FILE), "", io) };
  if (hasMember)
    return { folder, config: await readConfigFile(path.join(folder, "package.json"), "/accrete", io) };
  const above = path.dirname(folder);
  return above === folder ? undefined : readConfig(above, io);
}

/** Returns whether a package.json has a configuration; true if it cannot be read, so that the error is reported. */
function hasConfigMember(file: string): boolean {
  if (!lstatIfExists(file)) return false;
  try {
    const manifest = JSON.parse(
      readBytes(file)
        .toString("utf8")
        .replace(/^\ufeff/, ""),
    );
    return isObject(manifest) && Object.hasOwn(manifest, "accrete");
  } catch (error) {
    return getErrorCode(error) !== "EISDIR";
  }
}

async function readConfigFile(
  file: string,
  pointer: string,
  io: Pick<Io, "stderr" | "colors">,
): Promise<Config> {
  // Most projects have no configuration, and these modules load a parser and a validator.
  const [{ parseConfig }, { parseSource }, { REPORTERS }] = await Promise.all([
    import("../load/config.js"),
    import("../source/source.js"),
    import("../report/report.js"),
  ]);
  const parseResult = parseSource(formatPath(file), readConfigBytes(file));
  const result = "source" in parseResult ? parseConfig(parseResult.source, pointer) : parseResult;
  if ("config" in result) return result.config;
  io.stderr(REPORTERS.text(result.findings, { color: io.colors }));
  throw new UsageError(`${formatPath(file)} has errors, so nothing was done.`);
}

function readConfigBytes(file: string): Uint8Array {
  try {
    return readBytes(file);
  } catch (error) {
    throw new UsageError(
      `cannot read ${formatPath(file)}: ${getSystemErrorReason(error) ?? getErrorMessage(error)}`,
    );
  }
}

/** Returns a path relative to the current folder. */
function formatPath(file: string): string {
  return toForwardSlashes(path.relative("", file)) || ".";
}

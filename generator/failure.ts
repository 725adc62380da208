import path from "node:path";
import { EXIT, type ExitCode, getErrorCode } from "./io.js";
import { getErrorMessage, sanitizeLine } from "./text.js";

/** An error that the user can fix. Its message is printed as it is, without a stack trace. */
export class UsageError extends Error {}

/** Loads packages that users install if they need them. Throws a usage error with `message` if one is not installed. */
export async function importOptional<T>(load: () => Promise<T>, message: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw getErrorCode(error) === "ERR_MODULE_NOT_FOUND" ? new UsageError(message) : error;
  }
}

/** The text and exit code after an error ended a command. */
interface Failure {
  readonly exitCode: ExitCode;
  /** For stderr; empty if the error was printed before. */
  readonly text: string;
}

/** Explanations of the error codes of the operating system. */
const REASONS: { readonly [code: string]: string } = {
  EACCES: "permission denied",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "something else has that name",
  EISDIR: "it is a folder",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENODEV: "it is a device",
  ENOENT: "there is no such file or folder",
  ENOSPC: "no space is left on the device",
  ENOTDIR: "a part of the path is not a folder",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  EXDEV: "it is on another file system",
};

/**
 * Returns the exit code and the text for an error that ended a command. The text is one line. If the error is a bug and
 * `debug` is on, its stack trace follows.
 */
export function describeFailure(error: unknown, debug = false): Failure {
  if (isCommanderError(error)) return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage, text: "" };
  const text = error instanceof UsageError ? error.message : describeSystemError(error);
  if (text !== undefined) return { exitCode: EXIT.usage, text: `accrete: ${sanitizeLine(text)}\n` };
  const message = sanitizeLine(getErrorMessage(error));
  const stack = debug && error instanceof Error ? `${error.stack}\n` : "";
  const advice = debug ? "" : " (DEBUG=accrete shows where it happened)";
  return {
    exitCode: EXIT.usage,
    text: `accrete: unexpected error, please report it${advice}: ${message}\n${stack}`,
  };
}

/** Returns whether commander threw an error. Its class is not imported: `accrete-cli/serve` works without commander. */
function isCommanderError(error: unknown): error is Error & { readonly exitCode: number } {
  return (
    error instanceof Error &&
    "exitCode" in error &&
    "code" in error &&
    /^commander\./.test(String(error.code))
  );
}

/** Returns the path and the reason of an error of the operating system; undefined for other errors. */
export function describeSystemError(
  error: unknown,
  formatPath: (file: string) => string = makeRelativeIfBelow,
): string | undefined {
  const reason = getSystemErrorReason(error);
  // A rename is refused at its destination, which the user knows better than the staging folder.
  const paths: { path?: unknown; dest?: unknown } = typeof error === "object" ? { ...error } : {};
  const file = paths.dest ?? paths.path;
  const prefix = file === undefined ? "" : `${formatPath(String(file))}: `;
  return reason === undefined ? undefined : `${prefix}${reason}`;
}

/** Makes a path relative to the current folder if it is below it. Returns other paths unchanged. */
function makeRelativeIfBelow(file: string): string {
  const relative = path.relative("", file);
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
}

/**
 * Returns a usage error for a folder that could not be written to. Returns `error` itself if it is not from the operating
 * system. `isRestored` tells whether the folder has its old content.
 */
export function createWriteError(folder: string, isRestored: boolean, error: unknown): unknown {
  // The message names files as the user names the folder: absolute or relative.
  const formatPath = (file: string): string =>
    path.isAbsolute(folder) ? file : path.relative("", file) || ".";
  const reason = describeSystemError(error, formatPath);
  if (reason === undefined) return error;
  const state = isRestored ? "it is as it was" : "the next run puts back what was there";
  return new UsageError(`Could not write to ${folder}; ${state}. The reason: ${reason}.`);
}

/** Returns the reason of an error of the operating system without the path; undefined for other errors. */
export function getSystemErrorReason(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return REASONS[String(error.code)] ?? `${error.code} in ${error.syscall}`;
}

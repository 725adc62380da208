import { spawnSync } from "node:child_process";
import path from "node:path";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** Returns a command that needs no curl if curl is not installed. */
export function replaceMissingCurl(command: string): string {
  if (hasCurl) return command;
  return command.replace(/^curl /, `"${process.execPath}" "${path.join(import.meta.dirname, "curl.mjs")}" `);
}

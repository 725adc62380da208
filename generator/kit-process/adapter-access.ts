import { existsSync } from "node:fs";
import { type Io, toForwardSlashes } from "../io.js";
import { formatArgument } from "../text.js";
import { openHttpTransport } from "./http-transport.js";
import { openProcessTransport } from "./process-transport.js";
import type { AdapterAccess } from "./transport.js";

/** The command line that starts an adapter, or the URL of its requests. */
export type AdapterLocation = { readonly command: string } | { readonly url: string };

/** Returns how to reach an adapter. `timeout` is in milliseconds. */
export function createAdapterAccess(location: AdapterLocation, timeout: number, io: Io): AdapterAccess {
  if ("url" in location) {
    const { url } = location;
    const recovery = "The kit sends hello again";
    return { timeout, recovery, openTransport: (listener) => openHttpTransport(url, listener) };
  }
  const program = {
    command: location.command,
    processes: io,
    writeError: (text: string) => io.stderr(text),
  };
  const recovery = "The kit starts it again";
  return { timeout, recovery, openTransport: (listener) => openProcessTransport(program, listener) };
}

/** Returns the URL, or the first word of the command that is a file, to which findings point; the command if there is none. */
export function nameAdapter(location: AdapterLocation): string {
  if ("url" in location) return location.url;
  const { command } = location;
  const file = command.split(/\s+/).find((word) => /\.\w+$/.test(word) && existsSync(word));
  return file === undefined ? command : toForwardSlashes(file);
}

/** Returns the option of the command line that names an adapter. */
export function formatLocation(location: AdapterLocation): string {
  return "url" in location
    ? `--url ${formatArgument(location.url)}`
    : `--command ${formatArgument(location.command)}`;
}

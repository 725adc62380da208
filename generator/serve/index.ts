/** `accrete-cli/serve`: starts the server of `accrete serve` from a program, such as the set-up of tests. */
import { existsSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { OWN_PACKAGE } from "../load/own-package.js";
import type { Pace } from "./play.js";
import { openServer } from "./serve.js";
import type { WireFormatName } from "./wire-formats.js";

/** Standard input of a server that reads only files. */
const NO_INPUT: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: async function* () {} };

/** The options of `startServer`. Folders and files are relative to the working directory. */
export interface StartServerOptions {
  /** Files and folders with recorded events. By default the streams of `fixtures`. */
  readonly recordings?: readonly string[];
  /** The folder of the protocols; `schemas` by default. If that does not exist, the protocols that come with accrete. */
  readonly schemas?: string;
  /** The folder of the fixtures; `fixtures` by default. If that does not exist, the fixtures that come with accrete. */
  readonly fixtures?: string;
  /** The port to listen on; a free one by default. */
  readonly port?: number;
  /** The address to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** Other names by which callers may call the server; `localhost`, loopback addresses and `host` are always permitted. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may send requests, besides those of loopback addresses; `*` for all of them, without credentials. */
  readonly allowedOrigins?: readonly string[];
  /** The form in which events are sent; `spec` by default. With `state`, live streams of runs send states. */
  readonly wireFormat?: WireFormatName;
  /** The factor by which the recorded rhythm is faster. By default all events have happened. */
  readonly speed?: number;
  /** True if each event waits for `POST /step`. */
  readonly step?: boolean;
  /** True if runs wait for the decisions of callers. */
  readonly interactive?: boolean;
  /** Names of faults, separated by commas, or a file that ends with `.json`. */
  readonly faults?: string;
  /** Determines where faults happen; 1 by default. */
  readonly seed?: number;
}

/** A server that listens. */
export interface StartedServer {
  /** Its address, such as `http://127.0.0.1:4780`. */
  readonly url: string;
  /** Ends streams between two events, and closes all connections. */
  stop(): Promise<void>;
}

/** Starts a server for recorded runs. Rejects with a message if a recording or an option is not valid. */
export async function startServer(options: StartServerOptions = {}): Promise<StartedServer> {
  const { recordings = [], wireFormat = "spec", port = 0, host = "127.0.0.1" } = options;
  const messages: string[] = [];
  const io = { stdin: NO_INPUT, colors: false, stderr: (text: string) => void messages.push(text) };
  const command = {
    files: recordings.map(String),
    schemas: chooseFolder(options.schemas, "schemas"),
    fixtures: chooseFolder(options.fixtures, "fixtures"),
    out: chooseFolder(undefined, "generated"),
    format: wireFormat,
    pace: choosePace(options),
    isInteractive: options.interactive ?? false,
    faults: options.faults,
    seed: options.seed,
    host,
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
    port,
  };
  try {
    const { url, close } = await openServer(command, io);
    return { url, stop: close };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new Error([error.message, ...messages].join("\n").trimEnd(), { cause: error });
  }
}

/** Returns the given folder; without one the usual folder, or that of this package if it does not exist. */
function chooseFolder(given: string | undefined, name: string): string {
  if (given !== undefined || existsSync(name)) return given ?? name;
  return path.join(OWN_PACKAGE, name);
}

function choosePace({ speed, step }: StartServerOptions): Pace {
  if (step) return { kind: "step" };
  return speed === undefined ? { kind: "at-once" } : { kind: "speed", speed };
}

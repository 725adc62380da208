import { isIPv6 } from "node:net";
import { InvalidArgumentError, Option } from "commander";
import type { ListenAddress } from "../monitor/http-source.js";
import type { CommandEntry } from "./command.js";
import {
  eventProtocolOption,
  parseNonEmpty,
  profileOption,
  readOptionalText,
  readText,
  schemasOrBundledOption,
} from "./options.js";

/** Reads `PORT`, `HOST:PORT` or `[IPv6]:PORT`. */
function parseListenAddress(value: string): ListenAddress {
  const [, bracketed, named, digits = ""] = /^(?:\[([^\]]+)\]:|([^:[\]/\s]+):)?(\d{1,5})$/.exec(value) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535 || (bracketed !== undefined && !isIPv6(bracketed)))
    throw new InvalidArgumentError("It must be a port, or an address and a port such as 0.0.0.0:4790.");
  return { host: bracketed ?? named ?? "127.0.0.1", port };
}

/** The command `accrete monitor`. */
export const monitorCommand: CommandEntry = {
  name: "monitor",
  summary: "check events while they arrive",
  operands: {
    syntax: "[file...]",
    description: "files of JSON Lines, which are followed while they grow; - for standard input",
  },
  options: [
    eventProtocolOption,
    profileOption,
    new Option("--url <url>", "follow a live feed of server-sent events"),
    new Option(
      "--listen <[host:]port>",
      "take batches over HTTP, and answer /metrics, /health and /ready; on this machine only without a host",
    ).argParser(parseListenAddress),
    new Option("--state <file>", "keep the state in this file, and go on from it after a restart").argParser(
      parseNonEmpty,
    ),
    new Option("--format <format>", "lines: each finding is a line of JSON; text: with a summary each minute")
      .choices(["lines", "text"])
      .default("lines"),
    schemasOrBundledOption,
  ],
  examples: [
    ["monitor events.jsonl --state monitor.json", "a file that grows; a restart goes on where it was"],
    ["monitor --listen 4790", "batches that programs of this machine send to http://127.0.0.1:4790/events"],
    ["monitor --url http://localhost:8080/events/stream --format text", "a live feed, at a terminal"],
  ],
  exits: "0 stopped by SIGINT or SIGTERM, or all inputs have ended; 2 wrong usage or unreadable input.",
  run: async (files, options, io) => {
    const { monitor } = await import("../monitor/monitor.js");
    return monitor(
      {
        files,
        schemas: readText(options, "schemas"),
        protocol: readOptionalText(options, "protocol"),
        profile: options.profile === "writer" ? "writer" : "reader",
        format: options.format === "text" ? "text" : "lines",
        url: readOptionalText(options, "url"),
        listen: options.listen as ListenAddress | undefined,
        state: readOptionalText(options, "state"),
      },
      io,
    );
  },
};

import { InvalidArgumentError, Option } from "commander";
import { FAULTS } from "../serve/fault.js";
import type { Pace } from "../serve/play.js";
import { isWireFormatName, WIRE_FORMATS } from "../serve/wire-formats.js";
import { refuseRecordingsOfMissingProtocols } from "../validate/suggest-schemas.js";
import type { CommandEntry } from "./command.js";
import {
  fixturesOption,
  outOption,
  parseCount,
  parseNonEmpty,
  readText,
  schemasOrBundledOption,
} from "./options.js";

function parsePort(value: string): number {
  const number = parseCount(value);
  if (number > 65_535) throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  return number;
}

function parseSpeed(value: string): number {
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0;
  if (!(number > 0 && number <= 1e6))
    throw new InvalidArgumentError("It must be a number above 0 and at most 1000000, such as 1, 0.5 or 20.");
  return number;
}

/** Returns the names of a value of `--allow-host`, after those of earlier values. */
function parseHosts(value: string, earlier: readonly string[] = []): readonly string[] {
  const names = value.split(",").map((name) => name.trim());
  if (names.some((name) => name === "" || /[/\s]|:\d+$/.test(name)))
    throw new InvalidArgumentError("It must be names or addresses without a port, such as box.local.");
  return [...earlier, ...names];
}

/** Returns the origins of a value of `--allow-origin`, after those of earlier values. */
function parseOrigins(value: string, earlier: readonly string[] = []): readonly string[] {
  const origins = value.split(",").map((origin) => origin.trim());
  for (const origin of origins)
    if (origin !== "*" && (!URL.canParse(origin) || new URL(origin).origin !== origin))
      throw new InvalidArgumentError("It must be origins without a path, such as https://app.example, or *.");
  return [...earlier, ...origins];
}

/** The command `accrete serve`. */
export const serveCommand: CommandEntry = {
  name: "serve",
  summary: "serve recorded runs over HTTP, with fault injection",
  operands: {
    syntax: "[file...]",
    description:
      "JSON Lines, folders of them, or - for standard input; by default the streams of the fixtures",
  },
  options: [
    new Option(
      "--wire-format <format>",
      "spec: as the specification describes events; runtime: in the wrapper that the runtime sends; state: live streams of runs send the state after each event",
    )
      .choices(Object.keys(WIRE_FORMATS))
      .default("spec"),
    new Option("--port <number>", "port to listen on, 0 for a free one").default(4780).argParser(parsePort),
    new Option("--host <address>", "address to listen on").default("127.0.0.1").argParser(parseNonEmpty),
    new Option(
      "--allow-host <names>",
      "other names by which callers may call the server, separated by commas",
    ).argParser(parseHosts),
    new Option(
      "--allow-origin <origins>",
      "origins whose pages may send requests, besides localhost, separated by commas; * for all, without credentials",
    ).argParser(parseOrigins),
    new Option("--speed <factor>", "send events at this multiple of the recorded speed").argParser(
      parseSpeed,
    ),
    new Option("--step", "hold each event back until POST /step releases it").conflicts("speed"),
    new Option("--interactive", "let runs wait for decisions of callers, such as approvals"),
    new Option(
      "--faults <names|file>",
      `faults to inject: ${Object.keys(FAULTS).join(", ")}; or a .json file`,
    ),
    new Option("--seed <number>", "determines where faults happen (default: 1)").argParser(parseCount),
    schemasOrBundledOption,
    outOption,
    fixturesOption,
  ],
  examples: [
    ["serve", "the streams of the fixtures, at http://127.0.0.1:4780"],
    ["serve run.jsonl --port 0 --speed 1", "one recording in its own rhythm, at a free port"],
    [
      "serve --faults cut,duplicate --seed 7",
      "connections break and events are sent twice, at the same places in every run",
    ],
    ["serve --interactive", "runs wait at each approval until a caller decides it"],
    ["serve --wire-format runtime --step", "one event for each `curl -X POST http://127.0.0.1:4780/step`"],
  ],
  exits: "0 stopped by SIGINT or SIGTERM, 2 wrong usage or unreadable input.",
  run: async (files, options, io) => {
    const { serve } = await import("../serve/serve.js");
    return serve(
      {
        files,
        schemas: readText(options, "schemas"),
        // The validators exist only after serve() has loaded the protocols, and serve/ does not import validate/.
        checkRecordings: (validators) =>
          refuseRecordingsOfMissingProtocols(files, readText(options, "schemas"), validators, io.stdin),
        fixtures: readText(options, "fixtures"),
        out: readText(options, "out"),
        format: isWireFormatName(options.wireFormat) ? options.wireFormat : "spec",
        isInteractive: options.interactive === true,
        pace: choosePace(options.step === true, options.speed),
        faults: options.faults === undefined ? undefined : readText(options, "faults"),
        seed: typeof options.seed === "number" ? options.seed : undefined,
        host: readText(options, "host"),
        allowedHosts: readTexts(options.allowHost),
        allowedOrigins: readTexts(options.allowOrigin),
        port: Number(options.port),
      },
      io,
    );
  },
};

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function choosePace(step: boolean, factor: unknown): Pace {
  if (step) return { kind: "step" };
  return typeof factor === "number" ? { kind: "speed", speed: factor } : { kind: "at-once" };
}

import path from "node:path";
import { Option } from "commander";
import { status } from "../status/status.js";
import type { CommandEntry } from "./command.js";
import {
  emitOption,
  fixturesOption,
  outOption,
  parseNonEmpty,
  type RawOptions,
  readEmit,
  readText,
  schemasOrBundledOption,
} from "./options.js";

function chooseCheck({ check, marked }: RawOptions): "nothing" | "marked" | "all" {
  if (check !== true) return "nothing";
  return marked === true ? "marked" : "all";
}

/** The command `accrete status`. */
export const statusCommand: CommandEntry = {
  name: "status",
  summary: "list what each event type needs before it can become stable",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [
    new Option(
      "--check",
      "exit with 1 if an event type is marked stable and lacks something, or if a protocol with promotion in protocol.json cannot become stable yet",
    ),
    new Option("--marked", "with --check: check only the event types that are marked stable"),
    new Option("--json", "print JSON"),
    new Option(
      "--consumers <file>",
      "the file in which contract tests record the frontends that passed (default: consumers.json in the fixtures)",
    ).argParser(parseNonEmpty),
    emitOption,
    schemasOrBundledOption,
    outOption,
    fixturesOption,
  ],
  examples: [
    ["status hecate/v1", "one protocol, a line for each event type"],
    ["status --check --marked", "in CI: is no event type marked stable too early?"],
    ["status hecate/v1 --check", "can its candidate event types become stable?"],
    ["status --json", "the state of every event type as JSON"],
  ],
  run: (protocols, options, io) =>
    status(
      {
        protocols,
        schemas: readText(options, "schemas"),
        out: readText(options, "out"),
        fixtures: readText(options, "fixtures"),
        emit: readEmit(options),
        consumers: String(options.consumers ?? path.join(readText(options, "fixtures"), "consumers.json")),
        json: options.json === true,
        check: chooseCheck(options),
      },
      io,
    ),
};

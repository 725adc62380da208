import { Option } from "commander";
import { status } from "../status/status.js";
import type { CommandEntry } from "./command.js";
import {
  consumersOption,
  emitOption,
  fixturesOption,
  outOption,
  type RawOptions,
  readConsumersFile,
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
      "exit with 1 if an event type is marked candidate or stable too early, or if a protocol with promotion in protocol.json cannot become stable yet",
    ),
    new Option("--marked", "with --check: check only what is marked candidate or stable too early"),
    new Option("--json", "print JSON"),
    consumersOption,
    emitOption,
    schemasOrBundledOption,
    outOption,
    fixturesOption,
  ],
  examples: [
    ["status hecate/v1", "one protocol, a line for each event type"],
    ["status --check --marked", "in CI: is an event type marked candidate or stable too early?"],
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
        consumers: readConsumersFile(options),
        json: options.json === true,
        check: chooseCheck(options),
      },
      io,
    ),
};

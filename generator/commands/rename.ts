import { UsageError } from "../failure.js";
import { renameProtocol } from "../release/rename.js";
import type { CommandEntry } from "./command.js";
import {
  consumersOption,
  fixturesOption,
  outOption,
  readConsumersFile,
  readText,
  schemasOption,
} from "./options.js";

/** The command `accrete rename`. */
export const renameCommand: CommandEntry = {
  name: "rename",
  summary: "give a protocol another name; its releases still count",
  operands: { syntax: "<names...>", description: "the name and the new name, without a version" },
  options: [schemasOption, outOption, fixturesOption, consumersOption],
  writes: true,
  examples: [["rename orders sales", "all majors and their fixtures"]],
  exits: "0 renamed, 2 wrong usage or unreadable input.",
  run: (operands, options, io) => {
    const [name, newName, ...others] = operands;
    if (name === undefined || newName === undefined || others.length > 0)
      throw new UsageError("Name the protocol and its new name: rename OLD NEW.");
    return renameProtocol(
      {
        name,
        newName,
        schemas: readText(options, "schemas"),
        fixtures: readText(options, "fixtures"),
        out: readText(options, "out"),
        consumers: readConsumersFile(options),
      },
      io,
    );
  },
};

import { UsageError } from "../failure.js";
import type { CommandEntry } from "./command.js";
import { fixturesOption, readText, schemasOption } from "./options.js";

/** The command `accrete major`. */
export const majorCommand: CommandEntry = {
  name: "major",
  summary: "begin the next major version, without what is deprecated",
  operands: { syntax: "<protocol>", description: "the name of the protocol, without a version" },
  options: [schemasOption, fixturesOption],
  writes: true,
  examples: [["major orders", "copy orders/v1 for orders/v2, with tombstones and fixtures"]],
  exits: "0 begun, 1 the copy would have errors and nothing was written, 2 wrong usage or unreadable input.",
  run: async ([name = ""], options, io) => {
    if (name.includes("/"))
      throw new UsageError(`Name the protocol without a version: major ${name.slice(0, name.indexOf("/"))}.`);
    const { beginMajor } = await import("../release/begin-major.js");
    return beginMajor(
      { name, schemas: readText(options, "schemas"), fixtures: readText(options, "fixtures") },
      io,
    );
  },
};

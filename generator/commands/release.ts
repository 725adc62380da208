import { Option } from "commander";
import { UsageError } from "../failure.js";
import { isVersion, release } from "../release/release.js";
import { withdraw } from "../release/withdraw.js";
import type { CommandEntry } from "./command.js";
import {
  consumersOption,
  emitOption,
  fixturesOption,
  outOption,
  readConsumersFile,
  readEmit,
  readText,
  schemasOption,
} from "./options.js";

/** The command `accrete release`. */
export const releaseCommand: CommandEntry = {
  name: "release",
  summary: "freeze a contract under its version, or withdraw a release",
  operands: {
    syntax: "[operands...]",
    description:
      "the version X.Y, as in protocol.json, and then ids of protocols; with --withdraw, only the id of the protocol",
  },
  options: [
    new Option(
      "--withdraw <version>",
      "delete a release in which nothing is stable, and record the withdrawal",
    ),
    new Option("--reason <text>", "with --withdraw: why the release is withdrawn"),
    schemasOption,
    outOption,
    fixturesOption,
    consumersOption,
    emitOption,
  ],
  writes: true,
  examples: [
    ["release 1.1 hecate/v1", "freeze it as schemas/hecate/v1/releases/1.1.json"],
    ["release 1.1 hecate/v1 evva/v1", "release both, or none of them"],
    [
      'release --withdraw 1.1 hecate/v1 --reason "a field is misspelt"',
      "delete release 1.1; the version can then be released again",
    ],
  ],
  run: async (operands, options, io) => {
    const { withdraw: withdrawnVersion, reason } = options;
    const schemas = readText(options, "schemas");
    if (withdrawnVersion !== undefined) {
      if (!isVersion(String(withdrawnVersion)))
        throw new UsageError(`"${withdrawnVersion}" is not a version; write X.Y, such as 1.0.`);
      if (reason === undefined || String(reason).trim() === "")
        throw new UsageError("--withdraw needs a --reason, which stays on record in protocol.json.");
      return await withdraw(
        { version: String(withdrawnVersion), protocols: operands, reason: String(reason), schemas },
        io,
      );
    }
    if (reason !== undefined)
      throw new UsageError("--reason belongs to --withdraw VERSION; nothing was released.");
    const [version, ...protocols] = operands;
    if (version === undefined) throw new UsageError("Name the version to release, such as 1.0.");
    return release(
      {
        version,
        protocols,
        schemas,
        out: readText(options, "out"),
        fixtures: readText(options, "fixtures"),
        consumers: readConsumersFile(options),
        emit: readEmit(options),
      },
      io,
    );
  },
};

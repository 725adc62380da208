import { Option } from "commander";
import { countSeverities } from "../finding.js";
import { EXIT } from "../io.js";
import { REPORTERS } from "../report/report.js";
import type { CommandEntry } from "./command.js";
import {
  emitOption,
  fixturesOption,
  formatOption,
  outOption,
  readEmit,
  readFormat,
  readText,
  schemasOption,
} from "./options.js";

/** The command `accrete generate`. */
export const generateCommand: CommandEntry = {
  name: "generate",
  summary: "write types, validators, the catalogue and conformance tests from the schemas",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols by default" },
  options: [
    new Option(
      "--check",
      "write nothing; list the files that are not up to date, and exit with 1 if there are any",
    ),
    emitOption,
    schemasOption,
    outOption,
    fixturesOption,
    formatOption,
  ],
  writes: true,
  examples: [
    ["generate", "everything below schemas/ into generated/"],
    ["generate hecate/v1 --out src/events", "one protocol, into another folder"],
    ["generate --emit go,openapi", "a Go package and an OpenAPI document as well"],
    ["generate --check", "in CI: are the committed files up to date?"],
  ],
  run: async (protocols, options, io) => {
    const { generate } = await import("../generate/generate.js");
    const { findings, summary } = await generate(
      {
        protocols,
        schemas: readText(options, "schemas"),
        out: readText(options, "out"),
        fixtures: readText(options, "fixtures"),
        check: options.check === true,
        emit: readEmit(options),
      },
      io,
    );
    io.stdout(REPORTERS[readFormat(options)](findings, { color: io.colors, summary }));
    return countSeverities(findings).errors > 0 ? EXIT.findings : EXIT.ok;
  },
};

import { Option } from "commander";
import { audit } from "../audit/audit.js";
import type { CommandEntry } from "./command.js";
import {
  eventProtocolOption,
  formatOption,
  limitOption,
  profileOption,
  readFormat,
  readOptionalText,
  readText,
  schemasOrBundledOption,
} from "./options.js";

/** The command `accrete audit`. */
export const auditCommand: CommandEntry = {
  name: "audit",
  summary: "check an archive of events, whose streams may be spread over many files",
  operands: {
    syntax: "<path...>",
    description:
      "JSON Lines, JSON and SSE files, each also compressed with gzip or zstd; Parquet files; folders of such files",
  },
  options: [
    eventProtocolOption,
    profileOption,
    new Option("--stats", "count events by stream and by type"),
    new Option("--allow-empty", "accept an archive without events"),
    new Option("--column <name>", "the column of Parquet files that holds events as JSON (default: found)"),
    new Option("--memory <size>", "the memory for sorting; the rest is sorted on disk").default("512MB"),
    new Option(
      "--sql <query>",
      "answer a query over the views of `generate --emit sql`, instead of validating the events",
    ),
    limitOption,
    schemasOrBundledOption,
    formatOption,
  ],
  examples: [
    ["audit archive/2026-11", "all files of a folder"],
    ["audit --sql 'SELECT stream, gaps FROM streams WHERE gaps > 0' archive", "a query, here for gaps"],
  ],
  run: (paths, options, io) =>
    audit(
      {
        paths,
        schemas: readText(options, "schemas"),
        protocol: readOptionalText(options, "protocol"),
        profile: options.profile === "writer" ? "writer" : "reader",
        format: readFormat(options),
        limit: Number(options.limit),
        stats: options.stats === true,
        allowsEmpty: options.allowEmpty === true,
        column: readOptionalText(options, "column"),
        memory: readText(options, "memory"),
        sql: readOptionalText(options, "sql"),
      },
      io,
    ),
};

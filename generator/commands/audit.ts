import { InvalidArgumentError, Option } from "commander";
import { audit } from "../audit/audit.js";
import type { CommandEntry } from "./command.js";
import {
  eventProtocolOption,
  formatOption,
  limitOption,
  profileOption,
  quietOption,
  type RawOptions,
  readFormat,
  readOptionalText,
  readText,
  schemasOrBundledOption,
} from "./options.js";

const DEFAULT_MEMORY = 512e6;
const MIN_MEMORY = 64e6;
const UNITS: { readonly [unit: string]: number } = { MB: 1e6, MIB: 2 ** 20, GB: 1e9, GIB: 2 ** 30 };

/** Parses a number of bytes, such as `512MB` or `1.5GiB`. */
function parseMemory(value: string): number {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?) ?([A-Za-z]+)$/.exec(value) ?? [];
  const bytes = Math.round(Number(digits) * (UNITS[unit.toUpperCase()] ?? Number.NaN));
  if (Number.isNaN(bytes))
    throw new InvalidArgumentError("It must be a size in MB or GB, such as 512MB or 2GB.");
  if (bytes < MIN_MEMORY) throw new InvalidArgumentError("It must be 64MB or more.");
  return bytes;
}

function parseParquetName(value: string): string {
  if (!/\.parquet$/i.test(value)) throw new InvalidArgumentError("It must end in .parquet.");
  return value;
}

function parsePercentage(value: string): number {
  const percentage = /^\d+(\.\d+)?%?$/.test(value) ? Number.parseFloat(value) : Number.NaN;
  if (percentage > 0 && percentage <= 100) return percentage;
  throw new InvalidArgumentError("It must be a percentage above 0, up to 100, such as 5.");
}

/** Parses a date or a time in the format of RFC 3339 to milliseconds since 1970. A date begins at 00:00 UTC. */
function parseTime(value: string): number {
  const isTime = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d))?$/.test(value);
  const time = isTime ? Date.parse(value) : Number.NaN;
  const day = value.slice(0, "2026-11-01".length);
  // Date.parse takes February 30 for March 2.
  if (!Number.isNaN(time) && new Date(`${day}T00:00Z`).toISOString().startsWith(day)) return time;
  throw new InvalidArgumentError("It must be a date or a time, such as 2026-11-01 or 2026-11-01T12:00:00Z.");
}

function readOptionalNumber(options: RawOptions, name: string): number | undefined {
  return options[name] === undefined ? undefined : Number(options[name]);
}

/** The command `accrete audit`. */
export const auditCommand: CommandEntry = {
  name: "audit",
  summary: "check an archive of events, also of streams over many files",
  operands: {
    syntax: "[path...]",
    description:
      "JSON Lines, JSON and SSE files, each also compressed with gzip or zstd; Parquet files; folders of such files; patterns such as 'archive/**/*.parquet'",
  },
  options: [
    eventProtocolOption,
    profileOption,
    new Option(
      "--readers",
      "prove that current readers accept the events of all releases, and explain those they refuse",
    ),
    new Option("--stats", "count events by stream, by type and by day"),
    new Option(
      "--output <file>",
      "write all findings to this Parquet file, also those beyond --limit",
    ).argParser(parseParquetName),
    new Option("--allow-empty", "accept an archive without events"),
    new Option("--column <name>", "the column of Parquet files that holds events as JSON (default: found)"),
    new Option(
      "--sql <query>",
      "answer a query over the views of `generate --emit sql`, instead of validating the events",
    ),
    new Option(
      "--sample <percent>",
      "audit this percentage of the streams, the same ones each time",
    ).argParser(parsePercentage),
    new Option(
      "--since <time>",
      "audit the streams with an event at this time or later, such as 2026-11-01",
    ).argParser(parseTime),
    new Option("--until <time>", "audit the streams with an event before this time").argParser(parseTime),
    new Option("--memory <size>", "the memory for sorting, and for DuckDB, such as 2GB; the rest is on disk")
      .argParser(parseMemory)
      .default(DEFAULT_MEMORY, "512MB"),
    limitOption,
    schemasOrBundledOption,
    quietOption,
    formatOption,
  ],
  examples: [
    ["audit archive/2026-11", "all files of a folder"],
    ["audit --sql 'SELECT stream, gaps FROM streams WHERE gaps >= 1' archive", "a query, here for gaps"],
    ["audit --readers archive", "can current readers open all of it, and if not, since which release?"],
    ["audit --sample 5 --since 2026-11-01 archive", "one in twenty of the streams since November"],
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
        output: readOptionalText(options, "output"),
        sql: readOptionalText(options, "sql"),
        readers: options.readers === true,
        memory: Number(options.memory),
        selection: {
          sample: readOptionalNumber(options, "sample"),
          since: readOptionalNumber(options, "since"),
          until: readOptionalNumber(options, "until"),
        },
      },
      io,
    ),
};

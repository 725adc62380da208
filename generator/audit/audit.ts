/** Audits archives: finds the files, validates their events in the order of their streams, and prints what it finds. */
import { statSync } from "node:fs";
import { UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { findInputs } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import type { Protocol } from "../protocol/protocol.js";
import type { ReportFormat } from "../report/report.js";
import type { Profile } from "../schema/readings.js";
import { createPrinter, createProgress } from "../validate/printer.js";
import { type Outcome, runSession } from "../validate/run.js";
import { createValidators, type Validators } from "../validators/protocol-validators.js";
import { createDatabaseHolder, type DatabaseHolder } from "./database.js";
import { isParquetName, openParquetInput } from "./parquet-input.js";
import { queryArchive } from "./query.js";
import { type Origin, sortEvents } from "./sorted-events.js";

/** The options of `accrete audit`. */
interface AuditOptions {
  /** Files and folders. */
  readonly paths: readonly string[];
  readonly schemas: string;
  readonly protocol: string | undefined;
  readonly profile: Profile;
  readonly format: ReportFormat;
  /** The maximum number of findings to print; 0 for all. */
  readonly limit: number;
  readonly stats: boolean;
  /** True if an archive may have no events. */
  readonly allowsEmpty: boolean;
  /** The column of Parquet files that holds events as JSON; undefined if it is to be found. */
  readonly column: string | undefined;
  /** A query to answer instead of validating the events. */
  readonly sql: string | undefined;
  /** The memory that DuckDB may use, such as `512MB`. */
  readonly memory: string;
}

/** Validates the events of an archive. The order of files and lines does not matter: every stream is read in its order. */
export async function audit(options: AuditOptions, io: Io): Promise<ExitCode> {
  const ids = options.protocol === undefined ? [] : [options.protocol];
  const protocols = await loadValidProtocols(options.schemas, ids, { examples: false });
  const validators = protocols.map(createValidators);
  const { inputs, unreadable } = findInputs(options.paths, FILE_NAME_PATTERN);
  refusePipes(inputs);
  const holder = createDatabaseHolder(options.memory);
  try {
    const readable = await openParquetInputs(inputs, protocols, holder, options.column);
    if (options.sql !== undefined) {
      const database = await holder.open({ purpose: "answer queries" });
      return await queryArchive(
        database,
        { ...options, sql: options.sql, inputs: readable, validators, unreadable },
        io,
      );
    }
    const { findings, outcome } = await validateArchive(readable, validators, holder, options, io);
    const printer = createPrinter(options, io, () => {});
    for (const finding of findings) printer.report(finding);
    const exitCode = printer.end({ ...outcome, unreadable: [...unreadable, ...outcome.unreadable] });
    if (outcome.tally.events > 0 || options.allowsEmpty) return exitCode;
    io.stderr("accrete: there are no events. Use --allow-empty if that is right.\n");
    return EXIT.usage;
  } finally {
    holder.close();
  }
}

/** Throws a usage error for an input that can be read only once. Events out of order are read a second time. */
function refusePipes(inputs: readonly Input[]): void {
  const pipe = inputs.find(({ file }) => file === undefined || !statSync(file).isFile());
  if (pipe)
    throw new UsageError(
      `${pipe.name} can be read only once, and audit may have to read twice. Write it to a file, or use validate.`,
    );
}

/** A pattern of the names of files that are read in folders. */
const FILE_NAME_PATTERN = /\.((json|jsonl|ndjson|sse)(\.(gz|zst))?|parquet)$/i;

/** Returns the inputs. A Parquet file becomes an input that reads its rows. For such a file, the function opens the database. */
async function openParquetInputs(
  inputs: readonly Input[],
  protocols: readonly Protocol[],
  holder: DatabaseHolder,
  column: string | undefined,
): Promise<readonly Input[]> {
  if (!inputs.some(({ name }) => isParquetName(name))) return inputs;
  const database = await holder.open({ purpose: "read Parquet files" });
  return inputs.map((input) =>
    isParquetName(input.name) ? openParquetInput(database, input, protocols, column) : input,
  );
}

/** The findings and the counts of an archive. */
interface ArchiveResult {
  readonly findings: readonly Finding[];
  readonly outcome: Outcome;
}

/** Validates the events in the order of the inputs. If a stream turns out to be out of order, sorts all events and validates them again. */
async function validateArchive(
  inputs: readonly Input[],
  validators: readonly Validators[],
  holder: DatabaseHolder,
  options: AuditOptions,
  io: Io,
): Promise<ArchiveResult> {
  const inOrder = await validateInputs(inputs, validators, options, io);
  if (inOrder.outcome.tally.disordered === 0) return inOrder;
  const database = await holder.open({ purpose: "put the events of streams in order" });
  const sorted = await sortEvents(database, inputs, validators);
  const { findings, outcome } = await validateInputs(
    [sorted.input],
    validators,
    options,
    io,
    sorted.findOrigin,
  );
  return { findings, outcome: { ...outcome, unreadable: sorted.unreadable } };
}

/** Validates the events of inputs in their order, and keeps as many findings as may be printed. */
async function validateInputs(
  inputs: readonly Input[],
  validators: readonly Validators[],
  { profile, stats, limit }: AuditOptions,
  io: Io,
  findOrigin?: (line: number) => Origin | undefined,
): Promise<ArchiveResult> {
  const findings: Finding[] = [];
  const hasRoom = (): boolean => limit === 0 || findings.length < limit;
  const progress = createProgress(io);
  const isSortedByStream = findOrigin !== undefined;
  const outcome = await runSession(
    { inputs, validators, profile, stats, isSortedByStream, eventsOnly: false, thread: 0, threads: 1 },
    {
      stdin: io.stdin,
      reportProgress: progress.add,
      hasRoom,
      report: ({ finding }) => {
        // An archive may have empty files. Only an archive without any event is a failure.
        if (finding.rule !== "events-missing" && hasRoom())
          findings.push(findOrigin ? relocateFinding(finding, findOrigin) : finding);
      },
    },
  );
  progress.clear();
  return { findings, outcome };
}

/** Returns a finding about a sorted line with the place that the line came from. */
function relocateFinding(finding: Finding, findOrigin: (line: number) => Origin | undefined): Finding {
  const { line, column, pointer } = finding.at;
  const origin = line === undefined ? undefined : findOrigin(line);
  if (origin === undefined) return finding;
  // The columns of an event in a list are those of the event, not those of the line.
  const columnInLine = column !== undefined && origin.pointer === "" ? { column } : {};
  const at = {
    file: origin.input.name,
    pointer: `${origin.pointer}${pointer}`,
    line: origin.line,
    ...columnInLine,
  };
  return { ...finding, at };
}

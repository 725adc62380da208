/** Audits archives: finds the files, validates their events in the order of their streams, and prints what it finds. */
import { statSync } from "node:fs";
import { UsageError } from "../failure.js";
import { findInputs } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import type { Protocol } from "../protocol/protocol.js";
import type { ReportFormat } from "../report/report.js";
import type { Profile } from "../schema/readings.js";
import { createPrinter } from "../validate/printer.js";
import { createValidators } from "../validators/protocol-validators.js";
import { createDatabaseHolder, type DatabaseHolder } from "./database.js";
import { isParquetName, openParquetInput } from "./parquet-input.js";
import { createSelection, type SelectionOptions } from "./stream-selection.js";
import { prepareTemporaryFolder } from "./temporary-folder.js";
import { validateArchive } from "./validate-archive.js";

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
  /** The bytes of memory for sorting and for DuckDB. */
  readonly memory: number;
  /** The streams to audit. */
  readonly selection: SelectionOptions;
}

/** Validates the events of an archive and prints the findings. */
export async function audit(options: AuditOptions, io: Io): Promise<ExitCode> {
  const ids = options.protocol === undefined ? [] : [options.protocol];
  const protocols = await loadValidProtocols(options.schemas, ids, { examples: false });
  const validators = protocols.map(createValidators);
  const { inputs, unreadable } = findInputs(options.paths, FILE_NAME_PATTERN);
  refuseNonFiles(inputs);
  const folder = prepareTemporaryFolder(io);
  const holder = createDatabaseHolder(options.memory, folder);
  try {
    const readable = await openParquetInputs(inputs, protocols, holder, options.column);
    const selection = createSelection(options.selection, protocols);
    const { profile, stats, limit, memory } = options;
    const task = { inputs: readable, validators, profile, stats, limit, selection, memory, folder };
    const { findings, outcome } = await validateArchive(task, io);
    const printer = createPrinter(options, io, () => {});
    for (const finding of findings) printer.report(finding);
    const exitCode = printer.end({ ...outcome, unreadable: [...unreadable, ...outcome.unreadable] });
    if (outcome.tally.events > 0 || options.allowsEmpty) return exitCode;
    io.stderr("accrete: there are no events. Use --allow-empty if that is right.\n");
    return EXIT.usage;
  } finally {
    holder.close();
    folder.remove();
  }
}

/** Throws a usage error for an input that can be read only once. Events out of order are read a second time. */
function refuseNonFiles(inputs: readonly Input[]): void {
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

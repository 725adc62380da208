/** Audits archives: finds the files, validates their events in the order of their streams, and prints what it finds. */
import { existsSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { countSeverities } from "../finding.js";
import { findInputs } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import type { Protocol } from "../protocol/protocol.js";
import type { ReportFormat } from "../report/report.js";
import type { Summary } from "../report/reporter.js";
import type { Profile } from "../schema/readings.js";
import { formatCount } from "../text.js";
import { createPrinter } from "../validate/printer.js";
import { countFindings } from "../validate/tally.js";
import { createValidators } from "../validators/protocol-validators.js";
import { createDatabaseHolder, type DatabaseHolder } from "./database.js";
import type { FindingTable } from "./findings-file.js";
import { isParquetFile } from "./parquet-input.js";
import type { ParquetThread } from "./parquet-thread.js";
import { queryArchive } from "./query.js";
import type { RefusalExplainer } from "./readers/explain-refusals.js";
import type { ReaderProof } from "./readers/prove-readers.js";
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
  /** A query to answer instead of validating the events. */
  readonly sql: string | undefined;
  /** The bytes of memory for sorting and for DuckDB. */
  readonly memory: number;
  /** The Parquet file that all findings are written to; undefined if they are printed only. */
  readonly output: string | undefined;
  /** True if it is proven that current readers accept the events of all releases. */
  readonly readers: boolean;
  /** The streams to audit. */
  readonly selection: SelectionOptions;
}

/** Validates the events of an archive and prints the findings. */
export async function audit(options: AuditOptions, io: Io): Promise<ExitCode> {
  if (options.sql !== undefined) refuseOtherTasks(options);
  const ids = options.protocol === undefined ? [] : [options.protocol];
  const protocols = await loadValidProtocols(options.schemas, ids, { examples: false });
  const validators = protocols.map(createValidators);
  if (options.paths.length === 0 && !options.readers)
    throw new UsageError("Name what to audit: files or folders. Only --readers needs none.");
  const { inputs, unreadable } = await findInputs(options.paths, FILE_NAMES);
  refuseNonFiles(inputs);
  if (options.output !== undefined) refuseOutput(options.output, inputs);
  const proofs = options.readers ? await proveAllReaders(protocols, options.schemas, io) : [];
  const folder = prepareTemporaryFolder(io);
  const holder = createDatabaseHolder(options.memory, folder);
  const parquetInputs = new Set(inputs.filter(isParquetFile));
  const parquet = parquetInputs.size > 0 ? await startParquetReader(protocols, options) : undefined;
  try {
    const readable = inputs.map((input) =>
      parquet && parquetInputs.has(input) ? parquet.openInput(input) : input,
    );
    if (options.sql !== undefined) {
      const database = await holder.open({ purpose: "answer queries" });
      const query = { ...options, sql: options.sql, inputs: readable, validators, unreadable };
      return await queryArchive(database, query, io);
    }
    const selection = createSelection(options.selection, protocols);
    const { profile, stats, limit, memory } = options;
    const createExplainer = await loadExplainer(proofs);
    const table = options.output === undefined ? undefined : await openFindingTable(holder, io);
    const task = { inputs: readable, validators, profile, stats, limit, selection, memory, folder, table };
    const { findings, outcome, refusals } = await validateArchive({ ...task, ...createExplainer }, io);
    const printer = createPrinter(options, io, () => {});
    const ledgerFindings = proofs.flatMap((proof) => proof.findings);
    for (const finding of [...ledgerFindings, ...findings]) printer.report(finding);
    for (const finding of ledgerFindings) table?.add(finding);
    countFindings(outcome.tally, ledgerFindings);
    const details = refusals && joinProofs(proofs, refusals);
    const exitCode = printer.end({ ...outcome, unreadable: [...unreadable, ...outcome.unreadable] }, details);
    if (options.output !== undefined) await table?.write(options.output);
    if (outcome.tally.events > 0 || options.allowsEmpty || options.paths.length === 0) return exitCode;
    const place = selection === undefined ? "" : " in the streams of --sample, --since and --until";
    io.stderr(`accrete: there are no events${place}. Use --allow-empty if that is right.\n`);
    return EXIT.usage;
  } finally {
    await parquet?.close();
    holder.close();
    folder.remove();
  }
}

/** Starts the thread that reads Parquet files. */
async function startParquetReader(
  protocols: readonly Protocol[],
  { memory, column }: AuditOptions,
): Promise<ParquetThread> {
  const { startParquetThread } = await import("./parquet-thread.js");
  return startParquetThread({ protocols, column, memory });
}

async function openFindingTable(holder: DatabaseHolder, io: Io): Promise<FindingTable> {
  const { createFindingTable } = await import("./findings-file.js");
  return createFindingTable(await holder.open({ purpose: "write Parquet files" }), io);
}

/** Proves for every protocol that current readers accept the events of all releases. The engine is loaded only when it is needed. */
async function proveAllReaders(
  protocols: readonly Protocol[],
  schemas: string,
  io: Io,
): Promise<readonly ReaderProof[]> {
  const [{ readVersionHistories }, { proveReaders }] = await Promise.all([
    import("./readers/version-history.js"),
    import("./readers/prove-readers.js"),
  ]);
  const proofs: ReaderProof[] = [];
  for (const history of readVersionHistories(protocols, schemas, io.environment))
    proofs.push(await proveReaders(history));
  return proofs;
}

/** Returns the option that explains refused events; none without proofs. */
async function loadExplainer(
  proofs: readonly ReaderProof[],
): Promise<{ createExplainer?: () => RefusalExplainer }> {
  if (proofs.length === 0) return {};
  const { createRefusalExplainer } = await import("./readers/explain-refusals.js");
  return { createExplainer: () => createRefusalExplainer(proofs) };
}

/** Adds what was proven for each protocol to the counts of refused events. */
function joinProofs(proofs: readonly ReaderProof[], refusals: Summary): Summary {
  const lines = proofs.map(({ history: { id, versions }, findings }) => {
    if (versions.length === 1) return `${id} has no release, so nothing was proven`;
    const releases = formatCount(versions.length - 1, "release");
    const { errors } = countSeverities(findings);
    return errors > 0
      ? `${id}: current readers refuse some events of ${releases}, see above`
      : `${id}: current readers accept all events of ${releases}`;
  });
  return { text: [...lines, refusals.text].filter((text) => text !== "").join("\n"), data: refusals.data };
}

/** Throws a usage error for options that have no meaning for a query. */
function refuseOtherTasks({ stats, readers, output, selection, format }: AuditOptions): void {
  const isSelective = Object.values(selection).some((value) => value !== undefined);
  if (stats || readers || output !== undefined || isSelective || (format !== "text" && format !== "json"))
    throw new UsageError(
      "--sql cannot be combined with --stats, --readers, --output, --sample, --since or --until, and its formats are text and json.",
    );
}

/** Throws a usage error if a file of findings cannot be written because its folder does not exist, or must not be because it is an input. */
function refuseOutput(output: string, inputs: readonly Input[]): void {
  const folder = path.dirname(output);
  if (!existsSync(folder))
    throw new UsageError(`The folder ${folder} of --output does not exist; create it.`);
  const realOutput = existsSync(output) && realpathSync(output);
  if (inputs.some(({ file }) => file !== undefined && realpathSync(file) === realOutput))
    throw new UsageError(
      `${output} of --output is also a file to audit, and would be overwritten. Name another file.`,
    );
}

/** Throws a usage error for an input that can be read only once. Events out of order are read a second time. */
function refuseNonFiles(inputs: readonly Input[]): void {
  const pipe = inputs.find(({ file }) => file === undefined || !statSync(file).isFile());
  if (pipe)
    throw new UsageError(
      `${pipe.name} can be read only once, and audit may have to read twice. Write it to a file, or use validate.`,
    );
}

/** The names of files that are read in folders. */
const FILE_NAMES = {
  pattern: /\.((json|jsonl|ndjson|sse)(\.(gz|zst))?|parquet)$/i,
  endings: ".json, .jsonl, .ndjson, .sse (also with .gz or .zst) or .parquet",
};

import { UsageError } from "../failure.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { isObject } from "../json.js";
import type { Adapter } from "../kit/adapter.js";
import { collectTypes } from "../kit/describe-consumer.js";
import type { KitProtocol } from "../kit/kit-protocol.js";
import { LAWS } from "../kit/laws/laws.js";
import { planExperiments, recordLens } from "../kit/lens/record-lens.js";
import { scoreConsumer } from "../kit/score.js";
import { runSteps } from "../kit/steps.js";
import { recordConsumer } from "../load/consumer-records.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { readJsonFile } from "../load/read-bytes.js";
import { readEarlierReleases } from "../load/releases/release-history.js";
import { didYouMean } from "../nearest.js";
import { createPlainSchemas } from "../protocol/plain-schemas.js";
import type { Protocol } from "../protocol/protocol.js";
import { chooseView } from "../protocol/view-roles.js";
import { formatArgument, getErrorMessage, sanitizeLine } from "../text.js";
import { createValidators } from "../validators/protocol-validators.js";
import { type AdapterLocation, createAdapterAccess, formatLocation, nameAdapter } from "./adapter-access.js";
import { checkMessages } from "./check-messages.js";
import { connectAdapter } from "./remote-adapter.js";
import { UnusableAdapter } from "./remote-consumer.js";
import { formatLawReport, type LawReportFormat } from "./report-laws.js";
import { type LawRunResult, runLaws } from "./run-laws.js";

/** Options of `accrete kit`. */
export interface TestAdapterOptions {
  readonly location: AdapterLocation;
  readonly schemas: string;
  readonly protocol: string;
  readonly seed: number;
  readonly runs: number;
  /** The milliseconds after which an adapter is silent. */
  readonly timeout: number;
  readonly format: LawReportFormat;
  /** True if only the messages are checked, and no law. */
  readonly checksMessages: boolean;
  /** The only law to check. */
  readonly law: string | undefined;
  /** What the consumer has to show. */
  readonly claims: readonly string[] | undefined;
  /** The values that events need to be shown. */
  readonly only: readonly string[] | undefined;
  /** True if the report says which facts of events the snapshot shows. */
  readonly scores: boolean;
  /** The file that lists the laws that are known to be broken. */
  readonly knownBroken: string | undefined;
  /** The name under which the consumer is recorded if it keeps all laws, and the file of the records. */
  readonly record:
    | { readonly name: string; readonly kinds: readonly string[]; readonly file: string }
    | undefined;
}

/** Checks the laws of the kit on a consumer outside of this process, and prints the results. */
export async function testAdapter(options: TestAdapterOptions, io: Io): Promise<ExitCode> {
  refuseUnknownLaw(options.law);
  const knownBroken = readKnownBroken(options.knownBroken);
  const [loaded] = await loadValidProtocols(options.schemas, [options.protocol]);
  if (loaded === undefined) throw new UsageError(`There is no protocol ${options.protocol}.`);
  const protocol = createKitProtocol(options.schemas, loaded);
  const access = createAdapterAccess(options.location, options.timeout, io);
  if (options.checksMessages) return await checkMessages(access, protocol, io);
  const adapter = await describeStart(connectAdapter(access, protocol));
  const types = new Set<string>();
  try {
    const { seed, runs, law, claims, only } = options;
    const observed = options.record ? collectTypes(adapter, protocol, types) : adapter;
    const repeatCommand = (id: string): string => formatCommand(options, id);
    const run = await describeRefusal(() =>
      runLaws(observed, {
        ...{ protocol, seed, runs, knownBroken, law, repeatCommand },
        ...(claims && { claims }),
        ...(only && { only }),
      }),
    );
    const score =
      options.scores && run.end === undefined
        ? await runSteps(scoreConsumer(adapter, protocol, only))
        : undefined;
    const report = {
      adapter: nameAdapter(options.location),
      protocol: protocol.id,
      seed,
      runs,
      ...run,
      ...(score && { score }),
    };
    io.stdout(formatLawReport(report, options.format));
    if (run.results.every(({ outcome }) => outcome === "kept" || outcome === "skipped"))
      await saveRecord(options, types, adapter, protocol);
    return chooseExitCode(run, io);
  } finally {
    adapter.close();
  }
}

/** Waits for the start of an adapter. Throws a UsageError if it fails. */
async function describeStart<T>(start: Promise<T>): Promise<T> {
  try {
    return await start;
  } catch (error) {
    throw new UsageError(`${getErrorMessage(error)}.`);
  }
}

/** Runs laws. Throws a UsageError if the kit refuses the options, which it does with a TypeError. */
async function describeRefusal<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}

function chooseExitCode({ results, end }: LawRunResult, io: Io): ExitCode {
  if (end !== undefined) io.stderr(`accrete: ${sanitizeLine(end.message)}.\n`);
  if (end instanceof UnusableAdapter) return EXIT.usage;
  return results.some(({ outcome }) => outcome === "broken" || outcome === "unchecked")
    ? EXIT.findings
    : EXIT.ok;
}

async function saveRecord(
  { record, law, knownBroken, seed }: TestAdapterOptions,
  types: ReadonlySet<string>,
  adapter: Adapter,
  protocol: KitProtocol,
): Promise<void> {
  if (record === undefined || law !== undefined || knownBroken !== undefined) return;
  const { name, kinds, file } = record;
  const { id, version } = protocol;
  const events = [...types].sort();
  const lens = await runSteps(recordLens(adapter, planExperiments(protocol, seed)));
  const kindsOfRecord = kinds.length > 0 && { kinds };
  recordConsumer(file)({ consumer: name, protocol: id, version, events, ...kindsOfRecord, lens });
}

function formatCommand(options: TestAdapterOptions, law: string): string {
  const { location, protocol, seed, runs, schemas, claims, only } = options;
  const folder = schemas === "schemas" ? "" : ` --schemas ${formatArgument(schemas)}`;
  const formatNames = (option: string, names: readonly string[] | undefined): string =>
    names === undefined ? "" : ` ${option} ${formatArgument(names.join())}`;
  return `accrete kit ${formatLocation(location)} --protocol ${formatArgument(protocol)}${folder} --seed ${seed} --runs ${runs} --law ${law}${formatNames("--claims", claims)}${formatNames("--only", only)}`;
}

function refuseUnknownLaw(law: string | undefined): void {
  const laws = LAWS.map(({ id }) => id);
  if (law !== undefined && !laws.includes(law))
    throw new UsageError(`"${law}" is not a law${didYouMean(law, laws)}`);
}

/** Reads the laws that are known to be broken, each with the reason: `{ "duplicate-late": "see #12" }`. */
function readKnownBroken(file: string | undefined): { readonly [law: string]: string } {
  if (file === undefined) return {};
  const { document } = readJsonFile(file);
  if (!isObject(document))
    throw new UsageError(`${file}: It must be an object with a reason for each broken law.`);
  return document as { readonly [law: string]: string };
}

/** Returns a protocol of a schemas folder as the kit needs it, as the generated module of the protocol exports it. */
function createKitProtocol(schemas: string, protocol: Protocol): KitProtocol {
  const { name, id, version, stream } = protocol;
  const { discriminator, placement, property } = protocol.envelope;
  const { profiles, decodeEvent } = createValidators(protocol);
  // The kit asks only whether there are resources. It never checks one.
  const resources = new Map(protocol.resources.map((resource) => [resource.name, resource]));
  return {
    name,
    id,
    version,
    envelope: { discriminator, placement, ...(property !== undefined && { property }) },
    ...(stream && { stream }),
    ...(stream?.rules && { rules: stream.rules }),
    view: chooseView(protocol),
    validators: {
      reader: { ...profiles.reader, resources } as typeof profiles.reader,
      writer: profiles.writer,
    },
    decodeEvent,
    schemas: createPlainSchemas(protocol),
    releases: readEarlierReleases(schemas, protocol).map((release) => ({
      version: release.version,
      schemas: createPlainSchemas(release),
    })),
  };
}

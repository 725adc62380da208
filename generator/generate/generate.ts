import path from "node:path";
import type { Cache } from "../cache/cache.js";
import type { ResultIdentity } from "../cache/identify-result.js";
import type { ClosableEmitThread } from "../emit/emit-thread.js";
import type { FixtureStream } from "../emit/fixture-stream.js";
import { parseRequestedOutput } from "../emit/optional-emitters.js";
import { UsageError } from "../failure.js";
import { countSeverities, type Finding } from "../finding.js";
import { type Io, toForwardSlashes } from "../io.js";
import { readFixtureEvents, readFixtureStreams } from "../load/fixtures.js";
import { loadProtocols } from "../load/load-protocols.js";
import { readEarlierReleases } from "../load/releases/release-history.js";
import { readRuntime } from "../load/runtime.js";
import { didYouMean } from "../nearest.js";
import {
  checkTree,
  digestOutputs,
  matchesTree,
  type OutputDigest,
  writeTree,
} from "../output/output-tree.js";
import { listGeneratedVersions, resolveLinks } from "../output/paths.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import type { Summary } from "../report/reporter.js";
import { formatCount, formatLiteral } from "../text.js";
import { identifyRun, type RunOptions } from "./run-identity.js";

/** The options of `generate`. */
export interface GenerateOptions extends RunOptions {
  /** True to compare instead of write. */
  readonly check: boolean;
  /** The results of earlier runs. Without it, everything is computed. */
  readonly cache?: Cache | undefined;
  /** The thread for the outputs that take long; by default a thread that ends with this run, where threads pay. */
  readonly thread?: ClosableEmitThread | undefined;
}

/** Findings and the summary to print after them. */
interface GenerateResult {
  readonly findings: readonly Finding[];
  readonly summary: Summary;
}

/** The outputs of a run, and what its summary says about them. */
interface GeneratedOutputs {
  readonly totals: Totals;
  readonly outputs: readonly OutputFile[];
}

interface Totals {
  /** The ids of the protocols. */
  readonly protocols: readonly string[];
  readonly eventTypes: number;
}

/** What the cache holds of a run. */
interface RememberedRun {
  readonly totals: Totals;
  readonly digests: readonly OutputDigest[];
}

/**
 * Writes, or compares, all outputs of the schemas. If the schemas have errors, the output folder is not changed. Calls
 * `onResult` as soon as the result is known: what the next run needs is remembered after that.
 */
export async function generate(
  options: GenerateOptions,
  io: Io,
  onResult: (result: GenerateResult) => void = () => {},
): Promise<GenerateResult> {
  const { schemas, out, protocols: ids, emit, cache } = options;
  const ownFolders = emit.flatMap((item) => parseRequestedOutput(item).folder ?? []);
  for (const folder of [out, ...ownFolders]) refuseOneFolder(schemas, folder);
  const identity = cache && identifyRun(options, cache);
  const remembered = identity && cache.read<RememberedRun>(identity.name, identity.key)?.value;
  const report = (totals: Totals, { findings, summary }: GenerateResult): GenerateResult => {
    const unknown = ids.length > 0 ? [] : listUnknownVersions(out, totals);
    const result = { findings: [...findings, ...unknown], summary };
    onResult(result);
    return result;
  };
  if (remembered && matchesTree(out, remembered.digests, remembered.totals.protocols))
    return report(remembered.totals, summarizeUnchanged(remembered, options));
  const thread = options.thread ?? (await startOwnThread(options, io));
  try {
    const generated = await loadAndEmit(options, io, thread);
    if ("findings" in generated) {
      onResult(generated);
      return generated;
    }
    const result = report(generated.totals, compareOrWrite(options, generated, io));
    // A signal that arrives while the results are remembered must find the command finished.
    io.finishWork?.();
    await remember(options, generated, identity, thread);
    return result;
  } finally {
    // Nothing waits for the end of the thread.
    if (thread !== options.thread) void thread?.close();
  }
}

/** Returns the result of a run whose outputs are all up to date. */
function summarizeUnchanged({ totals, digests }: RememberedRun, { check }: GenerateOptions): GenerateResult {
  const unchanged = digests.length;
  return check
    ? summarizeCheck(totals, { findings: [], unchanged })
    : summarizeWriting(totals, { findings: [], written: [], removed: [], unchanged });
}

function compareOrWrite(
  { out, check }: GenerateOptions,
  { totals, outputs }: GeneratedOutputs,
  io: Io,
): GenerateResult {
  return check
    ? summarizeCheck(totals, checkTree(out, outputs, totals.protocols))
    : summarizeWriting(totals, writeTree(out, outputs, totals.protocols, io));
}

/** Writes what the next run needs into the cache. */
async function remember(
  { cache }: GenerateOptions,
  { totals, outputs }: GeneratedOutputs,
  identity: ResultIdentity | undefined,
  thread: ClosableEmitThread | undefined,
): Promise<void> {
  cache?.savePieces();
  await thread?.savePieces();
  // Another process may have changed a schema after it was hashed, and before it was loaded.
  if (identity?.isCurrent() !== true) return;
  const run: RememberedRun = { totals, digests: digestOutputs(outputs) };
  cache?.write(identity.name, identity.key, run);
}

async function startOwnThread({ cache }: GenerateOptions, io: Io): Promise<ClosableEmitThread | undefined> {
  if (!io.canPreloadInThreads) return undefined;
  return (await import("../emit/emit-thread.js")).startEmitThread(cache);
}

/** Loads the protocols and makes their outputs. Returns the result of the run if the schemas have errors. */
async function loadAndEmit(
  options: GenerateOptions,
  io: Io,
  thread: ClosableEmitThread | undefined,
): Promise<GeneratedOutputs | GenerateResult> {
  const { protocols, findings } = await loadProtocols(options.schemas, options.protocols);
  const { errors } = countSeverities(findings);
  if (errors > 0)
    return {
      findings,
      summary: { text: `${formatCount(errors, "error")}: nothing was generated`, data: { errors } },
    };
  if (io.showsProgress) for (const { id } of protocols) io.stderr(`generating ${id} …\n`);
  return { totals: countTotals(protocols), outputs: await makeOutputs(protocols, options, thread) };
}

/** Throws if schemas and outputs have one folder. Release files have the banner, too, and would be removed as superfluous. */
function refuseOneFolder(schemas: string, out: string): void {
  if (resolveLinks(schemas) === resolveLinks(out))
    throw new UsageError(`Schemas and generated code need two folders; both are to be in ${out}.`);
}

/** Throws if the protocol names a stream to draw that its fixtures do not have. */
function refuseMissingFlows({ id, flows = [], at }: Protocol, streams: readonly FixtureStream[]): void {
  const known = streams.map((stream) => stream.id.replace(/\.jsonl$/, ""));
  const missing = flows.find((name) => !known.includes(name));
  // Without fixtures, nothing is drawn.
  if (missing === undefined || known.length === 0) return;
  throw new UsageError(
    `${at.file}: "flows" names ${formatLiteral(missing)}, but the fixtures of ${id} have no such stream${didYouMean(missing, known)}`,
  );
}

/** Throws if the protocol has a pattern that an output in another language cannot check. */
async function refuseUnsupportedPatterns(protocol: Protocol, emit: readonly string[]): Promise<void> {
  const names = emit.map((item) => parseRequestedOutput(item).name);
  const output = ["go", "python", "rust"].find((name) => names.includes(name));
  if (output === undefined) return;
  const [found] = (await import("../emit/plan/validation.js")).listUnsupportedPatterns(protocol);
  if (found === undefined) return;
  throw new UsageError(
    `${found.at.file}${found.at.pointer}: the output "${output}" cannot check the pattern ${formatLiteral(found.pattern)}. It has a backreference, or its automaton is too large. Change the pattern, or emit "${output}-types", which checks types alone.`,
  );
}

/** Returns all outputs of `protocols`. */
export async function makeOutputs(
  protocols: readonly Protocol[],
  {
    schemas,
    out,
    fixtures,
    emit,
    cache,
  }: Pick<GenerateOptions, "schemas" | "out" | "fixtures" | "emit" | "cache">,
  thread?: ClosableEmitThread,
): Promise<readonly OutputFile[]> {
  // The libraries of the emitters take longer to load than most commands need to run.
  const { emitProtocol } = await import("../emit/emit.js");
  for (const protocol of protocols) await refuseUnsupportedPatterns(protocol, emit);
  const outputs = protocols.map((protocol) => {
    const { id } = protocol;
    return emitProtocol(protocol, {
      runtime: readRuntime(),
      // Generated tests find the fixtures from their own folder.
      fixtures: toForwardSlashes(path.relative(path.resolve(out, id), path.resolve(fixtures, id))),
      readFixtureEvents: () => readFixtureEvents(path.join(fixtures, id)),
      readFixtureStreams: () => {
        const streams = readFixtureStreams(path.join(fixtures, id));
        refuseMissingFlows(protocol, streams);
        return streams;
      },
      releases: readEarlierReleases(schemas, protocol),
      optionalOutputs: emit,
      thread,
      ...(cache && { cache }),
    });
  });
  return (await Promise.all(outputs)).flat();
}

function summarizeWriting(
  totals: Totals,
  { written, removed, unchanged, findings }: ReturnType<typeof writeTree>,
): GenerateResult {
  const removals = removed.length > 0 ? `, ${removed.length} removed` : "";
  const text =
    findings.length > 0
      ? `${formatCount(findings.length, "conflict")}: nothing was written`
      : `generated ${describeTotals(totals)}: ${formatCount(written.length, "file")} written${removals}, ${unchanged} unchanged`;
  return { findings, summary: { text, data: { ...totals, written, removed, unchanged } } };
}

function summarizeCheck(
  totals: Totals,
  { findings, unchanged }: ReturnType<typeof checkTree>,
): GenerateResult {
  const differing = findings.length > 0 ? `, ${findings.length} not` : "";
  const text = `checked ${describeTotals(totals)}: ${formatCount(unchanged, "file")} up to date${differing}`;
  return { findings, summary: { text, data: { ...totals, unchanged, differing: findings.length } } };
}

/** Returns a finding for each generated version that these schemas do not have. Other schemas may have generated it, so it stays. */
function listUnknownVersions(out: string, { protocols }: Totals): Finding[] {
  const known = new Set(protocols);
  return listGeneratedVersions(out)
    .filter((id) => !known.has(id))
    .map((id) => ({
      rule: "generated-unknown",
      severity: "note",
      message: `These schemas have no ${id}; its generated files were left as they are.`,
      at: { file: path.posix.join(toForwardSlashes(out), id), pointer: "" },
      hint: "Delete the folder if no other schemas folder generates it.",
    }));
}

function countTotals(protocols: readonly Protocol[]): Totals {
  return {
    protocols: protocols.map(({ id }) => id),
    eventTypes: protocols.reduce((sum, { events }) => sum + events.length, 0),
  };
}

function describeTotals({ protocols, eventTypes }: Totals): string {
  return `${formatCount(protocols.length, "protocol")}, ${formatCount(eventTypes, "event type")}`;
}

/** Validates the events of an archive. The order of files and lines does not matter: every stream is validated in its order. */
import { tmpdir } from "node:os";
import type { Finding } from "../finding.js";
import type { Input } from "../ingest/place.js";
import type { Io } from "../io.js";
import type { Summary } from "../report/reporter.js";
import type { Profile } from "../schema/readings.js";
import { createProgress, type Progress } from "../validate/printer.js";
import { type Outcome, runSession } from "../validate/run.js";
import type { Tally } from "../validate/tally.js";
import type { Validators } from "../validators/protocol-validators.js";
import { createFindingCollector } from "./collect-findings.js";
import { createPlaceNumber } from "./event-partitions.js";
import type { FindingTable } from "./findings-file.js";
import { createByteMeter, createShareMeter, estimateBytes } from "./measure-progress.js";
import type { RefusalExplainer } from "./readers/explain-refusals.js";
import { isSpaceError, type Origin, sortEvents } from "./sorted-events.js";
import { ALL_STREAMS, type StreamSelection } from "./stream-selection.js";
import type { TemporaryFolder } from "./temporary-folder.js";

/** An archive, and how to validate it. */
interface ArchiveTask {
  readonly inputs: readonly Input[];
  readonly validators: readonly Validators[];
  readonly profile: Profile;
  readonly stats: boolean;
  /** The maximum number of findings to keep; 0 for all. */
  readonly limit: number;
  /** The table that all findings are added to; undefined if they are printed only. */
  readonly table: FindingTable | undefined;
  /** Creates an explainer of refused events, for each pass over the archive; absent if they are not explained. */
  createExplainer?(): RefusalExplainer;
  /** The streams to validate; undefined for all. */
  readonly selection: StreamSelection | undefined;
  /** The bytes of memory for sorting. */
  readonly memory: number;
  readonly folder: TemporaryFolder;
}

/** The findings and the counts of an archive. */
interface ArchiveResult {
  readonly findings: readonly Finding[];
  readonly outcome: Outcome;
  /** Counts of refused events. */
  readonly refusals?: Summary;
}

/**
 * Validates the events in the order of the inputs. If a stream turns out to be out of order, or only some streams are
 * selected, sorts the events and validates the sorted ones.
 */
export async function validateArchive(task: ArchiveTask, io: Io): Promise<ArchiveResult> {
  if (task.selection === undefined) {
    const inOrder = await validateInOrder(task, io);
    if (inOrder !== undefined) return inOrder;
  }
  try {
    return await validateSorted(task, io);
  } catch (error) {
    if (!isSpaceError(error)) throw error;
    return validateWithoutStreams(task, io);
  }
}

/** Thrown to stop a validation when an event comes after a later event of its stream. */
class OutOfOrder extends Error {}

/** Validates the events in the order of the inputs. Returns undefined if a stream is out of order. */
async function validateInOrder(task: ArchiveTask, io: Io): Promise<ArchiveResult | undefined> {
  const collector = createFindingCollector(task.limit, task.table);
  const refuseDisorder = ({ disordered }: Tally): void => {
    if (disordered > 0) throw new OutOfOrder();
  };
  try {
    const result = await runValidation(task, io, {
      isSortedByStream: false,
      eventsOnly: false,
      progress: createProgress(io, { name: "", addToShare: createShareMeter(task.inputs) }),
      checkTally: refuseDisorder,
      hasRoom: collector.hasRoom,
      report: collector.append,
    });
    refuseDisorder(result.outcome.tally);
    return { findings: collector.list(), ...result };
  } catch (error) {
    if (!(error instanceof OutOfOrder)) throw error;
    await task.table?.clear();
    return undefined;
  }
}

/** Sorts the events and validates them. */
async function validateSorted(task: ArchiveTask, io: Io): Promise<ArchiveResult> {
  const { inputs, validators, memory, folder } = task;
  const collector = createFindingCollector(task.limit, task.table);
  const progress = createProgress(io, { name: "sorting", addToShare: createShareMeter(inputs) });
  const textCounts = { findings: 0, errors: 0 };
  const sortedEvents = await sortEvents(inputs, validators, {
    folder: folder.getPath(),
    memory,
    expectedBytes: estimateBytes(inputs),
    selection: task.selection ?? ALL_STREAMS,
    reportProgress: (bytes, input) => progress.add(undefined, bytes, input),
    reportUnreadable(finding, place) {
      textCounts.findings++;
      if (finding.severity === "error") textCounts.errors++;
      collector.insert(finding, place);
    },
  });
  progress.clear();
  // Findings about unreadable texts among the sorted events. They were reported when the texts were read.
  let unreadableFindings = 0;
  const result = await runValidation({ ...task, inputs: [sortedEvents.input] }, io, {
    isSortedByStream: true,
    eventsOnly: false,
    progress: createProgress(io, { name: "", addToShare: createByteMeter(sortedEvents.bytes) }),
    checkTally: () => {},
    hasRoom: () => true,
    report(finding) {
      const origin = sortedEvents.findOrigin(finding.at.line ?? 0);
      if (origin === undefined) return;
      if (origin.isUnreadable) unreadableFindings++;
      else
        collector.insert(
          relocateFinding(finding, origin),
          createPlaceNumber(origin.input.index, origin.line),
        );
    },
  });
  const outcome = { ...result.outcome, unreadable: sortedEvents.unreadable };
  outcome.tally.findings += textCounts.findings - unreadableFindings;
  outcome.tally.errors += textCounts.errors - unreadableFindings;
  return { ...result, findings: collector.list(), outcome };
}

/** Validates events one by one, because there is no space to sort them. */
async function validateWithoutStreams(task: ArchiveTask, io: Io): Promise<ArchiveResult> {
  await task.table?.clear();
  const collector = createFindingCollector(task.limit, task.table);
  const result = await runValidation(task, io, {
    isSortedByStream: false,
    eventsOnly: true,
    progress: createProgress(io, { name: "", addToShare: createShareMeter(task.inputs) }),
    checkTally: () => {},
    hasRoom: collector.hasRoom,
    report: collector.append,
  });
  const sentence = `cannot sort the events, because no space is left in ${tmpdir()}; events were checked one by one, and streams were not. Set TMPDIR to a folder with the space of the archive, or use --sample.`;
  const unreadable = [sentence, ...result.outcome.unreadable];
  return { ...result, findings: collector.list(), outcome: { ...result.outcome, unreadable } };
}

/** How events are validated, and what is done with the result. */
interface ValidationRun {
  readonly isSortedByStream: boolean;
  readonly eventsOnly: boolean;
  readonly progress: Progress;
  checkTally(tally: Tally): void;
  hasRoom(): boolean;
  report(finding: Finding): void;
}

async function runValidation(
  { inputs, validators, profile, stats, createExplainer }: ArchiveTask,
  { stdin }: Io,
  { isSortedByStream, eventsOnly, progress, checkTally, hasRoom, report }: ValidationRun,
): Promise<Pick<ArchiveResult, "outcome" | "refusals">> {
  const explainer = createExplainer?.();
  const order = { isSortedByStream, eventsOnly, thread: 0, threads: 1 };
  const options = { inputs, validators, profile, stats, countsDays: true, ...order };
  const outcome = await runSession(options, {
    stdin,
    hasRoom,
    ...(explainer && { explainInvalid: explainer.explain }),
    reportProgress(tally, bytes, input) {
      checkTally(tally);
      progress.add(tally, bytes, input);
    },
    report({ finding }) {
      // An archive may have empty files. Only an archive without any event is a failure.
      if (finding.rule !== "events-missing") report(finding);
    },
  }).finally(progress.clear);
  return { outcome, ...(explainer && { refusals: explainer.summarize() }) };
}

/** Returns a finding about a sorted line with the place that the line came from. */
function relocateFinding(finding: Finding, { input, line, pointer: prefix }: Origin): Finding {
  const { column, pointer } = finding.at;
  // The columns of an event in a list are those of the event, not those of the line.
  const columnInLine = column !== undefined && prefix === "" ? { column } : {};
  return { ...finding, at: { file: input.name, pointer: `${prefix}${pointer}`, line, ...columnInLine } };
}

/** Validates the events of an archive. The order of files and lines does not matter: every stream is validated in its order. */
import { tmpdir } from "node:os";
import { eventConflict, eventRepeated } from "../conform/rules/delivery.js";
import type { Finding } from "../finding.js";
import type { Input } from "../ingest/place.js";
import type { Io } from "../io.js";
import type { Summary } from "../report/reporter.js";
import type { Profile } from "../schema/readings.js";
import { createProgress, type Progress } from "../validate/printer.js";
import { type Outcome, type RunIo, runSession } from "../validate/run.js";
import type { PlacementObserver } from "../validate/session-state.js";
import { replaceStreams } from "../validate/stats.js";
import { countFindings, createTally, forgetFindings } from "../validate/tally.js";
import type { Validators } from "../validators/protocol-validators.js";
import { createFindingCollector, type FindingCollector } from "./collect-findings.js";
import { createPlaceNumber } from "./event-partitions.js";
import type { FindingTable } from "./findings-file.js";
import { createWholePart, type InputPart, isWholePart } from "./input-part.js";
import { createByteMeter, createShareMeter, estimateBytes } from "./measure-progress.js";
import type { RefusalExplainer } from "./readers/explain-refusals.js";
import { isSpaceError, type Origin, type SortOptions, sortEvents } from "./sorted-events.js";
import { createStreamOrder, type StreamOrder } from "./stream-order.js";
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

/** The counts of an archive. */
interface ValidationResult {
  readonly outcome: Outcome;
  /** Counts of refused events. */
  readonly refusals?: Summary;
}

/** The findings and the counts of an archive. */
interface ArchiveResult extends ValidationResult {
  readonly findings: readonly Finding[];
}

/**
 * Validates the events in the order of the inputs. Streams that turn out to be out of order are sorted and validated again.
 * If there are many of them, or only some streams are selected, sorts all events and validates the sorted ones.
 */
export async function validateArchive(task: ArchiveTask, io: Io): Promise<ArchiveResult> {
  const firstPass = task.selection === undefined ? await validateInOrder(task, io) : undefined;
  if (firstPass?.order.isInOrder) return { ...firstPass.result, findings: firstPass.collector.list() };
  try {
    const repaired = firstPass && (await validateDisordered(task, firstPass, io));
    return repaired ?? (await validateSorted(task, io));
  } catch (error) {
    if (!isSpaceError(error)) throw error;
    return validateWithoutStreams(task, io);
  }
}

/** Thrown to stop a validation when all events have to be sorted. */
class OutOfOrder extends Error {}

/** The result of the validation in the order of the inputs. It is right for the streams that are in order. */
interface FirstPass {
  readonly result: ValidationResult;
  readonly collector: FindingCollector;
  readonly order: StreamOrder;
}

/** Validates the events in the order of the inputs. Returns undefined if all events have to be sorted. */
async function validateInOrder(task: ArchiveTask, io: Io): Promise<FirstPass | undefined> {
  const collector = createFindingCollector(task.limit, task.table);
  const order = createStreamOrder(task.inputs);
  const refuseDisorder = (): void => {
    if (order.needsWholeSort) throw new OutOfOrder();
  };
  try {
    const result = await runValidation(task, io, {
      isSortedByStream: false,
      eventsOnly: false,
      placements: order,
      progress: createProgress(io, { name: "", addToShare: createShareMeter(task.inputs) }),
      checkProgress: refuseDisorder,
      hasRoom: collector.hasRoom,
      report: collector.append,
    });
    refuseDisorder();
    return { result, collector, order };
  } catch (error) {
    if (!(error instanceof OutOfOrder)) throw error;
    return undefined;
  }
}

/**
 * Sorts and validates the streams that are out of order, and replaces what the first pass found about them. Counts of
 * events stay as they are, because they do not depend on the order. Returns undefined if all events have to be sorted: there
 * are too many findings, the streams are not in lines, inputs have the same name, or an id occurs in another stream, too.
 */
async function validateDisordered(
  task: ArchiveTask,
  { result, collector: firstCollector, order }: FirstPass,
  io: Io,
): Promise<ArchiveResult | undefined> {
  const { inputs, limit, table } = task;
  const firstFindings = firstCollector.listAppended();
  const disordered = order.listDisordered();
  const indexes = new Map(inputs.map(({ name, index }) => [name, index]));
  if (firstFindings === undefined || disordered === undefined || indexes.size < inputs.length)
    return undefined;
  const getPlace = ({ at }: Finding): number => createPlaceNumber(indexes.get(at.file) ?? 0, at.line ?? 0);
  const findingsByPlace = new Map<number, Finding[]>();
  for (const finding of firstFindings) {
    const place = getPlace(finding);
    const others = findingsByPlace.get(place);
    if (others) others.push(finding);
    else findingsByPlace.set(place, [finding]);
  }
  const replaced = new Set<Finding>();
  const { has, parts, share } = disordered;
  await table?.clear();
  const collector = createFindingCollector(limit, table);
  const found: Finding[] = [];
  const sorted = await sortAndValidate(task, io, {
    parts,
    expectedBytes: share * estimateBytes(inputs),
    selection: { ...ALL_STREAMS, hasStream: (stream) => has(stream.slice(stream.indexOf("\n") + 1)) },
    // The first pass has reported the texts that are not JSON.
    reportUnreadable: () => {},
    markSelected(place, pointer) {
      // Sorted events are not in lists any more.
      for (const finding of findingsByPlace.get(place) ?? [])
        if (isWithin(finding.at.pointer, pointer) && finding.rule !== "event-listed-twice")
          replaced.add(finding);
    },
    report(finding, place) {
      found.push(finding);
      collector.insert(finding, place);
    },
  });
  if (countIdFindings(found) < countIdFindings([...replaced])) return undefined;
  const keptFindings = firstFindings.filter((finding) => !replaced.has(finding));
  for (const finding of keptFindings) collector.insert(finding, getPlace(finding));
  const { outcome } = result;
  forgetFindings(outcome.tally);
  countFindings(outcome.tally, [...keptFindings, ...found]);
  if (outcome.stats && sorted.outcome.stats) replaceStreams(outcome.stats, sorted.outcome.stats);
  return { ...result, findings: collector.list() };
}

/** Returns whether a JSON pointer is `parent` or a part of it. */
function isWithin(pointer: string, parent: string): boolean {
  return pointer === parent || pointer.startsWith(`${parent}/`);
}

/** Counts the findings about ids that occurred before. */
function countIdFindings(findings: readonly Finding[]): number {
  return findings.filter(({ rule }) => rule === eventRepeated.id || rule === eventConflict.id).length;
}

/** Sorts all events and validates them. */
async function validateSorted(task: ArchiveTask, io: Io): Promise<ArchiveResult> {
  const { inputs, limit, table } = task;
  await table?.clear();
  const collector = createFindingCollector(limit, table);
  const counts = createTally();
  const add = (finding: Finding, place: number): void => {
    countFindings(counts, [finding]);
    collector.insert(finding, place);
  };
  const result = await sortAndValidate(task, io, {
    parts: inputs.map(createWholePart),
    expectedBytes: estimateBytes(inputs),
    selection: task.selection ?? ALL_STREAMS,
    reportUnreadable: add,
    report: add,
  });
  const { findings, errors, rules } = counts;
  Object.assign(result.outcome.tally, { findings, errors, rules });
  return { ...result, findings: collector.list() };
}

/** The events to sort, and what is done with the findings about them. */
interface SortedRun
  extends Pick<SortOptions, "expectedBytes" | "selection" | "reportUnreadable" | "markSelected"> {
  readonly parts: readonly InputPart[];
  /** Receives the findings about the sorted events, each with the place that its event came from. */
  report(finding: Finding, place: number): void;
}

/** Sorts the events of parts of the inputs and validates them. */
async function sortAndValidate(
  task: ArchiveTask,
  io: Io,
  { parts, report, ...options }: SortedRun,
): Promise<ValidationResult> {
  const { inputs, validators, memory, folder } = task;
  const addToShare = parts.every(isWholePart) ? createShareMeter(inputs) : () => undefined;
  const progress = createProgress(io, { name: "sorting", addToShare });
  const sortedEvents = await sortEvents(inputs, parts, validators, {
    ...options,
    folder: folder.getPath(),
    memory,
    reportProgress: (bytes, input) => progress.add(undefined, bytes, input),
  });
  progress.clear();
  const result = await runValidation({ ...task, inputs: [sortedEvents.input] }, io, {
    isSortedByStream: true,
    eventsOnly: false,
    progress: createProgress(io, { name: "", addToShare: createByteMeter(sortedEvents.bytes) }),
    hasRoom: () => true,
    findOrigin(line) {
      const origin = sortedEvents.findOrigin(line);
      return origin && { file: origin.input.name, line: origin.line };
    },
    report(finding) {
      const origin = sortedEvents.findOrigin(finding.at.line ?? 0);
      // Texts that are not JSON were reported when they were read.
      if (origin === undefined || origin.isUnreadable) return;
      report(relocateFinding(finding, origin), createPlaceNumber(origin.input.index, origin.line));
    },
  });
  return { ...result, outcome: { ...result.outcome, unreadable: sortedEvents.unreadable } };
}

/** Validates events one by one, because there is no space to sort them. */
async function validateWithoutStreams(task: ArchiveTask, io: Io): Promise<ArchiveResult> {
  await task.table?.clear();
  const collector = createFindingCollector(task.limit, task.table);
  const result = await runValidation(task, io, {
    isSortedByStream: false,
    eventsOnly: true,
    progress: createProgress(io, { name: "", addToShare: createShareMeter(task.inputs) }),
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
  readonly placements?: PlacementObserver;
  readonly progress: Progress;
  /** Is called after each piece of an input. */
  checkProgress?(): void;
  hasRoom(): boolean;
  findOrigin?: RunIo["findOrigin"];
  report(finding: Finding): void;
}

async function runValidation(
  { inputs, validators, profile, stats, createExplainer }: ArchiveTask,
  { stdin }: Io,
  {
    isSortedByStream,
    eventsOnly,
    placements,
    progress,
    checkProgress,
    hasRoom,
    findOrigin,
    report,
  }: ValidationRun,
): Promise<ValidationResult> {
  const explainer = createExplainer?.();
  const order = { isSortedByStream, eventsOnly, thread: 0, threads: 1 };
  const options = { inputs, validators, profile, stats, countsDays: true, ...order };
  const outcome = await runSession(options, {
    stdin,
    hasRoom,
    ...(placements && { placements }),
    ...(findOrigin && { findOrigin }),
    ...(explainer && { explainInvalid: explainer.explain }),
    reportProgress(tally, bytes, input) {
      checkProgress?.();
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

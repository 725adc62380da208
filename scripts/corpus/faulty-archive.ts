/**
 * Writes archives of hecate/v1 runs with planted faults, whose events are spread over files, and compares the findings of an
 * audit with the faults.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import type { Finding } from "../../generator/finding.js";
import { generateCorpus } from "./corpus.js";
import { type CorpusRandom, createCorpusRandom } from "./random.js";

/** The lines of a run with a fault. */
interface FaultyLines {
  readonly lines: readonly (string | Buffer)[];
  /** The index of the line that the finding is about; undefined if there must be no finding. */
  readonly at?: number;
}

/** One kind of fault. */
interface FaultKind {
  /** The rule of the finding; undefined if there must be none. */
  readonly rule: string | undefined;
  /** Plants the fault at a random place; returns undefined if the run has no such place. */
  plant(lines: readonly string[], random: CorpusRandom): FaultyLines | undefined;
}

/** Creates a kind of fault that changes a line of an event type. */
function changeLine(rule: string, type: RegExp, change: (line: string) => string | Buffer): FaultKind {
  return {
    rule,
    plant(lines, random) {
      const places = lines.flatMap((line, index) => (type.test(readType(line)) ? [index] : []));
      if (places.length === 0) return undefined;
      const at = random.pick(places);
      const changed = change(lines[at] as string);
      return changed === lines[at] ? undefined : { at, lines: lines.with(at, changed as string) };
    },
  };
}

const ANY_TYPE = /./;

/** The kinds of faults by name. */
export const ARCHIVE_FAULTS: { readonly [name: string]: FaultKind } = {
  "cut line": changeLine("json-syntax", ANY_TYPE, (line) => line.slice(0, -1)),
  "bytes that are not UTF-8": changeLine("json-encoding", ANY_TYPE, (line) =>
    Buffer.from(line.replace(/}$/, ',"note":"\u00ff"}').replace(/[\u0100-\uffff]/g, "?"), "latin1"),
  ),
  "name twice": changeLine("json-duplicate-key", ANY_TYPE, (line) =>
    line.replace("{", '{"schema_version":"1",'),
  ),
  "unsafe number": changeLine("sequence-unsafe", ANY_TYPE, (line) =>
    line.replace(/"sequence":\d+/, '"sequence":9007199254740993'),
  ),
  "wrong type of a field": changeLine("event-invalid", ANY_TYPE, (line) =>
    line.replace(/"occurred_at":"[^"]*"/, '"occurred_at":7'),
  ),
  "missing field": changeLine("event-invalid", ANY_TYPE, (line) => line.replace(/"event_id":"[^"]*",/, "")),
  "other text": changeLine("text-mismatch", /^assistant\.text_complete$/, (line) =>
    line.replace(/("text":")/, "$1 more"),
  ),
  "wrong offset": changeLine("byte-offset-wrong", /^tool\.shell\.output_chunk$/, (line) =>
    line.replace(/"byte_offset":(\d+)/, (_, offset) => `"byte_offset":${Number(offset) + 1}`),
  ),
  "id of another event": {
    rule: "event-conflict",
    plant(lines, random) {
      const at = random.between(1, lines.length - 1);
      const id = /"event_id":"[^"]*"/.exec(lines[at - 1] ?? "")?.[0] ?? "";
      return { at, lines: lines.with(at, (lines[at] ?? "").replace(/"event_id":"[^"]*"/, id)) };
    },
  },
  "tool call ends twice": {
    rule: "lifecycle-end-repeated",
    plant(lines) {
      const end = lines.findLast((line) => readType(line) === "tool.completed");
      if (end === undefined) return undefined;
      const last = Number(/"sequence":(\d+)/.exec(lines.at(-1) ?? "")?.[1]);
      const repeated = end
        .replace('"event_id":"evt_0', '"event_id":"evt_1')
        .replace(/"sequence":\d+/, `"sequence":${last + 1}`);
      return { at: lines.length, lines: [...lines, repeated] };
    },
  },
  "lost event": {
    rule: undefined,
    plant: (lines, random) => ({ lines: lines.toSpliced(random.between(1, lines.length - 2), 1) }),
  },
  redelivery: {
    rule: undefined,
    plant(lines, random) {
      const at = random.between(0, lines.length - 1);
      return { lines: lines.toSpliced(at, 0, lines[at] ?? "") };
    },
  },
  "newer event type": {
    rule: undefined,
    plant(lines) {
      const at = lines.findIndex((line) => readType(line) === "artifact.created");
      return at < 0
        ? undefined
        : { lines: lines.with(at, (lines[at] ?? "").replace("artifact.created", "artifact.made")) };
    },
  },
};

function readType(line: string): string {
  return /"type":"([^"]*)"/.exec(line)?.[1] ?? "";
}

/** Returns complete runs of the corpus: the lines of each, without those that say that events are missing. */
function collectRuns(seed: number, events: number): readonly (readonly string[])[] {
  const runs = new Map<string, string[]>();
  let count = 0;
  for (const line of generateCorpus(seed)) {
    const id = /"run_id":"([^"]*)"/.exec(line)?.[1] ?? "";
    const lines = runs.get(id) ?? [];
    lines.push(line);
    runs.set(id, lines);
    if (++count >= events) break;
  }
  return [...runs.values()].filter((lines) => {
    const types = lines.map(readType);
    return (
      types[0] === "run.created" &&
      types.at(-1) === "run.finished" &&
      !types.some((type) => type.startsWith("gap.") || type === "run.resumed_from_event")
    );
  });
}

/** A planted fault, and the places of the lines of its run as `file:line`. */
export interface PlantedFault {
  readonly kind: string;
  readonly rule: string | undefined;
  /** The places of the line that the finding is about. It may have been delivered again. */
  readonly wrong: Set<string>;
  readonly places: Set<string>;
}

/** An archive that was written. */
export interface FaultyArchive {
  readonly events: number;
  readonly runs: number;
  readonly faults: readonly PlantedFault[];
}

/** The options of an archive. */
interface ArchiveOptions {
  readonly folder: string;
  readonly events: number;
  readonly files: number;
  readonly seed: number;
  /** The runs of which one has a fault. */
  readonly runsPerFault: number;
  /** True if the events of a run keep their order. */
  readonly isInOrder?: boolean;
  /** The share of lines that are delivered again, in all runs. */
  readonly redelivered?: number;
}

/** The events of which the runs are copied, with new ids. */
const TEMPLATE_EVENTS = 20_000;
const BUFFER_BYTES = 2 ** 20;

/** Writes an archive. Consecutive events of a run are in different files, and some are out of order. */
export function writeFaultyArchive({
  folder,
  events,
  files,
  seed,
  runsPerFault,
  isInOrder = false,
  redelivered = 0,
}: ArchiveOptions): FaultyArchive {
  const random = createCorpusRandom(seed);
  const templates = collectRuns(seed, Math.min(TEMPLATE_EVENTS, events));
  const writers = Array.from({ length: files }, (_, index) =>
    openLineWriter(path.join(folder, `${String(index).padStart(3, "0")}.jsonl`)),
  );
  const kinds = Object.entries(ARCHIVE_FAULTS);
  const faults: PlantedFault[] = [];
  let written = 0;
  let runs = 0;
  while (written < events) {
    const lines = copyRun(templates[runs % templates.length] ?? [], runs);
    const [kind, { rule, plant }] = kinds[Math.floor(runs / runsPerFault) % kinds.length] ?? ["", NO_FAULT];
    const planted = runs % runsPerFault === 0 ? plant(lines, random) : undefined;
    const fault = planted && { kind, rule, wrong: new Set<string>(), places: new Set<string>() };
    if (fault) faults.push(fault);
    const deliveries = [...(planted?.lines ?? lines).entries()].flatMap((delivery) =>
      redelivered > 0 && random.chance(redelivered) ? [delivery, delivery] : [delivery],
    );
    for (const [index, line] of shuffleNeighbours(deliveries, random, isInOrder ? 1 : 8)) {
      const place = random.pick(writers).write(line);
      fault?.places.add(place);
      if (planted?.at === index) fault?.wrong.add(place);
      written++;
    }
    runs++;
  }
  for (const writer of writers) writer.close();
  return { events: written, runs, faults };
}

const NO_FAULT: FaultKind = { rule: undefined, plant: () => undefined };

/** Returns the lines of a run with other ids. */
function copyRun(lines: readonly string[], copy: number): readonly string[] {
  // The ids have no I, L, O and U.
  const suffix = copy
    .toString(32)
    .toUpperCase()
    .replace(/[ILOU]/g, (letter) => "WXYZ"["ILOU".indexOf(letter)] ?? "")
    .padStart(6, "0");
  return lines.map((line) =>
    line.replace(/"((?:run|evt|task|chat)_[0-9A-Z]{20})[0-9A-Z]{6}"/g, `"$1${suffix}"`),
  );
}

/** Yields deliveries, each at most some places away from its own. The order changes among `length` of them. */
function* shuffleNeighbours<Delivery>(
  deliveries: readonly Delivery[],
  random: CorpusRandom,
  length: number,
): Generator<Delivery> {
  const held: Delivery[] = [];
  for (const delivery of deliveries) {
    held.push(delivery);
    if (held.length >= length) yield held.splice(random.between(0, held.length - 1), 1)[0] as Delivery;
  }
  yield* held;
}

/** Writes the lines of one file. */
interface LineWriter {
  /** Writes a line and returns its place. */
  write(line: string | Buffer): string;
  close(): void;
}

function openLineWriter(file: string): LineWriter {
  const descriptor = openSync(file, "w");
  let parts: (string | Buffer)[] = [];
  let length = 0;
  let count = 0;
  const flush = (): void => {
    writeSync(descriptor, Buffer.concat(parts.map((part) => Buffer.from(part as string))));
    parts = [];
    length = 0;
  };
  return {
    write(line) {
      parts.push(line, "\n");
      length += line.length + 1;
      if (length >= BUFFER_BYTES) flush();
      return `${file}:${++count}`;
    },
    close() {
      flush();
      closeSync(descriptor);
    },
  };
}

/** The result of a comparison. */
export interface FaultComparison {
  /** The number of planted faults of each kind, and of those with the expected result. */
  readonly kinds: { readonly [kind: string]: { planted: number; found: number } };
  readonly missed: readonly PlantedFault[];
  /** Findings about runs without a fault, or with a fault that must have none. */
  readonly invented: readonly Finding[];
}

/** Compares findings with the planted faults. Other findings about a run with a fault may follow from it. */
export function compareWithFaults(
  faults: readonly PlantedFault[],
  findings: readonly Finding[],
): FaultComparison {
  const byPlace = new Map<string, Set<string>>();
  const explained = new Set(
    faults.filter(({ rule }) => rule !== undefined).flatMap(({ places }) => [...places]),
  );
  const invented: Finding[] = [];
  for (const finding of findings) {
    const place = `${finding.at.file}:${finding.at.line}`;
    const rules = byPlace.get(place) ?? new Set();
    byPlace.set(place, rules.add(finding.rule));
    if (!explained.has(place)) invented.push(finding);
  }
  const isFound = ({ rule, wrong }: PlantedFault): boolean =>
    rule === undefined || [...wrong].some((place) => byPlace.get(place)?.has(rule));
  const kinds: { [kind: string]: { planted: number; found: number } } = {};
  for (const fault of faults) {
    const counts = kinds[fault.kind] ?? { planted: 0, found: 0 };
    counts.planted++;
    if (isFound(fault)) counts.found++;
    kinds[fault.kind] = counts;
  }
  return { kinds, missed: faults.filter((fault) => !isFound(fault)), invented };
}

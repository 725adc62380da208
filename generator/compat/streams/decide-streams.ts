/**
 * Decides one inclusion over streams: contained, refuted by a stream, or undecided with a reason. An inclusion is contained
 * only if the search left nothing out, and each finding of the larger side that differs was seen in it, or cannot exist.
 */
import type { PlannedMachine } from "../../conform/check-plan.js";
import type { ReportStatement } from "../../conform/machine/interpret.js";
import type { Clause, Machine } from "../../conform/machine/language.js";
import { listReports } from "../../conform/machine/walk.js";
import { isObject, type Json, type JsonObject } from "../../json.js";
import { type EventSample, type EventSamples, makeEventSamples } from "./event-samples.js";
import { isImpossible } from "./impossible-reports.js";
import { isSameContext, reduceMachine } from "./normal-machines.js";
import {
  type SearchedMachines,
  type SearchLimits,
  type SearchResult,
  type StreamBudget,
  searchStreams,
} from "./search-streams.js";
import { createStateDescriber, type DescribeState, type PlaceBounds } from "./state-keys.js";
import {
  type DifferingMachine,
  findVersions,
  listDifferingMachines,
  type StreamSides,
} from "./stream-sides.js";
import {
  type Comparison,
  followsOutcome,
  nameOutcome,
  SearchRecord,
  type TrackedComparison,
  trackComparisons,
} from "./tried-comparisons.js";
import { createCellKey, createIdKey } from "./value-classes.js";
import { confirmStream, findRefusingMachines } from "./verify-witness.js";

/** A stream that the smaller side allows and the larger one refuses. */
export interface StreamWitness {
  readonly events: readonly JsonObject[];
  /** The stream rule that refuses it. */
  readonly rule: string;
  /** The stability rank of its least stable event. */
  readonly rank: number;
}

/** The answer about one inclusion. */
export type StreamAnswer =
  | { readonly verdict: "contained" }
  | { readonly verdict: "broken"; readonly witness: StreamWitness }
  | { readonly verdict: "undecided"; readonly reason: string; readonly rank: number };

/** The limits of one search. */
const SEARCH_LIMITS: SearchLimits = { states: 100_000, depth: 30 };

/** The budget of one machine. */
const MACHINE_TRIES = 400_000;
/** The budget of one pair of contracts. */
export const STREAM_TRIES = 2_000_000;

/** Decides one inclusion. Each machine that only the larger side has is compared alone with the machines of the smaller side. */
export async function decideStreams(sides: StreamSides, budget: StreamBudget): Promise<StreamAnswer> {
  let best: StreamWitness | undefined;
  let undecided: Extract<StreamAnswer, { verdict: "undecided" }> | undefined;
  for (const machine of listDifferingMachines(sides)) {
    const tries = Math.min(MACHINE_TRIES, budget.remainingTries);
    const machineBudget = { remainingTries: tries };
    const answer = await decideMachine(sides, machine, { budget: machineBudget, best });
    budget.remainingTries -= tries - machineBudget.remainingTries;
    if (answer.verdict === "broken") best = answer.witness;
    if (answer.verdict === "undecided" && (undecided === undefined || answer.rank > undecided.rank))
      undecided = answer;
  }
  if (best !== undefined && (undecided === undefined || undecided.rank <= best.rank))
    return { verdict: "broken", witness: best };
  return undecided ?? { verdict: "contained" };
}

/** What the searches about one machine share. */
interface SharedSearch {
  readonly budget: StreamBudget;
  /** The best witness so far. Only a stream with more stable events, or with equally stable and fewer events, is better. */
  readonly best: StreamWitness | undefined;
}

/**
 * The question whether a machine accepts every stream that some machines of the smaller side accept. At first, these are
 * only the other versions of its rule, so that more streams are allowed than the smaller side really allows. If the machine
 * accepts all of these streams, no other rule matters. If it refuses a stream that other machines of the smaller side
 * refuse, too, these are added and the search begins again.
 */
interface Question {
  readonly sides: StreamSides;
  readonly machine: DifferingMachine;
  readonly versions: readonly PlannedMachine[];
  readonly others: readonly PlannedMachine[];
  readonly samples: EventSamples;
  readonly machines: SearchedMachines;
  /** The reports of the machine. */
  readonly reports: readonly NamedReport[];
  /** The comparisons of the smaller side for which not every value is tried. */
  readonly openComparisons: readonly TrackedComparison[];
  readonly record: SearchRecord;
}

/** A report, and a name that differs for equal findings of different clauses. */
interface NamedReport {
  readonly statement: ReportStatement;
  readonly on: Clause["on"];
  readonly name: string;
}

function listNamedReports({ clauses }: Machine): NamedReport[] {
  return clauses.flatMap((clause, index) =>
    listReports([clause]).map((statement) => ({
      statement,
      on: clause.on,
      name: `${index} ${statement.finding}`,
    })),
  );
}

/** Returns the question about a machine. Without other arguments it is the first one, before machines were added. */
export async function createQuestion(
  sides: StreamSides,
  machine: DifferingMachine,
  versions: readonly PlannedMachine[] = findVersions(sides, machine),
  others: readonly PlannedMachine[] = [],
  record = new SearchRecord(),
): Promise<Question> {
  const reducedMachine = { ...machine, machine: machine.reduced };
  // Only errors of the smaller side matter.
  const reduceSmall = (planned: PlannedMachine): PlannedMachine[] => {
    const reduced = reduceMachine(planned, ["writer"], sides.types);
    return reduced === undefined ? [] : [{ ...planned, machine: reduced }];
  };
  const reducedVersions = versions.flatMap(reduceSmall);
  const reducedOthers = others.flatMap(reduceSmall);
  const samples = await makeEventSamples(sides, {
    versions: [reducedMachine, ...reducedVersions],
    others: reducedOthers,
  });
  const small = [...reducedVersions, ...reducedOthers];
  const describers = [machine.reduced, ...small.map((planned) => planned.machine)].map((each, index) =>
    createStateDescriber(each, createBounds(samples, index)),
  );
  const [describeLarge, ...describeSmall] = describers as [DescribeState, ...DescribeState[]];
  const reports = listNamedReports(machine.reduced);
  const findings = new Map(reports.map(({ statement, name }) => [statement, name]));
  const isOpen = (comparison: Comparison, index: number): boolean =>
    samples.classes.some(
      (valueClass) =>
        samples.incompleteClasses.has(valueClass) &&
        (valueClass.fields.some(({ field }) => comparison.fields.includes(field)) ||
          comparison.cells.some(([table, cell]) => valueClass.memory.has(createCellKey(index, table, cell)))),
    );
  // The machine of the larger side comes first.
  const trackedSmall = small.map((planned, index) =>
    trackComparisons(planned, (comparison) => isOpen(comparison, index + 1)),
  );
  const openComparisons = trackedSmall.flatMap(({ comparisons }) => comparisons);
  const outcomes = new Map(
    openComparisons.flatMap((comparison) =>
      comparison.reports.map((report, index) => [report, nameOutcome(comparison, index)] as const),
    ),
  );
  return {
    sides,
    machine,
    versions,
    others,
    samples,
    reports,
    openComparisons,
    record,
    machines: {
      small: trackedSmall.map(({ tracked }) => tracked),
      large: reducedMachine,
      describeSmall,
      describeLarge,
      maxSequence: findMaxSequence(samples),
      observe(statement) {
        const finding = findings.get(statement);
        const outcome = outcomes.get(statement);
        if (finding !== undefined) record.addFinding(finding);
        if (outcome !== undefined) record.addOutcome(outcome);
      },
      beginEvent: () => record.beginEvent(),
    },
  };
}

/** Returns the bounds of the values in each cell of the machine with this index. */
function createBounds(
  { classes, valuesByClass }: EventSamples,
  index: number,
): (table: string, cell: string | number) => PlaceBounds {
  return (table, cell) => {
    const key =
      typeof cell === "number" ? createIdKey(index, table, cell) : createCellKey(index, table, cell);
    const valueClass = classes.find(({ memory }) => memory.has(key));
    const values = valueClass === undefined ? [] : listScalars([...(valuesByClass.get(valueClass) ?? [])]);
    const numbers = values.filter((value) => typeof value === "number");
    const texts = values.filter((value) => typeof value === "string");
    return {
      maxNumber: Math.max(1, ...numbers),
      maxUnits: Math.max(0, ...texts.map((text) => text.length)),
      isRelative: valueClass?.uses.has("sequence") === true,
    };
  };
}

/** Returns the greatest number among the samples that is compared with the numbers of events. */
function findMaxSequence({ classes, valuesByClass }: EventSamples): number | undefined {
  const compared = classes.filter(({ uses }) => uses.has("sequence"));
  const values = compared.flatMap((valueClass) => listScalars([...(valuesByClass.get(valueClass) ?? [])]));
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

function listScalars(value: Json): readonly (string | number | boolean | null)[] {
  if (Array.isArray(value)) return value.flatMap(listScalars);
  return isObject(value) ? Object.values(value).flatMap(listScalars) : [value as string | number];
}

/** Decides the inclusion for one machine. Returns "contained" also if there is no better witness. */
async function decideMachine(
  sides: StreamSides,
  machine: DifferingMachine,
  shared: SharedSearch,
): Promise<StreamAnswer> {
  let { best } = shared;
  let question = await createQuestion(sides, machine);
  let undecided: Extract<StreamAnswer, { verdict: "undecided" }> | undefined;
  let searchedRank = -1;
  // If no stream of all events is a witness, none of the more stable ones is.
  for (const rank of [...new Set(sides.types.values())].sort((a, b) => a - b)) {
    if (best !== undefined && (rank < best.rank || (rank === best.rank && !mayBeShorter(best, shared))))
      continue;
    if (undecided !== undefined && !hasSamples(question, searchedRank, rank)) {
      undecided = { ...undecided, rank };
      continue;
    }
    const search = await searchWitness(question, rank, { ...shared, best });
    searchedRank = rank;
    question = search.question;
    const { result } = search;
    if ("events" in result) best = result;
    else if (result.found === "nothing") break;
    else if (rank !== best?.rank)
      undecided = { verdict: "undecided", reason: `${describeFindings(question)}: ${result.reason}`, rank };
  }
  if (undecided !== undefined && (best === undefined || best.rank < undecided.rank)) return undecided;
  if (best !== undefined && best !== shared.best) return { verdict: "broken", witness: best };
  return decideWithoutWitness(question, best);
}

/** Returns whether another machine may refuse a shorter stream than the best one so far. */
function mayBeShorter(best: StreamWitness, shared: SharedSearch): boolean {
  return best === shared.best && best.events.length > 1;
}

/** Returns whether there are samples whose stability rank is at least `from` and less than `to`. */
function hasSamples({ samples }: Question, from: number, to: number): boolean {
  return samples.eventSamples.some(({ rank }) => rank >= from && rank < to);
}

/** Returns the answer if no stream of the event samples is a witness. */
async function decideWithoutWitness(
  question: Question,
  best: StreamWitness | undefined,
): Promise<StreamAnswer> {
  const { sides, machine, samples, reports, record } = question;
  const rank = Math.max(
    0,
    ...samples.eventSamples.map((sample) => sample.rank),
    ...(samples.eventSamples.length === 0 ? sides.types.values() : []),
  );
  if (best !== undefined && rank <= best.rank) return { verdict: "contained" };
  if (samples.gap !== undefined)
    return { verdict: "undecided", reason: `${describeFindings(question)}: ${samples.gap}`, rank };
  if (samples.isComplete) return { verdict: "contained" };
  const unseen = reports.filter(({ name }) => !record.hasFinding(name)).map(({ statement }) => statement);
  const types = [...new Set(samples.eventSamples.map(({ type }) => type))];
  if (await isImpossible(samples.factory, machine.reduced, unseen, types)) {
    const untried = await findUntriedComparison(question, types);
    if (untried === undefined) return { verdict: "contained" };
    const fields = untried.fields.length > 0 ? untried.fields.join(", ") : "texts";
    return {
      verdict: "undecided",
      reason: `${describeFindings(question)}: too few values of ${fields} were tried`,
      rank,
    };
  }
  return { verdict: "undecided", reason: `no stream was found that ${joinFindings(unseen)} is about`, rank };
}

/**
 * Returns a comparison of the smaller side that lacks an outcome in the search, or at the events of a finding, although the
 * schemas do not exclude the outcome. Then only the choice of values may be the reason that the smaller side refuses all
 * streams with the finding. A comparison that follows one of the machine cannot have both outcomes at the findings of the machine.
 */
async function findUntriedComparison(
  { sides, machine, reports, openComparisons, record, samples }: Question,
  types: readonly string[],
): Promise<TrackedComparison | undefined> {
  const { comparisons } = trackComparisons({ ...machine, machine: machine.reduced }, () => true);
  // Only where events may be missing and streams end alike is the memory of both sides the same.
  const isSame = isSameContext(machine.reduced, sides.small, sides.large);
  const own = isSame ? comparisons.flatMap(({ meaning }) => meaning ?? []) : [];
  const findings = reports.filter(({ name }) => record.hasFinding(name));
  if (findings.length === 0) return undefined;
  for (const comparison of openComparisons) {
    const { meaning } = comparison;
    const isOwn = meaning !== undefined && own.some((each) => followsOutcome(meaning, each));
    const places = isOwn ? [] : findings.filter(({ on }) => mayMeet(on, comparison.on));
    for (const [index, report] of comparison.reports.entries()) {
      const outcome = nameOutcome(comparison, index);
      const isTried = [undefined, ...places.map(({ name }) => name)].every((finding) =>
        record.hasOutcome(outcome, finding),
      );
      if (isTried) continue;
      if (!(await isImpossible(samples.factory, comparison.machine, [report], types))) return comparison;
    }
  }
  return undefined;
}

/** Returns whether an event may run two clauses. */
function mayMeet(one: Clause["on"], other: Clause["on"]): boolean {
  if (typeof one === "string" || typeof other === "string") return (one === "end") === (other === "end");
  return one.some((type) => other.includes(type));
}

function describeFindings({ reports }: Question): string {
  return joinFindings(reports.map(({ statement }) => statement));
}

function joinFindings(statements: readonly ReportStatement[]): string {
  return [...new Set(statements.map(({ finding }) => finding))].join(", ");
}

interface WitnessSearch {
  /** The question with the machines that the search added. */
  readonly question: Question;
  readonly result: StreamWitness | Exclude<SearchResult, { found: "stream" }>;
}

/**
 * Searches for a stream of event types that have at least this stability rank, and that is better than the best one so far.
 */
async function searchWitness(
  initialQuestion: Question,
  rank: number,
  { budget, best }: SharedSearch,
): Promise<WitnessSearch> {
  const depth = rank === best?.rank ? best.events.length - 1 : SEARCH_LIMITS.depth;
  const bounds = { limits: { ...SEARCH_LIMITS, depth }, budget };
  let question = initialQuestion;
  for (;;) {
    const { sides, machine, versions, others, machines, samples, record } = question;
    const included = new Set([...versions, ...others]);
    const confirm = (trace: readonly EventSample[]): boolean =>
      findRefusingMachines(sides, trace, included).length > 0 || confirmStream(sides, trace) !== undefined;
    const eventSamples = samples.eventSamples.filter((eventSample) => eventSample.rank >= rank);
    const result = searchStreams(sides, machines, eventSamples, bounds, confirm);
    if (result.found !== "stream") return { question, result };
    const refusing = findRefusingMachines(sides, result.trace, included);
    const events = refusing.length === 0 ? confirmStream(sides, result.trace) : undefined;
    if (events !== undefined) {
      const leastRank = Math.min(...result.trace.map((eventSample) => eventSample.rank));
      return { question, result: { events, rule: result.rule, rank: leastRank } };
    }
    question = await createQuestion(sides, machine, versions, [...others, ...refusing], record);
  }
}

/** Changes generated events until the stream rules report no error, or until they report the error that is wanted. */
import type { MachineState } from "../conform/machine/interpret.js";
import type { Table } from "../conform/machine/language.js";
import {
  applyEdits,
  avoidReport,
  type Edit,
  reachPart,
  type SolverContext,
} from "../conform/machine/solve.js";
import { getItem } from "../get-item.js";
import type { Json } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { combineSeeds, createRandom, type Random } from "../random.js";
import type { EventMaker } from "../sample/event-maker.js";
import { makeValue } from "../sample/make-value.js";
import { memoizeByObject } from "../sample/memoize.js";
import { createSchemaMerger, listPayloadFields } from "../sample/merged-schema.js";
import type { Report, TriedEvent } from "./rule-states.js";

/** An event whose values are not final. */
export interface EventDraft {
  readonly type: string;
  readonly payload: { readonly [field: string]: Json };
  readonly envelope: { readonly [field: string]: Json };
}

/** A draft, and what the rules say about it. */
export interface TriedDraft {
  readonly draft: EventDraft;
  readonly tried: TriedEvent;
  /** The fields that were changed. Other fields are changed first, so that two rules do not undo each other's changes. */
  readonly changed: ReadonlySet<string>;
}

/** What a solver needs to change drafts. */
export interface DraftTools {
  readonly maker: EventMaker;
  readonly random: Random;
  try(draft: EventDraft): TriedEvent;
  isEditable(edit: Edit, draft: EventDraft): boolean;
  /** Returns a value of a payload field that no other event has. */
  makeUnusedValue?(type: string, field: string): Json;
}

/** The number of changes of one event, and the number of changes that are tried for each of them. */
const MAX_ROUNDS = 16;
const MAX_ALTERNATIVES = 24;

/** Changes a draft until no rule reports an error; undefined if that fails. */
export function solveDraft(draft: EventDraft, tools: DraftTools): TriedDraft | undefined {
  let current: TriedDraft = { draft, tried: tools.try(draft), changed: new Set() };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const errors = listErrors(current.tried);
    if (errors.length === 0) return current;
    let next: TriedDraft | undefined;
    // A change that one error needs may be possible, although none is that another one needs.
    for (const error of errors)
      next ??= findDraft(listAlternatives(current, error, tools), (candidate) => {
        const left = listErrors(candidate.tried);
        const isGone = !left.some(({ slot, index }) => slot === error.slot && index === error.index);
        return left.length < errors.length || (isGone && left.length === errors.length);
      });
    if (next === undefined) return undefined;
    current = next;
  }
  return undefined;
}

/** Changes a draft until a rule has the target report and no other error; undefined if that fails. The rules must be traced. */
export function solveTowards(
  draft: EventDraft,
  tools: DraftTools,
  target: Pick<Report, "slot" | "index" | "machine" | "site">,
): TriedDraft | undefined {
  const isTarget = ({ slot, index }: Pick<Report, "slot" | "index">): boolean =>
    slot === target.slot && index === target.index;
  const listOthers = ({ tried }: TriedDraft): readonly Report[] =>
    listErrors(tried).filter((error) => !isTarget(error));
  /** Returns how far an event comes on the way to the report: the number of passed parts, or infinity. */
  const measure = ({ tried }: TriedDraft): number =>
    Math.max(-1, ...tried.reports.filter(isTarget).map(({ passed = Number.POSITIVE_INFINITY }) => passed));
  let current: TriedDraft = { draft, tried: tools.try(draft), changed: new Set() };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reached = measure(current);
    const others = listOthers(current);
    const [other] = others;
    const isReached = reached === Number.POSITIVE_INFINITY;
    if (isReached && other === undefined) return current;
    const trace = current.tried.reports.findLast((report) => isTarget(report) && report.passed === reached);
    const way = trace ?? { ...target, passed: undefined, values: new Map(), severity: "off" };
    const candidates =
      isReached && other
        ? listAlternatives(current, other, tools)
        : editDraft(
            current,
            reachPart(trace?.passed ?? target.site.path.length, createContext(current, way, tools)),
            tools,
          );
    const next = findDraft(candidates, (candidate) =>
      isReached
        ? measure(candidate) === reached && listOthers(candidate).length < others.length
        : measure(candidate) > reached,
    );
    if (next === undefined) return undefined;
    current = next;
  }
  return undefined;
}

/** Returns whether rules report errors that no change of a draft could avoid. */
export function isHopeless(draft: EventDraft, tools: DraftTools): boolean {
  const tried = tools.try(draft);
  const errors = listErrors(tried);
  const canChange = (error: Report): boolean => {
    for (const edits of avoidReport(createContext({ draft, tried }, error, tools)))
      if (edits.every((edit) => tools.isEditable(edit, draft))) return true;
    return false;
  };
  return errors.length > 0 && !errors.some(canChange);
}

/** Returns the reports of errors. The others do not make a stream invalid. */
export function listErrors({ reports }: TriedEvent): readonly Report[] {
  return reports.filter(({ severity, passed }) => severity === "error" && passed === undefined);
}

function findDraft(
  candidates: Iterable<TriedDraft>,
  isWanted: (candidate: TriedDraft) => boolean,
): TriedDraft | undefined {
  for (const candidate of candidates) if (isWanted(candidate)) return candidate;
  return undefined;
}

/** Yields the changed drafts that may not have a report. */
function* listAlternatives(current: TriedDraft, report: Report, tools: DraftTools): Generator<TriedDraft> {
  yield* editDraft(current, avoidReport(createContext(current, report, tools)), tools);
}

/** Yields a draft with each of the changes that are possible. */
function* editDraft(
  { draft, changed }: Omit<TriedDraft, "tried">,
  changes: Iterable<readonly Edit[]>,
  tools: DraftTools,
): Generator<TriedDraft> {
  const later: (readonly Edit[])[] = [];
  const edit = (edits: readonly Edit[]): TriedDraft => {
    const select = (place: Edit["in"]): readonly Edit[] => edits.filter((each) => each.in === place);
    const edited = {
      type: draft.type,
      payload: applyEdits(draft.payload, select("payload")),
      envelope: applyEdits(draft.envelope, select("envelope")),
    };
    const names = edits.map(({ in: place, field }) => `${place} ${field}`);
    return { draft: edited, tried: tools.try(edited), changed: new Set([...changed, ...names]) };
  };
  let count = 0;
  for (const edits of changes) {
    if (!edits.every((each) => tools.isEditable(each, draft))) continue;
    if (count++ >= MAX_ALTERNATIVES) break;
    if (edits.some(({ in: place, field }) => changed.has(`${place} ${field}`))) later.push(edits);
    else yield edit(edits);
  }
  for (const edits of later) yield edit(edits);
}

/** Returns what the solver of machines has to know about a report. */
function createContext(
  { draft, tried }: Omit<TriedDraft, "changed">,
  { slot, machine, site, values }: Report,
  { maker, random, makeUnusedValue }: DraftTools,
): SolverContext {
  const { type, payload } = draft;
  const sampler = getSampler(maker);
  return {
    machine,
    site,
    type,
    values,
    payload,
    random,
    sampleValue: (place, field) => sampler.sample(place, type, field, random),
    sampleText: (pattern) => sampler.sampleText(pattern, random),
    *listIds(table, position, field) {
      const known = listRowIds(tried.getState(slot), machine.tables, table, position);
      for (let left = Math.min(known.length, 4); left > 0; left--)
        yield getItem(known.splice(random.below(known.length), 1), 0);
      if (makeUnusedValue) yield makeUnusedValue(type, field);
    },
  };
}

/** Returns the ids at a position of the keys of a table. */
export function listRowIds(
  state: MachineState | undefined,
  tables: { readonly [name: string]: Table },
  table: string,
  position: number,
): string[] {
  const rows = state?.[Object.keys(tables).indexOf(table)];
  if (!(rows instanceof Map)) return [];
  const keys = [...rows.keys()];
  if (!tables[table]?.grouped) return [...new Set(keys.map((key) => key.split("\n")[position] ?? ""))];
  return position === 0
    ? keys
    : [...rows.values()].flatMap((group) => (group instanceof Map ? [...group.keys()] : []));
}

/** Makes values of fields, and knows which fields events must have. */
const getSampler = memoizeByObject((maker: EventMaker) => {
  const { events, definitions, envelope } = maker.protocol;
  const mergeSchemas = createSchemaMerger(definitions);
  const payloads = new Map(events.map(({ type, payload }) => [type, [payload]]));
  return {
    sample(place: Edit["in"], type: string, field: string, random: Random): Json | undefined {
      const owner = place === "envelope" ? [envelope.schema] : (payloads.get(type) ?? []);
      const schemas = mergeSchemas(owner, random).properties.get(field);
      return schemas && makeValue(schemas, { mergeSchemas, random, isMinimal: false, fieldChance: 1 });
    },
    sampleText(pattern: string, random: Random): Json {
      return makeValue([{ type: "string", pattern }], { mergeSchemas, random, isMinimal: false });
    },
  };
});

/** Returns the payload fields that events of a type must have. */
const getRequiredFields = memoizeByObject((protocol: Protocol) => {
  const required = listPayloadFields(protocol).filter(({ isRequired }) => isRequired);
  return new Set(required.map(({ type, field }) => `${type} ${field}`));
});

/** Returns whether the schemas may allow that an event has no such field. */
export function isRemovable(protocol: Protocol, type: string, field: string): boolean {
  return !getRequiredFields(protocol).has(`${type} ${field}`);
}

/** Returns the random choices of one step of a generated stream. */
export function createChoices(...seeds: readonly number[]): Random {
  return createRandom(combineSeeds(...seeds));
}

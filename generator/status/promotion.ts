/**
 * Determines what each event type still lacks before it can become stable: generated types, fixtures, a runtime that sends
 * it, a frontend that is tested with it, or something outside of the protocol that it depends on.
 */

import { listKeys } from "../json.js";
import type { ConsumerRecord } from "../load/consumer-records.js";
import { type FixtureCount, NO_FIXTURES } from "../load/fixtures.js";
import {
  findReach,
  isValuePath,
  LENS_EDITS,
  type Lens,
  type LensEdit,
  parseLensKey,
} from "../protocol/lens.js";
import type { PromotionPlan } from "../protocol/promotion-plan.js";
import type { EventType, Protocol, Stability } from "../protocol/protocol.js";

/** Facts from outside of the schemas. */
export interface Evidence {
  /** True if the generated code is up to date. */
  readonly types: boolean;
  /** The numbers of fixtures by event type. */
  readonly fixtures: ReadonlyMap<string, FixtureCount>;
  /** The frontends whose contract tests passed, by event type. */
  readonly consumers: ReadonlyMap<string, readonly ConsumerRecord[]>;
  /** The records of all frontends of the protocol. */
  readonly records: readonly ConsumerRecord[];
}

/** The requirements of a stable event type, as sentences about one that is missing. */
export const MISSING_REQUIREMENTS = {
  types: "the generated types are not up to date",
  fixtures: "a valid fixture, an invalid fixture or a stream with it is missing",
  emitter: "no runtime is known to send it",
  consumer: "no frontend is tested with it",
  requirement: "it requires something outside of the protocol",
} as const;

/** A requirement of a stable event type. */
export type Requirement = keyof typeof MISSING_REQUIREMENTS;

/** The state of one event type. */
export interface PromotionRow extends FixtureCount {
  readonly type: string;
  readonly stability: Stability;
  readonly deprecated: boolean;
  /** True if the generated code is up to date. */
  readonly types: boolean;
  readonly emittedBy: readonly string[];
  readonly consumers: readonly string[];
  /** The kinds of these frontends. */
  readonly consumerKinds: readonly string[];
  /** The kinds of frontends that the protocol requires and that are not tested with the event type. */
  readonly missingKinds: readonly string[];
  /** The value of `x-requires`; null if the event type requires nothing outside of the protocol. */
  readonly waitsOn: string | null;
  /** The requirements that the event type does not meet. */
  readonly lacks: readonly Requirement[];
}

/** The state of one tool family. */
export interface FamilyState {
  readonly name: string;
  readonly types: readonly string[];
  /** True if the family has event types, all of them lack nothing, and none is experimental. */
  readonly complete: boolean;
  /** The event types that are experimental or lack something. */
  readonly missing: readonly Pick<PromotionRow, "type" | "stability" | "lacks" | "missingKinds">[];
}

/** The state of one protocol. */
export interface Promotion {
  readonly protocol: string;
  readonly version: string;
  readonly rows: readonly PromotionRow[];
  /** The tool families of `promotion`, in its order. */
  readonly families: readonly FamilyState[];
  /** Clauses that say what keeps the candidate event types from becoming stable. Empty if protocol.json declares no `promotion`. */
  readonly unmetConditions: readonly string[];
  /** Clauses that say which conditions the event types that are already marked stable do not meet. */
  readonly unmetByStable: readonly string[];
  /** What makes no difference to any recorded frontend; absent unless each one was recorded with a lens. */
  readonly unread?: UnreadParts;
}

/** Event types and fields that make no difference to any recorded frontend. */
interface UnreadParts {
  readonly types: readonly string[];
  /** The paths of fields, each after its event type; `*` stands for the envelope. */
  readonly fields: readonly { readonly type: string; readonly paths: readonly string[] }[];
}

/** Returns the rows of a protocol, in the order of its event types. */
export function assessPromotion(protocol: Protocol, evidence: Evidence): Promotion {
  const { id, version, events, promotion } = protocol;
  const rows = events.map((event) => assessEventType(event, evidence, promotion));
  const families = Object.entries(promotion?.families ?? {}).map(([name, types]) =>
    assessFamily(name, types, rows),
  );
  const findUnmet = (stabilities: readonly Stability[]): string[] =>
    promotion ? findUnmetConditions(rows, families, promotion, stabilities) : [];
  return {
    protocol: id,
    version,
    rows,
    families,
    unmetConditions: findUnmet(["candidate", "stable"]),
    unmetByStable: findUnmet(["stable"]),
    ...findUnread(evidence.records),
  };
}

/** Returns what no edit of an experiment showed to matter to any of the frontends. */
function findUnread(records: readonly ConsumerRecord[]): { readonly unread?: UnreadParts } {
  const lenses = records.flatMap(({ lens }) => (lens === undefined ? [] : [lens]));
  const [first] = lenses;
  if (first === undefined || lenses.length < records.length) return {};
  const types: string[] = [];
  const fields: { type: string; paths: string[] }[] = [];
  for (const type of Object.keys(first)) {
    const event = parseLensKey(type);
    const isUnread = (path: string, edits: readonly LensEdit[]): boolean =>
      lenses.every((lens) => findReach(lens, { event, path }, edits).reach === "unreached");
    const listed = (lens: Lens): readonly string[] =>
      Object.hasOwn(lens, type) ? (lens[type]?.none ?? []) : [];
    const paths = [...new Set(lenses.flatMap(listed))].filter(
      (path) => path !== "" && !isValuePath(path) && isUnread(path, LENS_EDITS),
    );
    if (event !== "" && isUnread("", ["removed"])) types.push(type);
    else if (paths.length > 0) fields.push({ type, paths: paths.sort() });
  }
  return { unread: { types, fields } };
}

function assessFamily(name: string, types: readonly string[], rows: readonly PromotionRow[]): FamilyState {
  const missing = rows
    .filter(({ type }) => types.includes(type))
    .filter(
      ({ stability, lacks, missingKinds }) =>
        stability === "experimental" || lacks.length > 0 || missingKinds.length > 0,
    )
    .map(({ type, stability, lacks, missingKinds }) => ({ type, stability, lacks, missingKinds }));
  return { name, types, complete: types.length > 0 && missing.length === 0, missing };
}

/** Returns clauses that say what keeps the event types of these stabilities from being stable; none without such event types. */
function findUnmetConditions(
  rows: readonly PromotionRow[],
  families: readonly FamilyState[],
  plan: PromotionPlan,
  stabilities: readonly Stability[],
): string[] {
  const { consumers = [], conditions = {}, met = [] } = plan;
  const checkedRows = rows.filter(({ stability }) => stabilities.includes(stability));
  if (checkedRows.length === 0) return [];
  const nameOfAll = `all ${stabilities.join(" and ")} event types`;
  const unmetRequirements = listKeys(MISSING_REQUIREMENTS).flatMap((lack) =>
    describeUnmetCondition(
      checkedRows,
      nameOfAll,
      ({ lacks }) => lacks.includes(lack),
      (types) => `${MISSING_REQUIREMENTS[lack]}: ${types}`,
    ),
  );
  const missingFrontends = consumers.flatMap((kind) =>
    describeUnmetCondition(
      checkedRows,
      nameOfAll,
      ({ missingKinds }) => missingKinds.includes(kind),
      (types) => `no frontend of the kind ${kind} is tested with it: ${types}`,
    ),
  );
  const unmetSentences = Object.entries(conditions)
    .filter(([name]) => !met.includes(name))
    .map(([name, sentence]) => `it is not stated as met that ${sentence} (${name})`);
  return [...unmetRequirements, ...missingFrontends, ...findFamilyCondition(families), ...unmetSentences];
}

function describeUnmetCondition(
  rows: readonly PromotionRow[],
  nameOfAll: string,
  isUnmetBy: (row: PromotionRow) => boolean,
  describe: (types: string) => string,
): string[] {
  const types = rows.filter(isUnmetBy).map(({ type }) => type);
  if (types.length === 0) return [];
  return [describe(types.length === rows.length ? nameOfAll : types.join(", "))];
}

/** Returns the condition that no tool family is complete from end to end, with what each family lacks. */
function findFamilyCondition(families: readonly FamilyState[]): string[] {
  if (families.length === 0 || families.some(({ complete }) => complete)) return [];
  const details = families.map(
    ({ name, missing }) => `${name} lacks ${missing.map(({ type }) => type).join(", ") || "event types"}`,
  );
  return [`no tool family is complete from end to end: ${details.join("; ")}`];
}

function assessEventType(
  event: EventType,
  evidence: Evidence,
  plan: PromotionPlan | undefined,
): PromotionRow {
  const { type, stability, requires, emittedBy = [] } = event;
  const fixtures = evidence.fixtures.get(type) ?? NO_FIXTURES;
  const consumers = evidence.consumers.get(type) ?? [];
  const consumerKinds = [...new Set(consumers.flatMap(({ kinds = [] }) => kinds))];
  const isLacking: { readonly [requirement in Requirement]: boolean } = {
    types: !evidence.types,
    fixtures: Object.values(fixtures).includes(0),
    emitter: emittedBy.length === 0,
    consumer: consumers.length === 0,
    requirement: requires !== undefined && !plan?.met?.includes(requires),
  };
  return {
    type,
    stability,
    deprecated: event.deprecated !== undefined,
    types: evidence.types,
    ...fixtures,
    emittedBy,
    consumers: consumers.map(({ consumer }) => consumer),
    consumerKinds,
    missingKinds: (plan?.consumers ?? []).filter((kind) => !consumerKinds.includes(kind)),
    waitsOn: requires ?? null,
    lacks: listKeys(MISSING_REQUIREMENTS).filter((lack) => isLacking[lack]),
  };
}

/** Numbers of event types of one stability. */
interface Totals {
  /** The number of all event types. */
  readonly types: number;
  /** The number of event types that lack nothing. */
  readonly complete: number;
  /** The number of event types that lack each requirement. */
  readonly lacks: { readonly [requirement in Requirement]: number };
}

/** Counts the rows, and the rows that lack each requirement. */
export function countTotals(rows: readonly PromotionRow[]): Totals {
  const countLacking = (requirement: Requirement): number =>
    rows.filter(({ lacks }) => lacks.includes(requirement)).length;
  return {
    types: rows.length,
    complete: rows.filter(({ lacks }) => lacks.length === 0).length,
    lacks: Object.fromEntries(
      listKeys(MISSING_REQUIREMENTS).map((lack) => [lack, countLacking(lack)]),
    ) as Totals["lacks"],
  };
}

/** Compares the renames that accrete finds in a history with the true ones. */
import { mkdtempSync } from "node:fs";
import path from "node:path";
import type { Change } from "../../generator/compat/change.js";
import { alignProtocols } from "../../generator/compat/diff/align.js";
import type { SubjectRename } from "../../generator/compat/renames/event-renames.js";
import { findRenames } from "../../generator/compat/renames/event-renames.js";
import type { Side } from "../../generator/compat/side.js";
import { parseContractOperand } from "../../generator/diff/contract-operand.js";
import { readContract } from "../../generator/diff/read-contract.js";
import { fetchNpmPackage } from "../../generator/load/baseline/fetch-baseline.js";
import { MADE_SCHEMA, MADE_UNION } from "../incidents/packages.js";
import type { RenameHistory, TrueRename } from "./read-histories.js";

/** A rename that accrete reports. */
export type FoundRename = Pick<TrueRename, "kind" | "in" | "from" | "to">;

/** The renames of events or of fields in a history. */
export interface Score {
  readonly right: number;
  /** True renames that were not found. */
  readonly missed: readonly TrueRename[];
  /** Found renames that are not true. */
  readonly wrong: readonly FoundRename[];
}

/** The scores of a history. */
export interface HistoryScores {
  readonly events: Score;
  readonly fields: Score;
  /** The event types that only the baseline has. */
  readonly removed: readonly string[];
}

/** Compares both versions of a history, and scores the renames that are found. npm may write into `temporary`. */
export async function scoreHistory(history: RenameHistory, temporary: string): Promise<HistoryScores> {
  const before = await readSide(history.baseline, temporary);
  const after = await readSide(history.current, temporary);
  const aligned = alignProtocols(before, after, new Set());
  const { events, changes } = findRenames(aligned, before, after);
  const isAboutFields = ({ kind }: FoundRename): boolean => kind === "field" || kind === "move";
  const isAboutEvents = (rename: FoundRename): boolean => !isAboutFields(rename);
  return {
    events: scoreRenames(history.renames.filter(isAboutEvents), events.flatMap(listEventRenames)),
    fields: scoreRenames(history.renames.filter(isAboutFields), changes.flatMap(listFieldRenames)),
    removed: aligned.removed.map(({ type }) => type),
  };
}

/** Reads a version of a history. A type of TypeScript in a package is read as the schema that a generator makes of it. */
async function readSide(operand: string, temporary: string): Promise<Side> {
  const [, name, module, type] = /^npm:(.+@[^:]+):(.+\.js)#(\w+)$/.exec(operand) ?? [];
  if (name === undefined || module === undefined || type === undefined)
    return (await readContract(parseContractOperand(operand), temporary)).side;
  const folder = await fetchNpmPackage(name, mkdtempSync(path.join(temporary, "types-")));
  const { makeSchema } = await import("../incidents/make-schema.js");
  if (!makeSchema({ module, type }, folder)) throw new Error(`there is no schema of ${operand}`);
  const made = `${path.join(folder, MADE_SCHEMA)}#/definitions/${MADE_UNION}`;
  return (await readContract(parseContractOperand(made), temporary)).side;
}

const EVENT_KINDS: { readonly [rule: string]: FoundRename["kind"] } = {
  "event-renamed": "event",
  "event-split": "split",
  "event-merged": "merge",
};

const FIELD_KINDS: { readonly [rule: string]: FoundRename["kind"] } = {
  "field-renamed": "field",
  "field-moved": "move",
};

/** Returns the renames of event types: one for each member of a family. */
function listEventRenames({ rule, from, to, members }: SubjectRename): FoundRename[] {
  const kind = EVENT_KINDS[rule.id];
  if (kind === undefined) return [];
  if (kind === "event") return members.map(([old, now]) => ({ kind, from: old.type, to: now.type }));
  return [{ kind, from: toNames([from].flat()), to: toNames([to].flat()) }];
}

function listFieldRenames({ rule, from, to, places }: Change): FoundRename[] {
  const kind = FIELD_KINDS[rule.id];
  return kind === undefined
    ? []
    : [{ kind, in: places.map(({ event }) => event), from: String(from), to: String(to) }];
}

function toNames(names: readonly string[]): string | string[] {
  return names.length === 1 ? String(names[0]) : [...names].sort();
}

/** Scores found renames. A field that several event types have counts once for each of them. */
function scoreRenames(listed: readonly TrueRename[], found: readonly FoundRename[]): Score {
  const truths = listed.flatMap((truth) => truth.in?.map((event) => ({ ...truth, in: [event] })) ?? [truth]);
  const missed = truths.filter((truth) => !found.some((each) => isSame(each, truth)));
  const wrong = found.filter((each) => !truths.some((truth) => isSame(each, truth)));
  return { right: truths.length - missed.length, missed, wrong };
}

/** Returns whether a found rename is the true one. The pointer of a moved field may begin with the payload's property. */
function isSame(found: FoundRename, truth: TrueRename): boolean {
  if (found.kind !== truth.kind) return false;
  if (truth.in !== undefined && !truth.in.some((type) => found.in?.includes(type))) return false;
  if (truth.kind === "move")
    return String(found.from).endsWith(String(truth.from)) && String(found.to).endsWith(String(truth.to));
  return String(found.from) === String(truth.from) && String(found.to) === String(truth.to);
}

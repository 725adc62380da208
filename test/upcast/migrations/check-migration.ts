/** Checks a migration: the answer about its plan, and what the plan makes of random events in every form. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { getItem } from "../../../generator/get-item.js";
import { areEqual, type Json, type JsonObject, splitPointer } from "../../../generator/json.js";
import { describeLinks } from "../../../generator/upcast/describe-plan.js";
import { createLedger, type LedgerEntry } from "../../../generator/upcast/ledger.js";
import { composePlans, planLinks } from "../../../generator/upcast/plan-chain.js";
import { upcastEvent } from "../../../generator/upcast/upcast-event.js";
import { runAccrete } from "../../commands/run-in-process.js";
import { loadPython, loadTypescript, makeEvents } from "../carry-events.js";
import type { VersionPair } from "../cases.js";
import { compileVersion, loadMigration, type Migration } from "./migration.js";

/** What went wrong with a migration: nothing for a right one. */
export interface MigrationReport {
  readonly verdict: string;
  readonly events: number;
  /** Results that differ from those that are decided by hand, with the form that gave them. */
  readonly different: readonly string[];
  /** Results that a separate validator refuses. */
  readonly refused: readonly string[];
  /** Values that the ledger puts elsewhere. */
  readonly misplaced: readonly string[];
}

/** Carries random events of a migration over in every form, and compares the results with those that are decided by hand. */
export async function checkMigration(
  migration: Migration,
  folder: string,
  options: { readonly events: number; readonly otherForms: boolean },
): Promise<MigrationReport> {
  const { verdict = "proven", carry, samples = [], before, after, isDowncast = false } = migration;
  const versions = await loadMigration(migration, folder);
  const pair = { from: getItem(versions, 0), to: getItem(versions, versions.length - 1) };
  const links = planLinks(versions);
  const plan = composePlans(links);
  const report = await describeLinks(links);
  if (report.verdict !== "proven" || verdict !== "proven")
    return { verdict: report.verdict, events: 0, different: [], refused: [], misplaced: [] };
  const question = { ...pair, steps: plan.steps.map(({ step }) => step) };
  const { entries } = createLedger(pair, plan.steps, new Set());
  const [first] = pair.from.events;
  const envelope = { type: first?.type ?? "", id: "1" };
  const events = [
    ...samples.map(([data]): JsonObject => ({ ...envelope, data })),
    ...makeEvents(question, options.events),
  ];
  const { discriminator } = pair.from.envelope;
  const forms: { readonly [form: string]: readonly Json[] } = {
    "command line": events.map((event) => {
      const type = String(event[discriminator]);
      const result = upcastEvent(event, question.steps, {
        type,
        discriminator,
        streamTypes: new Set([type]),
      });
      return result.kind === "done" ? result.event : result.message;
    }),
    ...(options.otherForms && {
      typescript: (await loadTypescript(question, folder))(events),
      python: loadPython(question, folder)?.(events) ?? events.map(carry),
      "command line, with files": await carryFile(events, folder, pair),
    }),
  };
  const expected = events.map(carry);
  const wanted = samples.map(([, data], index) => ({ ...expected[index], data }));
  const different = Object.entries(forms).flatMap(([form, results]) =>
    results.flatMap((result, index) =>
      areEqual(result, expected[index] ?? null) && areEqual(result, wanted[index] ?? result)
        ? []
        : [
            `${form}: ${JSON.stringify(events[index])} becomes ${JSON.stringify(result)} instead of ${JSON.stringify(wanted[index] ?? expected[index])}`,
          ],
    ),
  );
  const isAccepted = compileVersion(isDowncast ? before : after);
  const payload = pair.to.envelope.placement === "nested" ? (pair.to.envelope.property ?? "data") : undefined;
  const refused = expected.flatMap((event) =>
    isAccepted((payload === undefined ? event : event[payload]) ?? null) ? [] : [JSON.stringify(event)],
  );
  const misplaced = events.flatMap((event, index) => findMisplaced(event, expected[index] ?? {}, entries));
  return { verdict: report.verdict, events: events.length, different, refused, misplaced };
}

async function carryFile(
  events: readonly JsonObject[],
  folder: string,
  { from, to }: VersionPair,
): Promise<Json[]> {
  const file = path.join(folder, "events.jsonl");
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const out = path.join(folder, "out");
  const { exitCode, stdout, stderr } = await runAccrete([
    "upcast",
    from.id,
    to.id,
    file,
    "--schemas",
    folder,
    "--out",
    out,
  ]);
  if (exitCode !== 0) return events.map(() => stdout + stderr);
  return readFileSync(path.join(out, "events.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/**
 * Returns the leaves of an event that the result has neither at their place nor at one that the ledger names. The places are
 * compared by the names of the fields, so that the check needs no code of the planner.
 */
function findMisplaced(event: JsonObject, result: JsonObject, entries: readonly LedgerEntry[]): string[] {
  const type = String(event.type ?? event.kind);
  const demands: Demand[] = [];
  const faults = listLeaves(event).flatMap(({ pointer, value }) => {
    const names = splitPointer(pointer).filter((token) => !/^\d+$/.test(token));
    const own = entries.filter((each) => each.type === type && isAt(each.place, pointer));
    if (own.some(({ fate }) => ["mapped", "rounded", "computed", "merged"].includes(fate))) return [];
    // The text of a value that is a part of another one is at the place that the ledger names, or the other way round.
    const parts = own.filter(({ fate }) => fate === "split" || fate === "joined");
    if (parts.length > 0) {
      const texts = parts.flatMap(({ to }) => to.map((place) => listTextsAt(result, getLastName(place))));
      const isThere = parts.every(({ fate }, index) =>
        fate === "joined"
          ? texts[index]?.some((each) => each.includes(String(value)))
          : parts.some(({ to }) => to.length > 0) && texts.every((each) => each.length > 0),
      );
      return isThere ? [] : [`${pointer} of ${JSON.stringify(event)} has no part`];
    }
    const targets = own.flatMap(({ to, fate }) =>
      fate === "moved" ? to.map(getLastName) : [names.at(-1) ?? ""],
    );
    const wanted = own.length === 0 ? [names.at(-1) ?? ""] : targets;
    demands.push({
      wanted: wanted.map((name) => `${name} ${JSON.stringify(value)}`),
      fault: `${pointer} of ${JSON.stringify(event)} is not at ${wanted.join(" or ")}`,
    });
    return [];
  });
  return [...faults, ...findUnmet(demands, countLeaves(result))];
}

/** A leaf that must be at one of some places, and what is wrong if it is not. */
interface Demand {
  readonly wanted: readonly string[];
  readonly fault: string;
}

/**
 * Gives each leaf one of its places, of which there are `counts`. Returns the faults of the leaves that get none in a largest
 * matching, because equal values may be at the places of each other.
 */
function findUnmet(demands: readonly Demand[], counts: ReadonlyMap<string, number>): string[] {
  const holders = new Map<string, Demand[]>();
  const place = (demand: Demand, tried: Set<string>): boolean =>
    demand.wanted.some((key) => {
      if (tried.has(key)) return false;
      tried.add(key);
      const held = holders.get(key) ?? [];
      holders.set(key, held);
      const index =
        held.length < (counts.get(key) ?? 0) ? held.length : held.findIndex((holder) => place(holder, tried));
      if (index < 0) return false;
      held[index] = demand;
      return true;
    });
  return demands.flatMap((demand) => (place(demand, new Set()) ? [] : [demand.fault]));
}

/** Returns the texts and numbers of all fields with a name, as texts. */
function listTextsAt(value: Json, name: string): string[] {
  return listLeaves(value)
    .filter(({ pointer }) => splitPointer(pointer).at(-1) === name)
    .map((leaf) => String(leaf.value));
}

function getLastName(place: string): string {
  return splitPointer(place).findLast((token) => !/^(?:\*+|\{\*\}|\[\d+(?:\.\.)?\])$/.test(token)) ?? "";
}

/** Returns whether a place of a ledger stands for a pointer, or for the list or the map that holds it. */
function isAt(place: string, pointer: string): boolean {
  const pattern = place
    .split("/")
    .map((token) => {
      if (token === "**") return "(?:.*?)";
      if (token === "*" || /^\[\d+\.\.\]$/.test(token)) return "\\d+";
      if (token === "{*}") return "[^/]+";
      const position = /^\[(\d+)\]$/.exec(token)?.[1];
      return position ?? token.replace(/[$.*+?^()[\]{}|\\]/g, "\\$&");
    })
    .join("/")
    .replaceAll("/(?:.*?)", "(?:/.*?)?");
  return new RegExp(`^${pattern}(?:/\\d+)*$`).test(pointer);
}

function listLeaves(value: Json, pointer = ""): { readonly pointer: string; readonly value: Json }[] {
  if (typeof value !== "object" || value === null) return [{ pointer, value }];
  return Object.entries(value).flatMap(([name, each]) =>
    listLeaves(each, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
}

function countLeaves(value: Json): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { pointer, value: leaf } of listLeaves(value)) {
    const name = splitPointer(pointer).findLast((token) => !/^\d+$/.test(token)) ?? "";
    const key = `${name} ${JSON.stringify(leaf)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

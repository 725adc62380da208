/**
 * Compares the renames that accrete finds in the histories of real protocols with the true ones in test/cases/renames.
 * Prints precision and recall, each missed and each wrong rename, and which set of histories does not reach the bar. npm
 * fetches the packages whose schemas are not committed.
 *
 *   npm run prove:renames -- [--history NAME] [--offline] [--folder FOLDER]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type RenameHistory, readHistories } from "./renames/read-histories.js";
import { type FoundRename, type Score, scoreHistory } from "./renames/score-history.js";

/** The precision and recall that each set of histories must reach, for events and for fields. The second are those of unseen ones. */
const BAR = { precision: 0.95, recall: 0.9 };
const UNSEEN_BAR = { precision: 0.97, recall: 0.8 };

const { values } = parseArgs({
  options: {
    history: { type: "string", default: "" },
    offline: { type: "boolean", default: false },
    folder: { type: "string" },
  },
});
const temporary = mkdtempSync(path.join(tmpdir(), "accrete-renames-"));
const totals = new Map<string, { events: Score; fields: Score }>();

try {
  console.log("| history | half | events | precision | recall | fields | precision | recall | seconds |");
  console.log("|---|---|---:|---:|---:|---:|---:|---:|---:|");
  for (const history of readHistories(values.folder))
    if (history.history.includes(values.history) && !(values.offline && history.isFetched)) {
      if (history.unmeasured === undefined || values.history !== "") await proveHistory(history);
      else console.log(`    not measured: ${history.history}, ${history.unmeasured}`);
    }
  for (const [half, { events, fields }] of totals) printRow(["", half, events, fields, ""]);
  for (const [half, { events, fields }] of totals) {
    printBar(half, "events", events);
    printBar(half, "fields", fields);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function proveHistory(history: RenameHistory): Promise<void> {
  const start = process.cpuUsage();
  const { events, fields } = await scoreHistory(history, temporary);
  const { user, system } = process.cpuUsage(start);
  printRow([history.history, history.half, events, fields, ((user + system) / 1e6).toFixed(1)]);
  for (const each of [...events.missed, ...fields.missed]) printRename("missed", each);
  for (const each of [...events.wrong, ...fields.wrong]) printRename("wrong", each);
  for (const half of [history.half, "all"]) {
    const total = totals.get(half);
    totals.set(half, { events: addScores(total?.events, events), fields: addScores(total?.fields, fields) });
  }
}

function addScores(total: Score | undefined, { right, missed, wrong }: Score): Score {
  return total === undefined
    ? { right, missed, wrong }
    : {
        right: total.right + right,
        missed: [...total.missed, ...missed],
        wrong: [...total.wrong, ...wrong],
      };
}

function printRow(cells: readonly (string | Score)[]): void {
  const texts = cells.flatMap((cell) => (typeof cell === "string" ? [cell] : formatScore(cell)));
  console.log(`| ${texts.join(" | ")} |`);
}

function printBar(half: string, subject: string, { right, missed, wrong }: Score): void {
  const shares = { precision: right / (right + wrong.length), recall: right / (right + missed.length) };
  const bar = half === "unseen" || half === "kept aside" ? UNSEEN_BAR : BAR;
  for (const measure of ["precision", "recall"] as const)
    if (shares[measure] < bar[measure])
      console.log(
        `${half}: the ${measure} of ${subject} is ${shares[measure].toFixed(3)}, below ${bar[measure]}`,
      );
}

function formatScore({ right, missed, wrong }: Score): string[] {
  const formatShare = (total: number): string => (total === 0 ? "" : (right / total).toFixed(2));
  return [
    String(right + missed.length),
    formatShare(right + wrong.length),
    formatShare(right + missed.length),
  ];
}

function printRename(label: string, { kind, in: events = [], from, to }: FoundRename): void {
  console.log(`    ${label}: ${kind} ${from} → ${to} (${events.slice(0, 3).join(", ")})`);
}

/**
 * Compares two recordings of the same runs: the envelopes of each run, byte for byte, redeliveries aside. Of the first
 * recording digests are kept; where something differs, it is read again for what it says there.
 */

import { errorFinding, type Finding, type Location } from "../finding.js";
import type { Input } from "../ingest/place.js";
import { locate } from "../ingest/place.js";
import { excerpt } from "../ingest/unreadable-finding.js";
import { counted } from "../text.js";
import type { Validators } from "../validators/protocol-validators.js";
import { readEnvelopes, type Written } from "./envelopes.js";
import { addEnvelope, emptyRun, isEnvelope, type RecordedRun } from "./recorded-run.js";

/** What a comparison came to. */
export interface Replay {
  readonly findings: readonly Finding[];
  readonly runs: number;
  /** Envelopes of the first recording. */
  readonly events: number;
  /** Runs that differ. */
  readonly different: number;
}

/** An envelope where a run first differs. */
interface Shown {
  readonly text: string;
  readonly at: Location;
}

interface Difference {
  readonly run: string;
  /** How many envelopes are the same before it. */
  readonly same: number;
  readonly second: Shown | undefined;
}

/** Compares `second` with `first`. Rejects if one of them cannot be read. */
export async function compareRecordings(
  first: Input,
  second: Input,
  validators: readonly Validators[],
): Promise<Replay> {
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);
  const runs = new Map<string, RecordedRun>();
  const keep = ({ run, text, place }: Written): void => {
    const recorded = runs.get(run) ?? emptyRun();
    runs.set(run, recorded);
    addEnvelope(recorded, text, place.line, place.item);
  };
  await readEnvelopes(first, validators, keep, report);
  const { differences, all } = await differencesIn(second, validators, runs, report);
  const before = await readAgain(first, validators, runs, differences);
  findings.push(
    ...differences.map((difference, index) => differenceFinding(difference, before[index], first, second)),
  );
  const events = [...runs.values()].reduce((sum, { lines }) => sum + lines.length, 0);
  return { findings, runs: all, events, different: differences.length };
}

/** The first difference of each run: those that `second` shows in their order, then the runs that end too early in it. */
async function differencesIn(
  second: Input,
  validators: readonly Validators[],
  runs: ReadonlyMap<string, RecordedRun>,
  report: (finding: Finding) => void,
): Promise<{ readonly differences: readonly Difference[]; readonly all: number }> {
  const differences = new Map<string, Difference>();
  const seen = new Map<string, number>();
  const compare = ({ run, text, place }: Written): void => {
    const same = seen.get(run) ?? 0;
    seen.set(run, same + 1);
    if (differences.has(run)) return;
    const recorded = runs.get(run);
    if (recorded && same < recorded.lines.length && isEnvelope(recorded, same, text)) return;
    differences.set(run, { run, same, second: { text, at: locate(place, "") } });
  };
  await readEnvelopes(second, validators, compare, report);
  for (const [run, { lines }] of runs) {
    const same = seen.get(run) ?? 0;
    if (!differences.has(run) && same < lines.length) differences.set(run, { run, same, second: undefined });
  }
  return { differences: [...differences.values()], all: new Set([...runs.keys(), ...seen.keys()]).size };
}

/** What the first recording has where the runs differ; undefined where it has nothing more. */
async function readAgain(
  first: Input,
  validators: readonly Validators[],
  runs: ReadonlyMap<string, RecordedRun>,
  differences: readonly Difference[],
): Promise<readonly (Shown | undefined)[]> {
  const keys = differences.map(({ run, same }) => {
    const recorded = runs.get(run);
    return recorded && `${recorded.lines[same]}:${recorded.items[same]}`;
  });
  const wanted = new Map<string, Shown | undefined>(keys.map((key) => [key ?? "", undefined]));
  const take = ({ text, place }: Written): void => {
    const key = `${place.line}:${place.item}`;
    if (wanted.has(key)) wanted.set(key, { text, at: locate(place, "") });
  };
  if (differences.length > 0) await readEnvelopes(first, validators, take, () => {});
  return keys.map((key) => wanted.get(key ?? ""));
}

function differenceFinding(
  { run, same, second }: Difference,
  first: Shown | undefined,
  firstInput: Input,
  secondInput: Input,
): Finding {
  const nowhere = { file: secondInput.name, pointer: "" };
  const after = same === 0 ? "has no event" : `ends after ${counted(same, "event")}`;
  const message =
    second === undefined
      ? `${run} ${after} here, but goes on in ${firstInput.name}: ${excerpt(first?.text ?? "", 0, 60)}`
      : first === undefined
        ? `${run} ${after} in ${firstInput.name}, but goes on here: ${excerpt(second.text, 0, 60)}`
        : `${run} differs in its event number ${same + 1}, ${differing(first.text, second.text)}`;
  return {
    ...errorFinding("replay-differs", message, second?.at ?? nowhere),
    ...(first && { baseline: first.at }),
  };
}

function differing(first: string, second: string): string {
  let at = 0;
  while (at < first.length && first[at] === second[at]) at++;
  const byte = Buffer.byteLength(first.slice(0, at));
  return `from its byte ${byte} on: ${excerpt(first, at)} became ${excerpt(second, at)}`;
}

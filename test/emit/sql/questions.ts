/** The questions of docs/querying.md, and their answers over an archive, which are computed without SQL. */
import { groupBy } from "../../../generator/group-by.js";
import { injectFaults } from "../../../scripts/corpus/faults.js";
import { createCorpusRandom } from "../../../scripts/corpus/random.js";
import { fixtureStreams } from "../../conform/check-stream.js";
import { readBlocks } from "../../docs/blocks.js";
import { renameIds } from "./cases.js";
import type { Row, Views } from "./engine.js";
import { HECATE } from "./hecate.js";

/** The queries of docs/querying.md. */
const QUERIES: readonly string[] = readBlocks("docs/querying.md")
  .filter(({ language, text }) => language === "sql" && text.startsWith("SELECT"))
  .map(({ text }) => text);

interface Event {
  readonly type: string;
  readonly run_id: string;
  readonly event_id: string;
  readonly sequence: number;
  readonly occurred_at: string;
  readonly data: { readonly [field: string]: unknown };
}

/** An archive of runs, some without an end, some with lost events; and the same archive with redeliveries in any order. */
export function createArchives(): { readonly once: readonly string[]; readonly repeated: readonly string[] } {
  const lines = fixtureStreams.filter(({ id }) => id === HECATE.id).flatMap((stream) => stream.lines);
  const copies = Array.from({ length: 5 }, (_, copy) => renameIds(HECATE, lines, copy)).flat();
  const once = [...injectFaults(copies, ["drop"], 5, new Map(), 0.05)];
  const random = createCorpusRandom(5);
  const repeated = once.flatMap((line) => (random.chance(0.2) ? [line, line] : [line]));
  return { once, repeated: [...repeated, ...once.filter(() => random.chance(0.1))] };
}

/** A thing with the event that began it and the one that ended it. */
interface Pair {
  readonly start?: Event | undefined;
  readonly end?: Event | undefined;
}

function listPairs(
  events: readonly Event[],
  key: string,
  starts: readonly string[],
  ends: readonly string[],
): readonly Pair[] {
  const moments = events.filter(({ type }) => starts.includes(type) || ends.includes(type));
  return [...groupBy(moments, ({ run_id, data }) => `${run_id} ${data[key]}`).values()].flatMap((things) => {
    const pairs: Pair[] = [];
    let start: Event | undefined;
    for (const event of things)
      if (starts.includes(event.type)) {
        if (start) pairs.push({ start });
        start = event;
      } else {
        pairs.push({ start, end: event });
        start = undefined;
      }
    return start ? [...pairs, { start }] : pairs;
  });
}

/** Returns the value of a field of the event that ended a thing, or else of the one that began it. */
const read = ({ start, end }: Pair, field: string): unknown => end?.data[field] ?? start?.data[field] ?? null;

const countSeconds = ({ start, end }: Pair): number =>
  start && end ? (Date.parse(end.occurred_at) - Date.parse(start.occurred_at)) / 1000 : Number.NaN;

function sum(values: readonly unknown[]): number | null {
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === 0 ? null : numbers.reduce((total, value) => total + value, 0);
}

/** Groups things by columns, and adds other columns to each group. */
function summarize<T>(
  items: readonly T[],
  getKey: (item: T) => Row,
  add: (items: readonly T[]) => Row,
): Row[] {
  const groups = groupBy(items, (item) => JSON.stringify(getKey(item)));
  return [...groups].map(([key, members]) => ({ ...JSON.parse(key), ...add(members) }));
}

/** Returns the answers to the questions, in the order of the page, without SQL. */
export function computeAnswers(lines: readonly string[]): readonly (readonly Row[])[] {
  const all: readonly Event[] = lines.map((line) => JSON.parse(line));
  const events = [...new Map(all.map((event) => [event.event_id, event])).values()].sort(
    (a, b) => a.sequence - b.sequence,
  );
  const turns = listPairs(events, "turn_index", ["turn.started"], ["turn.completed", "turn.failed"]);
  const callEnds = ["tool.completed", "tool.failed", "tool.cancelled", "tool.timed_out"];
  const calls = listPairs(events, "tool_call_id", ["tool.invoked"], callEnds);
  const approvals = listPairs(
    events,
    "approval_id",
    ["approval.requested"],
    ["approval.resolved", "approval.timed_out"],
  );
  const getRun = ({ start, end }: Pair): string => (end ?? start)?.run_id ?? "";
  const isEndedBy =
    (...types: string[]) =>
    ({ end }: Pair) =>
      types.includes(end?.type ?? "");
  const columnSums = (pairs: readonly Pair[], fields: readonly string[]): Row =>
    Object.fromEntries(fields.map((field) => [field, sum(pairs.map((pair) => read(pair, field)))]));
  return [
    summarize(
      turns,
      (turn) => ({
        day: (turn.start ?? turn.end)?.occurred_at.slice(0, 10),
        model: read(turn, "model"),
      }),
      (pairs) => ({
        turns: pairs.length,
        ...columnSums(pairs, ["cost_micros_usd", "input_tokens", "output_tokens"]),
      }),
    ),
    summarize(
      calls.filter(isEndedBy("tool.failed", "tool.timed_out")),
      (call) => ({ run_id: getRun(call), tool_name: read(call, "tool_name") }),
      (pairs) => ({ failed: pairs.length }),
    ),
    summarize(
      approvals.filter(isEndedBy("approval.resolved")),
      (pair) => ({ kind: read(pair, "kind") }),
      (pairs) => {
        const seconds = pairs.map(countSeconds).filter((value) => !Number.isNaN(value));
        return {
          approvals: pairs.length,
          mean_seconds: seconds.length === 0 ? null : (sum(seconds) ?? 0) / seconds.length,
          longest_seconds: seconds.length === 0 ? null : Math.max(...seconds),
        };
      },
    ),
    calls
      .filter((call) => !Number.isNaN(countSeconds(call)))
      .map((call) => ({
        run_id: getRun(call),
        tool_name: read(call, "tool_name"),
        tool_call_id: read(call, "tool_call_id"),
        end_type: call.end?.type,
        seconds: countSeconds(call),
      }))
      .sort(
        (a, b) =>
          b.seconds - a.seconds ||
          (`${a.run_id} ${a.tool_call_id}` < `${b.run_id} ${b.tool_call_id}` ? -1 : 1),
      )
      .slice(0, 3),
    [...groupBy(events, ({ run_id }) => run_id)].flatMap(([run_id, own]) => {
      const marks = own.filter(({ type }) =>
        /^run\.(created|queued|started|finished|failed|cancelled)$/.test(type),
      );
      if (/finished|failed|cancelled/.test(marks.at(-1)?.type ?? "")) return [];
      const last = Math.max(...own.map(({ occurred_at }) => Date.parse(occurred_at)));
      return [{ run_id, events: own.length, last_time: new Date(last).toISOString() }];
    }),
    summarize(
      turns.filter(isEndedBy("turn.failed")),
      (turn) => ({ code: read(turn, "code") }),
      (pairs) => ({
        failed: pairs.length,
        tried_again: pairs.filter((pair) => read(pair, "will_retry") === true).length,
      }),
    ),
    summarize(
      events.filter(({ type }) => type === "turn.completed"),
      ({ run_id }) => ({ run_id }),
      (own) => ({ turns: own.length, output_tokens: sum(own.map(({ data }) => data.output_tokens)) }),
    )
      .sort(
        (a, b) =>
          Number(b.output_tokens ?? -1) - Number(a.output_tokens ?? -1) ||
          (String(a.run_id) < String(b.run_id) ? -1 : 1),
      )
      .slice(0, 3),
  ];
}

/** Returns the answers of an engine in the order of the page. */
export async function askQuestions({ query }: Views): Promise<readonly (readonly Row[])[]> {
  const answers: (readonly Row[])[] = [];
  for (const text of QUERIES) answers.push(await query(text));
  return answers;
}

/** Returns answers in a form that does not depend on the engine: rows in a fixed order, times to the millisecond. */
export function normalizeAnswers(answers: readonly (readonly Row[])[]): unknown {
  return answers.map((rows) => rows.map(normalizeRow).sort((a, b) => (a < b ? -1 : 1)));
}

function normalizeRow(row: Row): string {
  const values = Object.entries(row).map(([name, value]) => {
    if (value === null || value === undefined) return [name, null];
    if (typeof value === "number" || /^-?\d+(\.\d+)?(e-?\d+)?$/.test(String(value)))
      return [name, Number(Number(value).toFixed(3))];
    const time = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(\.\d{1,3})?)/.exec(String(value));
    return [name, time ? new Date(`${time[1]}T${time[2]}Z`).toISOString() : String(value)];
  });
  return JSON.stringify(Object.fromEntries(values));
}

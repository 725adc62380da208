import { lifecycleMembers } from "../../conform/rules/lifecycles.js";
import type { Json } from "../../json.js";
import type { Lifecycle } from "../../protocol/stream-rules.js";
import type { KitEvent, Wanted } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import { withPayload } from "../alter.js";
import { type Law, needsNumbers } from "../law.js";
import type { Trial } from "../trial.js";
import { plain } from "../view.js";
import { expectSame } from "./basic.js";
import { keptJoined, outputsOf, textsOf } from "./joined.js";
import { areApart, depthOf, ONE, placesOf, type Said, shared, spokenOf, TWO } from "./places.js";

/** Several streams at the same time. */
export const runLaws: readonly Law[] = [
  {
    id: "runs-apart",
    law: "Each run has its own numbers and ids: the same id in two runs refers to two things.",
    absent: needsNumbers,
    streams: 1,
    ended: false,
    gaps: false,
    check: checkRuns,
  },
  {
    id: "run-view",
    law: "viewRun(stream) shows the same as if that stream were the only one.",
    hook: "viewRun",
    streams: 3,
    check(trial) {
      const { events, protocol } = trial;
      const keys = [...new Set(events.map((event) => streamKey(protocol.stream, event)))];
      for (const key of keys) {
        const alone = events.filter((event) => streamKey(protocol.stream, event) === key);
        const views = [alone, events].map((fed) => plain(trial.feed(fed).viewRun?.(key)));
        const [wanted = null, found = null] = views;
        expectSame(trial, wanted, found, `In viewRun("${key}") among other streams`);
      }
    },
  },
];

/** Two things with the same names in two runs. */
const TWO_RUNS = { cursors: [1, 2], sameNames: true } as const;

function checkRuns(trial: Trial): void {
  for (const pieces of [...textsOf(trial), ...outputsOf(trial)])
    keptJoined(trial, "Of two streams", pieces, TWO_RUNS);
  const rule = trial.rules.lifecycles?.find(({ start }) => start.length > 0);
  const start = rule?.start[0];
  if (rule === undefined || start === undefined) return;
  const types = [...lifecycleMembers(trial.model, rule), ...rule.end];
  for (const said of spokenOf(trial, types, 4)) checkPlaces(trial, { rule, start, said });
}

interface Spoken {
  readonly rule: Lifecycle;
  readonly start: string;
  readonly said: Said;
}

function checkPlaces(trial: Trial, { rule, start, said: { type, field: text } }: Spoken): void {
  const field = trial.protocol.stream?.sequence ?? "";
  const builder = trial.builder();
  const id = builder.fresh(start, rule.key, 1);
  const tell = (index: number, name: Json, from: number): KitEvent[] | undefined => {
    const cursor = builder.cursor(index);
    cursor.next = Math.max(cursor.next, from);
    const wanted = { [rule.key]: name };
    const told = [
      builder.send(cursor, { type: start, wanted }, 5),
      builder.send(cursor, { type, wanted: { ...wanted, [text]: index === 1 ? ONE : TWO } as Wanted }, 6),
    ];
    return told.every((event) => event !== undefined) ? (told as KitEvent[]) : undefined;
  };
  const one = tell(1, id, 0);
  const same = tell(2, id, 0);
  if (one === undefined || same === undefined) return;
  const other = builder.fresh(start, rule.key, 9);
  const different = same.map((event, index) => ({
    ...withPayload(trial.protocol, event, (payload) => ({ ...payload, [rule.key]: other })),
    [field]: 1000 + index,
  }));
  const apart = placesOf(trial, [...one, ...different], text, true);
  if (!areApart(apart)) return;
  const mixed = placesOf(trial, [...one, ...same], text, false);
  if (mixed === undefined) return;
  if (mixed.one.length === 0 || mixed.two.length === 0)
    trial.fail(`Of two streams with the same numbers and the same ${rule.key}, one is not shown`);
  if (shared(mixed, depthOf(apart)))
    trial.fail(`Of two streams with the same ${rule.key}, what ${type} says in one shows up in the other`);
}

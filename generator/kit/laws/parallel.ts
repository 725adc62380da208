import { listLifecycleMembers } from "../../conform/rules/lifecycles.js";
import type { Lifecycle } from "../../protocol/stream-rules.js";
import type { SampleEvent, WantedFields } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import { withFields } from "../edit-events.js";
import type { Law } from "../law.js";
import { readConsumer } from "../observe.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";
import {
  checkJoining,
  checkSeparation,
  createOutputSources,
  createTextSources,
  type PieceSource,
  pickTextFields,
  TEXTS,
  type TextField,
} from "./separation.js";

/** Laws about tool calls, texts and streams that run at the same time. */
export const parallelLaws: readonly Law[] = [
  {
    id: "calls-separate",
    law: "An event about a tool call, or about anything else with an id, appears with that id, also while others are running.",
    needs: "lifecycles",
    ended: false,
    *check(trial) {
      for (const output of createOutputSources(trial))
        yield* checkJoining(trial, "Of two outputs", output, [0, 0]);
      for (const rule of trial.rules.lifecycles ?? []) {
        const [start] = rule.start;
        const [text] = pickTextFields(trial, listMemberTypes(trial, rule), 1);
        if (start === undefined || text === undefined) continue;
        const makeName = (): WantedFields => ({ [rule.key]: trial.unusedValue(start, rule.key) });
        yield* checkInterleaving(trial, `Of two things with a ${rule.key} each`, {
          ...text,
          names: [makeName(), makeName()],
          start,
        });
      }
    },
  },
  {
    id: "texts-separate",
    law: "Pieces of two texts that arrive alternately are not mixed.",
    needs: "texts",
    ended: false,
    *check(trial) {
      for (const text of createTextSources(trial)) {
        yield* checkJoining(trial, "Of two texts", text, [0, 0]);
        yield* checkInterleaving(trial, `Of two texts of ${text.type}`, {
          ...text,
          start: text.type,
          startFields: { [text.field]: "beginning " },
        });
      }
    },
  },
  {
    id: "runs-separate",
    law: "Each run has its own numbers and ids: the same id in two runs refers to two things.",
    needs: "numbers",
    streams: 1,
    ended: false,
    gaps: false,
    *check(trial) {
      for (const source of [...createTextSources(trial), ...createOutputSources(trial)]) {
        const [name] = source.names;
        yield* checkJoining(trial, "Of two streams", { ...source, names: [name, name] }, [1, 2]);
      }
      const rule = trial.rules.lifecycles?.find(({ start }) => start.length > 0);
      if (rule === undefined) return;
      for (const text of pickTextFields(trial, listMemberTypes(trial, rule), 4))
        yield* checkSameIdInTwoRuns(trial, rule, text);
    },
  },
  {
    id: "run-view",
    law: "viewRun(stream) shows the same as if that stream were the only one.",
    hook: "viewRun",
    streams: 3,
    *check(trial) {
      const { events, protocol } = trial;
      const keyOf = (event: SampleEvent): string => streamKey(protocol.stream, event);
      for (const key of new Set(events.map(keyOf))) {
        const viewRun = function* (fed: readonly SampleEvent[]) {
          const consumer = yield* trial.feed(fed);
          return yield* readConsumer("viewRun()", () => consumer.viewRun?.(key));
        };
        const alone = yield* viewRun(events.filter((event) => keyOf(event) === key));
        trial.expectSame(alone, yield* viewRun(events), `In viewRun("${key}") among other streams`);
      }
    },
  },
];

/** Returns the event types that refer to a started thing, including those that end it. */
function listMemberTypes({ model }: Trial, rule: Lifecycle): readonly string[] {
  return [...listLifecycleMembers(model, rule), ...rule.end];
}

/** Two things of one run: the event type that starts them, and an event type with a text about them. */
interface ThingPair extends PieceSource {
  readonly start: string;
  readonly startFields?: WantedFields;
}

/** Fails if texts about two things of one run are mixed up when their events are interleaved. */
function* checkInterleaving(
  trial: Trial,
  label: string,
  { names, start, startFields, type, field }: ThingPair,
): Steps<void> {
  const startOf = (thing: 0 | 1) => ({ type: start, wanted: { ...names[thing], ...startFields } });
  const textOf = (thing: 0 | 1) => ({ type, wanted: { ...names[thing], [field]: TEXTS[thing] } });
  const sequential = trial.sendAll([startOf(0), textOf(0), startOf(1), textOf(1)]);
  const interleaved = trial.sendAll([startOf(0), startOf(1), textOf(0), textOf(1)]);
  if (sequential === undefined || interleaved === undefined) return;
  const subject = `${label}, the ${field} of ${type}`;
  yield* checkSeparation(trial, field, [...trial.events, ...sequential], [...trial.events, ...interleaved], {
    lost: `${subject} for one is not shown when they are interleaved`,
    mixed: `${subject} for one appears at the other when they are interleaved`,
  });
}

/** Fails if texts about two things with the same id and the same numbers, in two runs, are mixed up. */
function* checkSameIdInTwoRuns(
  trial: Trial,
  { key, start }: Lifecycle,
  { type, field }: TextField,
): Steps<void> {
  const { protocol } = trial;
  const [startType = ""] = start;
  const name = { [key]: trial.unusedValue(startType, key) };
  const sendRun = (run: 0 | 1): SampleEvent[] | undefined =>
    trial.sendAll([
      { type: startType, wanted: name, stream: run + 1 },
      { type, wanted: { ...name, [field]: TEXTS[run] }, stream: run + 1 },
    ]);
  const [first, second] = [sendRun(0), sendRun(1)];
  if (first === undefined || second === undefined) return;
  const otherName = { [key]: trial.unusedValue(startType, key) };
  const renamed = second.map((event, index) => ({
    ...withFields(protocol, event, otherName),
    [protocol.stream?.sequence ?? ""]: 1000 + index,
  }));
  yield* checkSeparation(trial, field, [...first, ...renamed], [...first, ...second], {
    lost: `Of two streams with the same numbers and the same ${key}, one is not shown`,
    mixed: `Of two streams with the same ${key}, the ${field} of ${type} in one appears in the other`,
  });
}

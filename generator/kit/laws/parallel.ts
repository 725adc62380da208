import { listLifecycleMembers } from "../../conform/rules/lifecycles.js";
import { areEqual } from "../../json.js";
import type { Lifecycle } from "../../protocol/stream-rules.js";
import type { FixedFields, SampleEvent } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import { type Interleaving, listInterleavings } from "../interleavings.js";
import type { Law } from "../law.js";
import { readConsumer } from "../observe.js";
import { setPayloadFields } from "../payload.js";
import type { Steps } from "../steps.js";
import { listTextFields, TEXTS, type TextField } from "../text-fields.js";
import type { Trial } from "../trial.js";
import {
  checkJoining,
  checkSeparation,
  createOutputSources,
  createTextSources,
  listKeyVariants,
  type PieceSource,
  pickTextFields,
} from "./separation.js";

/** Laws about tool calls, texts and streams that run at the same time. */
export const parallelLaws: readonly Law[] = [
  {
    id: "calls-separate",
    law: "An event about a tool call, or about anything else with an id, appears with that id, also while others are running.",
    needs: "lifecycles",
    excludesTerminalEvents: true,
    *check(trial) {
      for (const output of createOutputSources(trial))
        yield* checkJoining(trial, "Of two outputs", output, [0, 0]);
      for (const rule of trial.rules.lifecycles ?? []) {
        const [start] = rule.start;
        const [text] = pickTextFields(trial, listMemberTypes(trial, rule), 1);
        if (start === undefined || text === undefined) continue;
        const makeName = (): FixedFields => ({ [rule.key]: trial.makeUnusedValue(start, rule.key) });
        const names = [makeName(), makeName()] as const;
        const label = `Of two things with a ${rule.key} each`;
        // A consumer may show things of one name together.
        const fields = listTextFields(trial.model).filter(({ type }) => type === start);
        const nameAll = (name: string): FixedFields =>
          Object.fromEntries(fields.map(({ field }) => [field, name]));
        const startFields = [nameAll("qzfirst"), nameAll("qzsecond")] as const;
        yield* checkInterleaving(trial, label, { ...text, names, start, startFields });
      }
    },
  },
  {
    id: "calls-interleaved",
    law: "Two calls stay separate in whatever order they start, write output and end: neither gets the output of the other.",
    needs: "lifecycles",
    needsOneRun: true,
    excludesTerminalEvents: true,
    *check(trial) {
      for (const interleaving of listInterleavings(trial.context)) yield* checkOrder(trial, interleaving);
      for (const source of createMemberSources(trial))
        yield* checkJoining(trial, `Of two things with a ${source.key} each`, source, [0, 0]);
    },
  },
  {
    id: "ends-shown",
    law: "The end of a call, or of anything else with an id, changes what is shown if its start is shown. A consumer that shows only a part of the protocol need not show ends.",
    needs: "lifecycles",
    needsOneRun: true,
    excludesTerminalEvents: true,
    *check(trial) {
      // A consumer of a part may show the starts alone. If it shows some ends, ends-all-shown tells about the others.
      if (!(yield* trial.inferShown()).isWhole) return;
      for (const rule of trial.rules.lifecycles ?? [])
        for (const start of rule.start) for (const end of rule.end) yield* checkEnd(trial, rule, start, end);
    },
  },
  {
    id: "texts-separate",
    law: "Pieces of two texts that arrive alternately are not mixed.",
    needs: "texts",
    excludesTerminalEvents: true,
    *check(trial) {
      for (const text of createTextSources(trial).flatMap(listKeyVariants)) {
        yield* checkJoining(trial, "Of two texts", text, [0, 0]);
        yield* checkInterleaving(trial, `Of two texts of ${text.type}`, {
          ...text,
          start: text.type,
          startFields: [{ [text.field]: "beginning " }, { [text.field]: "beginning " }],
        });
      }
    },
  },
  {
    id: "runs-separate",
    law: "Each run has its own numbers and ids: the same id in two runs refers to two things.",
    findSkipReason: ({ stream }) => (stream === undefined ? "this protocol declares no streams" : undefined),
    streams: 1,
    excludesTerminalEvents: true,
    allowsGaps: false,
    *check(trial) {
      const { fields } = yield* trial.inferShown();
      const declaredSources = [...createTextSources(trial), ...createOutputSources(trial)];
      const sources = declaredSources.length > 0 ? declaredSources : createPlainSources(trial);
      for (const source of sources) {
        if (!fields.get(source.type)?.has(source.field)) continue;
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
      const getKey = (event: SampleEvent): string => streamKey(protocol.stream, event);
      for (const key of new Set(events.map(getKey))) {
        const viewRun = function* (eventsOfFeed: readonly SampleEvent[]) {
          const consumer = yield* trial.feed(eventsOfFeed);
          return yield* readConsumer("viewRun()", () => consumer.viewRun?.(key));
        };
        const alone = yield* viewRun(events.filter((event) => getKey(event) === key));
        trial.expectSame(alone, yield* viewRun(events), `In viewRun("${key}") among other streams`);
      }
    },
  },
];

/** Returns the event types that refer to a started thing, including those that end it. */
function listMemberTypes({ model }: Trial, rule: Lifecycle): readonly string[] {
  return [...listLifecycleMembers(model, rule), ...rule.end];
}

/** Fails if the texts about two calls are mixed up in an order of their events. */
function* checkOrder(trial: Trial, interleaving: Interleaving): Steps<void> {
  const { rule, order, end, text, sequential, interleaved } = interleaving;
  const when = `when the events of two things with a ${rule.key} each come in the order ${[...order].join(" ")}`;
  yield* trial.requires("never-throws", trial.view(interleaved));
  if (text === undefined) return;
  const subject = `${text.field} of ${text.type}${end === undefined ? "" : ` before ${end}`}`;
  yield* checkSeparation(trial, text.field, sequential, interleaved, {
    lost: `The ${subject} for one is not shown ${when}`,
    mixed: `The ${subject} for one appears at the other ${when}`,
  });
}

/** Fails if the start of a call is shown, and its end changes nothing. */
function* checkEnd(trial: Trial, { key }: Lifecycle, start: string, end: string): Steps<void> {
  const name = { [key]: trial.makeUnusedValue(start, key) };
  const sent = trial.sendAll([
    { type: start, fixedFields: name },
    { type: end, fixedFields: name },
  ]);
  const [startEvent, endEvent] = sent ?? [];
  if (startEvent === undefined || endEvent === undefined) return;
  const events = [...trial.events, startEvent];
  if (!(yield* trial.isShown({ before: trial.events, added: [startEvent] }))) return;
  const view = yield* trial.view(events);
  if (areEqual(view, yield* trial.view([...events, endEvent])))
    trial.fail(`${end} changes nothing that is shown, although ${start} of the same ${key} is shown`);
}

/** Two texts that come in pieces, about two things with an id in the field `key`. */
interface MemberSource extends PieceSource {
  readonly key: string;
}

/** Creates a source for each text field of an event about a started thing. */
function createMemberSources(trial: Trial): readonly MemberSource[] {
  return (trial.rules.lifecycles ?? []).flatMap((rule) => {
    const { key } = rule;
    const [startType] = rule.start;
    if (startType === undefined) return [];
    const members = listLifecycleMembers(trial.model, rule);
    const fields = listTextFields(trial.model).filter(({ type }) => members.includes(type));
    const makeName = (): FixedFields => ({ [key]: trial.makeUnusedValue(startType, key) });
    return fields.map((field) => ({ ...field, key, startType, names: [makeName(), makeName()] }));
  });
}

/** Creates a source for each text field, for protocols that do not declare which texts come in pieces. */
function createPlainSources(trial: Trial): readonly PieceSource[] {
  return listTextFields(trial.model).map((field) => ({ ...field, names: [{}, {}] }));
}

/** Two things of one run: the event type that starts them, and an event type with a text about them. */
interface ThingPair extends PieceSource {
  readonly start: string;
  readonly startFields?: readonly [FixedFields, FixedFields];
}

/** Fails if texts about two things of one run are mixed up when their events are interleaved. */
function* checkInterleaving(
  trial: Trial,
  label: string,
  { names, start, startFields, type, field }: ThingPair,
): Steps<void> {
  const createStart = (thing: 0 | 1) => ({
    type: start,
    fixedFields: { ...startFields?.[thing], ...names[thing] },
  });
  const createText = (thing: 0 | 1) => ({ type, fixedFields: { ...names[thing], [field]: TEXTS[thing] } });
  const sequential = trial.sendAll([createStart(0), createText(0), createStart(1), createText(1)]);
  const interleavedEvents = trial.sendAll([createStart(0), createStart(1), createText(0), createText(1)]);
  if (sequential === undefined || interleavedEvents === undefined) return;
  const subject = `${label}, the ${field} of ${type}`;
  yield* checkSeparation(
    trial,
    field,
    [...trial.events, ...sequential],
    [...trial.events, ...interleavedEvents],
    {
      lost: `${subject} for one is not shown when they are interleaved`,
      mixed: `${subject} for one appears at the other when they are interleaved`,
    },
  );
}

/** Fails if texts about two things with the same id and the same numbers, in two runs, are mixed up. */
function* checkSameIdInTwoRuns(
  trial: Trial,
  { key, start }: Lifecycle,
  { type, field }: TextField,
): Steps<void> {
  const { protocol } = trial;
  const [startType = ""] = start;
  const name = { [key]: trial.makeUnusedValue(startType, key) };
  const createRun = (run: 0 | 1) => [
    { type: startType, fixedFields: name, stream: run + 1 },
    { type, fixedFields: { ...name, [field]: TEXTS[run] }, stream: run + 1 },
  ];
  const sent = trial.sendAll([...createRun(0), ...createRun(1)]);
  if (sent === undefined) return;
  const first = sent.slice(0, 2);
  const second = sent.slice(2);
  const otherName = { [key]: trial.makeUnusedValue(startType, key) };
  const sequence = protocol.stream?.sequence;
  const renamedEvents = second.map((event, index) => ({
    ...setPayloadFields(protocol, event, otherName),
    ...(sequence !== undefined && { [sequence]: 1000 + index }),
  }));
  yield* checkSeparation(trial, field, [...first, ...renamedEvents], [...first, ...second], {
    lost: `Of two streams with the same numbers and the same ${key}, one is not shown`,
    mixed: `Of two streams with the same ${key}, the ${field} of ${type} in one appears in the other`,
  });
}

/** The law that nothing depends on the start of a thing, or on an earlier event about it: each of them may have been lost. */
import { listLifecycleMembers } from "../../conform/rules/lifecycles.js";
import { areEqual } from "../../json.js";
import type { StreamRules } from "../../protocol/stream-rules.js";
import type { FixedFields, SampleEvent } from "../../sample/event-maker.js";
import { listPayloadFields } from "../../sample/merged-schema.js";
import { findValueList } from "../../schema/merge.js";
import { type Course, type End, listCourses } from "../declared-ends.js";
import type { Law } from "../law.js";
import { getPayload, setPayloadFields } from "../payload.js";
import type { ProposedEvent } from "../rule-scenarios.js";
import { makeScene, type Scene } from "../scene.js";
import type { Steps } from "../steps.js";
import { listTextFields, TEXTS } from "../text-fields.js";
import type { Trial } from "../trial.js";
import { fitName, formatEnd, listNewWords, makeName, propose } from "./ends.js";

export const startLostLaw: Law = {
  id: "start-lost",
  dependsOn: [
    "ends-shown",
    "start-above-first",
    "shown-after-gap",
    "shown-without-opening",
    "unmet-requirements",
    "calls-separate",
  ],
  law: "Something whose start or any earlier event was lost is shown all the same, by the events about it and by its end. Such an end does not end anything else.",
  needs: "lifecycles",
  makesStreams: true,
  *check(trial) {
    const { conditions } = yield* trial.inferShown();
    // A consumer that shows the calls of one kind alone may know the kind by the start.
    const isFiltered = (type: string): boolean => conditions.some((each) => each.type === type);
    for (const course of listCourses(trial.protocol))
      if (course.key !== undefined && !course.starts.some(isFiltered)) {
        yield* checkLostStart(trial, course, course.key);
        if (course.isTurn !== true) yield* checkForeignEnds(trial, course);
      }
    for (const rule of trial.rules.stages ?? []) yield* checkLostStages(trial, rule);
    for (const rule of trial.rules.transitions ?? []) yield* checkLostStates(trial, rule);
  },
};

/** Fails if an event about a thing is shown after its start, and not if the start was lost. */
function* checkLostStart(trial: Trial, course: Course, key: string): Steps<void> {
  const [startType = ""] = course.starts;
  const rule = trial.rules.lifecycles?.find((each) => each.key === key);
  const name = makeName(trial, course);
  const starts = listStarts(trial, startType, name);
  const fields = listTextFields(trial.model).filter(({ field }) => field !== key);
  const types = [
    ...(rule ? listLifecycleMembers(trial.model, rule) : []),
    ...course.ends.map(({ type }) => type),
  ];
  for (const { type, field } of fields.filter((each) => types.includes(each.type))) {
    const eventName = fitName(trial, type, name);
    const event = propose(type, eventName, { [field]: TEXTS[0] });
    const plainEvent = propose(type, eventName);
    yield* expectWithoutStart(trial, {
      starts,
      event,
      plainEvent,
      isShown: createTextTest(trial, field),
      subject: `The ${field} of ${type}`,
    });
  }
  for (const end of course.ends) {
    const event = propose(end.type, name, end.fields);
    yield* expectWithoutStart(trial, {
      starts,
      event,
      plainEvent: event,
      isShown: createEndTest(trial, end),
      isExcused: () => isHiddenByAnother(trial, course, end),
      subject: formatEnd(end),
    });
  }
}

/**
 * Returns whether the end of a thing changes nothing while another one is open. Such a consumer shows that something is open,
 * for instance that a run waits, and not each thing. The end of one that it does not know to be open need not change that.
 */
function* isHiddenByAnother(trial: Trial, course: Course, end: End): Steps<boolean> {
  const [start = ""] = course.starts;
  const [ended, open] = [makeName(trial, course), makeName(trial, course)];
  if (areEqual(open, ended)) return false;
  const starts = [propose(start, ended), propose(start, open)];
  const scene = makeScene(trial.context, [...starts, propose(end.type, ended, end.fields)]);
  if (scene === undefined) return false;
  const before = yield* trial.tryView(scene.events.slice(0, -1));
  const after = yield* trial.tryView(scene.events);
  return before !== undefined && after !== undefined && areEqual(before, after);
}

/** Returns whether the text in a field of an event is shown. */
function createTextTest(trial: Trial, field: string): StartedEvent["isShown"] {
  return function* (events, event) {
    const changed = setPayloadFields(trial.protocol, event, { [field]: TEXTS[1] });
    const view = yield* trial.tryView(events);
    const other = yield* trial.tryView(events.map((each) => (each === event ? changed : each)));
    return view !== undefined && other !== undefined && !areEqual(view, other);
  };
}

/** Returns whether an end, or another state, is shown in words. */
function createEndTest(trial: Trial, end: End): StartedEvent["isShown"] {
  return function* (events, event, isStartLost = false) {
    const others = events.filter((each) => each !== event);
    const before = yield* trial.tryView(isStartLost ? others : others.slice(0, -1));
    const started = yield* trial.tryView(others);
    const ended = yield* trial.tryView(events);
    if (before === undefined || started === undefined || ended === undefined) return false;
    return listNewWords(events, end, started, ended).length > 0 && !areEqual(before, ended);
  };
}

/** Returns proposals of a start: with each value of a field that has few, because a consumer may show some of them only. */
function listStarts({ model }: Trial, type: string, name: FixedFields): readonly ProposedEvent[] {
  const fields = listPayloadFields(model).filter((each) => each.type === type && each.isRequired);
  const variants = fields.flatMap(({ field, merged }) => {
    const values = findValueList(merged.description, "open")?.values ?? merged.values ?? [];
    return values.map((value) => propose(type, name, { [field]: value }));
  });
  return variants.length === 0 ? [propose(type, name)] : variants;
}

/** An event about something, after each of the possible starts. */
interface StartedEvent {
  /** What comes before the start, and is not lost. */
  readonly before?: readonly ProposedEvent[];
  readonly starts: readonly ProposedEvent[];
  readonly event: ProposedEvent;
  /** The same event with any text. */
  readonly plainEvent: ProposedEvent;
  readonly subject: string;
  isShown(events: readonly SampleEvent[], event: SampleEvent, isStartLost?: boolean): Steps<boolean>;
  /** Returns whether the event need not be shown without its start. */
  isExcused?(): Steps<boolean>;
}

/** Fails if an event is shown after every start that the rules allow, and not without one. */
function* expectWithoutStart(
  trial: Trial,
  { before = [], starts, event: proposal, plainEvent, subject, isShown, isExcused }: StartedEvent,
): Steps<void> {
  let scene: Scene | undefined;
  for (const proposedStart of starts) {
    const next = makeScene(trial.context, [...before, proposedStart, proposal]);
    // A consumer may choose what it shows by the start. If the text needs one of the starts, it is not checked.
    if (next === undefined && makeScene(trial.context, [...before, proposedStart, plainEvent])) return;
    if (next && !(yield* isShown(next.events, next.sent.at(-1) ?? {}))) return;
    scene ??= next;
  }
  const [start, event] = scene?.sent.slice(-2) ?? [];
  if (scene === undefined || event === undefined) return;
  const rest = scene.events.filter((each) => each !== start);
  yield* trial.view(rest);
  if (yield* isShown(rest, event, true)) return;
  if (yield* isNamedByStart(trial, scene.events, start, event)) return;
  if (isExcused === undefined || !(yield* isExcused()))
    trial.fail(`${subject} is not shown, because the start was lost. It is after the start`);
}

/**
 * Returns whether a consumer shows a thing by a text that its start alone has, such as a path, and does not show its id. It
 * cannot show the thing if the start was lost.
 */
function* isNamedByStart(
  trial: Trial,
  events: readonly SampleEvent[],
  start: SampleEvent | undefined,
  event: SampleEvent,
): Steps<boolean> {
  if (start === undefined) return false;
  const { protocol } = trial;
  const [payload, other] = [getPayload(protocol, start), getPayload(protocol, event)];
  const view = (yield* trial.tryView(events)) ?? null;
  const isShown = function* (name: string): Steps<boolean> {
    const change = (each: SampleEvent) =>
      setPayloadFields(protocol, each, { [name]: `${payload[name]}-${TEXTS[1]}` });
    const changed = events.map((each) =>
      each === start || (each === event && name in other) ? change(each) : each,
    );
    const changedView = yield* trial.tryView(changed);
    return changedView !== undefined && !areEqual(changedView, view);
  };
  let isNamed = false;
  for (const name of Object.keys(payload).filter((each) => typeof payload[each] === "string")) {
    if (!(yield* isShown(name))) continue;
    if (name in other) return false;
    isNamed = true;
  }
  return isNamed;
}

/** A rule of a member of stream rules. */
type Rule<M extends "stages" | "transitions"> = NonNullable<StreamRules[M]>[number];

/** Fails if the end of something whose start was lost changes what is shown of something else that is open. */
function* checkForeignEnds(trial: Trial, course: Course): Steps<void> {
  const [start = ""] = course.starts;
  const [open, ended] = [makeName(trial, course), makeName(trial, course)];
  // Of things that the rules number, one at a time is open.
  if (areEqual(open, ended)) return;
  for (const end of course.ends) {
    const alone = makeScene(trial.context, [propose(start, ended), propose(end.type, ended, end.fields)]);
    // The same events, because others may be shown in another way.
    const repeated = (alone?.sent ?? []).map((event, index) => {
      const type = index === 0 ? start : end.type;
      return propose(type, fitName(trial, type, getPayload(trial.protocol, event) as FixedFields));
    });
    const both = makeScene(trial.context, [propose(start, open), ...repeated]);
    if (alone === undefined || both === undefined) continue;
    const isKept = (scene: Scene) => (event: SampleEvent) => event !== scene.sent.at(-2);
    const [lone, other] = [alone.events.filter(isKept(alone)), both.events.filter(isKept(both))];
    const before = yield* trial.tryView(lone.slice(0, -1));
    const after = yield* trial.tryView(lone);
    const opened = yield* trial.tryView(other.slice(0, -1));
    if (before === undefined || after === undefined || opened === undefined || !areEqual(before, after))
      continue;
    trial.expectSame(
      opened,
      yield* trial.view(other),
      `After ${formatEnd(end)} of something whose start was lost, while another thing is open`,
    );
  }
}

/** Fails if a text about a thing is shown after an event of each earlier stage, and not if one of these was lost. */
function* checkLostStages(trial: Trial, { key, stages }: Rule<"stages">): Steps<void> {
  const { fields } = yield* trial.inferShown();
  const texts = listTextFields(trial.model).filter(
    ({ type, field }) => field !== key && fields.get(type)?.has(field),
  );
  const starts = (trial.rules.lifecycles ?? []).flatMap((rule) => (rule.key === key ? rule.start : []));
  for (const [index, types] of stages.entries()) {
    const earlier = stages.slice(0, index).flatMap(([type]) => type ?? []);
    for (const { type, field } of texts.filter((each) => types.includes(each.type))) {
      const name = { [key]: trial.makeUnusedValue(type, key) };
      const before: ProposedEvent[] = [];
      for (const lost of earlier) {
        // The starts of lifecycles are lost in another check.
        if (!starts.includes(lost))
          yield* expectWithoutStart(trial, {
            before,
            starts: [propose(lost, name)],
            event: propose(type, name, { [field]: TEXTS[0] }),
            plainEvent: propose(type, name),
            isShown: createTextTest(trial, field),
            subject: `The ${field} of ${type}`,
          });
        // The rules may allow some of the earlier events only, or not this one after them.
        if (makeScene(trial.context, [...before, propose(lost, name), propose(type, name)]))
          before.push(propose(lost, name));
      }
    }
  }
}

/** Fails if a state of a thing is shown after another one, and not if the event that stated that one was lost. */
function* checkLostStates(trial: Trial, { moves, events }: Rule<"transitions">): Steps<void> {
  for (const [state, others] of Object.entries(moves))
    for (const { type, key, to, when = {}, state: declared } of events)
      for (const next of others.filter((each) => to !== undefined || declared === each))
        for (const first of events.filter((each) => each.to !== undefined || each.state === state)) {
          const id = trial.makeUnusedValue(type, key);
          if (Array.isArray(id) || Array.isArray(trial.makeUnusedValue(first.type, first.key))) continue;
          const stated = (name?: string, value?: string): FixedFields =>
            name === undefined ? {} : { [name]: value ?? null };
          const event = propose(type, when, { [key]: id }, stated(to, next));
          yield* expectWithoutStart(trial, {
            starts: [propose(first.type, first.when ?? {}, { [first.key]: id }, stated(first.to, state))],
            event,
            plainEvent: event,
            isShown: createEndTest(trial, { type, fields: stated(to, next) }),
            subject: `"${next}" of ${type}`,
          });
        }
}

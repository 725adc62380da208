/** Laws about how things end: tools, approvals, tasks, and streams themselves. */
import { areEqual, type Json } from "../../json.js";
import type { StateEvent, Transitions } from "../../protocol/stream-rules.js";
import { findRole } from "../../protocol/view-roles.js";
import type { FixedFields, SampleEvent } from "../../sample/event-maker.js";
import { listPayloadFields } from "../../sample/merged-schema.js";
import { type Course, type End, listCourses, listOpenThings } from "../declared-ends.js";
import { isAllowed } from "../facts.js";
import type { Law } from "../law.js";
import { getPayload, mapPayload, setPayloadFields } from "../payload.js";
import type { ProposedEvent } from "../rule-scenarios.js";
import { listNeededFields } from "../scenarios.js";
import {
  type Leaf,
  listBefore,
  listKeyFields,
  listLeaves,
  listOwnWords,
  listSteps,
  listTexts,
  makeScene,
  type Scene,
  subtractItems,
} from "../scene.js";
import type { Steps } from "../steps.js";
import { listTextFields, TEXTS } from "../text-fields.js";
import type { Trial } from "../trial.js";

export const NO_ENDS = "this protocol declares neither lifecycles nor terminal events";

/** Laws about ends, each checked on streams that the law makes itself. */
export const endLaws: readonly Law[] = [
  {
    id: "ends-differ",
    dependsOn: ["ends-shown"],
    law: "Different ends look different, wherever a consumer says in words how something ended: approved and rejected, done and failed, cancelled and timed out.",
    findSkipReason: (protocol) => (listCourses(protocol).length === 0 ? NO_ENDS : undefined),
    makesStreams: true,
    fitsConsumer: true,
    *check(trial) {
      for (const course of listCourses(trial.protocol))
        yield* checkDifference(trial, course.states, (yield* playEnds(trial, course)).filter(isDescribed));
    },
  },
  {
    id: "ends-all-shown",
    dependsOn: ["ends-shown", "ends-differ"],
    law: "If one end of something replaces what its start shows, each of its other ends does so, too.",
    findSkipReason: (protocol) => (listCourses(protocol).length === 0 ? NO_ENDS : undefined),
    makesStreams: true,
    fitsConsumer: true,
    *check(trial) {
      for (const course of listCourses(trial.protocol)) {
        const played = [...(yield* playEnds(trial, course)), ...(yield* playEnds(trial, course, 1))];
        checkReplacement(trial, played);
      }
    },
  },
  {
    id: "states-follow",
    dependsOn: ["ends-differ"],
    law: "A place that shows the declared states of something shows its newest one.",
    findSkipReason: ({ rules }) =>
      (rules?.transitions ?? []).length === 0
        ? "this protocol declares no transitions between states"
        : undefined,
    makesStreams: true,
    *check(trial) {
      for (const rule of trial.rules.transitions ?? []) yield* checkStatePaths(trial, rule);
    },
  },
  {
    id: "ends-last",
    dependsOn: ["ends-shown"],
    law: "An event that may come after the end of something does not undo the end.",
    findSkipReason: (protocol) => (listCourses(protocol).length === 0 ? NO_ENDS : undefined),
    makesStreams: true,
    fitsConsumer: true,
    *check(trial) {
      for (const course of listCourses(trial.protocol)) yield* checkAfterEnd(trial, course);
    },
  },
  {
    id: "ends-matched",
    dependsOn: ["ends-shown", "calls-separate", "calls-interleaved"],
    law: "If two things are open, the end of one changes this one alone, in whatever order they end, also if they are alike but for their ids.",
    needs: "lifecycles",
    makesStreams: true,
    fitsConsumer: true,
    *check(trial) {
      // Of things that the rules number, one at a time is open.
      for (const course of [...listCourses(trial.protocol), ...listOpenThings(trial.protocol)])
        if (course.key !== undefined && !areEqual(makeName(trial, course), makeName(trial, course)))
          yield* checkPair(trial, course);
    },
  },
];

/** The end of something, played in a short stream. */
interface PlayedEnd {
  readonly end: End;
  readonly scene: Scene;
  readonly endEvent: SampleEvent;
  /** What is shown before the start, after it, and after the end. */
  readonly before: Json;
  readonly started: Json;
  readonly ended: Json;
  /** The words of the consumer's own that are new after the end. */
  readonly words: readonly string[];
}

/** Returns a proposal of an event of a course: that of the thing with the id in `name`. */
export function propose(type: string, ...fields: readonly FixedFields[]): ProposedEvent {
  return { type, fixedFields: Object.assign({}, ...fields) };
}

/**
 * Returns the field with the id of a thing: with a value that no other event has, or with the first one that the rules allow if
 * they number such things.
 */
export function makeName(trial: Trial, { key, starts: [start = ""] }: Course): FixedFields {
  if (key === undefined) return {};
  const name = { [key]: trial.makeUnusedValue(start, key) };
  if (makeScene(trial.context, [propose(start, name)])) return name;
  const [event] = makeScene(trial.context, [propose(start)])?.sent ?? [];
  return event === undefined ? name : { [key]: getPayload(trial.protocol, event)[key] ?? null };
}

/** Makes a stream in which something starts and ends; undefined if the rules do not allow it. */
export function makeEnd(
  trial: Trial,
  course: Course,
  { type, fields }: End,
  name: FixedFields,
  {
    later = [],
    fieldChance = 0,
  }: { readonly later?: readonly ProposedEvent[]; readonly fieldChance?: number } = {},
): Scene | undefined {
  const end = propose(type, name, fields);
  for (const start of course.starts) {
    const scene = makeScene(trial.context, [propose(start, name), end, ...later], fieldChance);
    if (scene) return scene;
  }
  // The event that opens a stream may be allowed once.
  if (course.key !== undefined) return undefined;
  const scene = makeScene(trial.context, [end, ...later], fieldChance);
  const [endEvent] = scene?.sent ?? [];
  const start = scene?.events[scene.events.indexOf(endEvent ?? {}) - 1];
  return scene && start && { ...scene, sent: [start, ...scene.sent] };
}

/** Plays each end of a course of which the consumer shows something. */
export function* playEnds(trial: Trial, course: Course, fieldChance = 0): Steps<readonly PlayedEnd[]> {
  const played: PlayedEnd[] = [];
  const name = makeName(trial, course);
  for (const end of course.ends) {
    const made = makeEnd(trial, course, end, name, { fieldChance });
    const scene = made && fieldChance === 0 ? omitOptionalFields(trial, made, end) : made;
    const shown = scene && (yield* playEnd(trial, course, end, scene));
    if (shown) played.push(shown);
  }
  return played;
}

/** Shows a stream whose first two sent events are a start and an end; undefined if it cannot be shown. */
export function* playEnd(trial: Trial, course: Course, end: End, scene: Scene): Steps<PlayedEnd | undefined> {
  const [startEvent, endEvent, later] = scene.sent;
  if (startEvent === undefined || endEvent === undefined) return undefined;
  const before = yield* trial.tryView(course.key === undefined ? [] : listBefore(scene, startEvent));
  const started = yield* trial.tryView(listBefore(scene, endEvent));
  const ended = yield* trial.tryView(listBefore(scene, later));
  if (before === undefined || started === undefined || ended === undefined) return undefined;
  const words = listNewWords([startEvent, endEvent], end, started, ended);
  return { end, scene, endEvent, before, started, ended, words };
}

/** Leaves out each optional field of an end that the rules do not demand, because ends that differ in others look different. */
function omitOptionalFields(trial: Trial, scene: Scene, { fields }: End): Scene {
  const { protocol, model } = trial;
  const optional = listPayloadFields(model).filter(
    (each) => !each.isRequired && fields[each.field] === undefined,
  );
  let [start, end] = scene.sent;
  let { events } = scene;
  if (start === undefined || end === undefined) return scene;
  const type = end[protocol.envelope.discriminator];
  for (const { field } of optional.filter((each) => each.type === type)) {
    const old = end;
    if (getPayload(protocol, old)[field] === undefined) continue;
    const shorter = mapPayload(protocol, old, ({ [field]: _, ...others }) => others);
    const changed = events.map((event) => (event === old ? shorter : event));
    if (!isAllowed(trial, changed)) continue;
    events = changed;
    end = shorter;
  }
  return { events, sent: [start, end] };
}

/** Returns the words that are new after an end. The value of a field that decides about the end is a word, too. */
export function listNewWords(
  events: readonly SampleEvent[],
  { fields }: End,
  started: Json,
  ended: Json,
): string[] {
  const kept = new Set(Object.values(fields).map(String));
  return subtractItems(listOwnWords(ended, events, kept), listOwnWords(started, events, kept));
}

/** Returns whether a consumer says in words how something ended, and does not only stop to show it. */
function isDescribed({ words, before, ended }: PlayedEnd): boolean {
  return words.length > 0 && !areEqual(before, ended);
}

/** Returns the texts that are new after an end, also those of the events. */
function listNewLeaves({ started, ended }: PlayedEnd): string {
  const leaves = subtractItems([...listLeaves(ended).values()], [...listLeaves(started).values()]);
  return JSON.stringify(
    leaves
      .filter((leaf) => typeof leaf === "string" && leaf !== "")
      .map(String)
      .sort(),
  );
}

export function formatEnd({ type, fields }: End): string {
  const values = Object.entries(fields).map(([field, value]) => `${field} ${JSON.stringify(value)}`);
  return values.length === 0 ? type : `${type} with ${values.join(", ")}`;
}

/** Fails if two ends look alike, or if an end is shown as the declared state after another one. */
function* checkDifference(
  trial: Trial,
  states: readonly string[],
  played: readonly PlayedEnd[],
): Steps<void> {
  for (const [index, each] of played.entries()) {
    checkStates(trial, each, states);
    for (const other of played.slice(index + 1)) {
      if (!(yield* looksAlike(trial, each, other))) continue;
      trial.setFixture(other.scene.events);
      trial.fail(
        `${formatEnd(other.end)} looks like ${formatEnd(each.end)}: the snapshot shows ${each.words[0] === undefined ? "the same" : `"${each.words[0]}"`} for both`,
      );
    }
  }
}

/** Fails if a consumer that claims to show the things of a course does not show how each of them ended. */
export function* checkClaimedEnds(trial: Trial, course: Course, claim: string): Steps<void> {
  const played = yield* playEnds(trial, course);
  for (const { started, ended, scene, end } of played) {
    if (!areEqual(started, ended)) continue;
    trial.setFixture(scene.events);
    trial.fail(`${claim} is claimed, but ${formatEnd(end)} changes nothing that is shown`);
  }
  yield* checkDifference(trial, course.states, played);
}

/** Returns whether two ends look alike, apart from texts of the events themselves. */
export function* looksAlike(trial: Trial, each: PlayedEnd, other: PlayedEnd): Steps<boolean> {
  if (each.end.type === other.end.type) return areEqual(each.ended, yield* viewWith(trial, each, other));
  return (
    areEqual([...each.words].sort(), [...other.words].sort()) && listNewLeaves(each) === listNewLeaves(other)
  );
}

/** Returns what is shown if the thing ended as in `other`, with everything else as in `played`. */
function* viewWith(trial: Trial, { scene, endEvent }: PlayedEnd, { end }: PlayedEnd): Steps<Json> {
  const changed = setPayloadFields(trial.protocol, endEvent, end.fields);
  return yield* trial.view(scene.events.map((event) => (event === endEvent ? changed : event)));
}

/** Fails if a new word after an end is the declared value of another end. */
function checkStates(
  trial: Trial,
  { end, endEvent, scene, started, ended }: PlayedEnd,
  states: readonly string[],
): void {
  const own = new Set(listTexts(endEvent));
  const isOther = (leaf: Leaf): leaf is string =>
    typeof leaf === "string" && states.includes(leaf) && !own.has(leaf);
  const leaves = subtractItems([...listLeaves(ended).values()], [...listLeaves(started).values()]);
  const wrong = leaves.find(isOther);
  const isNamed = (leaf: Leaf): boolean =>
    typeof leaf === "string" && leaf !== "" && end.type.toLowerCase().includes(leaf.toLowerCase());
  // A consumer may show a coarse state beside the name of the end.
  if (wrong === undefined || leaves.some(isNamed)) return;
  trial.setFixture(scene.events);
  trial.fail(`After ${formatEnd(end)}, the snapshot shows "${wrong}", which is how something else ends`);
}

/** Returns the places that show a state: the start changes them, and so does the end. */
export function* listStatePlaces({
  before,
  started,
  ended,
  scene,
}: PlayedEnd): Generator<readonly [string, Leaf]> {
  const [first, second, third] = [listLeaves(before), listLeaves(started), listLeaves(ended)];
  // A state that is still shown at another place has moved.
  const gone = subtractItems([...second.values()], [...third.values()]);
  // A sentence with numbers that no event has may be about several things.
  const isSummary = (leaf: string): boolean =>
    listOwnWords(leaf, scene.events).some((words) => /#.*#/s.test(words));
  for (const [place, state] of second) {
    const last = third.get(place);
    if (last === undefined || last === state || first.get(place) === state || !gone.includes(state)) continue;
    // Numbers and texts that hold numbers may count something else. A count of what is open returns to its value.
    const isCount = String(last).replace(/\d+/g, "") === String(state).replace(/\d+/g, "");
    const isWord = [last, state].every((leaf) => typeof leaf === "string" && leaf !== "" && !isSummary(leaf));
    if (isCount ? first.get(place) === last : isWord || first.get(place) === last) yield [place, state];
  }
}

/** Fails if an end leaves a place as it is in which others replace what the start shows. */
function checkReplacement(trial: Trial, played: readonly PlayedEnd[]): void {
  for (const each of played)
    for (const [place, state] of listStatePlaces(each))
      for (const other of played) {
        if (listLeaves(other.started).get(place) !== state || listLeaves(other.ended).get(place) !== state)
          continue;
        // The place may be the color of several states, whose words are shown elsewhere.
        if (other.words.length > 0 && each.words.length > 1) continue;
        trial.setFixture(other.scene.events);
        trial.fail(
          `After ${formatEnd(other.end)}, ${place || "the snapshot"} still shows ${JSON.stringify(state)}. ${formatEnd(each.end)} replaces it`,
        );
      }
}

/** Fails if an event after an end brings back what was shown before the end. */
function* checkAfterEnd(trial: Trial, course: Course): Steps<void> {
  const { model, protocol } = trial;
  const name = makeName(trial, course);
  const [end] = course.ends;
  if (end === undefined) return;
  const isUser = (type: string): boolean => {
    const role = protocol.view && findRole(protocol.view.roles, type);
    return role?.as === "text" && role.speaker === "user";
  };
  const others = model.events
    .map(({ type }) => type)
    .filter((type) => !course.starts.includes(type) && !isUser(type));
  const [plain] = yield* playEnds(trial, { ...course, ends: [end] });
  if (plain === undefined || [...listStatePlaces(plain)].length === 0) return;
  for (const type of course.after ?? others) {
    const scene = makeEnd(trial, course, end, name, {
      later: [propose(type, fitName(trial, type, name))],
    });
    const later = scene?.sent[2];
    const played = scene && (yield* playEnd(trial, course, end, scene));
    if (scene === undefined || played === undefined || later === undefined) continue;
    const last = listLeaves(yield* trial.view(scene.events));
    for (const [place, state] of listStatePlaces(played))
      if (last.get(place) === state)
        trial.fail(`After ${formatEnd(end)} and ${type}, ${place} shows ${JSON.stringify(state)} again`);
  }
}

/** Returns the id of a thing in the fields that an event type has. */
export function fitName({ model }: Trial, type: string, name: FixedFields): FixedFields {
  const fields = listPayloadFields(model).flatMap((each) => (each.type === type ? [each.field] : []));
  return Object.fromEntries(Object.entries(name).filter(([field]) => fields.includes(field)));
}

/** Two open things that are alike but for their ids and one text. */
interface OpenPair {
  readonly names: readonly [FixedFields, FixedFields];
  readonly starts: readonly [ProposedEvent, ProposedEvent];
  /** The text of each, by which it is found in snapshots. */
  readonly marks: readonly [string, string];
}

/** Returns pairs of things: one for each text of the start, and one for their ids. */
export function* listPairs(trial: Trial, course: Course, key: string): Generator<OpenPair> {
  const [start = ""] = course.starts;
  const names = [makeName(trial, course), makeName(trial, course)] as const;
  const fields = listTextFields(trial.model).filter((each) => each.type === start && each.field !== key);
  for (const field of [...fields.map((each) => each.field), key]) {
    const marks = field === key ? ([String(names[0][key]), String(names[1][key])] as const) : TEXTS;
    const text = (thing: 0 | 1): FixedFields => (field === key ? {} : { [field]: marks[thing] });
    const first = propose(start, names[0], text(0));
    for (const fieldChance of [1, 0]) {
      const [event] = makeScene(trial.context, [first], fieldChance)?.sent ?? [];
      if (event === undefined) continue;
      const payload = fitName(trial, start, getPayload(trial.protocol, event) as FixedFields);
      const starts = [propose(start, payload), propose(start, payload, names[1], text(1))] as const;
      if (makeScene(trial.context, starts)) yield { names, starts, marks };
    }
  }
}

function* checkPair(trial: Trial, course: Course): Steps<void> {
  const { key = "" } = course;
  yield* checkAlike(trial, course, key);
  const ends = course.ends.filter(
    ({ type }, index, all) => all.findIndex((each) => each.type === type) === index,
  );
  for (const pair of listPairs(trial, course, key)) {
    yield* checkBothOpen(trial, pair);
    for (const end of ends)
      for (const ended of [0, 1] as const) yield* checkEndOfOne(trial, pair, end, ended);
  }
}

/** Fails if two things that are alike but for their ids are shown in another way than two that differ more. */
function* checkAlike(trial: Trial, course: Course, key: string): Steps<void> {
  const [start = ""] = course.starts;
  const [first, second] = [makeName(trial, course), makeName(trial, course)];
  // A consumer may show things with another one to which they refer, or those with one value of a field.
  const kept = new Set([...listKeyFields(trial.protocol), ...listNeededFields(trial.context, start)]);
  for (const end of [undefined, course.ends[0]])
    for (const fieldChance of [1, 0]) {
      const more = end === undefined ? [] : [propose(end.type, first, end.fields)];
      const scene = makeScene(
        trial.context,
        [propose(start, first), propose(start, second), ...more],
        fieldChance,
      );
      const [one, two] = scene?.sent ?? [];
      if (scene === undefined || one === undefined || two === undefined) continue;
      const payload = getPayload(trial.protocol, one);
      const same = Object.fromEntries(
        Object.keys(getPayload(trial.protocol, two)).flatMap((name) =>
          name === key || payload[name] === undefined ? [] : [[name, payload[name]] as const],
        ),
      );
      const texts = Object.entries(same).flatMap(([name, value]) =>
        typeof value === "string" && !kept.has(name) ? [[name, `${value} too`] as const] : [],
      );
      const alike = setPayloadFields(trial.protocol, two, fitName(trial, start, same as FixedFields));
      const different = texts
        .map(([name, text]) => ({ ...same, [name]: text }))
        .map((fields) => setPayloadFields(trial.protocol, two, fitName(trial, start, fields as FixedFields)))
        .filter((event) => trial.protocol.decodeEvent(event, { profile: "writer" }).kind === "known");
      if (trial.protocol.decodeEvent(alike, { profile: "writer" }).kind !== "known") continue;
      const list = function* (event: SampleEvent): Steps<string | undefined> {
        const events = scene.events.map((each) => (each === two ? event : each));
        const view = event === alike ? yield* trial.view(events) : yield* trial.tryView(events);
        if (view === undefined) return undefined;
        const numbers = [...listLeaves(view).values()].filter((leaf) => typeof leaf === "number");
        return JSON.stringify([...numbers, ...listOwnWords(view, events)].map(String).sort());
      };
      const before = listBefore(scene, two);
      const [once, twice] = [yield* trial.tryView(before), yield* trial.tryView([...before, alike])];
      // A consumer may count things of one name, or show them by their ids beside what they have in common.
      const isCounted = once !== undefined && twice !== undefined && listSteps(once, twice).includes(1);
      const ids = [payload[key], getPayload(trial.protocol, two)[key]].map(String);
      if (isCounted || (twice !== undefined && ids.every((id) => hasMark(twice, id)))) continue;
      // A consumer may list each name once. If it shows ends, it cannot.
      const alikeEvents = scene.events.map((each) => (each === two ? alike : each));
      const shown = yield* trial.tryView(alikeEvents);
      const other = end === undefined ? once : yield* trial.tryView(alikeEvents.slice(0, -1));
      if (shown !== undefined && other !== undefined && areEqual(shown, other)) continue;
      for (const event of different) {
        const expected = yield* list(event);
        if (expected === undefined || expected === (yield* list(alike))) continue;
        trial.setFixture(alikeEvents);
        trial.fail(
          `Two things that are alike but for their ${key} are shown in another way than two that differ more`,
        );
      }
    }
}

export function hasMark(view: Json, mark: string): boolean {
  return JSON.stringify(view).includes(mark);
}

/** Fails if the second of two things takes the place of the first one because they are alike. */
function* checkBothOpen(trial: Trial, { starts, names, marks }: OpenPair): Steps<void> {
  const both = makeScene(trial.context, starts);
  const different = makeScene(trial.context, [
    propose(starts[0].type, names[0], pickMark(starts[0], marks[0])),
    propose(starts[1].type, names[1], pickMark(starts[1], marks[1])),
  ]);
  if (both === undefined || different === undefined) return;
  // The consumer shows the text of each one alone, and both texts if they differ more.
  for (const [index, start] of starts.entries()) {
    const alone = makeScene(trial.context, [start]);
    const view = alone && (yield* trial.tryView(alone.events));
    if (view === undefined || !hasMark(view, marks[index] ?? "")) return;
  }
  const reference = yield* trial.tryView(different.events);
  if (reference === undefined || marks.some((mark) => !hasMark(reference, mark))) return;
  const view = yield* trial.view(both.events);
  const lost = marks.find((mark) => !hasMark(view, mark));
  if (lost !== undefined)
    trial.fail(
      `Of two events ${starts[0].type} that are alike but for their ids and a text, the one with "${lost}" is not shown. It is if they differ more`,
    );
}

/** Returns the field of an event that holds the mark. */
function pickMark({ fixedFields }: ProposedEvent, mark: string): FixedFields {
  return Object.fromEntries(Object.entries(fixedFields).filter(([, value]) => value === mark));
}

/** Fails if the end of one of two things removes or changes the other one. */
function* checkEndOfOne(trial: Trial, pair: OpenPair, end: End, ended: 0 | 1): Steps<void> {
  const other = ended === 0 ? 1 : 0;
  const proposal = propose(end.type, pair.names[ended], end.fields);
  const alone = makeScene(trial.context, [pair.starts[ended], proposal]);
  const scene = makeScene(trial.context, [...pair.starts, proposal]);
  if (scene === undefined) return;
  const [mark, otherMark] = [pair.marks[ended], pair.marks[other]];
  const open = yield* trial.tryView(listBefore(scene, scene.sent[2]));
  if (open === undefined || !hasMark(open, otherMark)) return;
  const when = `After ${end.type} for the ${ended === 0 ? "first" : "second"} of two open things`;
  const aloneView = alone && (yield* trial.tryView(alone.events));
  const isRemoved = aloneView !== undefined && !hasMark(aloneView, mark);
  if (!hasMark(open, mark)) {
    // A consumer with room for one thing may say how it ended. If it shows what is open alone, it still shows the other one.
    if (alone === undefined || !(yield* leavesNoTrace(trial, alone, mark))) return;
    const view = yield* trial.view(scene.events);
    if (!hasMark(view, otherMark))
      trial.fail(`${when}, the other one ("${otherMark}") is no longer shown`, open, view);
    return;
  }
  const view = yield* trial.view(scene.events);
  if (!hasMark(view, otherMark)) {
    if (isRemoved) trial.fail(`${when}, the other one ("${otherMark}") is no longer shown`, open, view);
    return;
  }
  if (hasMark(view, mark)) {
    if (isRemoved) trial.fail(`${when}, it ("${mark}") is still shown`, open, view);
    const before = findEntry(open, otherMark, mark);
    const after = findEntry(view, otherMark, mark);
    if (before === undefined || after === undefined) return;
    if (maskNumbers(before) !== maskNumbers(after))
      trial.fail(`${when}, the other one changed`, before, after);
  }
}

/** Returns whether something is shown while it is open, and nothing of it after its end. */
function* leavesNoTrace(trial: Trial, { events, sent }: Scene, mark: string): Steps<boolean> {
  const before = yield* trial.tryView(listBefore({ events, sent }, sent[0]));
  const open = yield* trial.tryView(events.slice(0, -1));
  const after = yield* trial.tryView(events);
  if (before === undefined || open === undefined || after === undefined) return false;
  return hasMark(open, mark) && areEqual(before, after);
}

export function maskNumbers(view: Json): string {
  return JSON.stringify(view).replace(/\d+/g, "#");
}

/** Returns the largest part of a view that has a mark and not the other one; undefined if there is none, or more than one. */
export function findEntry(view: Json, mark: string, otherMark: string): Json | undefined {
  if (!hasMark(view, mark)) return undefined;
  if (!hasMark(view, otherMark)) return view;
  if (typeof view !== "object" || view === null) return undefined;
  const entries = Object.entries(view).flatMap(([name, member]) => {
    const named = { [name]: member ?? null };
    if (!hasMark(named, mark)) return [];
    const entry = hasMark(named, otherMark) ? findEntry(member ?? null, mark, otherMark) : (member ?? null);
    return [entry];
  });
  return entries.length === 1 ? entries[0] : undefined;
}

/** The greatest number of streams that are tried for one path of states. */
const MAX_WAYS = 12;

/** Fails if a place that follows the states of something shows an older state, or one that it never had. */
function* checkStatePaths(trial: Trial, { moves, events }: Transitions): Steps<void> {
  const states = Object.keys(moves);
  const { types: shownTypes } = yield* trial.inferShown();
  const shown: StateEvent[] = [];
  for (const each of events)
    if (shownTypes.has(each.type) || (yield* isShownAlone(trial, each))) shown.push(each);
  for (const first of states)
    for (const second of moves[first] ?? [])
      for (const third of [undefined, ...(moves[second] ?? [])]) {
        const path = [first, second, ...(third === undefined ? [] : [third])];
        for (const types of listTypePaths(shown, path).slice(0, MAX_WAYS))
          yield* checkPath(trial, states, path, types);
      }
}

/** Returns whether an event changes the snapshot if nothing came before that has the same state. */
function* isShownAlone(trial: Trial, { type, when = {} }: StateEvent): Steps<boolean> {
  const scene = makeScene(trial.context, [propose(type, when)]);
  if (scene === undefined) return false;
  return yield* trial.isShown({ before: listBefore(scene, scene.sent[0]), added: scene.sent });
}

/** Returns the ways to bring something into each state of a path, by a type that states it. */
function listTypePaths(
  events: Transitions["events"],
  path: readonly string[],
): readonly (readonly StateEvent[])[] {
  return path.reduce<readonly (readonly StateEvent[])[]>(
    (ways, state) =>
      ways.flatMap((way) =>
        events.filter((each) => each.to !== undefined || each.state === state).map((each) => [...way, each]),
      ),
    [[]],
  );
}

function* checkPath(
  trial: Trial,
  states: readonly string[],
  path: readonly string[],
  types: readonly StateEvent[],
): Steps<void> {
  const [firstType] = types;
  if (firstType === undefined) return;
  const id = trial.makeUnusedValue(firstType.type, firstType.key);
  const proposals = types.map(({ type, key, to, when = {} }, index) =>
    propose(type, when, {
      [key]: Array.isArray(trial.makeUnusedValue(type, key)) ? [id].flat() : ([id].flat()[0] ?? null),
      ...(to !== undefined && { [to]: path[index] ?? null }),
    }),
  );
  const rule = trial.rules.lifecycles?.find(({ key }) => key === firstType.key);
  const [start] = rule?.start ?? [];
  const starts = rule === undefined || start === undefined ? [] : [propose(start, { [rule.key]: id })];
  const played = makeScene(trial.context, [...starts, ...proposals]);
  const scene = played && { ...played, sent: played.sent.slice(starts.length) };
  if (scene === undefined) return;
  const views: ReadonlyMap<string, Leaf>[] = [];
  for (const event of scene.sent)
    views.push(listLeaves(yield* trial.view([...listBefore(scene, event), event])));
  const [before, after] = views.slice(-2);
  const own = new Set(scene.sent.flatMap(listTexts));
  // A consumer may show a coarse state beside the exact one.
  const isNewestShown = subtractItems([...(after?.values() ?? [])], [...(before?.values() ?? [])]).includes(
    path.at(-1) ?? "",
  );
  for (const [place, leaf] of after ?? []) {
    const old = before?.get(place);
    // Before, the place followed the states, or it showed something else.
    if (old === undefined || (path.length > 2 ? views[0]?.get(place) === old : leaf === old)) continue;
    if (leaf === path.at(-1) || typeof leaf !== "string" || !states.includes(leaf)) continue;
    if (leaf === path.at(-2) ? path.length > 2 && views[0]?.has(place) : !own.has(leaf) && !isNewestShown)
      trial.fail(
        `After ${types.map(({ type }) => type).join(", ")}, ${place} shows "${leaf}" for something that is "${path.at(-1)}"`,
      );
  }
}

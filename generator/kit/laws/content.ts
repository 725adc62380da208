/** Laws about every event counting once: those of equal content, and those of long streams. */
import { areEqual, type Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { listPayloadFields } from "../../sample/merged-schema.js";
import { listCourses } from "../declared-ends.js";
import { getFamily } from "../infer-shown.js";
import type { KitProtocol } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { copyEvent } from "../observe.js";
import { getPayload, setPayloadFields } from "../payload.js";
import { renumberEvents } from "../samples.js";
import { listBefore, listKeyFields, listLeaves, listSteps, makeScene, type Scene } from "../scene.js";
import type { Steps } from "../steps.js";
import { listTextFields } from "../text-fields.js";
import type { Trial } from "../trial.js";
import { collectTexts } from "../view.js";
import { propose } from "./ends.js";

/** Laws that each event counts once. */
export const contentLaws: readonly Law[] = [
  {
    id: "equal-content",
    dependsOn: ["duplicate-adjacent", "duplicate-late"],
    law: "Two events of equal content are two events, also if they have the same time: what tells them apart is their id, or their number.",
    makesStreams: true,
    fitsConsumer: true,
    *check(trial) {
      const { types } = yield* trial.inferShown();
      for (const type of types) yield* checkEqualContent(trial, type);
    },
  },
  {
    id: "shows-something",
    law: "At least one event type changes the snapshot.",
    makesStreams: true,
    fitsConsumer: true,
    *check(trial) {
      const { types } = yield* trial.inferShown();
      if (types.size > 0) return;
      trial.fail(
        'No event changes the snapshot. Return what the consumer shows from snapshot(). If the consumer shows events with certain texts alone, such as the calls of one tool, name them with the option `only`: ["type/field=value"]',
      );
    },
  },
  {
    id: "words-of-people",
    law: "A text of a snapshot has no word of a program, such as undefined, NaN or [object Object], in the place of a value that is missing or is an object.",
    makesStreams: true,
    *check(trial) {
      const { types, fields } = yield* trial.inferShown();
      // Without optional fields, and with an object in the place of a text.
      const proposals = [...types].map((type) => propose(type));
      for (const { type, field, merged } of listPayloadFields(trial.model))
        if (merged.types === undefined && fields.get(type)?.has(field))
          proposals.push(propose(type, { [field]: { qzname: 1 } }));
      for (const proposal of proposals) {
        const scene = makeScene(trial.context, [proposal]);
        if (scene) checkWords(trial, scene.events, yield* trial.view(scene.events));
      }
    },
  },
  {
    id: "types-kept",
    dependsOn: ["bulk-equals-stream"],
    law: "A consumer that shows the names of event types shows each of them, also after many others.",
    coveringOnly: true,
    check: checkTypesKept,
  },
  {
    id: "long-stream",
    dependsOn: [
      "bulk-equals-stream",
      "duplicate-adjacent",
      "duplicate-late",
      "resume-overlap",
      "linear-cost",
    ],
    law: "The two thousandth event is shown like the first ones, and events that come again after two thousand others count once.",
    makesStreams: true,
    fitsConsumer: true,
    *check(trial) {
      const { types } = yield* trial.inferShown();
      const families = new Set<string>();
      for (const type of types)
        if (
          families.size < MAX_LONG &&
          !families.has(getFamily(type)) &&
          (yield* checkLongStream(trial, type))
        )
          families.add(getFamily(type));
    },
  },
];

/** What programs write in the place of a value that is missing or has no text. */
const PROGRAM_WORDS = /(?<![\w-])(?:undefined|NaN)(?![\w-])|\[object \w+\]|<nil>/;

/** Fails if a snapshot shows a value as a program does that has no text for it. */
function checkWords(trial: Trial, events: readonly SampleEvent[], view: Json): void {
  const sent = JSON.stringify(events);
  for (const text of collectTexts(view)) {
    const [word] = PROGRAM_WORDS.exec(text) ?? [];
    if (word !== undefined && !sent.includes(word))
      trial.fail(`The snapshot has "${word}" in the text ${JSON.stringify(text.slice(0, 200))}`);
  }
}

/** The number of event types that a consumer must keep to count as one that keeps them. */
const KEPT_TYPES = 5;

/** Fails if the name of an event type is not shown when it comes, although it is alone, and all names before it still are. */
function* checkTypesKept(trial: Trial): Steps<void> {
  const { events, protocol } = trial;
  const getType = (event: SampleEvent): string => String(event[protocol.envelope.discriminator]);
  const names = new Set(events.map(getType));
  const list = (view: Json | undefined): ReadonlySet<string> => {
    const texts = view === undefined ? [] : collectTexts(view);
    return new Set(texts.flatMap((text) => (names.has(text) ? [text] : text.split(/[^\w.:/-]+/))));
  };
  const consumer = yield* trial.create();
  const kept = new Set<string>();
  for (const [index, event] of events.entries()) {
    yield* trial.push(consumer, copyEvent(event));
    const type = getType(event);
    const shown = list(yield* trial.show(consumer));
    if ([...kept].some((name) => !shown.has(name))) return;
    if (shown.has(type)) kept.add(type);
    else if (kept.size >= KEPT_TYPES) {
      // A consumer may show one event alone of those about a thing. Then the event is not shown after a part of the others either.
      const [middle, before] = [index >> 1, events.slice(0, index)];
      let isShown = true;
      for (const part of [[], before.slice(0, middle), before.slice(middle)])
        isShown &&= list(yield* trial.tryView([...part, event])).has(type);
      if (!isShown) continue;
      trial.setFixture(events.slice(0, index + 1));
      trial.fail(`${type} is not shown after ${kept.size} other event types. It is if it comes first`);
    }
  }
}

/** Returns an event like another one, as the next event of its stream. `index` makes its id different. */
export function repeatEvent({ protocol }: Trial, event: SampleEvent, index: number): SampleEvent {
  const { sequence, id } = protocol.stream ?? {};
  return {
    ...event,
    ...(sequence !== undefined && { [sequence]: Number(event[sequence]) + index }),
    ...(id !== undefined && { [id]: createNumberedId(String(event[id]), index) }),
  };
}

/** Returns `id` with its last characters replaced by a number, so that it has the same form. */
function createNumberedId(id: string, index: number): string {
  const digits = index.toString(10).padStart(6, "0");
  return id.length > digits.length ? id.slice(0, -digits.length) + digits : `${id}${digits}`;
}

/** Returns the fields that hold texts of people or of the model. They are never the name of something. */
function listSaidFields({ rules, view }: KitProtocol, type: string): readonly string[] {
  const role = view?.roles[type];
  return [
    ...(role?.as === "text" ? [role.field] : []),
    ...(rules?.texts ?? []).flatMap(({ delta, part }) => (delta === type ? [part] : [])),
    ...(rules?.offsets ?? []).flatMap((each) => (each.type === type ? [each.data] : [])),
  ];
}

function* checkEqualContent(trial: Trial, type: string): Steps<void> {
  const scene = makeScene(trial.context, [{ type, fixedFields: {} }]);
  const [event] = scene?.sent ?? [];
  if (scene === undefined || event === undefined) return;
  const payload = getPayload(trial.protocol, event);
  const fields = Object.keys(payload).filter((field) =>
    listPayloadFields(trial.model).some((each) => each.type === type && each.field === field),
  );
  const saidFields = listSaidFields(trial.protocol, type);
  const next = repeatEvent(trial, event, 1);
  // An event about a thing that has an id of its own cannot come twice. A text may.
  const key = fields.find((field) => listKeyFields(trial.protocol).has(field));
  if (saidFields.length === 0 && key !== undefined) {
    for (const fieldChance of [0, 1]) yield* checkEqualThings(trial, type, key, fieldChance);
    return;
  }
  const show = (...more: readonly SampleEvent[]) => trial.tryView([...scene.events, ...more]);
  const once = yield* show();
  const twice = yield* show(next);
  if (once === undefined || twice === undefined) return;
  if (saidFields.length > 0)
    return yield* checkRepeatedText(trial, scene.events, event, next, saidFields[0] ?? "");
  if (!areEqual(once, twice)) return;
  const isAdded = (view: Json | undefined): boolean =>
    view !== undefined && (countLeaves(view) > countLeaves(once) || isCount(once, view));
  const fail = (other: string): never => {
    trial.setFixture([...scene.events, next]);
    return trial.fail(
      `A second event ${type} with the same content changes nothing that is shown. It does ${other}`,
    );
  };
  const changes = fields.flatMap((field) => listOtherValues(trial, next, field));
  // A consumer may list what differs in some fields, such as paths. It shows then what came again as little as what is the same.
  const again = repeatEvent(trial, event, 2);
  for (const changed of changes)
    if (isListedAgain(once, yield* show(changed), yield* show(changed, again))) fail("after another one");
  for (const changed of changes) if (!isAdded(yield* show(changed))) return;
  const later = setLaterTime(trial, next);
  if (changes.length < 2 && (later === undefined || !isAdded(yield* show(later)))) return;
  fail("with any other content");
}

/** Fails if what is said about a third thing is not shown because the same was said about the first one, and then about the next one. */
function* checkEqualThings(trial: Trial, type: string, key: string, fieldChance: number): Steps<void> {
  const { protocol } = trial;
  const course = listCourses(protocol).find((each) => each.key === key);
  const [start] = course?.starts ?? [];
  const names = [0, 1, 2].map(() => ({ [key]: trial.makeUnusedValue(start ?? type, key) }));
  const starts = start === undefined || start === type ? [] : [propose(start, names[0] ?? {})];
  const scene = makeScene(trial.context, [...starts, propose(type, names[0] ?? {})], fieldChance);
  const event = scene?.sent.at(-1);
  if (scene === undefined || event === undefined) return;
  const copy = (each: SampleEvent, thing: number): SampleEvent =>
    setPayloadFields(protocol, repeatEvent(trial, each, thing), names[thing] ?? {});
  const started = scene.sent.slice(0, -1).flatMap((each) => [each, copy(each, 1), copy(each, 2)]);
  const opening = listBefore(scene, scene.sent[0]);
  const show = function* (...events: readonly SampleEvent[]): Steps<Json | undefined> {
    const stream = renumberEvents(trial.context, { allowsGaps: false }, [...opening, ...started, ...events]);
    return stream && (yield* trial.tryView(stream));
  };
  const once = yield* show(event);
  if (once === undefined || !areEqual(once, (yield* show(event, copy(event, 1))) ?? null)) return;
  const fields = Object.keys(getPayload(protocol, event)).filter((field) => field !== key);
  for (const changed of fields.flatMap((field) => listOtherValues(trial, copy(event, 1), field))) {
    const other = yield* show(event, changed);
    const again = yield* show(event, changed, copy(event, 2));
    if (isListedAgain(once, other, again))
      trial.fail(
        `A second event ${type} with the same content but for its ${key} changes nothing that is shown. It does after another one`,
      );
  }
}

/**
 * Returns whether an event that came once, then another one, and then again is shown twice: there is more than before, and more
 * than at first. A view of the newest event shows again what it showed at first.
 */
function isListedAgain(once: Json, other: Json | undefined, again: Json | undefined): boolean {
  if (other === undefined || again === undefined) return false;
  const [first, second] = [listSteps(once, again), listSteps(other, again)];
  return (
    countLeaves(again) > Math.max(countLeaves(once), countLeaves(other)) ||
    second.some((step, index) => step === 1 && first[index] === 2)
  );
}

/** Returns an event with a later time; undefined if it has none. */
function setLaterTime({ protocol }: Trial, event: SampleEvent): SampleEvent | undefined {
  const name = protocol.stream?.time;
  if (name === undefined) return undefined;
  const time = event[name];
  const later =
    typeof time === "number" ? time + 61_000 : new Date(Date.parse(String(time)) + 61_000).toISOString();
  const changed = { ...event, [name]: later };
  return protocol.decodeEvent(changed).kind === "known" ? changed : undefined;
}

/** Returns whether the only difference of two views is that numbers grow by one. */
function isCount(before: Json, after: Json): boolean {
  return !areEqual(before, after) && listSteps(before, after).every((step) => step === 0 || step === 1);
}

function countLeaves(view: Json): number {
  return listLeaves(view).size;
}

/** Returns copies of an event with another value of a field. */
function listOtherValues(
  { protocol, maker }: Trial,
  event: SampleEvent,
  field: string,
): readonly SampleEvent[] {
  const type = String(event[protocol.envelope.discriminator]);
  const payload = getPayload(protocol, event);
  for (let seed = 1; seed < 5; seed++) {
    const made = maker.make({ type, envelope: event, fixedFields: {}, seed, fieldChance: 1 });
    const value = made && getPayload(protocol, made)[field];
    if (value === undefined || areEqual(value, payload[field] ?? null)) continue;
    const changed = setPayloadFields(protocol, event, { [field]: value });
    if (protocol.decodeEvent(changed).kind === "known") return [changed];
  }
  return [];
}

/** Two texts of the same length. */
const SAME_LENGTH = ["qzalpha", "qzgamma"] as const;

/** Fails if a text that repeats the one before it is shown in another way than a different text. */
function* checkRepeatedText(
  trial: Trial,
  events: readonly SampleEvent[],
  event: SampleEvent,
  next: SampleEvent,
  field: string,
): Steps<void> {
  const { protocol } = trial;
  const offset = trial.rules.offsets?.find(
    ({ data, type }) => data === field && type === event[protocol.envelope.discriminator],
  )?.offset;
  const setText = (each: SampleEvent, text: string) => {
    const start = each === event || offset === undefined ? {} : { [offset]: text.length };
    return setPayloadFields(protocol, each, { [field]: text, ...start });
  };
  const rest = events.filter((each) => each !== event);
  const [first, second] = SAME_LENGTH;
  const different = yield* trial.tryView([...rest, setText(event, first), setText(next, second)]);
  if (different === undefined) return;
  const tested = [...rest, setText(event, first), setText(next, first)];
  const equal = yield* trial.view(tested);
  const expected = JSON.parse(JSON.stringify(different).replaceAll(second, first)) as Json;
  trial.setFixture(tested);
  trial.expectSame(
    expected,
    equal,
    `After two events with the same ${field}, compared with two different ones`,
  );
}

/** The number of events in a long stream, of those that are shown in a short one, and of families with long streams. */
const LONG = 2100;
const SHORT = 5;
const MAX_LONG = 6;

/**
 * Checks a long stream of events of one type: of different texts, and of equal content. Returns whether the consumer lists or
 * counts such events.
 */
function* checkLongStream(trial: Trial, type: string): Steps<boolean> {
  const { protocol, rules } = trial;
  const key = rules.lifecycles?.find(({ start }) => start.includes(type))?.key;
  const fields = [
    ...(key === undefined ? [] : [key]),
    ...listTextFields(trial.model).flatMap((each) => (each.type === type ? [each.field] : [])),
  ];
  const scene = makeScene(trial.context, [{ type, fixedFields: {} }], 1);
  const [event] = scene?.sent ?? [];
  if (scene === undefined || event === undefined) return false;
  const used = fields.filter((field) => typeof getPayload(protocol, event)[field] === "string");
  const isListed = yield* checkManyEvents(trial, type, { scene, event, used });
  if (used.length === 0 || key !== undefined) return isListed;
  return (yield* checkManyEvents(trial, type, { scene, event, used: [] })) || isListed;
}

/** Checks a long stream of copies of an event, each with another text in the `used` fields. */
function* checkManyEvents(
  trial: Trial,
  type: string,
  {
    scene,
    event,
    used,
  }: { readonly scene: Scene; readonly event: SampleEvent; readonly used: readonly string[] },
): Steps<boolean> {
  const { protocol } = trial;
  const opening = scene.events.filter((each) => each !== event);
  const make = (index: number): SampleEvent => {
    const values = Object.fromEntries(used.map((field) => [field, formatToken(index)]));
    return setPayloadFields(protocol, repeatEvent(trial, event, index), values);
  };
  if (protocol.decodeEvent(make(1)).kind !== "known") return false;
  const list = (count: number): SampleEvent[] => [
    ...opening,
    ...Array.from({ length: count }, (_, index) => make(index)),
  ];
  const short = yield* trial.tryView(list(SHORT));
  const shorter = yield* trial.tryView(list(SHORT - 1));
  if (short === undefined || shorter === undefined || areEqual(short, shorter)) return false;
  const isListed = used.length > 0 && countTokens(short) === SHORT;
  // Without texts, a list has as many values more with each event.
  const step = isListed ? 0 : countLeaves(short) - countLeaves(shorter);
  if (!isListed && step <= 0 && !isCount(shorter, short)) return false;
  const events = list(LONG);
  const consumer = yield* trial.create();
  for (const each of events) yield* trial.push(consumer, copyEvent(each));
  const view = yield* trial.show(consumer);
  trial.setFixture(events.slice(-1));
  if (isListed && countTokens(view) !== LONG)
    trial.fail(
      `Of ${LONG} events ${type}, the snapshot shows ${countTokens(view)}. Of ${SHORT}, it shows all`,
    );
  if (step > 0 && countLeaves(view) !== countLeaves(short) + step * (LONG - SHORT))
    trial.fail(
      `After ${LONG} events ${type}, the snapshot has ${countLeaves(view)} values. Each of the first ${SHORT} added ${step}`,
    );
  if (!isListed && step <= 0 && !hasCountedOn(shorter, short, view))
    trial.fail(
      `After ${LONG} events ${type}, a number is shown that grew with each of the first ${SHORT}, and not with all later ones`,
    );
  if (protocol.stream?.id === undefined) return true;
  for (const each of events.slice(0, LONG - 1)) yield* trial.push(consumer, copyEvent(each));
  trial.expectSame(
    view,
    yield* trial.show(consumer),
    `After the first ${LONG - 1} of ${LONG} events came again`,
  );
  return true;
}

function formatToken(index: number): string {
  return `qz${String(index).padStart(5, "0")}z`;
}

/** Returns how many different tokens a view shows. */
function countTokens(view: Json): number {
  return new Set(JSON.stringify(view).match(/qz\d{5}z/g) ?? []).size;
}

/** Returns whether each number that grew by one with the last event of a short stream grew by one with each later event. */
function hasCountedOn(shorter: Json, short: Json, long: Json): boolean {
  const counts = listSteps(shorter, short);
  return listSteps(short, long).every((step, index) => counts[index] !== 1 || !(step < LONG - SHORT));
}

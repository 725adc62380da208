/** The law that runs do not influence each other. It compares runs that have much in common with runs that have not. */
import { areEqual, type Json, type JsonObject } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { streamKey } from "../../stream/stream-key.js";
import { listCourses } from "../declared-ends.js";
import { isAllowed } from "../facts.js";
import { getFamily } from "../infer-shown.js";
import type { KitProtocol } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { getPayload, setPayloadFields } from "../payload.js";
import type { ProposedEvent } from "../rule-scenarios.js";
import {
  type Leaf,
  listKeyFields,
  listLeaves,
  listOwnWords,
  listShownForms,
  listTexts,
  makeScene,
  subtractItems,
} from "../scene.js";
import type { Steps } from "../steps.js";
import { listTextFields, TEXTS } from "../text-fields.js";
import type { Trial } from "../trial.js";
import { makeName, propose } from "./ends.js";

export const runsApartLaw: Law = {
  id: "runs-apart",
  dependsOn: ["runs-separate", "run-view", "calls-separate"],
  law: "Two runs do not influence each other: neither if they have the same ids, nor if only one part of their keys differs, nor if they have all other fields of the envelope in common, nor if their events alternate. An event of one run changes nothing of another one.",
  findSkipReason: ({ stream }) => (stream === undefined ? "this protocol declares no streams" : undefined),
  makesStreams: true,
  fitsConsumer: true,
  *check(trial) {
    const { types } = yield* trial.inferShown();
    for (const pair of listPairs(trial, types)) yield* checkPair(trial, pair);
  },
};

/** The events of two runs that are shown together. */
interface RunPair {
  readonly first: readonly ProposedEvent[];
  readonly second: readonly ProposedEvent[];
  /** True if the second run ends, so that it may leave nothing that is shown. */
  readonly endsRun?: true;
}

/**
 * Returns pairs of runs: in one, something is open that has ended in the other, or with which the other ends; or each has an
 * event of one type that is shown.
 */
function listPairs(trial: Trial, types: ReadonlySet<string>): readonly RunPair[] {
  const courses = listCourses(trial.protocol).flatMap((course): RunPair[] => {
    const [start, end] = [course.starts[0], course.ends[0]];
    if (start === undefined || end === undefined) return [];
    const [first, second] = [makeName(trial, course), makeName(trial, course)];
    const open = [propose(start, first)];
    const also = propose(start, second);
    const lastType = course.key === undefined ? undefined : trial.rules.terminal?.types[0];
    return [
      { first: open, second: [also, propose(end.type, second, end.fields)] },
      ...(lastType === undefined
        ? []
        : [{ first: open, second: [also, propose(lastType)], endsRun: true as const }]),
    ];
  });
  const texts = listTextFields(trial.model);
  const singles = pickTypes(types).map((type): RunPair => {
    const field = texts.find((each) => each.type === type)?.field;
    const make = (text: string) => [propose(type, field === undefined ? {} : { [field]: text })];
    return { first: make(TEXTS[0]), second: make(TEXTS[1]) };
  });
  const isShown = ({ first }: RunPair): boolean => first.some(({ type }) => types.has(type));
  return [...courses, ...singles].filter(isShown);
}

/** The greatest number of event types that are all tested. */
const MAX_TYPES = 12;

/** Returns the event types to test: of many, one of each family. */
export function pickTypes(types: ReadonlySet<string>): readonly string[] {
  const families = new Map([...types].map((type) => [getFamily(type), type]));
  return types.size > MAX_TYPES ? [...families.values()] : [...types];
}

/** Pairs of streams, of which the first one is used whose keys differ in all parts, and that a consumer shows. */
const STREAM_PAIRS = [0, 1, 2, 3].flatMap((first) =>
  [1, 2, 3, 4, 5, 6, 7].flatMap((second) => (second > first ? [[first, second] as const] : [])),
);

function* checkPair(trial: Trial, pair: RunPair): Steps<void> {
  let isChecked = false;
  for (const streams of STREAM_PAIRS) {
    const runs = makeRuns(trial, pair, streams);
    // A consumer may show the streams of one kind alone.
    if (runs === undefined || !(yield* isShown(trial, runs[0]))) continue;
    if (pair.endsRun) return yield* checkCompleted(trial, runs);
    const isOtherShown = yield* isShown(trial, runs[1]);
    if (isChecked && !isOtherShown) continue;
    for (const variant of listVariants(trial, runs[0].at(-1) ?? {}, runs[1].at(-1) ?? {})) {
      const changed = runs[1].map((event) => variant.change(event));
      if (!isAllowed(trial, [...runs[0], ...changed])) continue;
      if (!isChecked) yield* checkSideBySide(trial, [runs[0], changed]);
      if (isOtherShown) yield* compareRuns(trial, runs, changed, variant);
    }
    isChecked = true;
    if (isOtherShown) return;
  }
}

/** Makes the events of two runs whose keys differ in all parts; undefined if these streams do not allow it. */
function makeRuns(
  trial: Trial,
  { first, second }: RunPair,
  [firstStream, secondStream]: readonly [number, number],
): Runs | undefined {
  const { protocol, context } = trial;
  const scene = makeScene(context, [
    ...first.map((each) => ({ ...each, stream: firstStream })),
    ...second.map((each) => ({ ...each, stream: secondStream })),
  ]);
  if (scene === undefined) return undefined;
  const [firstEvent, secondEvent] = [scene.sent[0] ?? {}, scene.sent.at(-1) ?? {}];
  const keyNames = protocol.stream?.key ?? [];
  if (keyNames.some((name) => areEqual(firstEvent[name] ?? null, secondEvent[name] ?? null)))
    return undefined;
  const key = streamKey(protocol.stream, secondEvent);
  const isSecond = (event: SampleEvent): boolean => streamKey(protocol.stream, event) === key;
  return fillEnvelopes(trial, [
    scene.events.filter((event) => !isSecond(event)),
    distinguish(trial, getPayload(protocol, firstEvent), scene.events.filter(isSecond)),
  ]);
}

function* isShown(trial: Trial, run: readonly SampleEvent[]): Steps<boolean> {
  const empty = yield* trial.tryView([]);
  const view = yield* trial.tryView(run);
  return empty !== undefined && view !== undefined && !areEqual(view, empty);
}

/** Fails if two runs are shown side by side, and an event of the second one changes what is shown of the first one. */
function* checkSideBySide(trial: Trial, [first, second]: Runs): Steps<void> {
  const texts = new Set([...first, ...second].flatMap(listTexts));
  // Numbers may count things of both runs.
  const isKept = (leaf: Leaf): boolean =>
    typeof leaf === "boolean" || (typeof leaf === "string" && (texts.has(leaf) || !/\d/.test(leaf)));
  const list = function* (events: readonly SampleEvent[]): Steps<readonly Leaf[]> {
    return [...listLeaves((yield* trial.tryView(events)) ?? null).values()].filter(isKept);
  };
  const empty = yield* list([]);
  const alone = subtractItems(yield* list(first), empty);
  let wasSideBySide = false;
  let before: readonly Leaf[] = [];
  for (const count of second.keys()) {
    const others = second.slice(0, count + 1);
    const other = subtractItems(yield* list(others), empty);
    const both = subtractItems(yield* list([...first, ...others]), empty);
    const isSideBySide =
      subtractItems([...alone, ...other], both).length === 0 && both.length === alone.length + other.length;
    // A consumer may list each value once.
    const isNew = subtractItems(other, before).every((leaf) => !alone.includes(leaf));
    if (wasSideBySide && !isSideBySide && isNew) {
      trial.setFixture([...first, ...others]);
      trial.fail(
        `${String(others.at(-1)?.[trial.protocol.envelope.discriminator])} of one run changes what is shown of another one`,
        [...alone, ...other],
        both,
      );
    }
    wasSideBySide = isSideBySide && other.length > 0;
    before = other;
  }
}

/** Fails if a run of which nothing is shown after its last event takes away what is shown of another run. */
function* checkCompleted(trial: Trial, [first, second]: Runs): Steps<void> {
  const [empty, completed] = [yield* trial.tryView([]), yield* trial.tryView(second)];
  if (empty === undefined || completed === undefined || !areEqual(empty, completed)) return;
  const alone = yield* trial.tryView(first);
  const open = second.slice(0, -1);
  const [other, both] = [yield* trial.tryView(open), yield* trial.tryView([...first, ...open])];
  // A consumer may show the newest run alone.
  const isBoth = ![alone, other].some(
    (view) => view === undefined || both === undefined || areEqual(view, both),
  );
  if (alone === undefined || !isBoth) return;
  const events = [...first, ...second];
  const view = yield* trial.view(events);
  if (areEqual(view, alone)) return;
  trial.setFixture(events);
  const type = String(events.at(-1)?.[trial.protocol.envelope.discriminator]);
  trial.fail(`${type} of one run changes what is shown of another one`, alone, view);
}

/** Returns the events of a run with other numbers of things, such as turns, than those in a payload of another run. */
function distinguish(
  { protocol }: Trial,
  payload: JsonObject,
  events: readonly SampleEvent[],
): readonly SampleEvent[] {
  const keyFields = listKeyFields(protocol);
  return events.map((event) => {
    const fields = Object.entries(getPayload(protocol, event)).flatMap(([name, value]) =>
      keyFields.has(name) && typeof value === "number" && value === payload[name]
        ? [[name, value + 1] as const]
        : [],
    );
    return setPayloadFields(protocol, event, Object.fromEntries(fields));
  });
}

/** The seeds of envelopes among which two values of an optional field are searched. */
const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The events of two runs. */
type Runs = readonly [readonly SampleEvent[], readonly SampleEvent[]];

/** Returns the fields of the envelope that do not tell what or where an event is. */
function listFreeFields({ stream, envelope, schemas }: KitProtocol): readonly string[] {
  const { key = [], sequence, id, time } = stream ?? {};
  const own = new Set([...key, sequence, id, time, envelope.discriminator, envelope.property]);
  return Object.keys((schemas.envelope as { properties?: object }).properties ?? {}).filter(
    (name) => !own.has(name),
  );
}

/** Returns two runs with different values in the texts of the envelope, where the contract allows that. */
function fillEnvelopes(trial: Trial, runs: Runs): Runs {
  const { protocol, maker } = trial;
  return listFreeFields(protocol).reduce<Runs>((filled, name) => {
    const set = (run: readonly SampleEvent[], text: string) =>
      run.map((event) => ({ ...event, [name]: text }));
    const values = new Set(SEEDS.map((seed) => maker.makeEnvelope(seed, {})[name]).filter(isText));
    const [first = "qzfirst", second = "qzsecond"] = values;
    const changed = [set(filled[0], first), set(filled[1], second)] as const;
    return isAllowed(trial, changed.flat()) ? changed : filled;
  }, runs);
}

/** A change of the second run, by which it has more in common with the first one. */
interface Variant {
  readonly label: string;
  /** True if consumers may group the runs by what they have in common. */
  readonly allowsGroups?: boolean;
  change(event: SampleEvent): SampleEvent;
}

function listVariants(trial: Trial, first: SampleEvent, second: SampleEvent): readonly Variant[] {
  const { protocol } = trial;
  const { key = [] } = protocol.stream ?? {};
  const others = listFreeFields(protocol).filter(
    (name) => first[name] !== undefined && second[name] !== undefined,
  );
  const copy = (event: SampleEvent, names: readonly string[]): SampleEvent => ({
    ...event,
    ...Object.fromEntries(names.map((name) => [name, first[name] ?? null])),
  });
  const keyFields = listKeyFields(protocol);
  const payload = getPayload(protocol, first);
  const setIds = (event: SampleEvent): SampleEvent => {
    const names = Object.keys(getPayload(protocol, event)).filter(
      (name) => keyFields.has(name) && ["string", "number"].includes(typeof payload[name]),
    );
    return setPayloadFields(
      protocol,
      event,
      Object.fromEntries(names.map((name) => [name, payload[name] ?? null])),
    );
  };
  const parts = key.length < 2 ? [] : key;
  return [
    { label: "have the same ids", change: setIds },
    ...parts.map((part) => ({
      label: `differ in ${part} alone`,
      change: (event: SampleEvent) =>
        setIds(
          copy(
            event,
            key.filter((name) => name !== part),
          ),
        ),
    })),
    ...(others.length === 0
      ? []
      : [
          {
            label: `have the same ${others.join(" and ")}`,
            allowsGroups: true,
            change: (event: SampleEvent) => copy(event, others),
          },
        ]),
  ];
}

function* compareRuns(
  trial: Trial,
  [first, second]: Runs,
  changed: readonly SampleEvent[],
  { label, allowsGroups }: Variant,
): Steps<void> {
  const all = [...first, ...second, ...changed];
  const texts = listShownForms(all.flatMap(listTexts).filter((text) => text.length > 1));
  const keyFields = listKeyFields(trial.protocol);
  // A consumer may show a number as a text.
  const ids = new Set(
    all.flatMap((event) =>
      Object.entries(getPayload(trial.protocol, event)).flatMap(([name, value]) =>
        keyFields.has(name) ? [String(value)] : [],
      ),
    ),
  );
  const mask = (leaf: Leaf): string => {
    if (ids.has(String(leaf))) return "§";
    if (typeof leaf !== "string") return String(leaf);
    const rest = texts.reduce((masked, text) => masked.replaceAll(text, "§"), leaf);
    return rest.replaceAll(/\d+/g, (digits) => (ids.has(digits) ? "§" : digits));
  };
  const list = (view: Json): string => JSON.stringify([...listLeaves(view).values()].map(mask).sort());
  const listWords = (view: Json | undefined): readonly string[] =>
    view === undefined ? [] : listOwnWords(view, all).flatMap((text) => text.match(/\p{L}+/gu) ?? []);
  const reference = yield* trial.tryView([...first, ...second]);
  const reversed = yield* trial.tryView([...second, ...first]);
  if (reference === undefined || reversed === undefined) return;
  // What is in a group may have another heading. The words that each run has alone are there.
  const ownWords = allowsGroups
    ? [...listWords(yield* trial.tryView(first)), ...listWords(yield* trial.tryView(changed))]
    : [];
  const expectedWords = listWords(reference).filter((word) => ownWords.includes(word));
  const isAlike = (view: Json): boolean => {
    if (!allowsGroups) return list(view) === list(reference);
    const words = new Set(listWords(view));
    return expectedWords.every((word) => words.has(word));
  };
  const orders = [[...first, ...changed]];
  // A consumer may show what came last over all runs.
  if (list(reference) === list(reversed)) orders.push(alternate(first, changed));
  for (const events of orders) {
    const view = yield* trial.view(events);
    if (isAlike(view)) continue;
    trial.setFixture(events);
    trial.fail(
      `If two runs ${label}, one of them is shown in another way than if they do not`,
      reference,
      view,
    );
  }
}

/** Returns the events of two runs by turns. */
function alternate(first: readonly SampleEvent[], second: readonly SampleEvent[]): SampleEvent[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, index) =>
    [first[index], second[index]].filter((event) => event !== undefined),
  ).flat();
}

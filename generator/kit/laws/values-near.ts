/** The law that values which are almost equal are different. It compares them with values that have little in common. */
import type { Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { type End, listCourses, listOpenThings } from "../declared-ends.js";
import { isAllowed } from "../facts.js";
import type { Law } from "../law.js";
import { getPayload, setPayloadFields } from "../payload.js";
import { listLeaves, makeScene } from "../scene.js";
import type { Steps } from "../steps.js";
import { listTextFields } from "../text-fields.js";
import type { Trial } from "../trial.js";
import { propose } from "./ends.js";
import { pickTypes } from "./runs-apart.js";

export const valuesNearLaw: Law = {
  id: "values-near",
  dependsOn: ["proto-id", "id-opaque", "runs-apart", "calls-separate", "texts-separate", "ends-matched"],
  law: "Two ids, keys of runs or texts are equal only if all of their characters are, also if they differ in upper and lower case alone, and two numbers only if all of their digits are.",
  makesStreams: true,
  fitsConsumer: true,
  *check(trial) {
    for (const { key, starts, ends } of [...listCourses(trial.protocol), ...listOpenThings(trial.protocol)])
      if (key !== undefined && starts[0] !== undefined)
        yield* checkField(trial, starts[0], key, `values of ${key}`, ends[0]);
    const { types, fields } = yield* trial.inferShown();
    for (const type of pickTypes(types)) yield* checkRuns(trial, type);
    for (const { delta, part, key } of trial.rules.texts ?? [])
      for (const field of key) yield* checkNumbers(trial, delta, field, part);
    const texts = listTextFields(trial.model).filter(({ type, field }) => fields.get(type)?.has(field));
    while (texts.length > MAX_TEXTS) texts.splice(trial.random.below(texts.length), 1);
    for (const { type, field } of texts) {
      yield* checkField(trial, type, field, `texts in ${field} of ${type}`);
      if (PATH_NAME.test(field)) yield* checkPaths(trial, type, field);
    }
  },
};

/** The number of fields with texts that are tried. */
const MAX_TEXTS = 6;

/** Values of the same length that have little in common. */
const DIFFERENT = ["qzxqqxzz", "xxzqqzqz", "zqxxxzxq", "qqqzzxxx", "zzxqxqqz"].map((word) => word.repeat(5));

/** Characters of which one is allowed at most places of an id. */
const CHARACTERS = [..."x0A7q"];

/**
 * Returns almost equal values, each by one of `values`: the first of these, and others that differ from it in the first possible
 * character, in the last one, in case, or in a further character, as far as they are accepted.
 */
function listNearValues(
  values: readonly string[],
  isAccepted: (value: string) => boolean,
): ReadonlyMap<string, string> {
  const [first = ""] = values;
  const change = (indexes: readonly number[]): readonly string[] =>
    indexes
      .flatMap((index) => CHARACTERS.map((other) => first.slice(0, index) + other + first.slice(index + 1)))
      .filter((other) => other !== first && isAccepted(other))
      .slice(0, 1);
  const indexes = [...first].map((_, index) => index);
  const near = new Set([
    ...[first, ...change(indexes), ...change(indexes.toReversed())],
    ...[first.toUpperCase(), first.toLowerCase(), `${first}${first.at(-1)}`].filter(isAccepted),
  ]);
  return new Map([...near].slice(0, values.length).map((value, index) => [values[index] ?? "", value]));
}

/** A field of the envelope or of a payload. */
interface Field {
  /** The name of its values in messages. */
  readonly what: string;
  read(event: SampleEvent): Json | undefined;
  write(event: SampleEvent, value: string): SampleEvent;
}

/** Fails if things with the values of `near` are shown in another way than things with its keys, which `events` have. */
function* compare(
  trial: Trial,
  { what, read, write }: Field,
  events: readonly SampleEvent[],
  near: ReadonlyMap<string, string>,
): Steps<void> {
  const values = [...near].flat().toSorted((a, b) => b.length - a.length);
  // A consumer may show any part of a value, and pieces as one text.
  const isPart = (word: string): boolean =>
    values.some((value) => value.toLowerCase().includes(word.toLowerCase()));
  const mask = (leaf: string): string =>
    values
      .reduce((rest, value) => rest.replaceAll(value, "§"), leaf.replaceAll(/[qzx]{3,}/gi, "§"))
      .replaceAll(/[\p{L}\p{N}_]{3,}/gu, (word) => (isPart(word) ? "§" : word));
  const changed = events.map((event) => {
    const value = near.get(String(read(event)));
    return value === undefined ? event : write(event, value);
  });
  // A consumer may show lengths.
  const lengthened = events.map((event) => {
    const value = String(read(event));
    const isLonger = (near.get(value) ?? "").length > value.length;
    return isLonger ? write(event, `${value}${value.at(-1)}`) : event;
  });
  yield* compareViews(trial, what, lengthened, changed, mask);
}

function* compareViews(
  trial: Trial,
  what: string,
  different: readonly SampleEvent[],
  near: readonly SampleEvent[],
  mask: (leaf: string) => string,
): Steps<void> {
  const expected = isAllowed(trial, near) ? yield* trial.tryView(different) : undefined;
  if (expected === undefined) return;
  const list = (view: Json): string =>
    JSON.stringify([...listLeaves(view).values()].map((leaf) => mask(String(leaf))).sort());
  const actual = yield* trial.view(near);
  if (list(actual) !== list(expected))
    trial.fail(`Almost equal ${what} are shown in another way than different ones`, expected, actual);
}

/** Checks events that each have another value in a payload field, and then an event about the first one. */
function* checkField(trial: Trial, type: string, field: string, what: string, end?: End): Steps<void> {
  const { protocol, context } = trial;
  const [event] = makeScene(context, [propose(type)])?.sent ?? [];
  if (event === undefined) return;
  const isAccepted = (value: string): boolean =>
    protocol.decodeEvent(setPayloadFields(protocol, event, { [field]: value }), { profile: "writer" })
      .kind === "known";
  const values = DIFFERENT.every(isAccepted)
    ? DIFFERENT
    : DIFFERENT.map(() => trial.makeUnusedValue(type, field)).filter((value) => typeof value === "string");
  if (new Set(values).size < DIFFERENT.length) return;
  const near = listNearValues(values, isAccepted);
  const proposals = [...near.keys()].map((value) => propose(type, { [field]: value }));
  const ended = end === undefined ? [] : [propose(end.type, { [field]: values[0] ?? "" }, end.fields)];
  const scene = makeScene(context, [...proposals, ...ended]) ?? makeScene(context, proposals);
  if (scene === undefined) return;
  const read = (each: SampleEvent) => getPayload(protocol, each)[field];
  const write = (each: SampleEvent, value: string) => setPayloadFields(protocol, each, { [field]: value });
  yield* compare(trial, { what, read, write }, scene.events, near);
}

/** The names of fields with paths. In other texts, such as names of models, a consumer may show the last part alone. */
const PATH_NAME = /path|file|folder|director/i;

/** Two files in different folders, and two of the same name. */
const PATHS = {
  different: ["qzqxqq/zzxqqz", "xxzqqz/zqxzxq"],
  near: ["qzqxqq/zzxqqz", "xxzqqz/zzxqqz"],
} as const;

/** Checks texts that are paths of files of the same name. */
function* checkPaths(trial: Trial, type: string, field: string): Steps<void> {
  const [different, near] = [PATHS.different, PATHS.near].map(
    (paths) =>
      makeScene(
        trial.context,
        paths.map((text) => propose(type, { [field]: text })),
      )?.events,
  );
  const mask = (leaf: string): string => leaf.replaceAll(/[qzx]{3,}/gi, "§");
  if (different !== undefined && near !== undefined)
    yield* compareViews(trial, `paths in ${field} of ${type}`, different, near, mask);
}

/** Checks runs that each have an event of one type. */
function* checkRuns(trial: Trial, type: string): Steps<void> {
  const { protocol, context } = trial;
  const scene = makeScene(
    context,
    DIFFERENT.map((_, stream) => ({ ...propose(type), stream })),
  );
  const made = scene?.events ?? [];
  for (const name of protocol.stream?.key ?? []) {
    const names = [...new Set(made.map((event) => event[name]))].filter((each) => typeof each === "string");
    if (names.length < DIFFERENT.length) continue;
    const write = (event: SampleEvent, value: string): SampleEvent => ({ ...event, [name]: value });
    const isAccepted = (value: string): boolean =>
      protocol.decodeEvent(write(made[0] ?? {}, value), { profile: "writer" }).kind === "known";
    const values = DIFFERENT.every(isAccepted) ? DIFFERENT : names;
    const near = listNearValues(values, isAccepted);
    // There may be fewer values that are almost equal.
    const events = made.flatMap((event) => {
      const value = values[names.indexOf(String(event[name]))] ?? "";
      return near.has(value) ? [write(event, value)] : [];
    });
    const read = (event: SampleEvent) => event[name];
    if (isAllowed(trial, events))
      yield* compare(trial, { what: `values of ${name}`, read, write }, events, near);
  }
}

/** Numbers of which some are equal in their last digit, or in their last bits, by others, which are not. */
const NEAR_NUMBERS = new Map<Json | undefined, number>([
  [1, 1],
  [2, 11],
  [3, 257],
  [4, 65_537],
]);

/** Checks texts that differ in a number of their keys alone. */
function* checkNumbers(trial: Trial, type: string, field: string, part: string): Steps<void> {
  const { protocol, context } = trial;
  const numbers = [...NEAR_NUMBERS.keys()].map((number, index) =>
    propose(type, { [field]: number ?? null, [part]: DIFFERENT[index] ?? "" }),
  );
  const scene = makeScene(context, numbers);
  if (scene === undefined) return;
  const near = scene.events.map((event) => {
    const number = scene.sent.includes(event)
      ? NEAR_NUMBERS.get(getPayload(protocol, event)[field])
      : undefined;
    return number === undefined ? event : setPayloadFields(protocol, event, { [field]: number });
  });
  const mask = (leaf: string): string => leaf.replaceAll(/\d+/g, "#");
  yield* compareViews(trial, `numbers in ${field}`, scene.events, near, mask);
}

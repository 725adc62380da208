/** Laws about the size of numbers: zero, and what is larger than 32 bits. */
import { areEqual, isObject, type Json } from "../../json.js";
import { findRole } from "../../protocol/view-roles.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { memoizeByObject } from "../../sample/memoize.js";
import { listPayloadFields, mergeWithFixedChoices } from "../../sample/merged-schema.js";
import { listCourses } from "../declared-ends.js";
import { shiftNumbers } from "../edit-events.js";
import { isAllowed } from "../facts.js";
import { getModel, type KitProtocol } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { describeEvent } from "../observe.js";
import { getPayload, setPayloadFields } from "../payload.js";
import { type Leaf, listLeaves, listTexts, makeScene, type Scene } from "../scene.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";
import { repeatEvent } from "./content.js";
import { propose } from "./ends.js";

/** Laws about numbers in payloads, and about the numbers of events. */
export const numberLaws: readonly Law[] = [
  {
    id: "numbers-exact",
    dependsOn: ["cumulative-not-summed"],
    law: "A number that is shown with all its digits is so at any size: above 255, above 32 bits, and up to 2^53 − 1. A shown number may be zero, and it does not look like zero below zero. A list that replaces another one may be empty.",
    findSkipReason: (protocol) =>
      listNumberFields(protocol).length === 0 ? "no payload of this protocol has a number" : undefined,
    makesStreams: true,
    *check(trial) {
      for (const each of listNumberFields(trial.protocol)) yield* checkField(trial, each);
      const { fields } = yield* trial.inferShown();
      for (const { type, field, merged } of listPayloadFields(trial.model))
        if (merged.types?.includes("array") && fields.get(type)?.has(field))
          yield* checkEmptyList(trial, type, field);
    },
  },
  {
    id: "sequence-range",
    dependsOn: ["start-above-first", "shown-after-gap"],
    law: "The numbers of events may begin with 0 and grow beyond 32 bits, up to 2^53 − 1.",
    needs: "numbers",
    allowsGaps: false,
    excludesTerminalEvents: true,
    coveringOnly: true,
    check: checkSequence,
  },
];

/** A payload field with whole numbers. */
interface NumberField {
  readonly type: string;
  readonly field: string;
  /** The name of the number in the field, if the field holds an object. */
  readonly inner?: string;
  /** True if the field is part of a key, such as the number of a turn, so that zero is a value like any other. */
  readonly isKey: boolean;
}

const listNumberFields = memoizeByObject((protocol: KitProtocol): readonly NumberField[] =>
  listPayloadFields(getModel(protocol)).flatMap(({ type, field, merged }) => {
    const isNumber = merged.types?.includes("integer") && merged.values === undefined;
    if (isNumber) return [{ type, field, isKey: isKey(protocol, type, field) }];
    const inner = [...merged.properties].filter(([, schemas]) =>
      mergeWithFixedChoices(schemas, getModel(protocol).definitions).types?.includes("integer"),
    );
    return inner.map(([name]) => ({ type, field, inner: name, isKey: false }));
  }),
);

function isKey({ rules, view }: KitProtocol, type: string, field: string): boolean {
  const role = view && findRole(view.roles, type);
  const roleKey = role !== undefined && "key" in role ? role.key : undefined;
  const textKeys = (rules?.texts ?? []).flatMap(({ key }) => key);
  return [...[roleKey ?? []].flat(), ...textKeys].includes(field);
}

/** The sizes of numbers: those that a consumer shows with all digits if it does so at all, and those that are tested then. */
const SIZES = [
  { plain: [7, 123], tested: [511] },
  { plain: [7, 12_345, 1_234_567], tested: [2 ** 31 + 7, 2 ** 32 + 5, 2 ** 53 - 1] },
] as const;

/** Two numbers that are equal if only 32 bits are used, and one that differs from them then. */
const WRAPPED = { small: 5, large: 2 ** 32 + 5, other: 2 ** 31 - 1 } as const;

/** Shows a number of an event: the snapshot, or undefined if the contract does not allow the number. */
type ShowNumber = (value: number) => Steps<Json | undefined>;

function* checkField(trial: Trial, { type, field, inner, isKey: isPartOfKey }: NumberField): Steps<void> {
  const scene = makeNumberScene(trial, type, field);
  const event = scene?.sent.at(-1);
  if (scene === undefined || event === undefined) return;
  const replace = (value: number): SampleEvent[] | undefined => {
    const whole = getPayload(trial.protocol, event)[field];
    const set = inner === undefined || !isObject(whole) ? value : { ...whole, [inner]: value };
    const changed = setPayloadFields(trial.protocol, event, { [field]: set });
    const isKnown = trial.protocol.decodeEvent(changed, { profile: "writer" }).kind === "known";
    return isKnown ? scene.events.map((each) => (each === event ? changed : each)) : undefined;
  };
  const show: ShowNumber = function* (value) {
    const events = replace(value);
    return events && (yield* trial.tryView(events));
  };
  const fail = (value: number, text: string): never => {
    trial.setFixture(replace(value) ?? scene.events);
    trial.fail(
      `${[field, inner].filter((name) => name !== undefined).join("/")} of ${type} is ${value}, ${text}`,
    );
  };
  yield* checkDigits(show, fail);
  yield* checkZero(trial, field, show, fail);
  if (isPartOfKey) {
    const without = yield* trial.tryView(scene.events.filter((each) => each !== event));
    const isLegal = (value: number): boolean => isAllowed(trial, replace(value) ?? []);
    if (without !== undefined) yield* checkPresence(without, isLegal, show, fail);
  }
}

function* checkDigits(show: ShowNumber, fail: (value: number, text: string) => never): Steps<void> {
  for (const { plain, tested } of SIZES) {
    let isExact = true;
    for (const value of plain) isExact &&= yield* isNumberShown(show, value);
    if (!isExact) continue;
    for (const value of tested)
      if ((yield* show(value)) !== undefined && !(yield* isNumberShown(show, value)))
        fail(value, `and the snapshot does not show it, although it shows ${plain.join(" and ")}`);
    yield* checkNegative(show, fail);
  }
  const small = yield* show(WRAPPED.small);
  const large = yield* show(WRAPPED.large);
  const other = yield* show(WRAPPED.other);
  if (small === undefined || large === undefined || other === undefined || areEqual(small, other)) return;
  if (areEqual(small, large)) fail(WRAPPED.large, `and the snapshot is the same as with ${WRAPPED.small}`);
}

/** Fails if a number below zero looks like zero. A consumer that shows digits may have a word of its own for numbers below zero. */
function* checkNegative(show: ShowNumber, fail: (value: number, text: string) => never): Steps<void> {
  const zero = yield* show(0);
  if (zero === undefined) return;
  for (const value of [-1, -123]) {
    const view = yield* show(value);
    if (view !== undefined && areEqual(view, zero)) fail(value, "and the snapshot is the same as with 0");
  }
}

/** Returns whether a number is shown with all its digits, and is not there with another number. */
function* isNumberShown(show: ShowNumber, value: number): Steps<boolean> {
  const view = yield* show(value);
  const other = yield* show(value === 7 ? 8 : 7);
  return view !== undefined && other !== undefined && countNumber(view, value) > countNumber(other, value);
}

/** Counts how often a number occurs in a view, also in texts and with separators. */
function countNumber(view: Json, value: number): number {
  return [...listLeaves(view).values()].filter((leaf) => {
    if (typeof leaf !== "string") return leaf === value;
    const numbers = leaf.match(/\d[\d,_\u00a0\u202f ]*/g) ?? [];
    return numbers.some((text) => text.replace(/\D/g, "") === String(value));
  }).length;
}

/** Fails if zero is shown as nothing where other numbers are shown. */
function* checkZero(
  trial: Trial,
  field: string,
  show: ShowNumber,
  fail: (value: number, text: string) => never,
): Steps<void> {
  const [zero, one, seven] = [yield* show(0), yield* show(1), yield* show(7)];
  if (zero === undefined || one === undefined || seven === undefined) return;
  const [zeroLeaves, oneLeaves] = [listLeaves(zero), listLeaves(one)];
  for (const [place, leaf] of listLeaves(seven)) {
    const shown = zeroLeaves.get(place);
    // A text of the consumer's own, such as "none", may stand for zero.
    const isShown = isNumberIn(leaf, 7) && isNumberIn(oneLeaves.get(place), 1);
    if (isShown && (shown === null || shown === "" || shown === String(leaf).replace("7", "")))
      fail(0, `and ${place} shows ${JSON.stringify(shown)}. It shows 1 and 7 as they are`);
  }
  const [missing, ...others] = [...oneLeaves.keys()].filter((place) => !zeroLeaves.has(place));
  const parent = missing?.slice(0, missing.lastIndexOf("/") + 1) ?? "";
  // Something may be listed because of the number, and an exit code of zero need not be shown.
  const isMember =
    others.length === 0 &&
    parent !== "" &&
    [...zeroLeaves.keys()].some((place) => place.startsWith(parent)) &&
    trial.protocol.view?.failed?.includes(field) !== true;
  const isExact = missing !== undefined && isNumberIn(oneLeaves.get(missing), 1);
  if (
    isMember &&
    isExact &&
    isNumberIn(listLeaves(seven).get(missing), 7) &&
    !/^\d+$/.test(missing.slice(parent.length))
  )
    fail(0, `and ${missing} is missing in the snapshot. It shows 1 and 7 as they are`);
}

/** Fails if an event is not shown because of a part of its key. `without` is what is shown without the event. */
function* checkPresence(
  without: Json,
  isLegal: (value: number) => boolean,
  show: ShowNumber,
  fail: (value: number, text: string) => never,
): Steps<void> {
  const shown: number[] = [];
  const hidden: number[] = [];
  for (const value of [0, 1, 7]) {
    const view = yield* show(value);
    if (view !== undefined) (areEqual(view, without) ? hidden : shown).push(value);
  }
  // The first turn of a run may have the number 1.
  const [lost] = hidden.filter((value) => value === 0 || isLegal(value));
  if (lost !== undefined && shown.some((value) => lost === 0 || isLegal(value)))
    fail(lost, `and the event is not shown. It is with ${shown.join(" and ")}`);
}

/** The seeds of events among which two different lists are searched. */
const LIST_SEEDS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** Fails if a list is shown in place of the one before, and an empty list is not. */
function* checkEmptyList(trial: Trial, type: string, field: string): Steps<void> {
  const { protocol, context, maker } = trial;
  const scene = makeScene(context, [{ type, fixedFields: {} }], 1);
  const [event] = scene?.sent ?? [];
  if (scene === undefined || event === undefined) return;
  const lists = LIST_SEEDS.flatMap((seed) => {
    const made = maker.make({ type, envelope: event, fixedFields: {}, seed, fieldChance: 1 });
    const list = made && getPayload(protocol, made)[field];
    return Array.isArray(list) ? [list] : [];
  });
  const first = lists.find((list) => listTexts(list).length > 0);
  const second = lists.find((list) => hasOther(list, first ?? []));
  if (first === undefined || second === undefined || !hasOther(first, second)) return;
  const show = function* (list: readonly Json[]): Steps<string | undefined> {
    const sent = [first, list].map((each, index) =>
      setPayloadFields(protocol, index === 0 ? event : repeatEvent(trial, event, 1), { [field]: [...each] }),
    );
    if (sent.some((each) => protocol.decodeEvent(each).kind !== "known")) return undefined;
    trial.setFixture(sent);
    const view = yield* trial.tryView([...scene.events.filter((each) => each !== event), ...sent]);
    return view === undefined ? undefined : JSON.stringify(view);
  };
  const has = (view: string, list: readonly Json[], others: readonly Json[]): boolean =>
    listTexts([...list]).some(
      (text) => !listTexts([...others]).includes(text) && view.includes(JSON.stringify(text).slice(1, -1)),
    );
  const [unchanged, replaced, emptied] = [yield* show(first), yield* show(second), yield* show([])];
  if (replaced === undefined || emptied === undefined || unchanged === undefined) return;
  const isReplaced =
    has(unchanged, first, second) && has(replaced, second, first) && !has(replaced, first, second);
  if (isReplaced && has(emptied, first, second))
    trial.fail(
      `${field} of ${type} is empty, and the list before it is still shown. Another list replaces it`,
    );
}

/** Returns whether a list has a text that another one has not. */
function hasOther(list: readonly Json[], others: readonly Json[]): boolean {
  const texts = listTexts([...others]);
  return listTexts([...list]).some((text) => !texts.includes(text));
}

/** Returns whether a leaf is a number, or a text with this number alone. */
function isNumberIn(leaf: Leaf | undefined, value: number): boolean {
  return leaf === value || (typeof leaf === "string" && leaf.match(/\d+/g)?.join() === String(value));
}

/** Makes a stream whose last event has a number field. */
function makeNumberScene(trial: Trial, type: string, field: string): Scene | undefined {
  const { context, protocol, rules } = trial;
  const lifecycle = rules.lifecycles?.find(({ key }) => key !== field && hasField(protocol, type, key));
  const start = lifecycle?.start[0];
  const isOther = start !== undefined && start !== type;
  const name = lifecycle && isOther ? { [lifecycle.key]: trial.makeUnusedValue(start, lifecycle.key) } : {};
  // The end of a turn, for example, needs its start.
  const course = listCourses(protocol).find(({ ends }) => ends.some((end) => end.type === type));
  const openings = isOther
    ? [[propose(start, name)]]
    : [[], ...(course?.starts ?? []).map((each) => [propose(each)])];
  for (const fieldChance of [0, 1])
    for (const opening of openings) {
      const scene = makeScene(context, [...opening, propose(type, name)], fieldChance);
      const event = scene?.sent.at(-1);
      if (event !== undefined && (getPayload(protocol, event)[field] !== undefined || fieldChance === 1))
        return scene;
    }
  return undefined;
}

function hasField(protocol: KitProtocol, type: string, name: string): boolean {
  return listPayloadFields(getModel(protocol)).some((each) => each.type === type && each.field === name);
}

/** Two offsets that are added to all numbers of a stream to find the places that show numbers. */
const [OFFSET, OTHER_OFFSET] = [1000, 2000];

function* checkSequence(trial: Trial): Steps<void> {
  const { events, protocol } = trial;
  const name = protocol.stream?.sequence ?? "";
  const numbers = events.map((event) => Number(event[name]));
  const shift = (offset: number): readonly SampleEvent[] => shiftNumbers(trial, events, offset);
  const [expected, other] = [yield* trial.view(shift(OFFSET)), yield* trial.view(shift(OTHER_OFFSET))];
  const [leaves, otherLeaves] = [listLeaves(expected), listLeaves(other)];
  const highest = Math.max(...numbers);
  for (const offset of [2 ** 31 - 1 - (numbers[0] ?? 0), 2 ** 53 - 1 - highest]) {
    const shifted = shift(offset);
    if (shifted.some((event) => protocol.decodeEvent(event).kind !== "known")) continue;
    const actual = listLeaves(yield* trial.view(shifted));
    const isRight = (place: string, leaf: Leaf): boolean => {
      if (leaf === otherLeaves.get(place)) return actual.get(place) === leaf;
      // A place that grows with the numbers shows one of them.
      const isNumber = typeof leaf === "number" && otherLeaves.get(place) === leaf + OTHER_OFFSET - OFFSET;
      return !isNumber || actual.get(place) === leaf - OFFSET + offset;
    };
    const wrong = [...leaves].find(([place, leaf]) => !isRight(place, leaf));
    if (wrong === undefined && actual.size === leaves.size) continue;
    trial.setFixture(shifted);
    const place = wrong?.[0] ?? "the snapshot";
    trial.fail(
      `With numbers from ${numbers[0] === undefined ? 0 : numbers[0] + offset} on, ${place} shows ${JSON.stringify(actual.get(wrong?.[0] ?? "") ?? null)}. With numbers from ${OFFSET} on, it shows ${JSON.stringify(wrong?.[1] ?? null)}`,
    );
  }
  yield* checkFirstNumber(trial);
}

/** Fails if the event with the number 0 is not shown before another one, although it is with another number. */
function* checkFirstNumber(trial: Trial): Steps<void> {
  const { events, protocol } = trial;
  const [first] = events;
  if (first === undefined || first[protocol.stream?.sequence ?? ""] !== 0) return;
  const others = events.slice(1, 6);
  const mask = (view: Json): string => JSON.stringify(view).replace(/\d+/g, "#");
  for (const other of others) {
    if (protocol.stream?.key.some((name) => first[name] !== other[name])) continue;
    const [withFirst, without] = [[first, other], [other]];
    const shifted = yield* trial.tryView(shiftNumbers(trial, withFirst, OFFSET));
    const shiftedWithout = yield* trial.tryView(shiftNumbers(trial, without, OFFSET));
    if (shifted === undefined || shiftedWithout === undefined || mask(shifted) === mask(shiftedWithout))
      continue;
    const view = yield* trial.view(withFirst);
    if (areEqual(view, yield* trial.view(without))) {
      trial.setFixture(withFirst);
      trial.fail(`${describeEvent(protocol, first)} is not shown. It is if its number is ${OFFSET}`);
    }
  }
}

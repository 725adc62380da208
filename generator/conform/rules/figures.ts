import type { Json } from "../../json.js";
import { isObject, type JsonObject, join } from "../../json.js";
import type { Ordered, Rising, Sum } from "../../protocol/stream-rules.js";
import { asSet, type Comparable, entriesOf, readField } from "../comparable.js";
import { named } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Step, type Watch } from "../stream-rule.js";

const figureFalls = defineStreamRule({
  id: "figure-falls",
  summary: "a running total is lower than before",
  explanation:
    "Meters show running totals as they come. A total that stays the same is fine, and so is any rise.",
  hint: "Send the total since the stream began, not the last part of it.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "rising",
});

const figuresDisagree = defineStreamRule({
  id: "figures-disagree",
  summary: "a part is more than the whole that it belongs to",
  explanation: "Figures of one event that contain each other; those that are absent are passed over.",
  hint: "Add the new part to the wider total before both are sent.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "ordered",
});

const sumWrong = defineStreamRule({
  id: "sum-wrong",
  summary: "a figure is not the sum of its parts",
  explanation:
    "A remainder that was not worked out from the other two figures of its event misleads whoever acts on it. It may be negative.",
  hint: "Work the last figure out from the others when the event is made.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "sums",
});

/** Figures within one event, and from event to event. */
export const figureRules: RuleFile = {
  rules: [figureFalls, figuresDisagree, sumWrong],
  declares: {
    rising: ({ type = "" }) => type,
    ordered: ({ type = "" }) => type,
    sums: ({ type = "", sum = "" }) => [type, sum],
  },
  watch: ({ stream }) => {
    const { rising = [], ordered = [], sums = [] } = stream?.rules ?? {};
    return [...rising.map(watchRising), ...ordered.map(watchOrder), ...sums.map(watchSum)];
  },
};

/** The last value of each figure: by field, and by member of a field that is an object. */
type Totals = Map<string, number | Map<string, number>>;

function watchRising({ type, fields, profile }: Rising): Watch<Totals> {
  const check = (totals: Totals, step: Step): void => {
    for (const field of fields) {
      const value = step.payload[field];
      const before = totals.get(field);
      if (typeof value === "number") {
        if (typeof before === "number" && value < before) fell(step, [field], value, before);
        totals.set(field, value);
      } else if (isObject(value)) {
        const members = before instanceof Map ? before : new Map<string, number>();
        if (members !== before) totals.set(field, members);
        takeMembers(step, field, members, value);
      }
    }
  };
  const comparable: Comparable<Totals> = {
    ...compareFigures("rising", type, asSet(fields)),
    snapshot: (totals) =>
      entriesOf(totals, (total) => (total instanceof Map ? entriesOf(total, (figure) => figure) : total)),
  };
  const handlers = [{ types: [type], check }];
  return { rules: [figureFalls], profile, start: () => new Map(), handlers, comparable };
}

/** What is known of a rule about figures of one event type. */
function compareFigures(member: string, type: string, fields: readonly string[]): Comparable<unknown> {
  return {
    madeOf: [member, type, fields],
    usesEpochs: false,
    judges: [type],
    remembers: [],
    allows: [],
    reads: fields.flatMap((field) => readField([type], field, { kind: "figure" })),
    snapshot: () => null,
  };
}

/** Objects of figures are open, but no field has more figures than this. */
const MAX_FIGURES = 100;

function takeMembers(step: Step, field: string, members: Map<string, number>, value: JsonObject): void {
  for (const member of Object.keys(value)) {
    const [now, before] = [value[member], members.get(member)];
    if (typeof now !== "number" || (before === undefined && members.size >= MAX_FIGURES)) continue;
    if (before !== undefined && now < before) fell(step, [field, member], now, before);
    members.set(member, now);
  }
}

function fell(
  step: Step,
  [field, ...member]: readonly [string, ...string[]],
  now: number,
  before: number,
): void {
  const message = `${named(step)} has ${[field, ...member].join(".")} ${now}, after ${before}.`;
  step.report(figureFalls, join(step.at(field), ...member), message);
}

function watchOrder({ type, fields, profile }: Ordered): Watch<null> {
  const check = (_state: null, step: Step): void => {
    let [part, partName]: [Json | undefined, string] = [undefined, ""];
    for (const field of fields) {
      const whole = step.payload[field];
      if (whole === undefined) continue;
      const excess = part === undefined ? undefined : exceeds(part, whole);
      if (excess)
        step.report(
          figuresDisagree,
          join(step.at(field), ...excess.member),
          `${named(step)} has ${[partName, ...excess.member].join(".")} ${excess.part}, more than ${[field, ...excess.member].join(".")} with ${excess.whole}.`,
        );
      [part, partName] = [whole, field];
    }
  };
  const comparable = compareFigures("ordered", type, fields);
  return {
    rules: [figuresDisagree],
    profile,
    start: () => null,
    handlers: [{ types: [type], check }],
    comparable,
  };
}

interface Excess {
  readonly member: readonly string[];
  readonly part: number;
  readonly whole: number;
}

/** Where `part` is more than `whole`: two numbers, or members of the same name. */
function exceeds(part: Json, whole: Json): Excess | undefined {
  if (typeof part === "number" && typeof whole === "number")
    return part > whole ? { member: [], part, whole } : undefined;
  if (!isObject(part) || !isObject(whole)) return undefined;
  for (const [member, one] of Object.entries(part)) {
    const other = Object.hasOwn(whole, member) ? whole[member] : undefined;
    if (typeof one === "number" && typeof other === "number" && one > other)
      return { member: [member], part: one, whole: other };
  }
  return undefined;
}

function watchSum({ type, sum, of, profile }: Sum): Watch<null> {
  const check = (_state: null, step: Step): void => {
    const total = step.payload[sum];
    let added = 0;
    for (const field of of) {
      const part = step.payload[field];
      if (typeof part !== "number") return;
      added += part;
    }
    if (typeof total !== "number" || added === total || !Number.isSafeInteger(added)) return;
    const parts = of.map((field) => `${field} ${step.payload[field]}`).join(" and ");
    step.report(
      sumWrong,
      step.at(of.at(-1) ?? sum),
      `${named(step)} has ${sum} ${total}, but ${parts} make ${added}.`,
    );
  };
  const known = compareFigures("sums", type, [sum, ...of]);
  const comparable = { ...known, madeOf: ["sums", type, sum, asSet(of)] };
  return { rules: [sumWrong], profile, start: () => null, handlers: [{ types: [type], check }], comparable };
}

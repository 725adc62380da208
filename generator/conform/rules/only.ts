import type { Json } from "../../json.js";
import { join } from "../../json.js";
import type { Alias, Only } from "../../protocol/stream-rules.js";
import { asSet, type Comparable, entriesOf, readEnvelope, readField } from "../comparable.js";
import { remember } from "../remember.js";
import { idOf, named, quote } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Step, type Watch } from "../stream-rule.js";

const eventMisplaced = defineStreamRule({
  id: "event-misplaced",
  summary: "an event comes where its type has no place",
  explanation:
    "Some event types belong to one kind of emitter or to one way of running. Where that is told by an earlier event which was not seen, nothing is said.",
  hint: "Send the event only where the contract lets it stand, or correct the field that says otherwise.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "only",
});

const aliasDiffers = defineStreamRule({
  id: "alias-differs",
  summary: "a field that repeats another has another value, or stands where it may not",
  explanation:
    "Readers of the version before still use the alias; they would put the event into another stream.",
  hint: "Fill the alias from the field that it repeats, or leave it out.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "aliases",
});

/** Values of the field by the id of its thing. */
type Values = Map<string, Json>;

/** What depends on one other field. */
export const onlyRules: RuleFile = {
  rules: [eventMisplaced, aliasDiffers],
  declares: {
    only: ({ field = "", of = null }) => [field, of],
    aliases: ({ field = "" }) => field,
  },
  watch: ({ stream }) => [
    ...(stream?.rules?.only ?? []).map(watchOnly),
    ...(stream?.rules?.aliases ?? []).map(watchAlias),
  ],
};

function watchOnly(declared: Only): Watch<Values> {
  const { types, field, of, is, not = [], profile } = declared;
  const allowed = (value: Json): boolean =>
    typeof value !== "string" || ((is === undefined || is.includes(value)) && !not.includes(value));
  const check = (values: Values, step: Step): void => {
    const id = of && idOf(step.payload[of.key]);
    const value = of ? (id === undefined ? undefined : values.get(id)) : step.event[field];
    if (value === undefined || allowed(value)) return;
    const whose = of ? `the ${field} of ${of.key} ${quote(id)}` : field;
    const wanted = is ? `, not ${is.map((each) => quote(each)).join(" or ")}` : "";
    const pointer = of ? step.at(of.key) : join("", field);
    step.report(
      eventMisplaced,
      pointer,
      `${named(step)} has no place where ${whose} is ${quote(value)}${wanted}.`,
    );
  };
  const learn = (values: Values, step: Step): void => {
    const [id, value] = [of && idOf(step.payload[of.key]), step.payload[field]];
    if (id !== undefined && value !== undefined) remember(values, id, value, step);
  };
  return {
    rules: [eventMisplaced],
    profile,
    start: () => new Map(),
    handlers: [
      { types, check },
      { types: of ? [of.type] : [], check: learn },
    ],
    comparable: compareOnly(declared),
  };
}

function compareOnly({ types, field, of, is, not = [] }: Only): Comparable<Values> {
  const samples = { kind: "listed", listed: [...(is ?? []), ...not], others: true } as const;
  const origin = of ? [of.type, of.key] : null;
  return {
    madeOf: ["only", asSet(types), field, origin, is ? asSet(is) : null, asSet(not)],
    usesEpochs: false,
    judges: types,
    remembers: of ? [of.type] : [],
    allows: of ? [of.type] : [],
    reads: of
      ? [...readField([of.type, ...types], of.key, { kind: "id" }), ...readField([of.type], field, samples)]
      : readEnvelope(field, samples),
    snapshot: (values) => entriesOf(values, (value) => value),
  };
}

function watchAlias({ field, of, where = {}, profile }: Alias): Watch<null> {
  const conditions = Object.entries(where);
  const check = (_state: null, step: Step): void => {
    const alias = step.event[field];
    if (alias === undefined) return;
    for (const [name, value] of conditions)
      if (step.event[name] !== value) {
        const message = `${named(step)} has ${field}, which stands only where ${name} is ${quote(value)}; here it is ${quote(step.event[name])}.`;
        step.report(aliasDiffers, join("", field), message);
        return;
      }
    if (alias !== step.event[of])
      step.report(
        aliasDiffers,
        join("", field),
        `${named(step)} has ${field} ${quote(alias)}, but ${of} ${quote(step.event[of])}.`,
      );
  };
  const comparable: Comparable<null> = {
    madeOf: ["aliases", field, of, where],
    usesEpochs: false,
    judges: "every",
    remembers: [],
    allows: [],
    reads: [
      ...readEnvelope(field, { kind: "copy", of }),
      ...conditions.flatMap(([name, value]) =>
        readEnvelope(name, { kind: "listed", listed: [value], others: true }),
      ),
    ],
    snapshot: () => null,
  };
  return {
    rules: [aliasDiffers],
    profile,
    start: () => null,
    handlers: [{ types: "every", check }],
    comparable,
  };
}

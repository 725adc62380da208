import type { Json, JsonObject } from "../../json.js";
import type { StateEvent, Transitions } from "../../protocol/stream-rules.js";
import { type Comparable, entriesOf, isCurrent, readField } from "../comparable.js";
import { remember } from "../remember.js";
import { named, quote } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Step, type Watch } from "../stream-rule.js";

const transitionInvalid = defineStreamRule({
  id: "transition-invalid",
  summary: "a thing changes to a state that cannot follow the one it was in",
  explanation:
    "Readers offer actions by state, such as apply for a proposal. Saying the same state again is fine, since two event types may report one change. After a hole, states in between may have been missed, so there only changes that no path leads to are a breach.",
  hint: "Send every change of state, in the order in which it happened.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "transitions",
});

interface State {
  readonly name: string;
  readonly epoch: number;
  readonly event: string;
}

type States = Map<string, State>;

/** Things that are in one of a few states. */
export const transitionRules: RuleFile = {
  rules: [transitionInvalid],
  declares: { transitions: ({ name = "" }) => name },
  watch: ({ stream }) => (stream?.rules?.transitions ?? []).map(watch),
};

function watch(declared: Transitions): Watch<States> {
  const { name, moves, events, profile } = declared;
  const next = new Map(Object.entries(moves));
  const direct = (from: string, to: string): boolean => from === to || next.get(from)?.includes(to) === true;
  const judge = (
    states: States,
    step: Step,
    from: string | undefined,
    to: string,
    id: string,
  ): string | undefined => {
    const before = states.get(id);
    if (from !== undefined && next.has(from) && !direct(from, to))
      return `from ${quote(from)} to ${quote(to)}`;
    if (!before) return undefined;
    const sure = before.epoch === step.stream.epoch;
    if (sure ? !direct(before.name, to) : !reachable(next, before.name, to))
      return `to ${quote(to)}, though ${before.event} made it ${quote(before.name)}`;
    if (from === undefined || !sure || before.name === from || before.name === to) return undefined;
    return `from ${quote(from)} to ${quote(to)}, though ${before.event} made it ${quote(before.name)}`;
  };
  const handler = (event: StateEvent) => ({
    types: [event.type],
    check(states: States, step: Step): void {
      if (!applies(event, step.payload)) return;
      const [from, to] = [textOf(step.payload, event.from), event.state ?? textOf(step.payload, event.to)];
      for (const id of idsOf(step.payload[event.key])) {
        if (to === undefined || !next.has(to)) {
          states.delete(id);
          continue;
        }
        const wrong = judge(states, step, from, to, id);
        if (wrong !== undefined)
          step.report(
            transitionInvalid,
            step.at(event.to ?? event.key),
            `${named(step)} moves ${name} ${quote(id)} ${wrong}.`,
          );
        remember(states, id, { name: to, epoch: step.stream.epoch, event: named(step) }, step);
      }
    },
  });
  const handlers = events.map(handler);
  const comparable = compareTransitions(declared);
  return { rules: [transitionInvalid], profile, start: () => new Map(), handlers, comparable };
}

function compareTransitions({ moves, events }: Transitions): Comparable<States> {
  const types = [...new Set(events.map(({ type }) => type))];
  // Events of one type are looked at in their order; that of different types means nothing.
  const byType = [...events].sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  const states = { kind: "listed", listed: Object.keys(moves), others: true } as const;
  const sorted = Object.entries(moves).map(([state, next]) => [state, [...new Set(next)].sort()] as const);
  return {
    madeOf: ["transitions", Object.fromEntries(sorted), byType.map((event) => ({ ...event }) as JsonObject)],
    usesEpochs: true,
    judges: types,
    remembers: types,
    allows: types,
    reads: events.flatMap(({ type, key, to, from, when = {} }) => [
      ...readField([type], key, { kind: "id" }),
      ...(to === undefined ? [] : readField([type], to, states)),
      ...(from === undefined ? [] : readField([type], from, states)),
      ...Object.entries(when).flatMap(([field, value]) =>
        readField([type], field, { kind: "listed", listed: [value], others: true }),
      ),
    ]),
    snapshot: (known, context) => entriesOf(known, ({ name, epoch }) => [name, isCurrent(epoch, context)]),
  };
}

function applies({ when = {} }: StateEvent, payload: JsonObject): boolean {
  return Object.entries(when).every(([field, value]) => payload[field] === value);
}

function textOf(payload: JsonObject, field: string | undefined): string | undefined {
  const value = field === undefined ? undefined : payload[field];
  return typeof value === "string" ? value : undefined;
}

function idsOf(value: Json | undefined): readonly string[] {
  const ids: readonly (Json | undefined)[] = Array.isArray(value) ? value : [value];
  return ids.filter((id) => typeof id === "string");
}

function reachable(next: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const state of seen) for (const following of next.get(state) ?? []) seen.add(following);
  return seen.has(to);
}

import { canonical, isObject, type Json } from "../../json.js";
import type { KitEvent } from "../../sample/event-maker.js";
import { shifted, unknownEvent } from "../alter.js";
import type { KitProtocol } from "../kit-protocol.js";
import { type Law, needsNumbers, needsRules } from "../law.js";
import { nameOf } from "../show.js";
import type { Trial } from "../trial.js";
import { plain, sameView } from "../view.js";

/** The streams of these laws go on and have no gaps but those that a law makes. */
const GAPLESS = { ended: false, gaps: false } as const;

/** What a feed does that has lost something. */
export const gapLaws: readonly Law[] = [
  {
    id: "start-above-first",
    law: "A stream whose beginning is missing is shown from its first received event: nothing waits for the first number.",
    absent: needsNumbers,
    ...GAPLESS,
    check(trial) {
      const { events } = trial;
      if (events.length < 2) return;
      const rest = events.slice(1 + trial.random.below(events.length - 1));
      const whole = shifted(trial, rest, first(trial) - numberOf(trial, rest[0]));
      goesOn(trial, rest, whole, "a stream that starts above its first number");
    },
  },
  {
    id: "hole",
    law: "After a gap in the numbers, all following events are shown: nothing waits for the missing ones.",
    absent: needsNumbers,
    ...GAPLESS,
    check(trial) {
      const holed = withHole(trial);
      if (holed === undefined) return;
      goesOn(trial, holed.events, holed.closed, `a hole before ${nameOf(trial.protocol, holed.after)}`);
    },
  },
  {
    id: "gap-marker",
    law: "After a gap marker, all following events are shown.",
    absent: needsRules("gaps"),
    ...GAPLESS,
    check(trial) {
      for (const [index, { type, first: from, last }] of (trial.rules.gaps ?? []).entries()) {
        const builder = trial.builder();
        const gap = from === undefined || last === undefined ? undefined : { first: from, last };
        const skip = gap === undefined ? 0 : 1 + trial.random.below(5);
        const marker = builder.send(
          builder.cursor(0),
          { type, wanted: {}, skip, ...(gap && { gap }) },
          index + 1,
        );
        if (marker === undefined) continue;
        // Whether it stands the hole itself is for another law.
        const next = skip === 0 ? undefined : numberOf(trial, marker) + 1;
        const what = `the marker ${nameOf(trial.protocol, marker)}`;
        goesOn(trial, [...trial.events, marker], trial.events, what, next);
      }
    },
  },
  {
    id: "late-gap-marker",
    law: "A gap marker after the end of a run is handled like one before it.",
    absent: (protocol) =>
      needsRules("gaps")(protocol) ??
      (terminalOf(protocol) === undefined ? "no event may follow the end of a stream" : undefined),
    ...GAPLESS,
    check(trial) {
      const end = terminalOf(trial.protocol) ?? "";
      for (const { type } of trial.rules.gaps ?? []) {
        const [running, over] = [trial.builder(), trial.builder()];
        const early = running.send(running.cursor(0), { type, wanted: {} }, 0);
        const ending = over.send(over.cursor(0), { type: end, wanted: {} }, 0);
        const late = ending && over.send(over.cursor(0), { type, wanted: {} }, 0);
        if (early === undefined || ending === undefined || late === undefined) continue;
        const mattersBefore = trial.matters(trial.events, [early]) === true;
        const without = trial.view([...trial.events, ending]);
        const shown = trial.view([...trial.events, ending, late]);
        if (mattersBefore && sameView(without, shown))
          trial.fail(
            `The marker ${nameOf(trial.protocol, late)} is lost, because it came after ${nameOf(trial.protocol, ending)}`,
          );
      }
    },
  },
  {
    id: "gaps-listed",
    law: "gaps() returns each gap in the numbers as { after, before }, and nothing else.",
    hook: "gaps",
    absent: needsNumbers,
    ...GAPLESS,
    check(trial) {
      const holed = withHole(trial);
      if (holed === undefined) return;
      for (const { events, gaps } of [holed, { events: trial.events, gaps: [] }]) {
        const found = plain(trial.feed(events).gaps?.());
        const list = (Array.isArray(found) ? found : [found]).map((gap) => rangeOf(gap, first(trial)));
        if (canonical(list) !== canonical(gaps.map((gap) => rangeOf(gap, first(trial)))))
          trial.fail(`gaps() is ${JSON.stringify(found)}, not ${JSON.stringify(gaps)}`);
      }
    },
  },
];

function terminalOf({ rules }: KitProtocol): string | undefined {
  const { terminal } = rules ?? {};
  return terminal?.final === true ? undefined : terminal?.types[0];
}

function first({ protocol }: Trial): number {
  return protocol.stream?.first ?? 0;
}

function numberOf({ protocol }: Trial, event: KitEvent | undefined): number {
  return Number(event?.[protocol.stream?.sequence ?? ""] ?? 0);
}

function rangeOf(gap: Json, first: number): Json {
  return isObject(gap) ? [gap.after ?? first - 1, gap.before ?? null] : gap;
}

interface Holed {
  readonly events: KitEvent[];
  /** The same events, numbered without the hole. */
  readonly closed: KitEvent[];
  readonly after: KitEvent;
  readonly gaps: readonly Json[];
}

function withHole(trial: Trial): Holed | undefined {
  const { events, random } = trial;
  if (events.length < 3) return undefined;
  const from = 1 + random.below(events.length - 2);
  const to = Math.min(events.length - 1, from + 1 + random.below(3));
  const [before, rest] = [events.slice(0, from), events.slice(to)];
  const [last, next] = [before.at(-1), rest[0]];
  if (last === undefined || next === undefined) return undefined;
  return {
    events: [...before, ...rest],
    closed: [...before, ...shifted(trial, rest, from - to)],
    after: next,
    gaps: [{ after: numberOf(trial, last), before: numberOf(trial, next) }],
  };
}

/** Whatever is shown after the `sound` stream, as its event with the number `next`, is shown after the `broken` one too. */
function goesOn(
  trial: Trial,
  broken: readonly KitEvent[],
  sound: readonly KitEvent[],
  what: string,
  next = numberOf(trial, sound.at(-1)) + 1,
): void {
  const empty = trial.tryView([]);
  const shownSound = trial.tryView(sound);
  const shown = trial.view(broken);
  if (
    empty !== undefined &&
    shownSound !== undefined &&
    !sameView(empty, shownSound) &&
    sameView(empty, shown)
  )
    trial.fail(`Nothing is shown of ${what}`);
  for (const probe of probes(trial)) {
    const [inSound, inBroken] = [probe(next), probe(numberOf(trial, broken.at(-1)) + 1)];
    if (inSound === undefined || inBroken === undefined || isIn(trial, broken, inBroken)) continue;
    if (trial.matters(sound, [inSound]) !== true) continue;
    const more = trial.view([...broken, inBroken]);
    if (sameView(shown, more)) trial.fail(`${nameOf(trial.protocol, inBroken)} is not shown after ${what}`);
  }
}

/** Whether an event has the id of another one: it would be taken for a redelivery. */
function isIn({ protocol }: Trial, events: readonly KitEvent[], added: KitEvent): boolean {
  const id = protocol.stream?.id;
  return id !== undefined && events.some((event) => event[id] === added[id]);
}

type Probe = (number: number) => KitEvent | undefined;

/** Events that consumers show wherever they come: one of unknown type, and the beginning of something new. */
function probes(trial: Trial): readonly Probe[] {
  const field = trial.protocol.stream?.sequence ?? "";
  const numbered = (event: KitEvent | undefined, number: number): KitEvent | undefined =>
    event && { ...event, [field]: number };
  const starts = (trial.rules.lifecycles ?? []).flatMap(({ start, key }) =>
    start[0] === undefined ? [] : [{ type: start[0], key }],
  );
  return [
    (number) => {
      const builder = trial.builder();
      return numbered(unknownEvent(trial, builder, builder.cursor(0)), number);
    },
    ...starts.map(
      ({ type, key }): Probe =>
        (number) => {
          const builder = trial.builder();
          const wanted = { [key]: builder.fresh(type, key, 1) };
          return numbered(builder.send(builder.cursor(0), { type, wanted }, 1), number);
        },
    ),
  ];
}

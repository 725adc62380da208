/**
 * Things that go on at the same time are kept apart. How a consumer shows them is its own affair: the laws change what is
 * said of one thing and look where the snapshot changes. Where two things have places of their own when they come one
 * after the other, they must have them when they come interleaved.
 */

import type { Json } from "../../json.js";
import type { Schema } from "../../model/protocol.js";
import type { StreamRules } from "../../model/stream-rules.js";
import { streamKey } from "../../stream/stream-key.js";
import { withPayload } from "../alter.js";
import { copyOf } from "../copy.js";
import type { KitEvent, Wanted } from "../event-maker.js";
import { type Law, needsNumbers } from "../law.js";
import { firstDemands } from "../merged-schema.js";
import { membersOf } from "../plan.js";
import type { Player } from "../player.js";
import type { Trial } from "../trial.js";
import { differences, plain } from "../view.js";
import { expectSame } from "./basic.js";

/** Calls, texts and runs at the same time. */
export const apartLaws: readonly Law[] = [
  {
    id: "calls-apart",
    law: "What is said of one tool call, or of another thing with an id, shows up with it, also while others are running.",
    absent: ({ rules }) =>
      ((rules as StreamRules | undefined)?.lifecycles ?? []).length === 0
        ? "nothing in this protocol has a life of its own"
        : undefined,
    ended: false,
    check(trial) {
      for (const rule of trial.rules.lifecycles ?? []) {
        const [start] = rule.start;
        if (start === undefined) continue;
        for (const { type, field } of spoken(trial, [...membersOf(trial.model, rule), ...rule.end]))
          keptApart(trial, {
            what: `Of two things with a ${rule.key} each`,
            names: (player, index) => ({ [rule.key]: player.fresh(start, rule.key, index) }),
            start,
            said: type,
            field,
          });
      }
    },
  },
  {
    id: "texts-apart",
    law: "Pieces of two texts that come in turns are not mixed up.",
    absent: ({ rules }) =>
      ((rules as StreamRules | undefined)?.texts ?? []).length === 0
        ? "no text of this protocol comes in pieces"
        : undefined,
    ended: false,
    check(trial) {
      for (const { delta, part, key } of trial.rules.texts ?? [])
        keptApart(trial, {
          what: `Of two texts of ${delta}`,
          names: (player, index) =>
            Object.fromEntries(key.map((name) => [name, player.fresh(delta, name, index)])),
          start: delta,
          begun: { [part]: "beginning " },
          said: delta,
          field: part,
        });
    },
  },
  {
    id: "runs-apart",
    law: "Two runs have numbers and ids of their own: what has the same name in both is not the same thing.",
    absent: needsNumbers,
    streams: 1,
    ended: false,
    gaps: false,
    check: checkRuns,
  },
  {
    id: "run-view",
    law: "viewRun(stream) shows what it would show if that stream were the only one.",
    hook: "viewRun",
    streams: 3,
    check(trial) {
      const { events, protocol } = trial;
      const keys = [...new Set(events.map((event) => streamKey(protocol.stream, event)))];
      for (const key of keys) {
        const alone = events.filter((event) => streamKey(protocol.stream, event) === key);
        const views = [alone, events].map((fed) => {
          trial.note(fed);
          const consumer = trial.fresh();
          for (const event of fed) trial.push(consumer, copyOf(event));
          return plain(consumer.viewRun?.(key));
        });
        const [wanted = null, found = null] = views;
        expectSame(trial, wanted, found, `In viewRun("${key}") among other streams`);
      }
    },
  },
];

interface Said {
  readonly type: string;
  readonly field: string;
}

/** Events and their fields that take any text: two of them, by chance. */
function spoken(trial: Trial, types: readonly string[]): Said[] {
  const { model } = trial;
  const find = (reference: string): Schema =>
    model.definitions[reference.slice("#/$defs/".length)]?.schema ?? true;
  const all = model.events
    .filter(({ type }) => types.includes(type))
    .flatMap(({ type, payload }) =>
      [...firstDemands([payload], find).properties].flatMap(([field, declared]) => {
        const { types: kinds, values, parts } = firstDemands(declared, find);
        const free = parts.every(
          ({ pattern, format, maxLength, items }) => !(pattern ?? format ?? maxLength ?? items),
        );
        return kinds?.[0] === "string" && values === undefined && free ? [{ type, field }] : [];
      }),
    );
  return [0, 1].flatMap(() => all.splice(trial.random.below(all.length), 1));
}

interface Pair {
  readonly what: string;
  names(player: Player, index: number): Wanted;
  readonly start: string;
  readonly begun?: Wanted;
  readonly said: string;
  readonly field: string;
}

const [ONE, TWO, OTHER] = ["qzalpha words", "qzgamma words", "qzother words"];

function keptApart(trial: Trial, { what, names, start, begun = {}, said, field }: Pair): void {
  const tell = (order: readonly ("start" | "say")[], by: readonly number[]): KitEvent[] | undefined => {
    const player = trial.player();
    const ids = [names(player, 1), names(player, 2)];
    const told = order.map((step, index) => {
      const who = by[index] ?? 0;
      const wanted = {
        ...ids[who],
        ...(step === "start" ? begun : { [field]: who === 0 ? ONE : TWO }),
      } as Wanted;
      return player.send(player.line(0), { type: step === "start" ? start : said, wanted }, 3 + index);
    });
    return told.every((event) => event !== undefined) ? (told as KitEvent[]) : undefined;
  };
  const sequential = tell(["start", "say", "start", "say"], [0, 0, 1, 1]);
  const interleaved = tell(["start", "start", "say", "say"], [0, 1, 0, 1]);
  if (sequential === undefined || interleaved === undefined) return;
  const apart = placesOf(trial, [...trial.events, ...sequential], field, true);
  if (
    apart === undefined ||
    apart.one.length === 0 ||
    apart.two.length === 0 ||
    shared(apart, depthOf(apart))
  )
    return;
  const mixed = placesOf(trial, [...trial.events, ...interleaved], field, false);
  if (mixed === undefined) return;
  const lost = mixed.one.length === 0 || mixed.two.length === 0;
  if (lost)
    trial.fail(`${what}, what ${said} says of one in ${field} is not shown when they are interleaved`);
  if (shared(mixed, depthOf(apart)))
    trial.fail(
      `${what}, what ${said} says of one in ${field} shows up with the other when they are interleaved`,
    );
}

interface Places {
  readonly one: readonly string[];
  readonly two: readonly string[];
}

/** The depth at which the places of two things part, one after the other: that of the box, the line or the run. */
function depthOf({ one: [one = ""], two: [two = ""] }: Places): number {
  const [a, b] = [one.split("/"), two.split("/")];
  const parting = a.findIndex((token, index) => token !== b[index]);
  return parting === -1 ? a.length : parting + 1;
}

/** Whether both things are in one place, seen no deeper than `depth`. */
function shared({ one, two }: Places, depth: number): boolean {
  const outer = (place: string): string => place.split("/").slice(0, depth).join("/");
  const places = new Set(two.map(outer));
  return one.some((place) => places.has(outer(place)));
}

/** Where the snapshot changes with what is said of the one thing, and where with the other. */
function placesOf(
  trial: Trial,
  events: readonly KitEvent[],
  field: string,
  quiet: boolean,
): Places | undefined {
  const view = quiet ? trial.glance(events) : trial.view(events);
  const without = (text: string): Json | undefined =>
    trial.glance(
      events.map((event) =>
        withPayload(trial.protocol, event, (payload) =>
          payload[field] === text ? { ...payload, [field]: OTHER as string } : payload,
        ),
      ),
    );
  const [one, two] = [without(ONE as string), without(TWO as string)];
  if (view === undefined || one === undefined || two === undefined) return undefined;
  return { one: differences(view, one), two: differences(view, two) };
}

function checkRuns(trial: Trial): void {
  const rule = trial.rules.lifecycles?.find(({ start }) => start.length > 0);
  const start = rule?.start[0];
  if (rule === undefined || start === undefined) return;
  const said = spoken(trial, [...membersOf(trial.model, rule), ...rule.end]);
  const field = trial.protocol.stream?.sequence ?? "";
  for (const { type, field: text } of said) {
    const player = trial.player();
    const id = player.fresh(start, rule.key, 1);
    const tell = (index: number, name: Json, from: number): KitEvent[] | undefined => {
      const line = player.line(index);
      line.next = Math.max(line.next, from);
      const wanted = { [rule.key]: name };
      const told = [
        player.send(line, { type: start, wanted }, 5),
        player.send(line, { type, wanted: { ...wanted, [text]: index === 1 ? ONE : TWO } as Wanted }, 6),
      ];
      return told.every((event) => event !== undefined) ? (told as KitEvent[]) : undefined;
    };
    const one = tell(1, id, 0);
    const same = tell(2, id, 0);
    if (one === undefined || same === undefined) continue;
    const other = player.fresh(start, rule.key, 9);
    const different = same.map((event, index) => ({
      ...withPayload(trial.protocol, event, (payload) => ({ ...payload, [rule.key]: other })),
      [field]: 1000 + index,
    }));
    const apart = placesOf(trial, [...one, ...different], text, true);
    if (
      apart === undefined ||
      apart.one.length === 0 ||
      apart.two.length === 0 ||
      shared(apart, depthOf(apart))
    )
      continue;
    const mixed = placesOf(trial, [...one, ...same], text, false);
    if (mixed === undefined) continue;
    if (mixed.one.length === 0 || mixed.two.length === 0)
      trial.fail(`Of two streams with the same numbers and the same ${rule.key}, one is not shown`);
    if (shared(mixed, depthOf(apart)))
      trial.fail(`Of two streams with the same ${rule.key}, what ${type} says in one shows up in the other`);
  }
}

/**
 * Things that run at the same time must not be mixed up. The laws do not prescribe how a consumer shows them: they change a
 * text about one thing and compare snapshots. If two things have separate places when they come one after the other, they
 * must also have separate places when their events are interleaved.
 */

import { lifecycleMembers } from "../../conform/rules/lifecycles.js";
import type { KitEvent, Wanted } from "../../sample/event-maker.js";
import { type Law, needsRules } from "../law.js";
import type { StreamBuilder } from "../stream-builder.js";
import type { Trial } from "../trial.js";
import { keptJoined, outputsOf, textsOf } from "./joined.js";
import { areApart, depthOf, ONE, placesOf, shared, spoken, TWO } from "./places.js";

/** Calls and texts at the same time. */
export const apartLaws: readonly Law[] = [
  {
    id: "calls-apart",
    law: "An event about a tool call, or about anything else with an id, appears with that id, also while others are running.",
    absent: needsRules("lifecycles"),
    ended: false,
    check(trial) {
      for (const output of outputsOf(trial)) keptJoined(trial, "Of two sources", output, SAME_RUN);
      for (const rule of trial.rules.lifecycles ?? []) {
        const [start] = rule.start;
        if (start === undefined) continue;
        const said = spoken(trial, [...lifecycleMembers(trial.model, rule), ...rule.end]);
        if (said === undefined) continue;
        keptApart(trial, {
          what: `Of two things with a ${rule.key} each`,
          names: (builder, index) => ({ [rule.key]: builder.fresh(start, rule.key, index) }),
          start,
          said: said.type,
          field: said.field,
        });
      }
    },
  },
  {
    id: "texts-apart",
    law: "Pieces of two texts that arrive alternately are not mixed.",
    absent: needsRules("texts"),
    ended: false,
    check(trial) {
      for (const text of textsOf(trial)) keptJoined(trial, "Of two texts", text, SAME_RUN);
      for (const { delta, part, key } of trial.rules.texts ?? [])
        keptApart(trial, {
          what: `Of two texts of ${delta}`,
          names: (builder, index) =>
            Object.fromEntries(key.map((name) => [name, builder.fresh(delta, name, index)])),
          start: delta,
          begun: { [part]: "beginning " },
          said: delta,
          field: part,
        });
    },
  },
];

/** Two things of one run. */
const SAME_RUN = { cursors: [0, 0], sameNames: false } as const;

interface Pair {
  readonly what: string;
  names(builder: StreamBuilder, index: number): Wanted;
  readonly start: string;
  readonly begun?: Wanted;
  readonly said: string;
  readonly field: string;
}

function keptApart(trial: Trial, { what, names, start, begun = {}, said, field }: Pair): void {
  const tell = (order: readonly ("start" | "say")[], by: readonly number[]): KitEvent[] | undefined => {
    const builder = trial.builder();
    const ids = [names(builder, 1), names(builder, 2)];
    const told = order.map((step, index) => {
      const who = by[index] ?? 0;
      const wanted = {
        ...ids[who],
        ...(step === "start" ? begun : { [field]: who === 0 ? ONE : TWO }),
      } as Wanted;
      return builder.send(builder.cursor(0), { type: step === "start" ? start : said, wanted }, 3 + index);
    });
    return told.every((event) => event !== undefined) ? (told as KitEvent[]) : undefined;
  };
  const sequential = tell(["start", "say", "start", "say"], [0, 0, 1, 1]);
  if (sequential === undefined) return;
  const apart = placesOf(trial, [...trial.events, ...sequential], field, true);
  if (!areApart(apart)) return;
  const interleaved = tell(["start", "start", "say", "say"], [0, 1, 0, 1]);
  if (interleaved === undefined) return;
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

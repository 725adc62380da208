import { listLifecycleMembers } from "../../conform/rules/lifecycles.js";
import { areEqual, formatCanonicalJson, type Json } from "../../json.js";
import type { Lifecycle } from "../../protocol/stream-rules.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import type { Law } from "../law.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";

/** Laws about unusual ids. */
export const idLaws: readonly Law[] = [
  {
    id: "proto-id",
    law: "An id may be __proto__, constructor or any other name of a built-in property.",
    needs: "lifecycles",
    excludesTerminalEvents: true,
    check: (trial) => checkIds(trial, [trial.random.pick(BUILT_IN_NAMES)]),
  },
  {
    id: "id-opaque",
    law: "Ids are strings: they are not numbers, even if they look like numbers, and they do not imply an order.",
    needs: "lifecycles",
    excludesTerminalEvents: true,
    *check(trial) {
      const ids = trial.random.pick(NUMERIC_IDS);
      const toLetters = (id: string): string =>
        id.replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
      yield* checkIds(
        trial,
        ids.map((id) => [toLetters(id), id] as const),
      );
    },
  },
];

/** An id, and one that takes its place. */
type IdPair = readonly [ordinary: string, unusual: string];

/** Names of built-in properties. */
export const BUILT_IN_NAMES: readonly IdPair[] = [
  ["__prot0__", "__proto__"],
  ["c0nstruct0r", "constructor"],
  ["t0String", "toString"],
  ["has0wnProperty", "hasOwnProperty"],
];

/** Pairs of ids that are equal as numbers, that are equal after rounding, and that an object would reorder. */
const NUMERIC_IDS: readonly (readonly [string, string])[] = [
  ["0070000001", "0000000000070000001"],
  ["9007199254740993", "9007199254740992"],
  ["70000001", "30000001"],
];

/** Fails if calls, approvals or other subjects of a lifecycle are shown in another way with unusual ids than with ordinary ids. */
function* checkIds(trial: Trial, pairs: readonly IdPair[]): Steps<void> {
  const ordinaryIds = pairs.map(([ordinary]) => ordinary);
  const unusualIds = pairs.map(([, unusual]) => unusual);
  for (const rule of trial.rules.lifecycles ?? []) {
    const types = pickTypes(trial, rule);
    const createContinuation = (ids: readonly string[]): SampleEvent[] =>
      trial.send(types.flatMap((type) => ids.map((id) => ({ type, fixedFields: { [rule.key]: id } }))));
    const [ordinary, unusual] = [createContinuation(ordinaryIds), createContinuation(unusualIds)];
    if (ordinary.length === 0 || unusual.length !== ordinary.length) continue;
    const expected = yield* showRenamed(trial, ordinary, pairs);
    if (expected === undefined) continue;
    const actual = yield* trial.view([...trial.events, ...unusual]);
    if (areEqual(expected, actual)) continue;
    // A consumer may sort what it shows by ids, if nothing else tells an order.
    const moved: (Json | undefined)[] = [];
    for (const prefix of ["0", "z"]) {
      const names = pairs.map(([id]): IdPair => [`${prefix}${id}`, id]);
      const events = createContinuation(names.map(([id]) => id));
      if (events.length === ordinary.length) moved.push(yield* showRenamed(trial, events, names));
    }
    const [first = null, last = first] = moved;
    if (!areEqual(first, last)) continue;
    const names = unusualIds.map((id) => `"${id}"`).join(" and ");
    trial.expectSame(expected, actual, `With ${names} as ${rule.key}`);
  }
}

/** Returns what is shown after the events, with other ids in place of theirs; undefined if the consumer throws. */
function* showRenamed(
  trial: Trial,
  events: readonly SampleEvent[],
  pairs: readonly IdPair[],
): Steps<Json | undefined> {
  const view = yield* trial.tryView([...trial.events, ...events]);
  if (view === undefined) return undefined;
  let text = formatCanonicalJson(view);
  // The longest ids are replaced first, because an id may be part of another one.
  for (const [before, after] of pairs.toSorted(([a], [b]) => b.length - a.length))
    text = text.replaceAll(before, after);
  return JSON.parse(text);
}

/** Picks event types for one subject of a lifecycle: its start, up to three others, and its end. */
function pickTypes({ model, random }: Trial, rule: Lifecycle): string[] {
  const members = listLifecycleMembers(model, rule);
  const indexes = new Set([0, 1, 2].map(() => random.below(members.length)));
  const pickedEvents = [rule.start[0], ...[...indexes].map((index) => members[index]), rule.end[0]];
  return pickedEvents.filter((type) => type !== undefined);
}

/**
 * Tests the kit with more seeds than the tests have time for. Correct consumers must pass with every seed. The laws that
 * the row of a planted bug names must catch it, and no others. A law must also catch consumers that count every delivery
 * of one event type, or throw if one optional field is missing, for every type and every field of each protocol.
 *
 *     tsx scripts/prove-kit.ts [seeds] [first seed] [consumer]
 *
 * With the name of a correct consumer, or its beginning, the script runs only that one, and plants no bug.
 */
import { protocol as evva } from "../generated/evva/v0/index.js";
import { protocol as frames1 } from "../generated/frames/v1/index.js";
import { protocol as frames2 } from "../generated/frames/v2/index.js";
import { type Adapter, consumerCases, type KitProtocol } from "../generator/kit/index.js";
import { createModel } from "../generator/kit/kit-protocol.js";
import { BrokenLaw } from "../generator/kit/observe.js";
import { listPayloadFields } from "../generator/sample/merged-schema.js";
import { BUGS } from "../test/kit/bugs.js";
import { rebuilderAdapter } from "../test/kit/consumers/rebuilder.js";
import { reducerAdapter } from "../test/kit/consumers/reducer.js";
import { plantedAdapter, protocolOf, withOlderRelease } from "../test/kit/planted.js";

const [seeds = 1000, first = 1] = process.argv.slice(2, 4).map(Number);
const [, , , , only] = process.argv;
const hecate = withOlderRelease();

/** Returns the ids of the laws that a consumer breaks. */
async function findBrokenLaws(
  adapter: Adapter,
  protocol: KitProtocol,
  seed: number,
  runs: number,
): Promise<string[]> {
  const broken: string[] = [];
  for (const { id, run } of consumerCases(adapter, { protocol, seed, runs }))
    try {
      await run();
    } catch (error) {
      if (process.env.VERBOSE) console.log(String(error));
      broken.push(error instanceof BrokenLaw ? (error.law ?? id) : id);
    }
  return broken;
}

const correct: readonly (readonly [string, Adapter, KitProtocol])[] = [
  ["reducer, hecate/v1", reducerAdapter(hecate), hecate],
  ["rebuilder, hecate/v1", rebuilderAdapter(hecate), hecate],
  ["rebuilder, frames/v1", rebuilderAdapter(frames1), frames1],
  ["rebuilder, frames/v2", rebuilderAdapter(frames2), frames2],
  ["rebuilder, evva/v0", rebuilderAdapter(evva), evva],
];

/** Plants every bug. Returns how many are not caught as their rows say. */
async function plantAll(): Promise<number> {
  const rows = [];
  console.log("| planted bug | caught by | as its row says |\n|---|---|---|");
  for (const bug of BUGS) {
    const caught = await findBrokenLaws(await plantedAdapter(bug), protocolOf(bug), 1, 20);
    const expected = [...bug.breaks].sort().join() === [...caught].sort().join();
    rows.push({ caught, expected });
    const verdict = expected ? "yes" : `no: ${bug.breaks.join(", ")}`;
    console.log(`| ${bug.name} | ${caught.join(", ")} | ${verdict} |`);
  }
  const single = rows.filter(({ caught }) => caught.length === 1).length;
  const missed = rows.filter(({ caught }) => caught.length === 0).length;
  console.log(`\n${rows.length} bugs, ${single} of them caught by exactly one law, ${missed} by none.`);
  return rows.filter(({ expected }) => !expected).length;
}

type Event = { readonly [field: string]: unknown };

/** Returns the payload of an event, wherever the protocol puts it. */
function readPayload({ envelope, schemas }: KitProtocol, event: Event): Event {
  const name = envelope.property ?? schemas.events[String(event[envelope.discriminator])]?.property;
  return name === undefined ? event : ((event[name] ?? {}) as Event);
}

/** Returns whether a law catches a consumer that calls `onEvent` with each event and shows its results beside its own view. */
function catches(protocol: KitProtocol, law: string, onEvent: (event: Event) => boolean): boolean {
  const adapter: Adapter = {
    create() {
      const inner = rebuilderAdapter(protocol);
      inner.create();
      let count = 0;
      const push = (event: never): void => {
        if (onEvent(event)) count++;
        inner.push?.(event);
      };
      return { push, snapshot: () => [count, inner.snapshot?.()] };
    },
  };
  try {
    consumerCases(adapter, { protocol })
      .find(({ id }) => id === law)
      ?.run();
    return false;
  } catch {
    return true;
  }
}

/** Plants a bug for every event type and every optional field of a protocol. Returns how many are not caught. */
function plantEverywhere(protocol: KitProtocol): number {
  const isType = (event: Event, type: string): boolean => event[protocol.envelope.discriminator] === type;
  const types = protocol.stream?.id === undefined ? [] : Object.keys(protocol.schemas.events);
  const uncounted = types.filter(
    (type) => !catches(protocol, "duplicate-adjacent", (event) => isType(event, type)),
  );
  const fields = listPayloadFields(createModel(protocol)).filter(({ isRequired }) => !isRequired);
  const uncrashed = fields.filter(
    ({ type, field }) =>
      !catches(protocol, "never-throws", (event) => {
        if (isType(event, type) && readPayload(protocol, event)[field] === undefined)
          throw new Error("missing");
        return false;
      }),
  );
  console.log(
    `${protocol.id}: one type counts every delivery: ${types.length - uncounted.length} of ${types.length} caught;`,
    `crash at one missing optional field: ${fields.length - uncrashed.length} of ${fields.length} caught`,
  );
  const missed = [...uncounted, ...uncrashed.map(({ type, field }) => `${type}/${field}`)];
  if (missed.length > 0) console.log(`Not caught: ${missed.join(", ")}`);
  return missed.length;
}

/** Tries correct consumers with many seeds. Returns how many laws they are said to break. */
async function tryCorrectConsumers(): Promise<number> {
  console.log(`\n| correct consumer | seeds ${first} to ${first + seeds - 1}, false alarms |\n|---|---:|`);
  const tried = correct.filter(([name]) => name.startsWith(only ?? ""));
  let alarms = 0;
  for (const [name, adapter, protocol] of tried) {
    let count = 0;
    for (let seed = first; seed < first + seeds; seed++) {
      const laws = await findBrokenLaws(adapter, protocol, seed, 1);
      if (laws.length > 0) console.log(`${name}, seed ${seed}: ${laws.join(", ")}`);
      count += laws.length;
    }
    console.log(`| ${name} | ${count} |`);
    alarms += count;
  }
  return alarms;
}

const plantInAllProtocols = (): number =>
  [hecate, frames1, frames2, evva].reduce((sum, protocol) => sum + plantEverywhere(protocol), 0);
const faults =
  (only === undefined ? (await plantAll()) + plantInAllProtocols() : 0) + (await tryCorrectConsumers());
if (faults > 0) process.exitCode = 1;

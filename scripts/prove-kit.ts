/**
 * Tests the kit with more seeds than the tests have time for. Correct consumers must pass with every seed. The laws that
 * the row of a planted bug names must catch it, and no others. A law must also catch consumers that count every delivery
 * of one event type, or throw if one optional field is missing, for every type and every field of each protocol. A run of
 * all laws with the default options must take less than 10 seconds of processor time.
 *
 *     tsx scripts/prove-kit.ts [--seeds 2000] [--first 1] [--consumer NAME] [--part time|bugs|fields|correct|designs] [--jobs 2]
 *
 * The part `designs` is about the partial consumers of test/kit/designs. Each must pass, with `--seeds` seeds, and each of
 * the bugs that were planted in them must break a law, unless its row says why not.
 *
 * `--consumer` is the beginning of the name of a correct consumer; then no bug is planted. `--jobs` is the number of
 * processes that share out the seeds.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { protocol as evva } from "../generated/evva/v0/index.js";
import { protocol as frames1 } from "../generated/frames/v1/index.js";
import { protocol as frames2 } from "../generated/frames/v2/index.js";
import { createCases } from "../generator/kit/consumer-cases.js";
import { type Adapter, consumerCases, type KitProtocol } from "../generator/kit/index.js";
import { createModel } from "../generator/kit/kit-protocol.js";
import { BrokenLaw } from "../generator/kit/observe.js";
import { runSteps } from "../generator/kit/steps.js";
import { listPayloadFields } from "../generator/sample/merged-schema.js";
import { BUGS } from "../test/kit/bugs.js";
import { rebuilderAdapter } from "../test/kit/consumers/rebuilder.js";
import { reducerAdapter } from "../test/kit/consumers/reducer.js";
import { storeAdapter } from "../test/kit/consumers/store.js";
import { DESIGN_BUGS } from "../test/kit/designs/bugs.js";
import { createBuggyAdapter, DESIGNS, listCorrectAdapters } from "../test/kit/designs/plant.js";
import { addOlderRelease, createPlantedAdapter, getProtocol } from "../test/kit/planted.js";

const { values: options } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    first: { type: "string", default: "1" },
    consumer: { type: "string" },
    part: { type: "string" },
    jobs: { type: "string", default: "2" },
    // Set by this script for its own processes.
    shard: { type: "boolean", default: false },
  },
});
const [seeds, first, jobs] = [options.seeds, options.first, options.jobs].map(Number) as [
  number,
  number,
  number,
];
const hecate = addOlderRelease();

interface Runs {
  readonly seed: number;
  readonly runs: number;
  readonly isRandomOnly?: boolean;
}

/** Returns the ids of the laws that a consumer breaks. */
async function findBrokenLaws(adapter: Adapter, protocol: KitProtocol, runs: Runs): Promise<string[]> {
  const broken = new Set<string>();
  for (const { id, skipped, check } of createCases(adapter, { protocol, ...runs }))
    try {
      if (skipped === undefined) await runSteps(check());
    } catch (error) {
      if (process.env.VERBOSE) console.log(String(error));
      broken.add(error instanceof BrokenLaw ? (error.law ?? id) : id);
    }
  return [...broken];
}

const CORRECT: readonly (readonly [string, Adapter, KitProtocol])[] = [
  ["reducer, hecate/v1", reducerAdapter(hecate), hecate],
  ...[hecate, frames1, frames2, evva].flatMap((protocol) => [
    [`rebuilder, ${protocol.id}`, rebuilderAdapter(protocol), protocol] as const,
    [`store, ${protocol.id}`, storeAdapter(protocol), protocol] as const,
  ]),
];

/** Plants every bug. Returns how many are not caught as their rows say. */
async function plantAll(): Promise<number> {
  const rows = [];
  console.log("| planted bug | caught by | as its row says |\n|---|---|---|");
  for (const bug of BUGS) {
    const caught = await findBrokenLaws(await createPlantedAdapter(bug), getProtocol(bug), {
      seed: 1,
      runs: 20,
    });
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

/** The seeds that one process tries. The first of them also gets the streams that cover the contract. */
const SHARD = 100;

/** Tries one correct consumer with some seeds. Returns how many laws it is said to break. */
async function tryConsumer(name: string): Promise<number> {
  let alarms = 0;
  for (const [each, adapter, protocol] of CORRECT.filter(([each]) => each === name))
    for (let seed = first; seed < first + seeds; seed++) {
      const laws = await findBrokenLaws(adapter, protocol, { seed, runs: 1, isRandomOnly: seed !== first });
      if (laws.length > 0) console.log(`${each}, seed ${seed}: ${laws.join(", ")}`);
      alarms += laws.length;
    }
  return alarms;
}

/** Runs a shard in a process of its own. Returns whether it has given no false alarm. */
function runShard(name: string, from: number, count: number): Promise<boolean> {
  const range = ["--seeds", String(count), "--first", String(from)];
  const script = [...process.execArgv, process.argv[1] as string];
  const child = spawn(process.execPath, [...script, "--shard", "--consumer", name, ...range], {
    stdio: "inherit",
  });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code === 0)));
}

/** Tries correct consumers with many seeds, in several processes. Returns how many shards gave a false alarm. */
async function tryCorrectConsumers(): Promise<number> {
  console.log(`\n| correct consumer | seeds without a false alarm, of ${seeds} |\n|---|---:|`);
  const last = first + seeds;
  let failed = 0;
  for (const [name] of CORRECT.filter(([each]) => each.startsWith(options.consumer ?? ""))) {
    let passed = 0;
    let next = first;
    const work = async (): Promise<void> => {
      while (next < last) {
        const from = next;
        next += SHARD;
        const count = Math.min(SHARD, last - from);
        if (await runShard(name, from, count)) passed += count;
        else failed++;
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    console.log(`| ${name} | ${passed} |`);
  }
  return failed;
}

/**
 * Tests the partial consumers and their bugs. Returns how often a correct consumer, or a harmless change of one, breaks
 * a law, or a bug is caught or missed otherwise than its row says.
 */
async function tryDesigns(): Promise<number> {
  let alarms = 0;
  const total = { real: 0, caught: 0 };
  for (const designs of DESIGNS) {
    const { protocol } = designs;
    for (const [name, adapter] of listCorrectAdapters(designs))
      for (let seed = first; seed < first + seeds; seed++) {
        const runs = seed === first ? 20 : 1;
        const laws = await findBrokenLaws(adapter, protocol, { seed, runs, isRandomOnly: seed !== first });
        if (laws.length === 0) continue;
        console.log(`false alarm: ${protocol.id}, ${name}, seed ${seed}: ${laws.join(", ")}`);
        alarms++;
      }
    for (const bug of DESIGN_BUGS[protocol.id] ?? []) {
      const adapter = await createBuggyAdapter(designs, bug);
      const laws = await findBrokenLaws(adapter, protocol, { seed: first, runs: 20 });
      const label = `${protocol.id}, ${bug.design}: ${bug.name}`;
      if (bug.harmless === undefined) {
        total.real++;
        const isCaught = laws.length > 0;
        if (isCaught) total.caught++;
        if (isCaught === (bug.missed === undefined)) continue;
        console.log(isCaught ? `caught, although listed as missed: ${label}` : `missed: ${label}`);
        alarms++;
      } else if (laws.length > 0) {
        console.log(`false alarm: ${label}: ${laws.join(", ")}. But ${bug.harmless}`);
        alarms++;
      }
    }
  }
  console.log(
    `Partial consumers: ${total.caught} of ${total.real} bugs caught, ${alarms} false alarms or changes.`,
  );
  return alarms;
}

/** The longest time of a run of all laws with the default options, in seconds. */
const MAX_SECONDS = 10;

/** Measures the default run for a consumer of each protocol. Returns how many take too long. */
async function measureRuns(): Promise<number> {
  const runs = [];
  for (const protocol of [hecate, frames1, frames2, evva]) {
    const start = process.cpuUsage();
    await findBrokenLaws(storeAdapter(protocol), protocol, { seed: 1, runs: 20 });
    const { user, system } = process.cpuUsage(start);
    const seconds = (user + system) / 1e6;
    console.log(`${protocol.id}: all laws in ${seconds.toFixed(1)} s of processor time`);
    runs.push(seconds);
  }
  return runs.filter((seconds) => seconds > MAX_SECONDS).length;
}

/** Returns whether a part of the proof is wanted. */
function isWanted(part: string): boolean {
  return options.part === undefined
    ? part === "correct" || options.consumer === undefined
    : options.part === part;
}

async function proveAll(): Promise<number> {
  if (options.shard) return tryConsumer(options.consumer ?? "");
  const slow = isWanted("time") ? await measureRuns() : 0;
  const bugs = isWanted("bugs") ? await plantAll() : 0;
  const protocols = isWanted("fields") ? [hecate, frames1, frames2, evva] : [];
  const missed = protocols.reduce((sum, protocol) => sum + plantEverywhere(protocol), 0);
  const alarms = isWanted("designs") ? await tryDesigns() : 0;
  return slow + bugs + missed + alarms + (isWanted("correct") ? await tryCorrectConsumers() : 0);
}

if ((await proveAll()) > 0) process.exitCode = 1;

/** If this fails, the kit misses bugs of consumers, or fails a correct consumer. */
import { readFileSync } from "node:fs";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as frames1 } from "../../generated/frames/v1/index.js";
import { protocol as frames2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import type { Json } from "../../generator/json.js";
import { describeDifferences } from "../../generator/kit/describe-differences.js";
import {
  type Adapter,
  consumerCases,
  describeConsumer,
  type KitProtocol,
} from "../../generator/kit/index.js";
import { LAWS } from "../../generator/kit/laws/laws.js";
import { readPart } from "../../scripts/architecture/page-part.js";
import { formatBugTable, formatLawTable } from "../../scripts/pages/kit-tables.js";
import { chooseCases, deep, quick } from "../depth.js";
import { BUGS } from "./bugs.js";
import { rebuilderAdapter } from "./consumers/rebuilder.js";
import { reducerAdapter } from "./consumers/reducer.js";
import { storeAdapter } from "./consumers/store.js";
import { addOlderRelease, createPlantedAdapter, getProtocol } from "./planted.js";

const older = addOlderRelease();

const CORRECT: readonly (readonly [string, Adapter, KitProtocol])[] = [
  // The first one is tried in quick runs, too.
  ["store, frames/v2", storeAdapter(frames2), frames2],
  ["reducer, hecate/v1", reducerAdapter(older), older],
  ["rebuilder, hecate/v1", rebuilderAdapter(older), older],
  ["store, hecate/v1", storeAdapter(older), older],
  ["store, frames/v1", storeAdapter(frames1), frames1],
  ["store, evva/v0", storeAdapter(evva), evva],
  ["rebuilder, frames/v1", rebuilderAdapter(frames1), frames1],
  ["rebuilder, frames/v2", rebuilderAdapter(frames2), frames2],
  ["rebuilder, evva/v0", rebuilderAdapter(evva), evva],
];

describe.each(chooseCases(CORRECT, 1, 4))("a correct consumer passes: %s", (_name, adapter, protocol) => {
  for (const { id, skipped, run } of consumerCases(adapter, { protocol, seed: 7, runs: 3 }))
    if (skipped === undefined) it(id, async () => expect(await run()).toBeUndefined());
});

/** Laws that cannot be checked on consumers with a bug, and the broken law on which they depend. */
const UNCHECKED: readonly (readonly [bug: string, law: string, dependsOn: string])[] = [
  ["includes the time of day in the snapshot", "shown-after-gap", "deterministic"],
  ["shares its runs with other consumers", "deterministic", "create-independent"],
  ["shares its runs with other consumers", "shown-after-gap", "create-independent"],
  ["empties the list of new items when it draws", "complete-after-push", "bulk-equals-stream"],
  ["throws at an unknown type", "unknown-type-opaque", "unknown-type"],
  ["throws at an unknown type", "next-version", "unknown-type"],
  ["drops unknown types", "unknown-type-opaque", "unknown-type"],
  ["appends redeliveries", "duplicate-late", "duplicate-adjacent"],
  ["appends redeliveries", "resume-overlap", "duplicate-adjacent"],
  ["remembers only the last id", "resume-overlap", "duplicate-late"],
];

/** Laws whose bugs designs.test.ts, claims.test.ts and scripts/prove-kit.ts plant, in consumers of a part of a protocol. */
const CAUGHT_ELSEWHERE = [
  ...["shows-something", "claims-shown", "states-follow", "runs-apart", "things-apart", "values-near"],
  ...["lists-replaced", "begins-again", "unknown-type-names", "words-of-people", "types-kept"],
];

describe("planted bugs", () => {
  quick.it("are at least 60, and each law catches one", () => {
    expect(BUGS.length).toBeGreaterThanOrEqual(60);
    const caught = new Set([...BUGS.flatMap(({ breaks }) => breaks), ...CAUGHT_ELSEWHERE]);
    expect(LAWS.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });

  // scripts/prove-kit.ts also checks that no other law fails.
  it.each(chooseCases(BUGS, 6, 4).map((bug) => [bug.name, bug] as const))("%s", async (_name, bug) => {
    const cases = consumerCases(await createPlantedAdapter(bug), { protocol: getProtocol(bug) });
    for (const id of bug.breaks) {
      const law = cases.find((each) => each.id === id);
      await expect(async () => law?.run(), id).rejects.toThrow(`${id}: `);
    }
  });

  deep.it("that stop a consumer at some events leave the other events to all laws", async () => {
    const bug = BUGS.find(({ name }) => name === "reads an optional field as if it were always there");
    if (bug === undefined) throw new Error("no such bug");
    const cases = consumerCases(await createPlantedAdapter(bug), { protocol: getProtocol(bug), runs: 1 });
    const results: [string, unknown][] = [];
    for (const { id, run } of cases)
      try {
        results.push([id, await run()]);
      } catch (error) {
        results.push([id, (error as Error).name]);
      }
    const kept = results.filter(([, result]) => result === undefined).map(([id]) => id);
    expect(results.filter(([, result]) => result === "BrokenLaw")).toEqual([["never-throws", "BrokenLaw"]]);
    // The releases of before had no worker_id, so that law has only streams on which the consumer throws. The laws that make
    // their own streams begin them with run.started, with and without worker_id.
    expect(results.map(([id]) => id).filter((id) => !kept.includes(id))).toEqual([
      "never-throws",
      "calls-interleaved",
      "ends-differ",
      "ends-all-shown",
      "states-follow",
      "ends-last",
      "ends-matched",
      "begins-again",
      "start-lost",
      "values-near",
      "lists-replaced",
      "numbers-exact",
      "previous-version",
      "next-version",
    ]);
  });

  it.each(chooseCases(UNCHECKED, 3))(
    "%s: %s is not checked, because it depends on %s",
    async (name, law, dependsOn) => {
      const bug = BUGS.find((each) => each.name === name);
      if (bug === undefined) throw new Error(`no bug ${name}`);
      const cases = consumerCases(await createPlantedAdapter(bug, older), { protocol: older });
      // The law that was not run yet fails where another one finds that it is broken, and says how.
      expect(() => cases.find(({ id }) => id === law)?.run()).toThrow(
        new RegExp(`^${dependsOn} is broken\\. The check of ${law} found this, which depends on it\n\\w`),
      );
      expect(cases.find(({ id }) => id === law)?.run()).toMatch(
        new RegExp(`^on \\d+ of \\d+ streams the consumer breaks ${dependsOn}, on which this law depends$`),
      );
    },
  );

  quick.it("are mostly caught by one law each, so that a failure names the mistake", () => {
    const single = BUGS.filter(({ breaks }) => breaks.length === 1);
    expect(single.length).toBeGreaterThan(BUGS.length / 2);
    for (const { breaks } of BUGS) expect(breaks.length).toBeLessThanOrEqual(2);
  });

  quick.it.each([
    ["laws", formatLawTable],
    ["bugs", formatBugTable],
  ] as const)("stand in docs/contract-testing.md, which npm run docs writes: %s", (part, table) => {
    expect(readPart(readFileSync("docs/contract-testing.md", "utf8"), part)).toBe(table());
  });
});

describe("a difference of two snapshots", () => {
  const LONG = "x".repeat(300);
  quick.it.each<[title: string, expected: Json, actual: Json, lines: readonly string[]]>([
    ["an item that is too much", [1], [1, { a: 2 }], ["/1", "nothing", '{"a":2}']],
    ["an item that is missing", [1, 2], [1], ["/1", "2", "nothing"]],
    ["an inserted item, and not the items after it", [1, 2, 3], [0, 1, 2, 3], ["/0", "nothing", "0"]],
    ["a changed item between others", [1, { a: 2 }, 3], [1, { a: 4 }, 3], ["/1/a", "2", "4"]],
    ["a missing member", { a: { b: null } }, { a: {} }, ["/a/b", "null", "nothing"]],
    ["a name with special characters", { "a/b~": 1 }, { "a/b~": 2 }, ["/a~1b~0", "1", "2"]],
    ["another type", {}, [], ["the whole snapshot", "{}", "[]"]],
    [
      "a long text, cut before and after the difference",
      `${LONG}a${LONG}`,
      `${LONG}b${LONG}`,
      [
        "the whole snapshot",
        `… ${"x".repeat(40)}a${"x".repeat(159)} … (603 characters)`,
        `… ${"x".repeat(40)}b${"x".repeat(159)} … (603 characters)`,
      ],
    ],
    ["control characters, escaped", ["\u001b[2J"], ["\u202e"], ["/0", '"\\u001b[2J"', '"\\u202e"']],
    ["a name with control characters, escaped", { "\u202e": 1 }, {}, ["/\\u202e", "1", "nothing"]],
  ])("%s", (_title, expected, actual, [place, wanted, found]) => {
    expect(describeDifferences(expected, actual)).toBe(
      `  ${place}\n    expected: ${wanted}\n    actual:   ${found}`,
    );
  });

  quick.it("names five places, and counts the others", () => {
    const text = describeDifferences([1, 2, 3, 4, 5, 6, 7], []);
    expect(text.match(/expected:/g)).toHaveLength(5);
    expect(text).toMatch(/ {2}and 2 more differences$/);
  });
});

describe("consumerCases", () => {
  const dropping = async (): Promise<Adapter> => {
    const bug = BUGS.find(({ name }) => name === "drops unknown types");
    if (bug === undefined) throw new Error("no such bug");
    return createPlantedAdapter(bug, hecate);
  };
  const failure = (adapter: Adapter, seed: number): string => {
    try {
      consumerCases(adapter, { protocol: hecate, seed })
        .find(({ id }) => id === "unknown-type")
        ?.run();
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };

  quick.it(
    "shows a broken law with its words, the smallest stream as a fixture, the seed and a command",
    async () => {
      const text = failure(await dropping(), 3);
      expect(text).toMatch(/^unknown-type: After an event of an unknown type|^unknown-type: \w/);
      expect(text).toContain("The law unknown-type: An event of an unknown type is kept and shown");
      expect(text).toMatch(
        /run `accrete serve unknown-type\.jsonl`, and open\n {2}http:\/\/127\.0\.0\.1:4780\/#\/hecate%2Fv1\/run_\w+\/\d+$/m,
      );
      expect(text).toContain("seed: 3, runs: 20");
      expect(text).toContain('npx vitest run -t "unknown-type"');
      const events = text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
      expect(events.length).toBeGreaterThan(1);
      // The event that opens the run, and the two that are unknown.
      expect(events.length).toBeLessThanOrEqual(3);
    },
  );

  quick.it("gives the same failure for the same seed", async () => {
    const adapter = await dropping();
    expect(failure(adapter, 5)).toBe(failure(adapter, 5));
    expect(failure(adapter, 5)).not.toBe("");
  });

  quick.it("skips laws by name: without their hook, and where a protocol has no ids or numbers", () => {
    const skipped = new Map(
      consumerCases(rebuilderAdapter(evva), { protocol: evva }).map(({ id, skipped }) => [id, skipped]),
    );
    expect(skipped.get("cursor")).toBe("events of this protocol have no numbers");
    expect(skipped.get("duplicate-late")).toBe("events of this protocol have no ids");
    expect(skipped.get("never-throws")).toBeUndefined();
    const plain: Adapter = { create: () => ({ push: () => {}, snapshot: () => null }) };
    const lacking = consumerCases(plain, { protocol: hecate }).filter(({ skipped }) =>
      skipped?.includes("()"),
    );
    expect(lacking.map(({ id }) => id)).toEqual(LAWS.filter(({ hook }) => hook).map(({ id }) => id));
  });

  quick.it("takes an adapter that is the consumer itself, emptied by create()", () => {
    const [first] = consumerCases(rebuilderAdapter(hecate), { protocol: hecate, runs: 2 });
    expect(() => first?.run()).not.toThrow();
  });

  const adapter = rebuilderAdapter(hecate);
  const MISUSES: readonly [misuse: () => unknown, says: string][] = [
    [() => consumerCases({} as Adapter, { protocol: hecate }), "no create()"],
    [() => consumerCases(adapter, { protocol: undefined as never }), "a generated module exports"],
    [() => consumerCases(adapter, { protocol: hecate, seed: 0.5 }), "`seed`"],
    [() => consumerCases(adapter, { protocol: hecate, runs: 0 }), "`runs`"],
  ];

  quick.it.each(MISUSES)("says once what it cannot use (%#)", (misuse, says) => {
    expect(misuse).toThrow(says);
  });

  quick.it("says what an adapter lacks", () => {
    const cases = consumerCases({ create: () => undefined }, { protocol: hecate, runs: 1 });
    expect(() => cases.find(({ id }) => id === "never-throws")?.run()).toThrow("has no push and snapshot");
  });
});

describe("describeConsumer", () => {
  quick.it("registers a test for each law, and skips those that do not apply", () => {
    const names: string[] = [];
    const skipped: string[] = [];
    const it = Object.assign((name: string) => names.push(name), {
      skip: (name: string) => skipped.push(name),
    });
    const describe = (_name: string, body: () => void): void => body();
    describeConsumer("evva", rebuilderAdapter(evva), { protocol: evva, describe, it });
    expect(names.length + skipped.length).toBe(LAWS.length + 1);
    expect(skipped).toContain("cursor: skipped, events of this protocol have no numbers");
  });

  /** Runs the laws for a consumer that throws at each event, in a runner that gives `context` to its tests. */
  const runThrowing = (context: unknown): { readonly failed: string[]; readonly recorded: boolean } => {
    const failed: string[] = [];
    let recorded = false;
    const record = (): void => {
      recorded = true;
    };
    const it = (name: string, body: (...context: unknown[]) => void): void => {
      try {
        body(...(context === undefined ? [] : [context]));
      } catch (error) {
        failed.push(`${name.split(":")[0]} ${(error as Error).message.split("\n")[0]}`);
      }
    };
    const push = (): never => {
      throw new Error("no");
    };
    const describe = (_name: string, body: () => void): void => body();
    const adapter = { create: () => ({ push, snapshot: () => null }) };
    describeConsumer("x", adapter, { protocol: frames2, runs: 1, describe, it, record });
    return { failed, recorded };
  };
  const REASON =
    /not checked: on (\d+) of \1 streams the consumer breaks never-throws, on which this law depends/;

  quick.it("skips laws that depend on broken ones if the runner can skip, and records nothing", () => {
    const skipped: string[] = [];
    const { failed, recorded } = runThrowing({ skip: (reason: string) => void skipped.push(reason) });
    expect(failed).toEqual([expect.stringMatching(/^never-throws /)]);
    expect(skipped.length).toBeGreaterThan(20);
    for (const reason of skipped) expect(reason).toMatch(REASON);
    expect(recorded).toBe(false);
  });

  quick.it("fails the laws that depend on broken ones if the runner cannot skip", () => {
    const { failed } = runThrowing(undefined);
    expect(failed.length).toBeGreaterThan(20);
    expect(failed.find((text) => text.startsWith("shown-after-gap "))).toMatch(REASON);
  });
});

describe("an adapter whose create() fails", () => {
  const SAYS =
    "timeline: The adapter makes no consumer: create() threw RangeError: no canvas. The kit creates a consumer for each stream, also while it uses others, so create() has to succeed at each call.";
  const fail = (): never => {
    throw new RangeError("no canvas");
  };
  let calls = 0;
  const ADAPTERS: { readonly [about: string]: Adapter } = {
    "with an exception": { create: fail },
    "with a rejected promise": { create: async () => fail() },
    "after some consumers": {
      create: () => (++calls > 20 ? fail() : { push: () => {}, snapshot: () => [] }),
    },
  };

  quick.it.each(Object.entries(ADAPTERS))("is reported once, %s", async (_about, adapter) => {
    const results: Promise<readonly [message: string, cause: unknown]>[] = [];
    const skipped: string[] = [];
    const context = { skip: (reason: string) => void skipped.push(reason) };
    let last: Promise<unknown> = Promise.resolve();
    const it = (_name: string, body: (context: unknown) => unknown): void => {
      last = last.then(() => body(context));
      results.push(
        last.then(
          () => ["", undefined],
          (error: Error) => [error.message, error.cause],
        ),
      );
      last = last.catch(() => {});
    };
    describeConsumer("timeline", adapter, { protocol: hecate, runs: 1, describe: (_, body) => body(), it });
    const failed = (await Promise.all(results)).filter(([message]) => message !== "");
    expect(failed.filter(([message]) => message === SAYS)).toEqual([[SAYS, new RangeError("no canvas")]]);
    expect(skipped.filter((reason) => reason === `not checked: ${SAYS}`).length).toBeGreaterThan(10);
  });
});

describe("a generated module", () => {
  const bundle = (name: string): Buffer => {
    const { outputFiles } = buildSync({
      stdin: { contents: `export { ${name} } from "./index.js";`, resolveDir: "generated/hecate/v1" },
      bundle: true,
      minify: true,
      format: "esm",
      target: "es2022",
      write: false,
      logLevel: "silent",
    });
    return Buffer.from(outputFiles[0]?.contents ?? []);
  };

  quick.it("is bundled without its schemas where only decodeEvent or contract is used", () => {
    const [protocol, decode, contract] = [bundle("protocol"), bundle("decodeEvent"), bundle("contract")];
    const hasSchemas = (code: Buffer): boolean => code.includes("x-extensible-enum");
    expect([protocol, decode, contract].map(hasSchemas)).toEqual([true, false, false]);
    expect(contract.length - decode.length).toBeLessThan(400);
  });
});

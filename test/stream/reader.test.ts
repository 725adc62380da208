/** If this fails, the reader does not recognise duplicates, gaps or late events. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as framesV1 } from "../../generated/frames/v1/index.js";
import { protocol as framesV2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import {
  type Contract,
  createReader,
  type Delivery,
  type ReaderOptions,
} from "../../generator/stream/index.js";

type Tea = { run: string; n?: number; id?: string; text?: string };

/** A protocol that accepts objects with a `run`. An event with the text "?" has an unknown type. */
const tea: Contract<Tea, Tea> = {
  id: "tea/v1",
  envelope: { discriminator: "text" },
  stream: { key: ["run"], sequence: "n", first: 0, id: "id" },
  decodeEvent: (value) => {
    const event = value as Tea | null;
    if (typeof event?.run !== "string") return { kind: "invalid", issues: [] };
    return { kind: event.text === "?" ? "unknown" : "known", event };
  },
};

/** Parses an event such as `run n id text`, in which `-` stands for an absent field. */
function parseEvent(line: string): Tea {
  const [run = "", n = "-", id = "-", text = "-"] = line.split(" ");
  return {
    run,
    ...(n !== "-" && { n: Number(n) }),
    ...(id !== "-" && { id }),
    ...(text !== "-" && { text }),
  };
}

/**
 * Formats a delivery: its kind, `unknown` for an unknown type, its gap as `after..before`, the cursor of a late one as
 * `<=cursor` with `?` if its id may be forgotten, and the evicted streams as `-stream`.
 */
function formatDelivery(delivery: Delivery<Tea, Tea>): string {
  const parts: string[] = [delivery.kind];
  if (delivery.kind !== "invalid" && !delivery.known) parts.push("unknown");
  if ("gap" in delivery && delivery.gap) parts.push(`${delivery.gap.after ?? ""}..${delivery.gap.before}`);
  if (delivery.kind === "late") parts.push(`<=${delivery.cursor}${delivery.forgotten ? "?" : ""}`);
  if ("evicted" in delivery && delivery.evicted) parts.push(`-${delivery.evicted.join()}`);
  return parts.join(" ");
}

/** Names, and events with the delivery of each: `event → delivery`. */
const CASES: readonly (readonly [name: string, steps: string, options?: ReaderOptions])[] = [
  ["a stream in order", "a 0 x → new | a 1 y → new"],
  ["unknown types", "a 1 x ? → new unknown ..1 | a 1 x ? → duplicate unknown | a 0 y ? → late unknown <=1"],
  ["a redelivery", "a 0 x → new | a 1 y → new | a 0 x → duplicate"],
  ["a redelivery of the last event", "a 0 x t → new | a 0 x t → duplicate | a 1 y → new"],
  [
    "the same id with other content, whatever its number",
    "a 0 x t → new | a 0 x u → conflict | a 1 x t → conflict | a 1 y → new",
  ],
  ["another id with an earlier number", "a 0 x → new | a 0 y → late <=0"],
  ["a gap, and an event that fills it", "a 0 w → new | a 3 x → new 0..3 | a 2 y → late <=3 | a 4 z → new"],
  ["a start above the first number", "a 5 x → new ..5 | a 6 y → new"],
  ["several streams", "a 0 x → new | b 0 x → new | a 1 y → new | b 2 y → new 0..2"],
  [
    "streams with the names of members that every object has",
    "__proto__ 0 x → new | constructor 1 x → new ..1 | __proto__ 1 __proto__ → new | __proto__ 1 __proto__ → duplicate",
  ],
  ["events without numbers", "a - x → new | a - y → new | a - x → duplicate"],
  ["events without ids", "a 0 → new | a 1 → new | a 1 → late <=1"],
  ["numbers that are not safe integers", "a 9007199254740993 x → invalid | a 0.5 y → invalid"],
  ["a start at a cursor", "a 4 w → late <=4? | a 5 x → new | b 0 y → new", { cursors: [["a", 4]] }],
  [
    "more new ids than are remembered",
    "a 0 q → new | a 1 r → new | a 2 s → new | a 3 t → new | a 0 q → late <=3? | a 2 s → duplicate | a 4 u → new",
    { window: 2 },
  ],
  [
    "more streams than are tracked",
    "a 0 x → new | b 0 x → new | a 1 y → new | c 0 x → new -b | a 2 z → new | b 1 y → new ..1 -c",
    { streams: 2 },
  ],
];

/** Classifies an event by the cursor of its stream and the content that is known for its id. */
function classifyEvent(event: Tea & { n: number }, cursor: number | undefined, known: string | undefined) {
  if (known !== undefined) return known === JSON.stringify(event) ? "duplicate" : "conflict";
  return cursor !== undefined && event.n <= cursor ? "late" : "new";
}

describe("createReader", () => {
  it.each(CASES.map(([name, steps, options]) => ({ name, steps, options })))(
    "delivers $name",
    ({ steps, options }) => {
      const reader = createReader(tea, options);
      const delivered = steps
        .split(" | ")
        .map((step) => step.split(" → ")[0] as string)
        .map((line) => `${line} → ${formatDelivery(reader.read(parseEvent(line)))}`);
      expect(delivered.join(" | ")).toBe(steps);
    },
  );

  it("compares digests instead of contents", () => {
    const reader = createReader(tea);
    const kinds = ["1", "1", "2"].map((digest) => reader.read(parseEvent("a 0 x"), { digest }).kind);
    expect(kinds).toEqual(["new", "duplicate", "conflict"]);
  });

  it("uses the id under which an event was sent if the protocol has none", () => {
    const { id: _, ...fields } = tea.stream ?? { key: [] };
    const readers = [createReader({ ...tea, stream: fields }), createReader(tea)];
    const kinds = readers.map((reader) =>
      ["1 t", "2 t", "1 t", "1 u", " t"].map((sent) => {
        const [id, text = ""] = sent.split(" ");
        return reader.read({ run: "a", text }, { id }).kind;
      }),
    );
    // An empty id is none, as in server-sent events.
    expect(kinds).toEqual([
      ["new", "new", "duplicate", "conflict", "new"],
      ["new", "new", "new", "new", "new"],
    ]);
  });

  it("shows every event once, however often and in which order a feed sends it", () => {
    const numbers = fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 30 });
    const sent = numbers.chain((all) => fc.tuple(fc.constant(all), fc.array(fc.constantFrom(...all))));
    const fields = { key: ["run"], sequence: "n", first: 0 };
    const contracts = [
      { contract: tea, hasIds: true },
      { contract: { ...tea, stream: fields }, hasIds: false },
      { contract: { ...tea, stream: { key: ["run"] } }, hasIds: false },
    ];
    fc.assert(
      fc.property(sent, fc.constantFrom(...contracts), ([all, again], { contract, hasIds }) => {
        const reader = createReader(contract);
        const shown = [...again, ...all].filter((n) => {
          const value = { run: "a", n, ...(hasIds && { id: `id${n}` }) };
          const { kind } = reader.read(value, { id: `id${n}` });
          return kind === "new" || kind === "late";
        });
        expect(shown).toEqual([...new Set([...again, ...all])]);
      }),
      { seed: 11 },
    );
  });

  it("returns cursors, streams and gaps, and forgets a stream", () => {
    const reader = createReader(tea);
    for (const line of ["a 2 x", "a 9 y", "a 5 z", "b 0 x"]) reader.read(parseEvent(line));
    expect([reader.cursor("a"), reader.cursor("b"), reader.cursor("c")]).toEqual([9, 0, undefined]);
    expect(reader.streams()).toEqual(["a", "b"]);
    expect(reader.gaps("a")).toEqual([{ before: 2 }, { after: 2, before: 5 }, { after: 5, before: 9 }]);
    reader.read(parseEvent("a 0 q"));
    expect(reader.gaps("a")[0]).toEqual({ after: 0, before: 2 });
    reader.read(parseEvent("a 1 r"));
    expect(reader.gaps("a")).toEqual([
      { after: 2, before: 5 },
      { after: 5, before: 9 },
    ]);
    reader.forget("a");
    expect([reader.streams(), reader.cursor("a"), reader.gaps("a")]).toEqual([["b"], undefined, []]);
  });

  it("keeps a hundred gaps of a stream and merges the oldest ones", () => {
    const reader = createReader(tea);
    for (let n = 0; n <= 400; n += 2) reader.read(parseEvent(`a ${n} i${n}`));
    const gaps = reader.gaps("a");
    expect([gaps.length, gaps[0], gaps.at(-1)]).toEqual([
      100,
      { after: 0, before: 202 },
      { after: 398, before: 400 },
    ]);
  });

  it("distinguishes streams with several key fields", () => {
    const two = { ...tea, stream: { key: ["run", "id"], sequence: "n", first: 0 } };
    const reader = createReader(two);
    for (const [run, id] of [
      ["a", "b/c"],
      ["a/b", "c"],
      ["a~1b", "c"],
    ])
      expect(reader.read({ run, id, n: 0 }).kind).toBe("new");
    expect(reader.streams()).toEqual(["a/b~1c", "a~1b/c", "a~01b/c"]);
  });

  it("never throws on JSON and never changes it", () => {
    const options = { window: 8 };
    const readers = [
      createReader(hecate, options),
      createReader(framesV1, options),
      createReader(framesV2, options),
      createReader(evva, options),
    ];
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = JSON.stringify(value);
        for (const reader of readers) expect(reader.read(value).kind).toBe("invalid");
        expect(JSON.stringify(value)).toBe(before);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  it("classifies any events in any order as a simple model does", () => {
    const events = fc.array(
      fc.record({ run: fc.constantFrom("a", "b"), n: fc.nat(12), id: fc.constantFrom("p", "q", "r", "s") }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(events, (all) => {
        const reader = createReader(tea);
        const cursors = new Map<string, number>();
        const contents = new Map<string, string>();
        for (const one of all) {
          const { kind } = reader.read(one);
          const [cursor, known] = [cursors.get(one.run), contents.get(`${one.run} ${one.id}`)];
          const want = classifyEvent(one, cursor, known);
          expect(kind).toBe(want);
          if (known === undefined) contents.set(`${one.run} ${one.id}`, JSON.stringify(one));
          if (want === "new") cursors.set(one.run, one.n);
          expect(reader.cursor(one.run)).toBe(cursors.get(one.run));
        }
      }),
      { seed: 7 },
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as framesV1 } from "../../generated/frames/v1/index.js";
import { protocol as framesV2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import {
  createReader,
  type Delivery,
  type ReaderOptions,
  type StreamProtocol,
} from "../../generator/stream/index.js";

type Tea = { run: string; n?: number; id?: string; text?: string };

/** A protocol that knows what has a `run`; `text` "?" is of an unknown type. */
const tea: StreamProtocol<Tea, Tea> = {
  id: "tea/v1",
  envelope: { discriminator: "text" },
  stream: { key: ["run"], sequence: "n", first: 0, id: "id" },
  decodeEvent: (value) => {
    const event = value as Tea | null;
    if (typeof event?.run !== "string") return { kind: "invalid", issues: [] };
    return { kind: event.text === "?" ? "unknown" : "known", event };
  },
};

/** `run n id text` → an event; `-` stands for nothing. */
function event(line: string): Tea {
  const [run = "", n = "-", id = "-", text = "-"] = line.split(" ");
  return {
    run,
    ...(n !== "-" && { n: Number(n) }),
    ...(id !== "-" && { id }),
    ...(text !== "-" && { text }),
  };
}

/** A delivery in short: kind, gap as `after..before`, cursor of a late one. */
function short(delivery: Delivery<Tea, Tea>): string {
  const parts: string[] = [delivery.kind];
  if ("gap" in delivery && delivery.gap) parts.push(`${delivery.gap.after ?? ""}..${delivery.gap.before}`);
  if (delivery.kind === "late") parts.push(`<=${delivery.cursor}${delivery.forgotten ? "?" : ""}`);
  if ("evicted" in delivery && delivery.evicted) parts.push(`-${delivery.evicted.join()}`);
  return parts.join(" ");
}

const CASES: readonly {
  readonly name: string;
  readonly options?: ReaderOptions;
  readonly events: readonly string[];
  readonly want: readonly string[];
}[] = [
  { name: "a stream in order", events: ["a 0 x", "a 1 y"], want: ["event", "event"] },
  { name: "an unknown type", events: ["a 0 x ?"], want: ["unknown"] },
  { name: "a redelivery", events: ["a 0 x", "a 1 y", "a 0 x"], want: ["event", "event", "duplicate"] },
  {
    name: "a redelivery of the last event",
    events: ["a 0 x t", "a 0 x t", "a 1 y"],
    want: ["event", "duplicate", "event"],
  },
  {
    name: "the same id with other content, whatever its number",
    events: ["a 0 x t", "a 0 x u", "a 1 x t", "a 1 y"],
    want: ["event", "conflict", "conflict", "event"],
  },
  {
    name: "another id with a number that was there",
    events: ["a 0 x", "a 0 y"],
    want: ["event", "late <=0"],
  },
  {
    name: "a gap, and an event that fills it",
    events: ["a 0 w", "a 3 x", "a 2 y", "a 4 z"],
    want: ["event", "event 0..3", "late <=3", "event"],
  },
  { name: "a start above the first number", events: ["a 5 x", "a 6 y"], want: ["event ..5", "event"] },
  {
    name: "several streams",
    events: ["a 0 x", "b 0 x", "a 1 y", "b 2 y"],
    want: ["event", "event", "event", "event 0..2"],
  },
  {
    name: "streams with the names of what every object has",
    events: ["__proto__ 0 x", "constructor 1 x", "__proto__ 1 __proto__", "__proto__ 1 __proto__"],
    want: ["event", "event ..1", "event", "duplicate"],
  },
  {
    name: "events without numbers",
    events: ["a - x", "a - y", "a - x"],
    want: ["event", "event", "duplicate"],
  },
  { name: "events without ids", events: ["a 0", "a 1", "a 1"], want: ["event", "event", "late <=1"] },
  {
    name: "a number that is none",
    events: ["a 9007199254740993 x", "a 0.5 y"],
    want: ["invalid", "invalid"],
  },
  {
    name: "a start at a cursor",
    options: { cursors: [["a", 4]] },
    events: ["a 4 w", "a 5 x", "b 0 y"],
    want: ["late <=4?", "event", "event"],
  },
  {
    name: "more new ids than are remembered",
    options: { window: 2 },
    events: ["a 0 q", "a 1 r", "a 2 s", "a 3 t", "a 0 q", "a 2 s", "a 4 u"],
    want: ["event", "event", "event", "event", "late <=3?", "duplicate", "event"],
  },
  {
    name: "more streams than are followed",
    options: { streams: 2 },
    events: ["a 0 x", "b 0 x", "a 1 y", "c 0 x", "a 2 z", "b 1 y"],
    want: ["event", "event", "event", "event -b", "event", "event ..1 -c"],
  },
];

describe("createReader", () => {
  it.each(CASES)("delivers $name", ({ options, events, want }) => {
    const reader = createReader(tea, options);
    expect(events.map((line) => short(reader.read(event(line))))).toEqual(want);
  });

  it("takes a digest in place of the content", () => {
    const reader = createReader(tea);
    const kinds = ["1", "1", "2"].map((digest) => reader.read(event("a 0 x"), digest).kind);
    expect(kinds).toEqual(["event", "duplicate", "conflict"]);
  });

  it("knows cursors, streams and gaps, and forgets a stream", () => {
    const reader = createReader(tea);
    for (const line of ["a 2 x", "a 9 y", "a 5 z", "b 0 x"]) reader.read(event(line));
    expect([reader.cursor("a"), reader.cursor("b"), reader.cursor("c")]).toEqual([9, 0, undefined]);
    expect(reader.streams()).toEqual(["a", "b"]);
    expect(reader.gaps("a")).toEqual([{ before: 2 }, { after: 2, before: 5 }, { after: 5, before: 9 }]);
    reader.read(event("a 0 q"));
    reader.read(event("a 1 r"));
    expect(reader.gaps("a")).toEqual([
      { after: 2, before: 5 },
      { after: 5, before: 9 },
    ]);
    reader.forget("a");
    expect([reader.streams(), reader.cursor("a"), reader.gaps("a")]).toEqual([["b"], undefined, []]);
  });

  it("keeps a hundred gaps of a stream and makes one of the oldest", () => {
    const reader = createReader(tea);
    for (let n = 0; n <= 400; n += 2) reader.read(event(`a ${n} i${n}`));
    const gaps = reader.gaps("a");
    expect([gaps.length, gaps[0], gaps.at(-1)]).toEqual([
      100,
      { after: 0, before: 202 },
      { after: 398, before: 400 },
    ]);
  });

  it("tells streams of several key fields apart", () => {
    const two = { ...tea, stream: { key: ["run", "id"], sequence: "n", first: 0 } };
    const reader = createReader(two);
    for (const [run, id] of [
      ["a", "b/c"],
      ["a/b", "c"],
      ["a~1b", "c"],
    ])
      expect(reader.read({ run, id, n: 0 }).kind).toBe("event");
    expect(reader.streams()).toEqual(["a/b~1c", "a~1b/c", "a~01b/c"]);
  });

  it("never throws on JSON and never changes it", () => {
    const options = { window: 8 };
    const readers = [
      ...[createReader(hecate, options), createReader(framesV1, options)],
      ...[createReader(framesV2, options), createReader(evva, options)],
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

  it("keeps its promises over any order of any events", () => {
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
          const want =
            known !== undefined
              ? known === JSON.stringify(one)
                ? "duplicate"
                : "conflict"
              : cursor !== undefined && one.n <= cursor
                ? "late"
                : "event";
          expect(kind).toBe(want);
          if (known === undefined) contents.set(`${one.run} ${one.id}`, JSON.stringify(one));
          if (want === "event") cursors.set(one.run, one.n);
          expect(reader.cursor(one.run)).toBe(cursors.get(one.run));
        }
      }),
      { seed: 7 },
    );
  });
});

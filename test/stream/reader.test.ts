/** If this fails, the reader does not recognise duplicates, gaps or late events. */
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

/** A protocol that accepts objects with a `run`. An event with the text "?" has an unknown type. */
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

/** Formats a delivery: its kind, its gap as `after..before`, and the cursor of a late one. */
function formatDelivery(delivery: Delivery<Tea, Tea>): string {
  const parts: string[] = [delivery.kind];
  if ("gap" in delivery && delivery.gap) parts.push(`${delivery.gap.after ?? ""}..${delivery.gap.before}`);
  if (delivery.kind === "late") parts.push(`<=${delivery.cursor}${delivery.forgotten ? "?" : ""}`);
  if ("evicted" in delivery && delivery.evicted) parts.push(`-${delivery.evicted.join()}`);
  return parts.join(" ");
}

/** Names, and events with the delivery of each: `event → delivery`. */
const CASES: readonly (readonly [name: string, steps: string, options?: ReaderOptions])[] = [
  ["a stream in order", "a 0 x → event | a 1 y → event"],
  ["an unknown type", "a 0 x ? → unknown"],
  ["a redelivery", "a 0 x → event | a 1 y → event | a 0 x → duplicate"],
  ["a redelivery of the last event", "a 0 x t → event | a 0 x t → duplicate | a 1 y → event"],
  [
    "the same id with other content, whatever its number",
    "a 0 x t → event | a 0 x u → conflict | a 1 x t → conflict | a 1 y → event",
  ],
  ["another id with an earlier number", "a 0 x → event | a 0 y → late <=0"],
  [
    "a gap, and an event that fills it",
    "a 0 w → event | a 3 x → event 0..3 | a 2 y → late <=3 | a 4 z → event",
  ],
  ["a start above the first number", "a 5 x → event ..5 | a 6 y → event"],
  ["several streams", "a 0 x → event | b 0 x → event | a 1 y → event | b 2 y → event 0..2"],
  [
    "streams with the names of members that every object has",
    "__proto__ 0 x → event | constructor 1 x → event ..1 | __proto__ 1 __proto__ → event | __proto__ 1 __proto__ → duplicate",
  ],
  ["events without numbers", "a - x → event | a - y → event | a - x → duplicate"],
  ["events without ids", "a 0 → event | a 1 → event | a 1 → late <=1"],
  ["numbers that are not safe integers", "a 9007199254740993 x → invalid | a 0.5 y → invalid"],
  ["a start at a cursor", "a 4 w → late <=4? | a 5 x → event | b 0 y → event", { cursors: [["a", 4]] }],
  [
    "more new ids than are remembered",
    "a 0 q → event | a 1 r → event | a 2 s → event | a 3 t → event | a 0 q → late <=3? | a 2 s → duplicate | a 4 u → event",
    { window: 2 },
  ],
  [
    "more streams than are tracked",
    "a 0 x → event | b 0 x → event | a 1 y → event | c 0 x → event -b | a 2 z → event | b 1 y → event ..1 -c",
    { streams: 2 },
  ],
];

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
    const kinds = ["1", "1", "2"].map((digest) => reader.read(parseEvent("a 0 x"), digest).kind);
    expect(kinds).toEqual(["event", "duplicate", "conflict"]);
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
      expect(reader.read({ run, id, n: 0 }).kind).toBe("event");
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

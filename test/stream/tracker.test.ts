/** What a user would lose: gaps of streams that were retired, and bounded memory. */
import { describe, expect, it } from "vitest";
import { createTracker } from "../../generator/stream/tracker.js";

const contract = { key: ["run"], sequence: "n", first: 0, id: "id" };

function after(how: "retire" | "forget") {
  const tracker = createTracker(contract);
  for (const n of [0, 1, 2]) tracker.place({ run: "a", n, id: `a${n}` }, n);
  tracker[how]("a");
  return tracker;
}

describe("a stream that is given up", () => {
  it("has its next event in its place if it was retired, though its ids are gone", () => {
    const tracker = after("retire");
    expect([tracker.streams(), tracker.cursor("a")]).toEqual([[], undefined]);
    expect(tracker.place({ run: "a", n: 3, id: "a3" }, 3)).toMatchObject({ kind: "first", gap: undefined });
    expect(tracker.place({ run: "a", n: 1, id: "a1" }, 1)).toMatchObject({ kind: "late", forgotten: true });
    expect(tracker.place({ run: "a", n: 6, id: "a6" }, 6)).toMatchObject({ gap: { after: 3, before: 6 } });
  });

  it("begins anew if it was forgotten", () => {
    const placed = after("forget").place({ run: "a", n: 3, id: "a3" }, 3);
    expect(placed).toMatchObject({ kind: "first", gap: { before: 3 } });
  });

  it("is one of the last 10,000 that were retired", () => {
    const tracker = after("retire");
    for (let run = 0; run < 10_000; run++) {
      tracker.place({ run: `r${run}`, n: 0, id: "x" }, run);
      tracker.retire(`r${run}`);
    }
    expect(tracker.place({ run: "r0", n: 1, id: "y" }, 1)).toMatchObject({ kind: "first", gap: undefined });
    expect(tracker.place({ run: "a", n: 3, id: "a3" }, 3)).toMatchObject({ gap: { before: 3 } });
  });
});

/** If this fails, gaps of retired streams are missed, or the memory for retired streams is not bounded. */
import { describe, expect, it } from "vitest";
import { createTracker } from "../../generator/stream/tracker.js";

const contract = { key: ["run"], sequence: "n", first: 0, id: "id" };

/** Returns a tracker that retired or forgot the stream `a` after its first three events. */
function createTrackerAfter(how: "retire" | "forget") {
  const tracker = createTracker(contract);
  for (const n of [0, 1, 2]) tracker.place({ run: "a", n, id: `a${n}` }, n);
  tracker[how]("a");
  return tracker;
}

describe("a tracker", () => {
  it("keeps the cursor of a retired stream, but not its ids", () => {
    const tracker = createTrackerAfter("retire");
    expect([tracker.streams(), tracker.cursor("a")]).toEqual([[], undefined]);
    expect(tracker.place({ run: "a", n: 3, id: "a3" }, 3)).toMatchObject({ kind: "new", gap: undefined });
    expect(tracker.place({ run: "a", n: 1, id: "a1" }, 1)).toMatchObject({ kind: "late", forgotten: true });
    expect(tracker.place({ run: "a", n: 6, id: "a6" }, 6)).toMatchObject({ gap: { after: 3, before: 6 } });
  });

  it("starts a forgotten stream again", () => {
    const placed = createTrackerAfter("forget").place({ run: "a", n: 3, id: "a3" }, 3);
    expect(placed).toMatchObject({ kind: "new", gap: { before: 3 } });
  });

  it("keeps the cursors of the last 10,000 retired streams", () => {
    const tracker = createTrackerAfter("retire");
    for (let run = 0; run < 10_000; run++) {
      tracker.place({ run: `r${run}`, n: 0, id: "x" }, run);
      tracker.retire(`r${run}`);
    }
    expect(tracker.place({ run: "r0", n: 1, id: "y" }, 1)).toMatchObject({ kind: "new", gap: undefined });
    expect(tracker.place({ run: "a", n: 3, id: "a3" }, 3)).toMatchObject({ gap: { before: 3 } });
  });
});

/**
 * If this fails, users read wrong renames in the histories of real protocols, or read of removals where names changed.
 * `npm run prove:renames` prints the same figures, also for the protocols whose schemas npm has to fetch.
 */
import { describe, expect, it } from "vitest";
import { readHistories } from "../../scripts/renames/read-histories.js";
import { type Score, scoreHistory } from "../../scripts/renames/score-history.js";

const HISTORIES = readHistories().filter(({ isFetched }) => !isFetched);

/** True renames that are not found, by history. */
const MISSED: { readonly [history: string]: readonly string[] } = {
  "ACP messages, version 1 to version 2": ["SessionNotification → UpdateSessionNotification"],
  "GitHub webhooks 4.1.0 to 5.5.1": ["repository_dispatch.on-demand-test → repository_dispatch.event"],
  "AsyncAPI documents 2.6.0 to 3.0.0": ["/tags → /info/tags"],
};

function listNames(renames: Score["missed"] | Score["wrong"]): string[] {
  return renames.map(({ from, to }) => `${from} → ${to}`);
}

describe("finds the renames of real protocols, and no others", () => {
  it.each(HISTORIES)("$history", async (history) => {
    const { events, fields, removed } = await scoreHistory(history, "");
    expect(listNames([...events.wrong, ...fields.wrong])).toEqual([]);
    expect(listNames([...events.missed, ...fields.missed])).toEqual(MISSED[history.history] ?? []);
    const judged = history.renames.flatMap(({ kind, from }) => (/field|move/.test(kind) ? [] : from));
    expect(removed.toSorted(), "every removed event type is judged").toEqual(
      [...judged, ...history.removed].toSorted(),
    );
  });
});

/** If this fails, the kit blames a consumer that shows one event type for streams that hold no event of the type. */
import { expect, it } from "vitest";
import { protocol } from "../../generated/hecate/v1/index.js";
import { consumerCases } from "../../generator/kit/consumer-cases.js";
import type { Adapter } from "../../generator/kit/index.js";

/** Shows the warnings about costs, and nothing else. */
const adapter: Adapter = {
  create() {
    const warnings = new Map<string, unknown>();
    return {
      push(event: {
        readonly type: string;
        readonly event_id: string;
        readonly data: { readonly [name: string]: unknown };
      }) {
        if (event.type === "cost.budget_warning") warnings.set(event.event_id, event.data.threshold_pct);
      },
      snapshot: () => [...warnings] as never,
    };
  },
};

it("a consumer that shows one event type keeps the laws about other versions", () => {
  const cases = consumerCases(adapter, { protocol, seed: 1, runs: 20 });
  const chosen = cases.filter(({ id }) => id === "next-version" || id === "previous-version");
  expect(chosen).toHaveLength(2);
  for (const { id, run } of chosen) expect(run, id).not.toThrow();
});

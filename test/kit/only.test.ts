/** If this fails, the kit blames a consumer of certain texts, misses its bugs, or takes values that no event has. */
import { expect } from "vitest";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { type Adapter, consumerCases } from "../../generator/kit/index.js";
import { deep, quick } from "../depth.js";

interface Event {
  readonly run_id: string;
  readonly type: string;
  readonly event_id: string;
  readonly data: { readonly tool_call_id?: string; readonly tool_name?: string };
}

/** Shows the calls of the tool `deploy`: whether each is running, or how it ended. */
function createDeployments(formatEnd: (type: string) => string): Adapter {
  return {
    create() {
      const seen = new Set<string>();
      const calls = new Map<string, string>();
      return {
        push(event: object) {
          const { run_id, type, event_id, data } = event as Event;
          if (seen.has(event_id)) return;
          seen.add(event_id);
          const key = JSON.stringify([run_id, data?.tool_call_id]);
          if (type === "tool.invoked" && data.tool_name === "deploy") calls.set(key, "running");
          else if (/^tool\.(completed|failed|cancelled|timed_out)$/.test(type) && calls.has(key))
            calls.set(key, formatEnd(type));
        },
        snapshot: () => [...calls.values()],
      };
    },
  };
}

async function findBrokenLaw(adapter: Adapter, only?: readonly string[]): Promise<string | undefined> {
  for (const { id, skipped, run } of consumerCases(adapter, {
    protocol: hecate,
    runs: 1,
    ...(only && { only }),
  }))
    try {
      if (skipped === undefined) await run();
    } catch {
      return id;
    }
  return undefined;
}

deep.it("a consumer of one tool keeps all laws if the tool is named", async () => {
  expect(await findBrokenLaw(createDeployments(String), ["tool.invoked/tool_name=deploy"])).toBeUndefined();
});

deep.it("a bug in a consumer of one tool is found if the tool is named", async () => {
  const hasOneEnd = createDeployments(() => "done");
  expect(await findBrokenLaw(hasOneEnd, ["tool.invoked/tool_name=deploy"])).toBe("ends-differ");
});

quick.it.each([
  [
    ["tool.invoked/tool_nam=deploy"],
    /lists "tool\.invoked\/tool_nam", which hecate\/v1 does not have; did you mean "tool\.invoked\/tool_name"\? It lists/,
  ],
  [["tool.invoked/tool_name"], /lists "tool\.invoked\/tool_name", without a value\. .*"type\/field=value"/],
  [
    ["turn.started/turn_index=one"],
    /lists "turn\.started\/turn_index=one", but no turn\.started has this value/,
  ],
  ["tool.invoked", /`only` has to be a list/],
])("refuses %j", (only, message) => {
  expect(() =>
    consumerCases(createDeployments(String), { protocol: hecate, only: only as string[] }),
  ).toThrow(message);
});

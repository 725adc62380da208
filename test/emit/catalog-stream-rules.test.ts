/** If this fails, the catalogue omits stream rules or describes them wrongly. */
import { describe, expect, it } from "vitest";
import { createRenderer, UNLIMITED } from "../../generator/emit/catalog/renderer.js";
import { formatStreamRules } from "../../generator/emit/catalog/streams.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { StreamRules } from "../../generator/protocol/stream-rules.js";

const renderer = createRenderer(
  { slugs: new Map([["event a.done", "adone"]]), definitions: {} },
  "text",
  UNLIMITED,
);
const formatRules = (rules: StreamRules): string => formatStreamRules(rules, renderer);

const CASES: readonly [rules: StreamRules, text: string][] = [
  [{}, ""],
  [
    { terminal: { opens: ["a.began"], types: ["a.done"], final: true, once: true } },
    "- A stream starts with `a.began` and ends once, with [`a.done`](#adone). No event follows the end.",
  ],
  [{ gaps: [{ type: "a.gap" }] }, "- `a.gap` reports that events are missing."],
  [{ lifecycles: [{ key: "id", start: ["a.began"], end: [] }] }, "- Each `id` starts with `a.began`."],
  [
    {
      rising: [
        { type: "a.cost", fields: ["cost"], profile: "writer" },
        { type: "a.size", fields: ["size"] },
      ],
    },
    "- `size` of `a.size` never decreases.\n\nReaders must not rely on the following rules of writers:\n\n- `cost` of `a.cost` never decreases.",
  ],
  [
    {
      transitions: [
        { name: "job|x", moves: { on: ["off"], off: [] }, events: [{ type: "a.job", key: "id" }] },
      ],
    },
    "- The states of each job&#124;x: `on` → `off`; `off` is final. Reported by `a.job`.",
  ],
  [
    { only: [{ types: ["a.b"], field: "mode", not: ["x", "y"] }] },
    "- `a.b` occurs only where `mode` is not `x` or `y`.",
  ],
];

describe("the catalogue", async () => {
  it.each(CASES)("describes the stream rules %j", (rules, text) => {
    expect(formatRules(rules)).toBe(text);
  });

  it.each((await loadSchemas("schemas", [])).protocols)(
    "has a line for each stream rule that $id declares",
    ({ stream }) => {
      const rules = stream?.rules ?? {};
      const declared = Object.values(rules).reduce((sum: number, one) => sum + [one].flat().length, 0);
      const written = formatRules(rules).split("\n");
      const described = written.filter((line) => line.startsWith("- "));
      expect(described.length).toBe(declared);
      for (const line of described) expect(line).toMatch(/^- \S.*\.$/);
      expect(written.filter((line) => line !== "").length - declared).toBeLessThanOrEqual(1);
      expect(formatRules(rules)).not.toMatch(/undefined|\[object|, ;|with ;/);
    },
  );
});

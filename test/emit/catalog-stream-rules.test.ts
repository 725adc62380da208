/** If this fails, the catalogue omits stream rules or describes them wrongly. */
import { describe, expect, it } from "vitest";
import { machines } from "../../generator/conform/rules/machines.js";
import { createRenderer, UNLIMITED } from "../../generator/emit/catalog/renderer.js";
import { formatDiagram } from "../../generator/emit/catalog/state-diagrams.js";
import { formatStreamRules } from "../../generator/emit/catalog/streams.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { StateMachine, StreamRules } from "../../generator/protocol/stream-rules.js";

const renderer = createRenderer(
  { slugs: new Map([["event a.done", "adone"]]), definitions: {} },
  "text",
  UNLIMITED,
);
const formatRules = (rules: StreamRules): string =>
  (["reader", "writer"] as const)
    .map((profile) => formatStreamRules({ stream: { rules } }, profile, renderer))
    .filter((list) => list !== "")
    .join("\n\n");

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
    "- `size` of `a.size` never decreases.\n\n- `cost` of `a.cost` never decreases.",
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
  [
    {
      machines: [
        {
          name: "job",
          key: "id",
          initial: "new",
          changes: [{ types: ["a.job"], to: "busy" }],
          forbids: [{ in: ["new"], types: ["a.*"], except: ["a.job"], when: { kind: "b" }, same: "id" }],
        },
      ],
    },
    "- Each job (`id`) has states, which the diagram shows, and is `new` at first.\n  - While it is `new`, there is no `a.*` with `kind` `b` with the same `id`, except `a.job`.",
  ],
  [
    {
      machines: [
        {
          name: "job",
          initial: "new",
          changes: [
            { types: ["a.began", "a.again"], from: ["new", "over"], to: "busy" },
            { types: ["a.note"], from: ["busy"] },
            { types: ["a.done"], when: { kind: "bad", level: 2 }, from: ["busy", "new"], to: "over" },
            { types: ["a.done"], from: ["busy"], to: "over" },
            { types: ["a.any"], from: ["new"], to: "busy" },
            { types: ["a.any"] },
          ],
        },
      ],
    },
    "- The job has states, which the diagram shows, and is `new` at first.\n  - `a.began` or `a.again` comes only while it is `new` or `over`.\n  - `a.note` comes only while it is `busy`.\n  - [`a.done`](#adone) with `kind` `bad` and `level` `2` comes only while it is `busy` or `new`.\n  - [`a.done`](#adone) with other values comes only while it is `busy`.",
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
      for (const line of written.filter((each) => each !== "")) expect(line).toMatch(/^( {2})?- \S.*\.$/);
      expect(formatRules(rules)).not.toMatch(/undefined|\[object|, ;|with ;/);
    },
  );
});

/** Returns the lines inside of a diagram. */
const draw = (diagram: Parameters<typeof formatDiagram>[0]): string[] =>
  formatDiagram(diagram)
    .split("\n")
    .slice(2, -1)
    .map((line) => line.trim());

describe("a diagram of states", () => {
  it("has each state once, and an arrow for each move", () => {
    const moves = [
      { from: "a", to: "b", cause: "x.y, kind z" },
      { to: "a", cause: "x.z" },
      { from: "a", to: "c" },
    ];
    expect(draw({ name: "thing", initial: "a", moves })).toEqual([
      'state "a" as s0',
      'state "b" as s1',
      'state "c" as s2',
      'state "any state" as any',
      "[*] --> s0",
      "s0 --> s1: x.y, kind z",
      "any --> s0: x.z",
      "s0 --> s2",
    ]);
  });

  it("of a machine has no arrow for a change that an earlier one takes", () => {
    const machine: StateMachine = {
      name: "job",
      initial: "new",
      changes: [
        { types: ["a.began"], from: ["new"], to: "busy" },
        { types: ["a.done"], from: ["over"] },
        { types: ["a.done"], when: { kind: "bad" }, to: "lost" },
        { types: ["a.done"], to: "over" },
        { types: ["a.done"], from: ["busy"], to: "new" },
      ],
    };
    expect(machines.draw?.(machine)?.moves).toEqual([
      { from: "new", to: "busy", cause: "a.began" },
      { from: "over", to: "over", cause: "a.done" },
      { from: "any state but over", to: "lost", cause: "a.done, kind bad" },
      { from: "any state but over", to: "over", cause: "a.done, otherwise" },
    ]);
  });

  it("shows names that are syntax as they are read", () => {
    const name = 'a"\n```\n%%{init}%% --> <b>:x;#1';
    const [state, , arrow] = draw({ name: "thing", moves: [{ from: name, to: "b", cause: name }] });
    const shown = "a＂ ｀｀｀ ％％｛init｝％％ --＞ ＜b＞：x；＃1";
    expect(state).toBe(`state "${shown}" as s0`);
    expect(arrow).toBe(`s0 --> s1: ${shown}`);
  });
});

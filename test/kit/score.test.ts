/** If this fails, the score of a consumer does not tell it from one with a bug, or says something wrong about what was tried. */
import { describe, expect, it } from "vitest";
import { formatScore, type ScoredFact } from "../../generator/kit/format-score.js";
import type { Adapter, KitProtocol } from "../../generator/kit/index.js";
import { describeConsumer } from "../../generator/kit/index.js";
import { scoreConsumer } from "../../generator/kit/score.js";
import { runSteps } from "../../generator/kit/steps.js";
import { chooseCases, isWhole, quick } from "../depth.js";
import { DESIGN_BUGS } from "./designs/bugs.js";
import { createBuggyAdapter, DESIGNS, listCorrectAdapters } from "./designs/plant.js";

const scores = new Map<Adapter, readonly ScoredFact[]>();

async function score(adapter: Adapter, protocol: KitProtocol): Promise<readonly ScoredFact[]> {
  const facts = scores.get(adapter) ?? (await runSteps(scoreConsumer(adapter, protocol)));
  scores.set(adapter, facts);
  return facts;
}

/** A bug in a design, and a fact that the design shows without the bug alone. */
type Row = readonly [protocol: string, design: string, bug: string, lost: string];

const BUGGY: readonly Row[] = [
  ["evva/v0", "tools", "mixes agents", "tool_use_result with IsError true run"],
  ["evva/v0", "status", "shows cancelled as finished", "run_cancelled end"],
  ["evva/v0", "chat", "drops equal pieces", "text_chunk repetition"],
  ["evva/v0", "chat", "trims pieces", "text_chunk Text value"],
  ["evva/v0", "usage", "truncates tokens to 32 bits", "usage Cumulative/InputTokens value"],
  ["frames/v2", "tools", "shows failed tools as ended", "tool_failed end"],
  ["frames/v2", "tools", "drops output whose start was lost", "tool_ended lost start"],
  ["frames/v2", "tasks", "drops states of tasks whose start was lost", "tool_task_cancelled lost start"],
  ["hecate/v1", "approvals", "shows rejected as approved", "approval.resolved decision value"],
  ["hecate/v1", "approvals", "ignores time-outs", "approval.timed_out presence"],
  ["hecate/v1", "status", "shows cancelled runs as finished", "run.cancelled end"],
  ["hecate/v1", "costs", "truncates costs to 32 bits", "cost.tick cumulative_cost_micros_usd value"],
];

function nameFact({ type, field, change }: ScoredFact): string {
  return [type, field, change].filter((each) => each !== undefined).join(" ");
}

/** Scores of hecate/v1 take half a minute each. */
const QUICK = BUGGY.filter(([id]) => id !== "hecate/v1");
const HECATE = BUGGY.filter(([id]) => id === "hecate/v1");

describe("a score", () => {
  it.each([...chooseCases(QUICK, 3), ...(isWhole ? HECATE : [])])(
    "of %s, %s tells that it %s",
    async (id, design, name, lost) => {
      const designs = DESIGNS.find(({ protocol }) => protocol.id === id);
      const bug = DESIGN_BUGS[id]?.find((each) => each.design === design && each.name === name);
      const right = designs && listCorrectAdapters(designs).find(([each]) => each === design)?.[1];
      if (designs === undefined || bug === undefined || right === undefined) throw new Error("no such bug");
      const list = async (adapter: Adapter): Promise<readonly string[]> =>
        (await score(adapter, designs.protocol))
          .filter(({ result }) => result.outcome === "shown")
          .map(nameFact);
      const shown = await list(right);
      const shownWithBug = await list(await createBuggyAdapter(designs, bug));
      expect(shown).toContain(lost);
      expect(shownWithBug).not.toContain(lost);
      // A bug shows nothing that the design does not show.
      expect(shownWithBug.length).toBeLessThan(shown.length);
    },
  );

  quick.it("is a report of facts that are confused, never shown, or not tried, with the reason", async () => {
    const designs = DESIGNS.find(({ protocol }) => protocol.id === "evva/v0");
    const adapter = designs && listCorrectAdapters(designs).find(([each]) => each === "status")?.[1];
    if (designs === undefined || adapter === undefined) throw new Error("no such design");
    const reports: string[] = [];
    const it = (name: string, body: (context: object) => unknown): unknown =>
      name.startsWith("score") ? body({ annotate: (text: string) => reports.push(text) }) : undefined;
    const describe = (_name: string, body: () => void): void => body();
    describeConsumer("status", adapter, { protocol: designs.protocol, describe, it, score: true });
    expect(reports).toEqual([formatScore(await score(adapter, designs.protocol))]);
    const [text = ""] = reports;
    expect(text).toMatch(
      /^Score: the snapshot shows \d+ of \d+ facts \(\d+ %\)\. It never shows \d+, and confuses \d+\. \d+ were not tried\.$/m,
    );
    expect(text).toMatch(/^Never shown:$/m);
    expect(text).toMatch(/^ {2}nothing of approval_needed, compacting, /m);
    expect(text).toMatch(/^Not tried:\n {2}the [\w ,]+: \w/m);
  });
});

/** If this fails, the catalogue draws runs wrongly, or names in a run become syntax of a diagram. */
import { describe, expect, it } from "vitest";
import { formatFlow } from "../../generator/emit/catalog/flows.js";
import { readRecordings } from "../../generator/emit/catalog/recordings.js";
import { makeOutputs } from "../../generator/generate/generate.js";
import { readFixtureStreams } from "../../generator/load/fixtures.js";
import { loadSchemas } from "../../generator/load/load.js";

const { protocols } = await loadSchemas("schemas", ["hecate/v1", "frames/v1"]);
const [frames, hecate] = protocols;
if (!frames || !hecate) throw new Error("a protocol is missing");
const streams = readFixtureStreams("fixtures/hecate/v1");

describe("the runs in the catalogue", () => {
  it("show who acts, as the roles of event types say", () => {
    const { flows } = readRecordings(hecate, streams);
    expect(flows.map(({ name }) => name)).toEqual(hecate.flows);
    const steps = flows.flatMap((flow) => flow.steps.map(({ type, from, to }) => `${from} ${to} ${type}`));
    for (const step of [
      "Person Runtime user.message",
      "Runtime Model turn.started",
      "Model Runtime assistant.tool_call_proposed",
      "Runtime Tool tool.invoked",
      "Tool Runtime tool.shell.output_chunk",
      "Runtime Person approval.requested",
      "Person Runtime approval.resolved",
      "Runtime Runtime cost.tick",
    ])
      expect(steps).toContain(step);
  });

  it("are those that show the most, if the protocol names none", () => {
    const { flows: _flows, ...rest } = hecate;
    const { flows } = readRecordings(rest, streams);
    expect(flows.length).toBeGreaterThan(1);
    const count = ({ name }: { readonly name: string }): number =>
      new Set(streams.find(({ id }) => id === `${name}.jsonl`)?.events.map(({ type }) => type)).size;
    expect(count(flows[0] ?? { name: "" })).toBeGreaterThan(15);
  });

  it("must exist if the protocol names them", async () => {
    const options = {
      schemas: "schemas",
      out: "generated",
      fixtures: "fixtures",
      emit: [],
      cache: undefined,
    };
    await expect(makeOutputs([{ ...frames, flows: ["sesion"] }], options)).rejects.toThrow(
      /protocol\.json: "flows" names "sesion", but .*session/,
    );
  });

  it("go from a writer to a reader if no roles are known", () => {
    const { flows } = readRecordings(
      { ...frames, view: { roles: {} } },
      readFixtureStreams("fixtures/frames/v1"),
    );
    expect(flows[0]?.steps.every(({ from, to }) => from === "Writer" && to === "Reader")).toBe(true);
  });

  it("count equal events, and keep the syntax of Mermaid out of names", () => {
    const step = { from: "Runtime", to: "Tool" } as const;
    const nasty = 'a;b\n```\nend #35; %%{init}%% "<b>';
    const lines = formatFlow({ name: "x", steps: [{ ...step, type: nasty, count: 3 }], more: 2 }).split("\n");
    expect(lines.slice(0, 4)).toEqual([
      "```mermaid",
      "sequenceDiagram",
      "  participant Runtime",
      "  participant Tool",
    ]);
    expect(lines).toHaveLength(7);
    expect(lines[4]).toMatch(/^ {2}Runtime->>Tool: a\uff1bb [^;#%<>`"]* ×3$/);
    expect(lines[5]).toBe("  Note over Runtime: … and 2 events more");
  });
});

describe("the states in the catalogue", () => {
  it("change as in the recordings, with the values that decide", () => {
    const { states } = readRecordings(hecate, streams);
    const run = states.find(({ name }) => name === "run");
    expect(run?.moves).toContainEqual({ from: "queued", to: "active", cause: "run.started" });
    expect(run?.moves).toContainEqual({
      from: "paused",
      to: "rejected",
      cause: "approval.resolved, decision rejected",
    });
    expect(run?.moves.some(({ from }) => from === undefined)).toBe(false);
  });
});

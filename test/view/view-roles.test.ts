/** If this fails, a protocol that declares no roles, faults or paths has no view, no faults or no addresses. */
import { describe, expect, it } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import { resolveEndpoints } from "../../generator/protocol/endpoints.js";
import { resolveFaultTargets } from "../../generator/protocol/fault-targets.js";
import type { StreamRules } from "../../generator/protocol/stream-rules.js";
import { chooseView } from "../../generator/protocol/view-roles.js";
import { createRoleFinder } from "../../generator/view/view.js";

const RULES: StreamRules = {
  gaps: [{ type: "job.lost", first: "from", last: "to" }, { type: "job.cut" }],
  lifecycles: [{ key: "job", start: ["job.begun"], end: ["job.done", "job.failed"] }],
  offsets: [{ type: "job.output", key: ["job", "stream"], offset: "at", data: "text" }],
  texts: [{ delta: "note.part", part: "piece", whole: "note.all", text: "text", key: ["note"] }],
};
const plain = { stream: { key: ["room"], rules: RULES } };

describe("a protocol without declarations", () => {
  it("is shown by its stream rules", () => {
    expect(chooseView(plain).roles).toEqual({
      "job.begun": { as: "tool", key: "job", state: "running", tone: "open" },
      "job.done": { as: "tool", key: "job", state: "ended", tone: "good" },
      "job.failed": { as: "tool", key: "job", state: "ended", tone: "good" },
      "job.output": { as: "tool", key: "job", output: "text", channel: "stream", offset: "at", facts: [] },
      "note.part": { as: "text", speaker: "assistant", field: "piece", part: true, key: ["note"] },
      "note.all": { as: "text", speaker: "assistant", field: "text", key: ["note"] },
      "job.lost": { as: "gap", first: "from", last: "to" },
      "job.cut": { as: "gap" },
    });
    expect(chooseView({}).roles).toEqual({});
  });

  it("has faults of its calls and of their output", () => {
    expect(resolveFaultTargets(plain)).toEqual({
      calls: { key: "job", types: ["job.begun", "job.done", "job.failed", "job.output"] },
      chunks: { "job.output": "text" },
    });
    const two = [...(RULES.lifecycles ?? []), { key: "task", start: ["task.begun"], end: ["task.done"] }];
    expect(resolveFaultTargets({ stream: { rules: { lifecycles: two } } }).calls).toEqual({
      key: "job",
      types: ["job.begun", "job.done", "job.failed"],
    });
    expect(resolveFaultTargets({})).toEqual({ chunks: {} });
  });

  it("has paths made of the key", () => {
    expect(resolveEndpoints(plain)).toEqual({ stream: "streams/{room}", filters: ["room"] });
    expect(resolveEndpoints({})).toEqual({ stream: "streams/all", filters: [] });
    expect(resolveEndpoints({ ...plain, endpoints: { stream: "rooms/{room}" } })).toEqual({
      stream: "rooms/{room}",
      filters: ["room"],
    });
  });
});

it("finds roles by name, then by family, and gives other types the role of notices", () => {
  const findRole = createRoleFinder({ roles: { "cost.*": { as: "cost" }, "cost.none": { as: "gap" } } });
  const roles = ["cost.none", "cost.tick", "costs", "toString"].map((type) => findRole(type).as);
  expect(roles).toEqual(["gap", "cost", "notice", "notice"]);
});

it.each((await loadSchemas("schemas")).protocols)(
  "$id has calls and output that faults can change",
  (protocol) => {
    const { calls, chunks = {} } = resolveFaultTargets(protocol);
    const types = new Set(protocol.events.map(({ type }) => type));
    expect(calls?.types.length).toBeGreaterThan(1);
    expect(Object.keys(chunks).length).toBeGreaterThan(0);
    expect([...(calls?.types ?? []), ...Object.keys(chunks)].filter((type) => !types.has(type))).toEqual([]);
  },
);

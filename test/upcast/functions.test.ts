/** If this fails, a function of a user is trusted more than its tests allow, or code of a protocol folder runs by itself. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import type { FunctionStep } from "../../generator/protocol/upcast.js";
import { certifyPlan } from "../../generator/upcast/certify-plan.js";
import { emitUpcast } from "../../generator/upcast/emit-upcast.js";
import { composePlans, planLinks } from "../../generator/upcast/plan-chain.js";
import { emitUpcastView } from "../../generator/upcast/upcast-view.js";
import { createFunctionCaller, type UserFunctions } from "../../generator/upcast/user-functions.js";
import { runAccrete } from "../commands/run-in-process.js";
import { checkTypes } from "../emit/run.js";
import { createTemporaryFolder } from "../folders.js";
import { makeEvents } from "./carry-events.js";
import { integer, loadMigration, type Migration, object, text } from "./migrations/migration.js";

const STEP: FunctionStep = {
  step: "function",
  at: "/data/x",
  name: "write",
  gives: { type: "string", pattern: "^n-?[0-9]+$" },
  inverse: "read",
};
const FUNCTIONS: UserFunctions = {
  write: (value: Json) => `n${JSON.stringify(value)}`,
  read: (value: Json) => JSON.parse(String(value).slice(1)),
};
const MODULE = `export const write = (value) => "n" + JSON.stringify(value);
export const read = (value) => JSON.parse(value.slice(1));
`;

function createMigration(step: Partial<FunctionStep> = {}, more: Partial<Migration> = {}): Migration {
  return {
    name: "a function",
    before: { properties: { x: integer } },
    after: { properties: { x: { ...text, pattern: "^n" } } },
    steps: [{ ...STEP, ...step }],
    carry: (event) => event,
    ...more,
  };
}

async function plan(migration: Migration) {
  const versions = await loadMigration(migration, createTemporaryFolder());
  const [from, to] = [versions[0], versions[1]];
  if (from === undefined || to === undefined) throw new Error("a migration has two versions");
  return { from, to, steps: composePlans(planLinks(versions)).steps.map(({ step }) => step) };
}

describe("a plan with a function", () => {
  it("is tested with generated events, and never proven", async () => {
    const question = { ...(await plan(createMigration())), callFunction: createFunctionCaller(FUNCTIONS) };
    const [certificate] = await certifyPlan(question);
    if (certificate?.kind !== "tested") throw new Error(JSON.stringify(certificate));
    expect(certificate.events).toBeGreaterThan(100);
  });

  it("is tested if each event has a number in its stream", async () => {
    const files = {
      "protocol.json": { stream: { key: ["run"], sequence: "seq", first: 1, id: "id" } },
      "envelope.schema.json": {
        properties: {
          type: { ...text },
          id: { ...text },
          run: { ...text },
          seq: { ...integer, minimum: 1 },
          data: { type: "object", description: "The payload." },
        },
        required: ["type", "id", "run", "seq", "data"],
      },
    };
    const { before, after } = createMigration();
    const migration = createMigration({}, { before: { ...before, files }, after: { ...after, files } });
    const question = { ...(await plan(migration)), callFunction: createFunctionCaller(FUNCTIONS) };
    expect(await certifyPlan(question)).toMatchObject([{ kind: "tested" }]);
  });

  it("is undecided without the functions", async () => {
    const [certificate] = await certifyPlan(await plan(createMigration()));
    expect(certificate).toMatchObject({ kind: "undecided", step: { name: "write" } });
  });

  it.each<readonly [what: string, functions: UserFunctions, step: Partial<FunctionStep>, reason: string]>([
    ["is missing", {}, {}, "There is no function write"],
    ["has no inverse of this name", { write: FUNCTIONS.write }, {}, "There is no function read"],
    ["throws", { ...FUNCTIONS, write: () => JSON.parse("{") }, {}, "The function write fails"],
    ["gives nothing", { ...FUNCTIONS, write: () => undefined }, {}, "gives no JSON"],
    ["gives a promise", { ...FUNCTIONS, write: async () => "n1" }, {}, "gives no JSON"],
    ["gives no number", { ...FUNCTIONS, write: () => Number.NaN }, {}, "gives no JSON"],
    [
      "gives what it does not declare",
      { ...FUNCTIONS, write: () => "m1" },
      {},
      "which the step does not declare",
    ],
    ["gives what readers refuse", { write: () => 7 }, { gives: {}, inverse: "" }, "must be string"],
    ["has a wrong inverse", { ...FUNCTIONS, read: () => 7 }, {}, "The inverse read gives 7"],
    [
      "gives other results for some values only",
      { ...FUNCTIONS, write: (value: Json) => (Number(value) % 7 === 3 ? 1 : `n${value}`) },
      {},
      "which the step does not declare",
    ],
    [
      "gives a random text",
      { ...FUNCTIONS, write: () => `n${Math.random().toString().slice(2)}` },
      { inverse: "" },
      "gives different results",
    ],
  ])("is impossible if the function %s", async (_what, functions, { inverse, ...step }, reason) => {
    const migration = createMigration(step);
    const own = { ...STEP, ...step };
    const { inverse: _inverse, ...plain } = own;
    const question = await plan({ ...migration, steps: [inverse === "" ? plain : own] });
    const [certificate] = await certifyPlan({ ...question, callFunction: createFunctionCaller(functions) });
    expect(certificate).toMatchObject({ kind: "impossible", reason: expect.stringContaining(reason) });
  });

  it("has no view, and says why", async () => {
    const question = await plan(createMigration());
    expect(emitUpcastView(question)).toMatchObject({
      kind: "impossible",
      reason: expect.stringContaining("a function"),
    });
  });

  it("gives the same in TypeScript and Python modules, which compile", {
    timeout: 60_000,
  }, async (context) => {
    const migration = createMigration(
      {},
      {
        before: {
          properties: {
            x: integer,
            l: { type: "array", description: "A list.", items: object({ x: integer }) },
          },
        },
        after: {
          properties: { x: text, l: { type: "array", description: "A list.", items: object({ x: text }) } },
        },
        steps: [STEP, { ...STEP, at: "/data/l/*/x" }],
      },
    );
    const question = await plan(migration);
    const folder = createTemporaryFolder();
    for (const { path: name, content } of emitUpcast(question))
      writeFileSync(path.join(folder, `upcast${path.extname(name)}`), content);
    expect(checkTypes(folder, "nodenext")).toBe("");
    const source = readFileSync(path.join(folder, "upcast.ts"), "utf8");
    writeFileSync(path.join(folder, "upcast.mjs"), transformSync(source, { loader: "ts" }).code);
    const { upcastEvents } = await import(/* @vite-ignore */ path.join(folder, "upcast.mjs"));
    const events = makeEvents(question, 100);
    const results: Json = upcastEvents(events, FUNCTIONS);
    expect(JSON.stringify(results)).toContain('"x":"n');
    const runner = `import json, sys
from upcast import upcast_events

functions = {"write": lambda value: "n" + json.dumps(value)}
json.dump(upcast_events(json.load(sys.stdin), functions), sys.stdout)
`;
    const { error, stdout, stderr } = spawnSync("python3", ["-c", runner], {
      cwd: folder,
      input: JSON.stringify(events),
    });
    if (error) return context.skip("Python is absent");
    expect(String(stderr)).toBe("");
    expect(JSON.parse(String(stdout))).toEqual(results);
  });
});

describe("accrete upcast", () => {
  /** Runs the command on a migration whose folder has a module that leaves a trace when it runs. */
  async function run(...operands: readonly string[]) {
    const folder = createTemporaryFolder();
    await loadMigration(createMigration(), folder);
    const trace = path.join(folder, "ran");
    const code = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(trace)}, "");\n${MODULE}`;
    for (const name of ["functions.mjs", "tea/v2/functions.mjs"])
      writeFileSync(path.join(folder, name), code);
    const events: readonly JsonObject[] = [{ type: "tea.served", id: "1", data: { x: 12 } }];
    writeFileSync(
      path.join(folder, "day.jsonl"),
      events.map((event) => `${JSON.stringify(event)}\n`).join(""),
    );
    const words = operands.map((word) => word.replace("@", folder));
    const result = await runAccrete(["upcast", "tea/v1", "tea/v2", ...words, "--schemas", folder]);
    return { ...result, hasRun: existsSync(trace) };
  }

  it("runs no code of a protocol folder by itself", async () => {
    const { exitCode, stdout, hasRun } = await run();
    expect({ exitCode, hasRun }).toEqual({ exitCode: 3, hasRun: false });
    expect(stdout).toContain("its functions are not loaded; name their file by --functions");
    expect(await run("@/day.jsonl")).toMatchObject({ exitCode: 1, hasRun: false });
  });

  it("tests and carries over with the functions of a file", async () => {
    const { exitCode, stdout, hasRun } = await run("--functions", "@/functions.mjs");
    expect({ exitCode, hasRun }).toEqual({ exitCode: 0, hasRun: true });
    expect(stdout).toMatch(/tea\.served: tested with \d+ generated events, because its plan has functions\./);
    expect(stdout).toContain("0 of 1 event type proven, 1 tested");
    expect(await run("@/day.jsonl", "--functions", "@/functions.mjs")).toMatchObject({
      exitCode: 0,
      stdout: '{"type":"tea.served","id":"1","data":{"x":"n12"}}\n',
    });
  });

  it("refuses a file that cannot be loaded", async () => {
    expect(await run("--functions", "@/none.mjs")).toMatchObject({ exitCode: 2 });
  });
});

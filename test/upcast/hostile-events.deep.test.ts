/** If this fails, the modules of a plan disagree about an event that no writer should send. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "esbuild";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import { emitUpcast } from "../../generator/upcast/emit-upcast.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { createTemporaryFolder } from "../folders.js";
import { loadVersionPair } from "./cases.js";
import { CONVERSION_CASES } from "./conversion-cases.js";
import { anyStep, itemStep } from "./random-questions.js";

/** The texts of values: numbers at the limits, texts that end other texts, names with a meaning in a language. */
const VALUES = [
  ...[
    "null",
    "true",
    "0",
    "-0",
    "-0.0",
    "1.0",
    "1e0",
    "0.1",
    "-2.5",
    "1e21",
    "1e-7",
    "5e-324",
    "1.7976931348623157e308",
  ],
  ...["9007199254740993", "65184571917120434", "12345678901234567890", "1E2"],
  ...['""', '"x"', '"x/y"', '"x/y/z"', '"xx/xx"', '"\\u0000"', '"\\ud800"', '"\u{1f600}/é"', '"1"'],
  ...[
    "[]",
    "{}",
    "[[[{}]]]",
    '{"a":1}',
    '{"a":{"b":"x"}}',
    '{"b":"x/y","c":1}',
    '{"__proto__":{"a":1}}',
    '{"toString":1}',
  ],
];

/** The texts of events. */
const EVENTS: readonly string[] = [
  ...CONVERSION_CASES.map(([, before]) => before.replace('"x":', '"a":')),
  ...VALUES.flatMap((value) =>
    ["a", "b", "o", "__proto__", "type"]
      .map((name) => `{"${name}":${value}}`)
      .concat([
        `{"type":"t","a":${value},"b":${value},"l":[${value},{"a":${value},"b":"x"}],"session_id":${value}}`,
        `{"type":["t"],"a":"x","l":[{"a":{"a":${value}}},[{"a":${value}}]],"constructor":${value}}`,
      ]),
  ),
  '{"a":1e400,"type":"t"}',
];

const SCALE: UpcastStep = { step: "scale", at: "/a", by: 0.001 };
const MAP: UpcastStep = { step: "map", at: "/a", values: { x: 1 }, types: ["t"] };
const CONVERSIONS: readonly UpcastStep[] = [
  { step: "number-to-text", at: "/a" },
  { step: "text-to-number", at: "/a" },
  ...(["seconds", "milliseconds"] as const).flatMap((unit): UpcastStep[] => [
    { step: "number-to-time", at: "/a", unit },
    { step: "number-to-time", at: "/a", unit, round: "down" },
    { step: "time-to-number", at: "/a", unit },
    { step: "time-to-number", at: "/a", unit, round: "down" },
  ]),
];
const PLANS: readonly (readonly UpcastStep[])[] = [
  ...CONVERSIONS.map((step) => [step]),
  [{ step: "template", at: "/c", text: "{/a} {/b}" }],
  [{ step: "template", at: "/a/a", text: "<{/a/a}>" }],
  [{ step: "parse", at: "/a", text: "{/c}/{/b}" }],
  [{ step: "parse", at: "/b", text: "x{/b}x" }],
  [SCALE],
  [{ ...SCALE, by: 1e300 }],
  [MAP],
  [{ ...MAP, streamsWith: ["t*"] }],
  [{ step: "move", from: "/__proto__", to: "/o/__proto__" }],
  [{ step: "move", from: "/o/__proto__/a", to: "/a" }],
  [{ step: "default", to: "/__proto__/a", value: { ["__proto__"]: [-0] } }],
  ...fc.sample(fc.array(fc.oneof(anyStep, itemStep), { minLength: 1, maxLength: 4 }), {
    numRuns: 60,
    seed: 5,
  }),
];

it("TypeScript, Python and accrete upcast agree on hostile events", async (context) => {
  const pair = await loadVersionPair("schemas", "frames/v1", "frames/v2");
  const folder = createTemporaryFolder();
  const scaled = (steps: readonly UpcastStep[]) =>
    steps.some((step) => step === SCALE || CONVERSIONS.includes(step));
  const inputs: string[][] = [];
  for (const [index, steps] of PLANS.entries()) {
    mkdirSync(path.join(folder, `plan_${index}`));
    for (const { path: name, content } of emitUpcast({ ...pair, steps }))
      writeFileSync(
        path.join(folder, `plan_${index}`, name.endsWith(".ts") ? "upcast.mjs" : "upcast.py"),
        name.endsWith(".ts") ? transformSync(content, { loader: "ts", target: "es2022" }).code : content,
      );
    // Infinity has no text, so only a step that refuses it gets it.
    inputs.push(EVENTS.filter((event) => scaled(steps) || !event.includes("1e400")));
  }
  const expected: Json[][] = [];
  for (const [index, steps] of PLANS.entries()) {
    const module = await import(/* @vite-ignore */ path.join(folder, `plan_${index}`, "upcast.mjs"));
    const results = (inputs[index] ?? []).map((text): Json => {
      try {
        return JSON.parse(JSON.stringify(module.upcastEvents([JSON.parse(text)])[0]));
      } catch (error) {
        if (error instanceof module.UpcastError) return "refused";
        throw error;
      }
    });
    expected.push(results);
    expect(inputs[index]?.map((text) => carryHere(text, steps))).toEqual(results);
  }
  const { error, stdout, stderr } = spawnSync("python3", ["-c", RUNNER], {
    cwd: folder,
    input: JSON.stringify(inputs),
    maxBuffer: 2 ** 30,
  });
  if (error) return context.skip("Python is absent");
  expect(String(stderr)).toBe("");
  // JavaScript writes -0 as 0.
  const actual: Json[][] = JSON.parse(JSON.stringify(JSON.parse(String(stdout))));
  for (const [index, results] of actual.entries())
    for (const [place, result] of results.entries())
      expect({ steps: PLANS[index], event: inputs[index]?.[place], result }).toEqual({
        steps: PLANS[index],
        event: inputs[index]?.[place],
        result: expected[index]?.[place],
      });
  const refused = actual.flat().filter((result) => result === "refused").length;
  expect(refused).toBeGreaterThan(500);
  expect(actual.flat().length - refused).toBeGreaterThan(5000);
});

function carryHere(text: string, steps: readonly UpcastStep[]): Json {
  const event: JsonObject = JSON.parse(text);
  const type = typeof event.type === "string" ? event.type : "";
  const result = upcastEvent(event, steps, { type, discriminator: "type", streamTypes: new Set([type]) });
  return result.kind === "failed" ? "refused" : JSON.parse(JSON.stringify(result.event));
}

const RUNNER = `import importlib.util, json, sys

def carry(module, text):
    try:
        return module.upcast_events([json.loads(text)])[0]
    except module.UpcastError:
        return "refused"

results = []
for index, texts in enumerate(json.load(sys.stdin)):
    spec = importlib.util.spec_from_file_location(f"upcast_{index}", f"plan_{index}/upcast.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    results.append([carry(module, text) for text in texts])
json.dump(results, sys.stdout)
`;

/** If this fails, the proof about a plan is wrong: an event is refused although all are proven, or the other way round. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createContainmentCache } from "../../generator/compat/proof/readings.js";
import { InexpressibleCondition } from "../../generator/contain/preimage/pull-back-keywords.js";
import type { JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { certifyPlan } from "../../generator/upcast/certify-plan.js";
import { checkSteps } from "../../generator/upcast/check-steps.js";
import { pullBackSteps } from "../../generator/upcast/pull-back-steps.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { SERVED, writeTea } from "../compat/tea.js";
import { createTemporaryFolder } from "../folders.js";
import { loadVersionPair, type VersionPair } from "./cases.js";
import { CONVERTED_EVENTS, conversionQuestion } from "./conversion-questions.js";
import {
  CONTEXT,
  compile,
  createdObjectQuestion,
  EVENTS,
  exactQuestion,
  joinedQuestion,
  LIST_EVENTS,
  listQuestion,
  OBJECT_EVENTS,
  parseQuestion,
  partQuestion,
  provableQuestion,
  type RandomQuestion,
  roundedQuestion,
  TEXT_EVENTS,
  TEXT_PAIRS,
  typedQuestion,
} from "./random-questions.js";

/** The number of runs: RUNS times as many as usual. */
function countRuns(usual: number) {
  return { numRuns: usual * Number(process.env.RUNS ?? 1), seed: Number(process.env.SEED ?? 1) };
}

/** Returns whether the steps change an event to one that a schema accepts. */
function createCheck({ steps, accepted }: RandomQuestion): (event: JsonObject) => boolean {
  const isAccepted = compile(accepted);
  return (event) => {
    const result = upcastEvent(event, steps, CONTEXT);
    return result.kind === "done" && isAccepted(result.event);
  };
}

/** Returns the condition on events; undefined if it cannot be stated. */
function pullBack({ accepted, steps, sent }: RandomQuestion): JsonObject | undefined {
  try {
    return pullBackSteps(accepted, steps, sent, CONTEXT.discriminator);
  } catch (error) {
    if (error instanceof InexpressibleCondition) return undefined;
    throw error;
  }
}

it.each([
  ["exact", exactQuestion, 250],
  ["exact where steps create objects", createdObjectQuestion, 400, OBJECT_EVENTS],
  ["exact where items of lists change", listQuestion, 80, LIST_EVENTS],
  ["never too weak where numbers are rounded or texts are split", roundedQuestion, 200],
  ["never too weak where one part of a text is limited", partQuestion, 100, TEXT_EVENTS],
  ["never too weak where one part of a template is limited", parseQuestion, 100, TEXT_EVENTS],
  ["never too weak where a text is made of others", joinedQuestion, 200, TEXT_PAIRS],
  ["never too weak where a value is converted", conversionQuestion, 200, CONVERTED_EVENTS],
] as const)(
  "states a condition on single events that is %s",
  { timeout: 300_000 },
  (name, questions, runs, events = EVENTS) => {
    const counts = { stated: 0, inexpressible: 0, accepted: 0, refused: 0, tooStrict: 0 };
    fc.assert(
      fc.property(questions, (question) => {
        const condition = pullBack(question);
        if (condition === undefined) return void counts.inexpressible++;
        counts.stated++;
        const [isSent, holds, isCarried] = [
          compile(question.sent),
          compile(condition),
          createCheck(question),
        ];
        for (const event of events) {
          if (!isSent(event)) continue;
          const [stated, actual] = [holds(event), isCarried(event)];
          counts[actual ? "accepted" : "refused"]++;
          if (!stated && actual) counts.tooStrict++;
          if (stated !== actual && (stated || name.startsWith("exact")))
            expect({ event, stated }).toEqual({ event, stated: actual });
        }
      }),
      countRuns(runs),
    );
    if (process.env.RUNS) console.log(name, counts);
    expect(counts.inexpressible).toBeLessThan(counts.stated);
    expect(counts.tooStrict).toBeLessThan(counts.accepted / 10);
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(1000);
  },
);

it("agrees with trying all events", { timeout: 300_000 }, async () => {
  const counts = { proven: 0, tested: 0, impossible: 0, undecided: 0 };
  const reasons = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(provableQuestion, async (question) => {
      const answer = await checkSteps({ ...question, context: CONTEXT }, createContainmentCache());
      counts[answer.kind]++;
      const [isSent, isCarried] = [compile(question.sent), createCheck(question)];
      if (answer.kind === "undecided") reasons.set(answer.reason, (reasons.get(answer.reason) ?? 0) + 1);
      if (answer.kind === "proven")
        expect(EVENTS.find((event) => isSent(event) && !isCarried(event))).toBeUndefined();
      if (answer.kind !== "impossible") return;
      expect(isSent(answer.event)).toBe(true);
      expect(isCarried(answer.event)).toBe(false);
    }),
    countRuns(80),
  );
  if (process.env.RUNS) console.log(counts, reasons);
  const total = counts.proven + counts.impossible + counts.undecided;
  // Most answers must be certain, and both kinds must occur.
  expect(counts.undecided).toBeLessThan(total / 5);
  expect(counts.proven).toBeGreaterThan(total / 20);
});

const X_AND_Y: readonly JsonObject[] = [undefined, 1, "x", "y", true].flatMap((x) =>
  [undefined, 1, "x", 2.5].map(
    (y): JsonObject => ({ ...(x !== undefined && { x }), ...(y !== undefined && { y }) }),
  ),
);

/** Loads two versions of a protocol with these event types. */
async function loadTeaVersions(...versions: readonly (readonly string[])[]): Promise<VersionPair> {
  const root = createTemporaryFolder();
  for (const [index, types] of versions.entries())
    writeTea(root, {
      "protocol.json": { major: index + 1, version: `${index + 1}.0` },
      [SERVED]: null,
      ...Object.fromEntries(
        types.map((type) => [`events/${type}.schema.json`, { "x-since": `${index + 1}.0` }]),
      ),
    });
  return loadVersionPair(root, "tea/v1", "tea/v2");
}

it("agrees with trying all events of all types in all streams", { timeout: 300_000 }, async () => {
  const pair = await loadTeaVersions(["tea.a", "tea.b"], ["tea.a", "tea.c"]);
  const counts = { proven: 0, tested: 0, impossible: 0, undecided: 0 };
  await fc.assert(
    fc.asyncProperty(typedQuestion, async ({ before, after, steps }) => {
      const replace = (protocol: Protocol, payloads: { readonly [type: string]: object }): Protocol => ({
        ...protocol,
        events: protocol.events.map((event) => ({
          ...event,
          payload: { type: "object", ...payloads[event.type] },
        })),
      });
      const question = { from: replace(pair.from, before), to: replace(pair.to, after), steps };
      const accepted = new Map(Object.entries(after).map(([type, schema]) => [type, compile(schema)]));
      const isCarried = (event: JsonObject, streamTypes: readonly string[]): boolean => {
        const context = {
          type: String(event.type),
          discriminator: "type",
          streamTypes: new Set(streamTypes),
        };
        const result = upcastEvent(event, steps, context);
        if (result.kind === "failed") return false;
        return accepted.get(String(result.event.type))?.(result.event.data ?? null) ?? true;
      };
      for (const certificate of await certifyPlan(question)) {
        counts[certificate.kind]++;
        const type = certificate.type as keyof typeof before;
        const isSent = compile({ ...before[type], additionalProperties: false });
        const refused = X_AND_Y.filter(isSent).flatMap((data) =>
          [["tea.a", "tea.b"], [type]].filter((types) => !isCarried({ type, id: "1", data }, types)),
        );
        if (refused.length > 0) expect(certificate.kind).toBe("impossible");
        else expect(certificate.kind).not.toBe("undecided");
        if (certificate.kind !== "impossible") continue;
        expect(isSent(certificate.event.data ?? null)).toBe(true);
        expect(isCarried(certificate.event, [type, ...certificate.streamTypes])).toBe(false);
      }
    }),
    countRuns(60),
  );
  if (process.env.RUNS) console.log(counts);
  expect(Math.min(counts.proven, counts.impossible)).toBeGreaterThan(20);
});

it("knows the type that a step gives to an event without one", () => {
  const condition = pullBack({
    sent: { type: "object", additionalProperties: false },
    steps: [
      { step: "rename-type", to: "u" },
      { step: "rename-type", to: "u", when: { "/a": [1] } },
    ],
    accepted: { properties: { type: { type: "boolean" } } },
  });
  expect(condition && compile(condition)({})).toBe(false);
});

/**
 * If this fails, the kit cannot make a stream that breaks a certain rule, or the solver takes the same report for
 * impossible that a writer can cause.
 */
import { describe, expect, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as frames1 } from "../../generated/frames/v1/index.js";
import { protocol as frames2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { listMachines } from "../../generator/conform/check-plan.js";
import { createStreamChecker } from "../../generator/conform/stream-checker.js";
import type { Severity } from "../../generator/finding.js";
import { createBreakingStream } from "../../generator/kit/breaking-streams.js";
import { prepareContext } from "../../generator/kit/scenarios.js";
import { createTracker } from "../../generator/stream/tracker.js";

/** Findings of machines for which no stream is found, by protocol, with the reasons. */
const WITHOUT_STREAM: { readonly [id: string]: { readonly [finding: string]: string } } = {};

/** Returns the findings that writers get for a stream, as `finding severity`. */
function listFindings(
  protocol: Parameters<typeof listMachines>[0],
  events: readonly object[],
): readonly (readonly [finding: string, severity: Severity])[] {
  const checker = createStreamChecker(protocol, { profile: "writer" });
  const tracker = createTracker(protocol.stream);
  const findings = events.flatMap((event, index) => checker.check(event, tracker.place(event), index));
  return [...findings, ...checker.end()].map(({ rule, severity }) => [rule, severity] as const);
}

describe.each([hecate, frames1, frames2, evva])("a stream that breaks one rule of $id", (protocol) => {
  const context = prepareContext(protocol, protocol.schemas, "writer");
  const model = context.maker.protocol;
  const kinds = listMachines(model, "writer").flatMap(({ findings }) => findings);
  const reasons = WITHOUT_STREAM[protocol.id] ?? {};
  const findings = [...new Set(kinds.map(({ id }) => id))].filter((id) => !Object.hasOwn(reasons, id));

  it.each(findings)("gives %s once, and no other error", (finding) => {
    const events = createBreakingStream(context, finding) ?? [];
    const given = listFindings(model, events);
    expect(given.filter(([id]) => id === finding)).toHaveLength(1);
    expect(given.filter(([id, severity]) => severity === "error" && id !== finding)).toEqual([]);
    for (const event of events) expect(protocol.decodeEvent(event, { profile: "writer" }).kind).toBe("known");
  });

  it("is the same for the same seed", () => {
    const [finding = ""] = findings;
    expect(createBreakingStream(context, finding, 5)).toEqual(createBreakingStream(context, finding, 5));
  });
});

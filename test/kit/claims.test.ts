/** If this fails, a consumer may claim to show what it does not show, or the report does not say what was not tested. */
import { describe, expect, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { describeShown, listFamilies } from "../../generator/kit/claims.js";
import { type Adapter, consumerCases, type KitProtocol } from "../../generator/kit/index.js";
import { runSteps } from "../../generator/kit/steps.js";
import { chooseCases, quick } from "../depth.js";
import { DESIGN_BUGS } from "./designs/bugs.js";
import { createBuggyAdapter, DESIGNS, listCorrectAdapters } from "./designs/plant.js";

function checkClaims(adapter: Adapter, protocol: KitProtocol, claims: readonly string[]): string {
  try {
    const found = consumerCases(adapter, { protocol, claims }).find(({ id }) => id === "claims-shown");
    return String(found?.run() ?? "");
  } catch (error) {
    const [first = ""] = (error as Error).message.split("\n");
    return first.replace("claims-shown: ", "");
  }
}

/** What designs may claim. */
const CLAIMS: readonly (readonly [protocol: string, design: string, claims: readonly string[]])[] = [
  ["hecate/v1", "tools", ["tools", "tool.invoked/tool_name", "tool.completed/duration_ms"]],
  ["hecate/v1", "approvals", ["approvals", "approval.resolved/decision", "approval.resolved/comment"]],
  ["hecate/v1", "status", ["status"]],
  ["hecate/v1", "chat", ["text", "user"]],
  ["hecate/v1", "costs", ["cost", "inputTokens", "outputTokens"]],
  ["hecate/v1", "terminal", ["inputs", "outputs"]],
  ["hecate/v1", "log", [...listFamilies(hecate).keys()]],
  ["evva/v0", "tools", ["tools", "inputs", "outputs"]],
  ["evva/v0", "usage", ["inputTokens", "outputTokens"]],
  ["evva/v0", "log", [...listFamilies(evva).keys()]],
];

function getDesign(id: string, name: string): readonly [Adapter, KitProtocol] {
  const designs = DESIGNS.find(({ protocol }) => protocol.id === id);
  const found = designs && listCorrectAdapters(designs).find(([each]) => each === name);
  if (designs === undefined || found === undefined) throw new Error(`no design ${name}`);
  return [found[1], designs.protocol];
}

describe("claims", () => {
  it.each(chooseCases(CLAIMS, 4))("of %s, %s are kept: %s", (id, name, claims) => {
    expect(checkClaims(...getDesign(id, name), claims)).toBe("");
  });

  quick.it.each([
    [
      "hecate/v1",
      "tools",
      "text",
      /^text is claimed, but "qzalpha words" and "qzgamma words" in \w+ of [\w.]+ look alike, and the same holds for 2 other fields\.$/,
    ],
    ["hecate/v1", "busy", "status", /^run\.failed looks like run\.finished/],
    ["hecate/v1", "tools", "tool.completed/summary", /^tool\.completed\/summary is claimed, but/],
    [
      "hecate/v1",
      "tools",
      "user.message",
      /^user\.message is claimed, but no user\.message and user\.message in a stream look alike\.$/,
    ],
    [
      "hecate/v1",
      "tools",
      "status",
      /^status is claimed, but run\.finished changes nothing that is shown\.$/,
    ],
  ])("of %s, %s that are not kept fail: %s", (id, name, claim, says) => {
    expect(checkClaims(...getDesign(id, name), [claim])).toMatch(says);
  });

  it.each(
    chooseCases(
      [
        ["tools", "shows failed tools as done", "tools"],
        ["tools", "ignores cancelled tools", "tools"],
        ["approvals", "shows rejected as approved", "approvals"],
        ["approvals", "shows each answer as answered", "approval.resolved/decision"],
      ] as const,
      1,
    ),
  )("fail for a bug: %s %s, which claims %s", async (design, name, claim) => {
    const designs = DESIGNS.find(({ protocol }) => protocol.id === "hecate/v1");
    const bug = DESIGN_BUGS["hecate/v1"]?.find((each) => each.design === design && each.name === name);
    if (designs === undefined || bug === undefined) throw new Error("no such bug");
    expect(checkClaims(await createBuggyAdapter(designs, bug), hecate, [claim])).not.toBe("");
  });

  quick.it("are refused if the protocol does not have them", () => {
    const [adapter, protocol] = getDesign("hecate/v1", "tools");
    expect(() => consumerCases(adapter, { protocol, claims: ["approval"] })).toThrow(
      /`claims` lists "approval", which hecate\/v1 does not have; did you mean "approvals"\? A claim is an event type, a field such as "type\/field", or one of approvals, cost, /,
    );
    expect(() => consumerCases(adapter, { protocol, claims: "tools" as never })).toThrow("a list of names");
  });

  quick.it("that are missing are inferred, and the report says what was not tested", () => {
    const [adapter, protocol] = getDesign("hecate/v1", "tools");
    expect(runSteps(describeShown(adapter, { protocol }))).toMatch(
      /^Shown, as plain streams tell: tools\. Not tested, because it is not shown: approvals, cost, .* Of \d+ event types, 7 change the snapshot, not .* and \d+ others\.$/,
    );
    expect(runSteps(describeShown(adapter, { protocol, claims: ["tools"] }))).toMatch(
      /^Claimed: tools\. Shown without a claim: nothing\. Neither claimed nor shown: approvals, /,
    );
  });
});

import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/rule.js";
import type { JsonObject } from "../../generator/json.js";
import { edit, project } from "./project.js";
import { at, compat, history, SERVED, text } from "./tea-history.js";

it("lifts a break of a candidate contract by a waiver, and complains of one that is not needed", async () => {
  const schemas = project();
  edit(schemas, "hecate/v1/protocol.json", (protocol) => {
    protocol.version = "1.1";
  });
  edit(
    schemas,
    "hecate/v1/shared/tools.schema.json",
    ({ $defs }) => void $defs.ToolKind["x-extensible-enum"].pop(),
  );
  const [finding] = (await compat(schemas)).findings;
  const waive = await compat(schemas, "--waive", String(finding?.fingerprint), "--reason", "Nobody sent it.");
  expect(waive).toMatchObject({ exitCode: 0, stderr: "" });
  const waived = await compat(schemas);
  // The break is lifted; that the name is gone without a tombstone is not.
  const errors = waived.findings.filter(({ severity }) => severity === "error");
  expect(errors.map(({ rule }) => rule)).toEqual(["tombstone-missing"]);
  expect(waived.summary.protocols[0].lifted).toHaveLength(1);
  edit(
    schemas,
    "hecate/v1/shared/tools.schema.json",
    ({ $defs }) => void $defs.ToolKind["x-extensible-enum"].push("gone"),
  );
  edit(schemas, "hecate/v1/protocol.json", (protocol) => {
    protocol.version = "1.2";
  });
  expect((await compat(schemas)).rules).toContain("waiver-expired");
});

describe("a waiver until 1.2", () => {
  const broken = { sort: { ...text, maxLength: 4 } };
  it.each([
    ["lifts the break before", "1.1", {}, []],
    ["lifts nothing from then on", "1.2", {}, ["bound-tightened", "waiver-expired"]],
    ["lifts nothing later", "1.10", {}, ["bound-tightened", "waiver-expired"]],
    [
      "for another rule lifts nothing",
      "1.1",
      { rule: "bound-loosened" },
      ["bound-tightened", "waiver-unused"],
    ],
    [
      "for another finding lifts nothing",
      "1.1",
      { fingerprint: "0".repeat(16) },
      ["bound-tightened", "waiver-unused"],
    ],
  ])("%s", async (_name, version, change, expected) => {
    const first = at("1.0", { sort: text });
    const [finding] = (await compat(history([first, at("1.1", broken)]))).findings;
    const waiver = {
      fingerprint: finding?.fingerprint,
      rule: "bound-tightened",
      reason: "Short.",
      expires: "1.2",
    };
    const { rules, exitCode } = await compat(
      history([first, at(version, broken, { waivers: [{ ...waiver, ...change }] })]),
    );
    expect([rules, exitCode]).toEqual([expected, expected.length > 0 ? 1 : 0]);
  });

  it("in a release says nothing of what that release still holds", async () => {
    const first = at("1.0", { sort: text });
    const [finding] = (await compat(history([first, at("1.1", broken)]))).findings;
    const waiver = {
      fingerprint: finding?.fingerprint,
      rule: "bound-tightened",
      reason: "Short.",
      expires: "1.2",
    };
    const held = at("1.1", { sort: text }, { waivers: [waiver] });
    expect((await compat(history([first, held, at("1.2", broken)]))).findings).toMatchObject([
      { rule: "bound-tightened", against: "release 1.1" },
    ]);
  });

  it("lifts no break of a stable contract", async () => {
    const stable = (version: string, properties: JsonObject, protocol: object = {}): ExampleFiles =>
      at(version, properties, protocol, { [SERVED]: { properties, "x-stability": "stable" } });
    const first = stable("1.0", { sort: text });
    const schemas = history([first, stable("1.1", broken)]);
    const [finding] = (await compat(schemas)).findings;
    const fingerprint = String(finding?.fingerprint);
    const refused = await compat(schemas, "--waive", fingerprint, "--reason", "Short.");
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/cannot be waived/) });
    const waiver = { fingerprint, rule: "bound-tightened", reason: "Short.", expires: "1.2" };
    const byHand = await compat(history([first, stable("1.1", broken, { waivers: [waiver] })]));
    expect([byHand.rules, byHand.exitCode]).toEqual([["bound-tightened", "waiver-unused"], 1]);
  });

  it("is not missed where not everything was compared", async () => {
    const waiver = { fingerprint: "0".repeat(16), rule: "bound-tightened", reason: "Short.", expires: "1.2" };
    const schemas = history([at("1.0", { sort: text }), at("1.1", { sort: text }, { waivers: [waiver] })]);
    expect((await compat(schemas)).rules).toEqual(["waiver-unused"]);
    expect((await compat(schemas, "--against", "release:1.0")).rules).toEqual([]);
  });
});

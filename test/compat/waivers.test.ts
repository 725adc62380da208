/** If this fails, a waiver covers another break than the reviewed one, or outlives its end. */
import { describe, expect, it } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { edit, project } from "./project.js";
import { at, compat, history, SERVED, text } from "./tea-history.js";

it("covers a break of a candidate contract by a waiver, and reports one that is not needed", async () => {
  const schemas = await project();
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
  // The waiver covers the break, but not the missing tombstone.
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

/** A contract and one that breaks it. */
const FIRST = at("1.0", { sort: text });
const broken = { sort: { ...text, maxLength: 4 } };

/** A waiver for the break that is found after `first`. */
async function waiverOf(second: ExampleFiles, first = FIRST): Promise<JsonObject> {
  const [finding] = (await compat(await history([first, second]))).findings;
  const fingerprint = String(finding?.fingerprint);
  return { fingerprint, rule: "bound-tightened", reason: "Short.", expires: "1.2" };
}

describe("a waiver until 1.2", () => {
  it.each([
    ["covers the break before", "1.1", {}, []],
    ["covers nothing from then on", "1.2", {}, ["bound-tightened", "waiver-expired"]],
    ["covers nothing later", "1.10", {}, ["bound-tightened", "waiver-expired"]],
    [
      "for another rule covers nothing",
      "1.1",
      { rule: "bound-loosened" },
      ["bound-tightened", "waiver-unused"],
    ],
    [
      "for another finding covers nothing",
      "1.1",
      { fingerprint: "0".repeat(16) },
      ["bound-tightened", "waiver-unused"],
    ],
  ])("%s", async (_name, version, change, expected) => {
    const waiver = await waiverOf(at("1.1", broken));
    const { rules, exitCode } = await compat(
      await history([FIRST, at(version, broken, { waivers: [{ ...waiver, ...change }] })]),
    );
    expect([rules, exitCode]).toEqual([expected, expected.length > 0 ? 1 : 0]);
  });

  it("in a release does not concern what that release still holds", async () => {
    const waivers = [await waiverOf(at("1.1", broken))];
    const held = at("1.1", { sort: text }, { waivers });
    expect((await compat(await history([FIRST, held, at("1.2", broken)]))).findings).toMatchObject([
      { rule: "bound-tightened", against: "release 1.1" },
    ]);
  });

  it("covers no break of a stable contract", async () => {
    const stable = (version: string, properties: JsonObject, protocol: object = {}): ExampleFiles =>
      at(version, properties, protocol, { [SERVED]: { properties, "x-stability": "stable" } });
    const [first, second] = [stable("1.0", { sort: text }), stable("1.1", broken)];
    const waiver = await waiverOf(second, first);
    const asked = ["--waive", String(waiver.fingerprint), "--reason", "Short."];
    const refused = await compat(await history([first, second]), ...asked);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/cannot be waived/) });
    const byHand = await compat(await history([first, stable("1.1", broken, { waivers: [waiver] })]));
    expect([byHand.rules, byHand.exitCode]).toEqual([["bound-tightened", "waiver-unused"], 1]);
  });

  it("covers nothing in another major version, even if it was copied there", async () => {
    const waivers = [{ ...(await waiverOf(at("1.1", broken))), expires: "2.2" }];
    const [first, second] = [at("2.0", { sort: text }), at("2.1", broken, { waivers })];
    const copied = await compat(await history([first, second]));
    expect([copied.rules, copied.exitCode]).toEqual([["bound-tightened", "waiver-unused"], 1]);
  });

  it("is not missed where not everything was compared", async () => {
    const waiver = { fingerprint: "0".repeat(16), rule: "bound-tightened", reason: "Short.", expires: "1.2" };
    const schemas = await history([FIRST, at("1.1", { sort: text }, { waivers: [waiver] })]);
    expect((await compat(schemas)).rules).toEqual(["waiver-unused"]);
    expect((await compat(schemas, "--against", "release:1.0")).rules).toEqual([]);
  });
});

/** If this fails, a waiver covers another break than the reviewed one, or outlives its end. */
import { describe, expect } from "vitest";
import type { ExampleFiles } from "../../generator/compat/change.js";
import type { JsonObject } from "../../generator/json.js";
import { deep, quick } from "../depth.js";
import { createProject, editFile, setVersion } from "./project.js";
import { checkHistory, createHistory, createVersion, runCompat, SERVED, text } from "./tea-history.js";

deep.it(
  "covers a break of a candidate contract by a waiver, and reports one that is not needed",
  async () => {
    const schemas = await createProject();
    setVersion(schemas, "1.1");
    editFile(
      schemas,
      "hecate/v1/shared/tools.schema.json",
      ({ $defs }) => void $defs.McpResult["x-extensible-enum"].pop(),
    );
    const finding = (await runCompat(schemas)).findings.find(({ rule }) => rule !== "tombstone-missing");
    const options = ["--waive", String(finding?.fingerprint), "--reason", "Nobody sent it."];
    expect(await runCompat(schemas, ...options)).toMatchObject({ exitCode: 0, stderr: "" });
    const waived = await runCompat(schemas);
    // The waiver covers the break, but not the missing tombstone.
    expect(waived.errors.map(({ rule }) => rule)).toEqual(["tombstone-missing"]);
    expect(waived.summary.protocols[0].waived).toHaveLength(1);
    editFile(
      schemas,
      "hecate/v1/shared/tools.schema.json",
      ({ $defs }) => void $defs.McpResult["x-extensible-enum"].push("gone"),
    );
    setVersion(schemas, "1.2");
    expect((await runCompat(schemas)).rules).toContain("waiver-expired");
  },
);

/** The first version, and fields that break it. */
const FIRST = createVersion("1.0", { sort: text });
const boundedFields = { sort: { ...text, maxLength: 4 } };

/** Creates a waiver for the break between `first` and `second`. */
async function createWaiverAfter(second: ExampleFiles, first = FIRST): Promise<JsonObject> {
  const [finding] = (await checkHistory([first, second])).findings;
  const fingerprint = String(finding?.fingerprint);
  return { fingerprint, rule: "bound-tightened", reason: "Short.", expires: "1.2" };
}

describe("a waiver until 1.2", () => {
  quick.it.each([
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
    const waiver = await createWaiverAfter(createVersion("1.1", boundedFields));
    const { rules, exitCode } = await checkHistory([
      FIRST,
      createVersion(version, boundedFields, { waivers: [{ ...waiver, ...change }] }),
    ]);
    expect([rules, exitCode]).toEqual([expected, expected.length > 0 ? 1 : 0]);
  });

  quick.it("in a release does not cover a later break of a field that the release still has", async () => {
    const waivers = [await createWaiverAfter(createVersion("1.1", boundedFields))];
    const held = createVersion("1.1", { sort: text }, { waivers });
    expect((await checkHistory([FIRST, held, createVersion("1.2", boundedFields)])).findings).toMatchObject([
      { rule: "bound-tightened", against: "release 1.1" },
    ]);
  });

  quick.it("covers no break of a stable contract", async () => {
    const stable = (version: string, properties: JsonObject, protocol: object = {}): ExampleFiles =>
      createVersion(version, properties, protocol, { [SERVED]: { properties, "x-stability": "stable" } });
    const [first, second] = [stable("1.0", { sort: text }), stable("1.1", boundedFields)];
    const waiver = await createWaiverAfter(second, first);
    const asked = ["--waive", String(waiver.fingerprint), "--reason", "Short."];
    const refused = await checkHistory([first, second], ...asked);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/cannot be waived/) });
    const byHand = await checkHistory([first, stable("1.1", boundedFields, { waivers: [waiver] })]);
    expect([byHand.rules, byHand.exitCode]).toEqual([["bound-tightened", "waiver-unused"], 1]);
  });

  quick.it("covers nothing in another major version, even if it was copied there", async () => {
    const waivers = [{ ...(await createWaiverAfter(createVersion("1.1", boundedFields))), expires: "2.2" }];
    const [first, second] = [
      createVersion("2.0", { sort: text }),
      createVersion("2.1", boundedFields, { waivers }),
    ];
    const copied = await checkHistory([first, second]);
    expect([copied.rules, copied.exitCode]).toEqual([["bound-tightened", "waiver-unused"], 1]);
  });

  quick.it("is not reported as unused if only one release is compared", async () => {
    const waiver = { fingerprint: "0".repeat(16), rule: "bound-tightened", reason: "Short.", expires: "1.2" };
    const schemas = await createHistory([FIRST, createVersion("1.1", { sort: text }, { waivers: [waiver] })]);
    expect((await runCompat(schemas)).rules).toEqual(["waiver-unused"]);
    expect((await runCompat(schemas, "--against", "release:1.0")).rules).toEqual([]);
  });
});

/** If this fails, renames, deprecations and removals of hecate over several releases pass or fail wrongly. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runAccrete } from "../commands/run-in-process.js";
import {
  addFile,
  createProject,
  type Document,
  editFile,
  freezeContract,
  replaceNames,
  setVersion,
} from "./project.js";
import { type ReportedFinding, runCompat } from "./tea-history.js";

/** Returns true if the payload accepts undeclared fields. Declaring a field of such a payload is a break. */
const acceptsUndeclaredFields = (file: string): boolean =>
  JSON.parse(readFileSync(file, "utf8")).additionalProperties === true;

const listRules = (findings: readonly ReportedFinding[]): string[] => findings.map(({ rule }) => rule);

it("reports nothing if nothing has changed", async () => {
  const { findings, exitCode } = await runCompat(await createProject());
  expect(findings).toEqual([]);
  expect(exitCode).toBe(0);
});

it("reports each rename of a whole protocol once, with a witness, in few lines", async () => {
  const schemas = await createProject();
  replaceNames(schemas, { tool_call_id: "call_id", cost_micros_usd: "cost_nanos_usd" }, [
    "approval.",
    "gate.",
  ]);
  setVersion(schemas, "1.1");
  const { findings, exitCode } = await runCompat(schemas);
  expect(exitCode).toBe(1);
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([
    ["event-renamed", "error"],
    ["field-renamed", "error"],
    ["field-renamed", "error"],
  ]);
  const [family, ...fields] = findings.map(({ message }) => String(message));
  expect(family).toContain('"approval.*" was renamed to "gate.*"');
  expect(family).toContain("approval.timed_out → gate.timed_out");
  expect(
    fields.map((message) => message.replace(/.*the field (\S+ was renamed to \S+) .*/, "$1")).sort(),
  ).toEqual(['"cost_micros_usd" was renamed to "cost_nanos_usd"', '"tool_call_id" was renamed to "call_id"']);
  for (const { witness } of findings)
    expect(witness).toMatchObject({ schema_version: "1", type: expect.any(String) });
  const { stdout } = await runAccrete(["compat", "--schemas", schemas]);
  expect(stdout.split("\n").length).toBeLessThan(60);
});

it("accepts the same renames if the old names are kept and deprecated", async () => {
  const schemas = await createProject();
  const events = path.join(schemas, "hecate/v1/events");
  const deprecated = (by: string) => ({ deprecated: true, "x-deprecated-since": "1.1", "x-replaced-by": by });
  for (const file of readdirSync(events)) {
    const text = readFileSync(path.join(events, file), "utf8");
    if (file.startsWith("approval.")) {
      const now = file.replace("approval.", "gate.").replace(".schema.json", "");
      const old = file.replace(".schema.json", "");
      addFile(schemas, `hecate/v1/events/${now}.schema.json`, {
        ...JSON.parse(text),
        "x-since": "1.1",
        "x-renamed-from": old,
      });
      editFile(
        schemas,
        `hecate/v1/events/${file}`,
        (document) => void Object.assign(document, deprecated(now)),
      );
    }
    editFile(schemas, `hecate/v1/events/${file}`, ({ properties }) => {
      for (const [old, now] of [
        ["tool_call_id", "call_id"],
        ["cost_micros_usd", "cost_nanos_usd"],
      ] as const) {
        if (properties?.[old] === undefined) continue;
        properties[now] = { ...properties[old], "x-renamed-from": old };
        properties[old] = { ...properties[old], ...deprecated(now) };
      }
    });
  }
  setVersion(schemas, "1.1");
  const { findings, exitCode } = await runCompat(schemas);
  expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
  expect(exitCode).toBe(0);
});

it("accepts additions and split definitions without a finding", async () => {
  const schemas = await createProject();
  const text = { type: "string", description: "New." };
  for (let i = 0; i < 20; i++)
    addFile(schemas, `hecate/v1/events/added.number_${i}.schema.json`, {
      title: "New",
      description: "New.",
      "x-stability": "candidate",
      "x-since": "1.1",
      type: "object",
      properties: { note: text },
    });
  const files = readdirSync(path.join(schemas, "hecate/v1/events"))
    .filter((file) => !file.startsWith("added."))
    .filter((file) => !acceptsUndeclaredFields(path.join(schemas, "hecate/v1/events", file)))
    .slice(0, 50);
  for (const file of files)
    editFile(schemas, `hecate/v1/events/${file}`, (document) => {
      document.properties = { ...document.properties, added_note: text };
    });
  editFile(schemas, "hecate/v1/shared/approvals.schema.json", ({ $defs }) => {
    $defs.ApprovalKind["x-extensible-enum"].push(...Array.from({ length: 10 }, (_, i) => `kind_${i}`));
  });
  editFile(schemas, "hecate/v1/shared/tools.schema.json", ({ $defs }) => {
    $defs.ToolNameText = { ...$defs.ToolName };
    $defs.ToolName = { description: $defs.ToolName.description, allOf: [{ $ref: "#/$defs/ToolNameText" }] };
  });
  setVersion(schemas, "1.1");
  const { findings, summary, exitCode } = await runCompat(schemas);
  expect(findings).toEqual([]);
  expect(exitCode).toBe(0);
  expect(summary.protocols[0].additions).toHaveLength(20 + 50 + 1);
});

it("refuses the removal of an optional field, with an event of a baseline writer as witness", async () => {
  const schemas = await createProject();
  editFile(schemas, "hecate/v1/events/tool.completed.schema.json", (document) => {
    delete document.properties.summary;
    for (const example of document.examples) delete example.summary;
  });
  const { errors, exitCode } = await runCompat(schemas, "--against", "release:1.0");
  expect(exitCode).toBe(1);
  expect(errors[0]).toMatchObject({
    rule: "field-removed-optional",
    baseline: { file: expect.stringContaining("releases/1.0.json"), line: expect.any(Number) },
    witness: { type: "tool.completed", data: { summary: expect.any(String) } },
    affects: ["data-loss", "senders"],
  });
});

it("refuses the name of a withdrawn experimental field three releases later, whatever its type", async () => {
  const schemas = await createProject();
  const event = "hecate/v1/events/browser.note.schema.json";
  const createNote = (fields: Document) => ({
    title: "Note",
    description: "Note.",
    "x-stability": "experimental",
    "x-since": "1.1",
    type: "object",
    properties: { kept: { type: "string", description: "Kept." }, ...fields },
  });
  setVersion(schemas, "1.1");
  addFile(schemas, event, createNote({ mood: { type: "string", description: "Mood." } }));
  await freezeContract(schemas, "hecate/v1", "1.2");
  addFile(schemas, event, createNote({}));
  expect(listRules((await runCompat(schemas)).errors)).toEqual(["tombstone-missing"]);
  const tombstone = {
    kind: "field",
    name: "mood",
    in: "browser.note",
    removedIn: "1.2",
    reason: "Nobody looked.",
  };
  editFile(schemas, "hecate/v1/protocol.json", (protocol) => {
    protocol.tombstones.push(tombstone);
  });
  expect((await runCompat(schemas)).findings.filter(({ severity }) => severity !== "note")).toEqual([]);
  for (const next of ["1.3", "1.4", "1.5"]) await freezeContract(schemas, "hecate/v1", next);
  addFile(schemas, event, createNote({ mood: { type: "integer", description: "Another mood." } }));
  const withTombstone = await runCompat(schemas);
  expect(withTombstone.exitCode).toBe(1);
  expect(withTombstone.rules).toContain("tombstone-reused");
  editFile(schemas, "hecate/v1/protocol.json", (protocol) => {
    protocol.tombstones.pop();
  });
  const withoutTombstone = await runCompat(schemas);
  expect(withoutTombstone.exitCode).toBe(1);
  expect(listRules(withoutTombstone.errors)).toEqual(["tombstone-reused"]);
});

it("reports each break once, however many releases hold the name", async () => {
  const schemas = await createProject();
  setVersion(schemas, "1.1");
  await freezeContract(schemas, "hecate/v1", "1.2");
  editFile(
    schemas,
    "hecate/v1/shared/tools.schema.json",
    ({ $defs }) => void $defs.ToolKind["x-extensible-enum"].pop(),
  );
  const { findings, summary } = await runCompat(schemas);
  expect(summary.protocols[0].against).toEqual(["release 1.1", "release 1.0"]);
  expect(listRules(findings)).toEqual(["enum-value-removed"]);
  expect(findings[0]?.events.length).toBeGreaterThan(1);
});

it("reports a contract that changed after the release of its version", async () => {
  const schemas = await createProject();
  editFile(schemas, "hecate/v1/events/snapshot.schema.json", (document) => {
    document.properties = { ...document.properties, note: { type: "string", description: "New." } };
  });
  const { findings, exitCode } = await runCompat(schemas);
  expect([listRules(findings), exitCode]).toEqual([["version-bump-insufficient"], 0]);
});

it("reports one edit of a shared definition once, however many fields and events refer to it", async () => {
  const schemas = await createProject();
  setVersion(schemas, "1.1");
  editFile(schemas, "hecate/v1/shared/quantities.schema.json", ({ $defs }) => {
    $defs.DurationMs.type = "string";
    delete $defs.DurationMs.minimum;
  });
  for (const file of readdirSync(path.join(schemas, "hecate/v1/events")))
    editFile(schemas, `hecate/v1/events/${file}`, (document) => {
      document.examples = undefined;
    });
  const { findings } = await runCompat(schemas);
  expect(listRules(findings)).toEqual(["type-changed"]);
  expect(findings[0]?.events.length).toBeGreaterThan(5);
});

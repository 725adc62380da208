/** If this fails, importing a changed source again loses what a team added by hand, or hides what the change breaks. */
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { createTemporaryProject, type TemporaryProject } from "../commands/temporary-project.js";

const TEXT = { type: "string" };
const ENVELOPE = { run: TEXT, seq: { type: "integer", minimum: 0 } };
const createEvent = (type: string, fields: JsonObject): JsonObject => ({
  type: "object",
  required: ["type", "run", "seq"],
  properties: { type: { const: type }, ...ENVELOPE, ...fields },
});
const createUnion = (...events: JsonObject[]): string => JSON.stringify({ $defs: {}, oneOf: events });

const STARTED = createEvent("started", { by: TEXT, mode: { enum: ["fast", "slow"] } });
const STOPPED = createEvent("stopped", { why: TEXT });

/** Creates a released protocol from two events. Then adds annotations, a stream, a tombstone and an open list by hand. */
async function createProject(): Promise<TemporaryProject> {
  const project = createTemporaryProject({ "shop.json": createUnion(STARTED, STOPPED) });
  expect(await project.run("import @/shop.json")).toMatchObject({ exitCode: 0 });
  edit(project, "schemas/shop/v1/events/started.schema.json", (schema) => ({
    ...schema,
    description: "A run has started.",
    properties: {
      by: { ...TEXT, description: "Who started it.", "x-sensitive": true },
      mode: { "x-extensible-enum": ["fast", "slow"] },
    },
  }));
  edit(project, "schemas/shop/v1/protocol.json", (manifest) => ({
    ...manifest,
    title: "The shop",
    stream: { key: ["run"], sequence: "seq", first: 0 },
    tombstones: [{ kind: "event", name: "paused", removedIn: "1.0", reason: "It was never sent." }],
  }));
  // The fixtures of an import without a stream differ from those of one with it.
  expect(await project.run("import @/shop.json --again")).toMatchObject({ exitCode: 0 });
  expect(await project.run("generate")).toMatchObject({ exitCode: 0 });
  expect(await project.run("release 1.0")).toMatchObject({ exitCode: 0 });
  return project;
}

function edit(project: TemporaryProject, file: string, change: (document: JsonObject) => JsonObject): void {
  writeFileSync(project.locateFile(file), JSON.stringify(change(JSON.parse(project.read(file))), null, "\t"));
}

const readJson = (project: TemporaryProject, file: string) => JSON.parse(project.read(file));

it("changes nothing if the source did not change", async () => {
  const project = await createProject();
  const before = project.readFiles();
  const { exitCode, stdout } = await project.run("import @/shop.json --again");
  expect(stdout).toContain("nothing changed in the source");
  expect(stdout).toContain("shop/v1: against release 1.0");
  expect(exitCode).toBe(0);
  expect(project.readFiles()).toEqual(before);
});

it("follows the source, keeps what was added by hand, and prints the additions", async () => {
  const project = await createProject();
  const started = createEvent("started", { by: TEXT, mode: { enum: ["fast", "slow", "idle"] }, at: TEXT });
  writeFileSync(project.locateFile("shop.json"), createUnion(started, STOPPED, createEvent("failed", {})));
  const { exitCode, stdout } = await project.run("import @/shop.json --again");
  for (const line of [
    "changed: shop/v1/events/started.schema.json",
    "new: shop/v1/events/failed.schema.json",
    "1.0 is released, so the version in protocol.json is now 1.1",
    'addition: The event type "failed" is new.',
    "shop/v1: against release 1.0",
  ])
    expect(stdout).toContain(line);
  expect(stdout).not.toContain("changed: shop/v1/events/stopped");
  expect(stdout).not.toContain("may form streams");
  expect(exitCode).toBe(0);
  expect(project.read("schemas/shop/v1/events/started.schema.json")).toContain('\n\t"');
  expect(readJson(project, "schemas/shop/v1/events/started.schema.json")).toMatchObject({
    description: "A run has started.",
    "x-since": "1.0",
    properties: {
      by: { description: "Who started it.", "x-sensitive": true },
      mode: { "x-extensible-enum": ["fast", "slow", "idle"] },
      at: TEXT,
    },
  });
  expect(readJson(project, "schemas/shop/v1/events/failed.schema.json")).toMatchObject({ "x-since": "1.1" });
  expect(readJson(project, "schemas/shop/v1/protocol.json")).toMatchObject({
    title: "The shop",
    version: "1.1",
    stream: { key: ["run"] },
    tombstones: [{ name: "paused" }],
  });
  expect((await project.run("lint")).exitCode).toBe(0);
});

it("prints what a change breaks, and which annotations lost their places", async () => {
  const project = await createProject();
  writeFileSync(
    project.locateFile("shop.json"),
    createUnion(createEvent("started", { mode: TEXT }), createEvent("failed", {})),
  );
  const { exitCode, stdout } = await project.run("import @/shop.json --again");
  expect(stdout).toContain("removed: shop/v1/events/stopped.schema.json");
  expect(stdout).toContain(
    "annotations were removed together with their places: shop/v1/events/started.schema.json#/properties/by",
  );
  expect(stdout).toMatch(/error event-removed/);
  expect(exitCode).toBe(1);
});

it("keeps a field out of the envelope that all events share only now", async () => {
  const project = createTemporaryProject({
    "shop.json": createUnion(createEvent("started", { by: TEXT }), STOPPED),
  });
  await project.run("import @/shop.json");
  await project.run("release 1.0");
  writeFileSync(
    project.locateFile("shop.json"),
    createUnion(createEvent("started", { by: TEXT }), createEvent("stopped", { why: TEXT, by: TEXT })),
  );
  const { exitCode } = await project.run("import @/shop.json --again");
  expect(exitCode).toBe(0);
  expect(readJson(project, "schemas/shop/v1/envelope.schema.json").properties).not.toHaveProperty("by");
});

it("refuses to import again what does not exist", async () => {
  const project = createTemporaryProject({ "shop.json": createUnion(STARTED, STOPPED) });
  const { exitCode, stderr } = await project.run("import @/shop.json --again");
  expect(stderr).toContain("holds no protocol to import again");
  expect(exitCode).toBe(2);
});

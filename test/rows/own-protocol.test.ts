/** If this fails, users cannot store the events of their own protocol in rows, or a declaration of rows breaks their contract. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createObject, type Json, type JsonObject } from "../../generator/json.js";
import type { Placement } from "../../generator/protocol/protocol.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject } from "../commands/temporary-project.js";

const FIELDS = ["id", "session", "sequence", "time"];
const ROWS = {
  columns: { ...createObject(FIELDS.map((name) => [name, name])), kind: "type" },
  payload: "body",
  stripped: ["state", "board"],
};
/** A state feed that needs a resource, which the project gets as well. */
const STATE_FEED = {
  resource: "board-state",
  type: "event",
  stored: "state",
  members: {
    board: { envelope: { id: "session" }, events: [{ type: "note.added", fields: { last_text: "text" } }] },
  },
};
const RESOURCE = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "State of a board",
  description: "What the board shows after an event.",
  type: "object",
  properties: {
    event: { type: "string", description: "The event type." },
    board: { type: "object", description: "The board.", additionalProperties: true },
  },
  required: ["event", "board"],
};

/** Creates a project with `accrete init`, and declares rows and states in it. */
async function createProject(placement: Placement) {
  const project = createTemporaryProject();
  await runAccrete([
    ...["init", project.root, "--name", "notes", "--placement", placement, "--discriminator", "type"],
  ]);
  const [file, resource] = ["protocol.json", "resources/board-state.schema.json"].map((name) =>
    project.locateFile(`schemas/notes/v1/${name}`),
  ) as [string, string];
  return { project, file, resource };
}

/** Returns the row of an event of such a project. */
function createRow({ type = "", ...event }: JsonObject): JsonObject {
  const columns = FIELDS.map((name): [string, Json] => [name, event[name] ?? null]);
  const rest = Object.entries(event).filter(([name]) => !FIELDS.includes(name));
  const carrier = rest.find(([name]) => name === "data" || name === "note");
  const payload = (carrier ? carrier[1] : createObject(rest)) as JsonObject;
  return { ...createObject(columns), kind: type, body: { ...payload, state: { secret: 1 } } };
}

describe.each<Placement>(["nested", "inline", "keyed"])("a project of init with %s payloads", (placement) => {
  it("declares rows, which become its events, without a change of its contract", async () => {
    const { project, file } = await createProject(placement);
    for (const command of ["generate", "release 1.0"])
      expect(await project.run(command)).toMatchObject({ exitCode: 0 });
    const protocol = JSON.parse(project.read("schemas/notes/v1/protocol.json"));
    writeFileSync(file, JSON.stringify({ ...protocol, rows: ROWS }, undefined, 2));
    expect(await project.run("lint")).toMatchObject({ exitCode: 0 });
    expect(await project.run("compat")).toMatchObject({ exitCode: 0 });
    const recording = project.read("fixtures/notes/v1/streams/two-notes.jsonl");
    const events = recording
      .trimEnd()
      .split("\n")
      .map((line): JsonObject => JSON.parse(line));
    const rows = events.map((event) => JSON.stringify(createRow(event))).join("\n");
    writeFileSync(project.locateFile("rows.jsonl"), rows);
    const { exitCode, stdout } = await runAccrete([
      ...["map-rows", project.locateFile("rows.jsonl"), "--schemas", project.locateFile("schemas")],
    ]);
    const mapped = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect({ exitCode, mapped }).toEqual({ exitCode: 0, mapped: events });
  });
});

it("a project of init declares states, which its resource must describe", async () => {
  const { project, file, resource } = await createProject("nested");
  const protocol = JSON.parse(project.read("schemas/notes/v1/protocol.json"));
  writeFileSync(file, JSON.stringify({ ...protocol, rows: ROWS, stateFeed: STATE_FEED }, undefined, 2));
  const missing = await project.run("lint");
  expect(missing.exitCode).toBe(1);
  expect(missing.stdout).toContain('There is no resource "board-state".');
  mkdirSync(path.dirname(resource));
  writeFileSync(resource, JSON.stringify(RESOURCE, undefined, 2));
  expect(await project.run("lint")).toMatchObject({ exitCode: 0 });
  const states = [
    { event: "note.added", board: { last_text: "Buy milk" } },
    { event: "note.added", board: [] },
  ];
  writeFileSync(project.locateFile("states.jsonl"), states.map((state) => JSON.stringify(state)).join("\n"));
  const { exitCode, stdout } = await runAccrete([
    ...["validate", project.locateFile("states.jsonl"), "--schemas", project.locateFile("schemas")],
  ]);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/states\.jsonl:2:\d+: error state-invalid \/board must be object/);
  expect(stdout).toContain("2 events, 1 invalid");
});

/** If this fails, generated files change without a change of the schemas, or a small change changes many lines. */
import path from "node:path";
import { describe, expect, it } from "vitest";
import { OPTIONAL_EMITTERS } from "../../generator/emit/optional-emitters.js";
import { isObject, type Json } from "../../generator/json.js";
import type { EventType, Protocol } from "../../generator/protocol/protocol.js";
import { emitAll } from "./emit-all.js";
import { PROTOCOLS } from "./fixtures.js";

const findProtocol = (id: string): Protocol => PROTOCOLS.find((protocol) => protocol.id === id) as Protocol;

async function emitFiles(protocol: Protocol): Promise<ReadonlyMap<string, string>> {
  return new Map((await emitAll(protocol)).map(({ path, content }) => [path, content]));
}

/** Counts the lines of each changed file that it did not contain before. */
function countChangedLines(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const changes = [...after].map(([file, content]) => {
    const lines = new Set(before.get(file)?.split("\n"));
    return [
      file.slice(file.lastIndexOf("/") + 1),
      content.split("\n").filter((line) => !lines.has(line)).length,
    ] as const;
  });
  return Object.fromEntries(changes.filter(([, count]) => count > 0));
}

describe.each(PROTOCOLS.map((protocol) => [protocol.id, protocol] as const))("%s", (_id, protocol) => {
  it("gives the same files again, and for definitions in another order", async () => {
    const reordered: Protocol = {
      ...protocol,
      definitions: Object.fromEntries(Object.entries(protocol.definitions).reverse()),
    };
    const [first, second, third] = [
      await emitFiles(protocol),
      await emitFiles(protocol),
      await emitFiles(reordered),
    ];
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });

  it("gives files without the date and without paths of this machine", async () => {
    for (const [file, content] of await emitFiles(protocol)) {
      expect(content, file).not.toContain(process.cwd());
      expect(content, file).not.toContain(new Date().toISOString().slice(0, 13));
      expect(content.endsWith("\n"), file).toBe(true);
      expect(content, file).not.toContain("\r");
    }
  });
});

describe("a small change gives a small difference", () => {
  const protocol = findProtocol("hecate/v1");
  const changeEvent = (type: string, change: (event: EventType) => EventType): Protocol => ({
    ...protocol,
    events: protocol.events.map((event) => (event.type === type ? change(event) : event)),
  });

  it("a new optional field of one event changes one line in reader.js and one in writer.js", async () => {
    const field: Json = { type: "string", description: "New." };
    const after = changeEvent("run.queued", (event) => ({
      ...event,
      payload: {
        ...event.payload,
        properties: {
          ...(isObject(event.payload.properties) ? event.payload.properties : {}),
          brand_new: field,
        },
      },
    }));
    const changes = countChangedLines(await emitFiles(protocol), await emitFiles(after));
    expect(changes).toMatchObject({ "reader.js": 1, "writer.js": 1 });
    const files = OPTIONAL_EMITTERS.map(({ file }) => path.basename(file));
    const optional: readonly string[] = [...files, "machines.json", "stream-vectors.jsonl"];
    const always = Object.keys(changes).filter(
      (file) => !optional.includes(file) && !/\.(go|py|rs|sql)$/.test(file),
    );
    expect(always.sort()).toEqual([
      "catalog.md",
      "reader.js",
      "schema.json",
      "schemas.js",
      "types.ts",
      "writer.js",
    ]);
  });

  it("a new event changes two lines in each module of validators", async () => {
    const [model] = protocol.events.filter(({ type }) => type === "run.queued");
    const added = { ...(model as EventType), type: "run.brand_new" };
    const events = [...protocol.events, added].sort((a, b) => (a.type < b.type ? -1 : 1));
    const changes = countChangedLines(await emitFiles(protocol), await emitFiles({ ...protocol, events }));
    expect(changes).toMatchObject({ "reader.js": 2, "writer.js": 2, "metadata.js": 1 });
  });
});

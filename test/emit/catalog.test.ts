/** If this fails, the catalogue omits events, fields or deprecations. */
import { describe, expect, it } from "vitest";
import { emitCatalog, renderCatalog } from "../../generator/emit/catalog/catalog.js";
import { type Recordings, readRecordings } from "../../generator/emit/catalog/recordings.js";
import { createPaths } from "../../generator/emit/openapi/openapi.js";
import { getMembers, isObject, type Json } from "../../generator/json.js";
import { readFixtureStreams } from "../../generator/load/fixtures.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Envelope, EventType, Protocol } from "../../generator/protocol/protocol.js";
import { createBanner } from "../../generator/text.js";

const { protocols } = await loadSchemas("schemas");

describe.each(protocols.map((protocol) => ({ id: protocol.id, protocol })))(
  "catalogue of $id",
  ({ protocol }) => {
    const content = renderCatalog(protocol);

    it("begins with the banner and has a name below the protocol's folder", () => {
      for (const file of emitCatalog(protocol)) {
        expect(file.path).toMatch(`${protocol.id}/catalog`);
        expect(file.content.split("\n")[0]).toBe(`<!-- ${createBanner()} -->`);
      }
    });

    it("has a section with every field for each event", () => {
      for (const { type, payload } of protocol.events) {
        const rows = findSection(content, type).filter((line) => line.startsWith("| `"));
        const found = rows.map((row) => /^\| `(.*?)` \|/.exec(row)?.[1]);
        expect(found, type).toEqual(
          expect.arrayContaining(listFieldPaths(payload, "", protocol.envelope.payloadFields)),
        );
      }
    });

    it("lists the common fields of payloads once", () => {
      for (const name of protocol.envelope.payloadFields)
        expect(content.split("\n").filter((line) => line.startsWith(`| \`${name}\` |`))).toHaveLength(1);
    });
  },
);

describe("catalogue", () => {
  const hecate = protocols.find(({ name }) => name === "hecate");
  if (!hecate) throw new Error("there is no protocol hecate");
  const [first, second] = hecate.events;
  if (!first || !second) throw new Error("hecate has no events");
  const createCatalog = (event: Partial<EventType>, protocol: Partial<Protocol> = {}): string =>
    renderCatalog({ ...hecate, ...protocol, events: [{ ...first, ...event }, second] });

  it("repeats a common field for an event that restricts it", () => {
    const payload = { ...first.payload, required: ["redacted_keys"] };
    expect(findSection(createCatalog({ payload }), first.type).join()).toContain(
      "| `redacted_keys` | array of string | yes |",
    );
    expect(findSection(createCatalog({}), first.type).join()).not.toContain("redacted_keys");
  });

  it("links a deprecated event to its replacement", () => {
    const content = createCatalog({ deprecated: { since: "1.1", replacedBy: second.type } });
    const link = `[\`${second.type}\`](#${second.type.replaceAll(".", "")})`;
    expect(findSection(content, first.type)[1]).toContain(` · **Deprecated** since 1.1, use ${link}`);
    expect(content).toContain("candidate, **deprecated** |");
    const none = createCatalog({ deprecated: { since: "1.1", replacedBy: null } });
    expect(findSection(none, first.type)[1]).toMatch(
      / · \*\*Deprecated\*\* since 1\.1, nothing replaces it$/,
    );
    expect(content).toContain("· 1 deprecated\n");
  });

  it("marks event types without a known sender where others have one", () => {
    const listMarked = (protocol: Protocol): string[] =>
      [...renderCatalog(protocol).matchAll(/^\| \[`(.+?)`\].*, no known sender \|$/gm)].map(
        ([, type = ""]) => type,
      );
    const withoutSender = hecate.events.filter(({ emittedBy }) => emittedBy === undefined);
    expect(listMarked(hecate).sort()).toEqual(withoutSender.map(({ type }) => type).sort());
    expect(listMarked({ ...hecate, events: withoutSender })).toEqual([]);
  });

  it("lists the described groups in their order, then the others", () => {
    const content = createCatalog({ group: "a" }, { groups: { [second.group]: "Known." } });
    const groups = [...content.matchAll(/^### `(.*)` events$/gm)].map(([, name]) => name);
    expect(groups).toEqual([second.group, "a"]);
  });

  it("names the payload property of each event if they differ", () => {
    const envelope: Envelope = { ...hecate.envelope, placement: "keyed" };
    expect(findSection(createCatalog({ payloadProperty: "P" }, { envelope }), first.type)).toContain(
      "The payload is in `P`.",
    );
    expect(findSection(createCatalog({}, { envelope }), first.type)).toContain("This event has no payload.");
  });

  it("lists tombstones with their reasons", () => {
    const row = "| `step.*` | event |  | 1.0 |  | The log used to hold untyped rows for the steps of a run.";
    expect(renderCatalog(hecate)).toContain(row);
  });

  it("grows no faster than the number of events of one group", () => {
    const measure = (count: number): number => {
      const events = Array.from({ length: count }, (_, index) => ({
        ...first,
        type: `one.family.${String(index).padStart(4, "0")}`,
        group: "one",
      }));
      const files = emitCatalog({ ...hecate, events, tombstones: [] });
      return files.reduce((sum, { content }) => sum + content.length, 0);
    };
    const [some, more, most] = [100, 300, 600].map(measure);
    expect(((most ?? 0) - (more ?? 0)) / 300).toBeLessThan((1.1 * ((more ?? 0) - (some ?? 0))) / 200);
    expect(most).toBeLessThan(2_000_000);
  });

  it("has files of at most 120 KB, a main one below 90 KB, and each event type in one of them", () => {
    for (const protocol of protocols) {
      const [main, ...families] = emitCatalog(protocol, readOwnRecordings(protocol));
      expect(Buffer.byteLength(main?.content ?? ""), protocol.id).toBeLessThan(90_000);
      for (const { path, content } of families)
        expect(Buffer.byteLength(content), path).toBeLessThan(120_000);
      const text = [main, ...families].map((file) => file?.content).join("");
      for (const { type } of protocol.events) expect(text.split(`### \`${type}\`\n`)).toHaveLength(2);
    }
  });

  it("begins with runs, states and endpoints, and ends with the rules for writers", () => {
    const titles = [...renderCatalog(hecate, readOwnRecordings(hecate)).matchAll(/^## (.*)$/gm)].map(
      ([, title]) => title,
    );
    expect(titles.slice(0, 4)).toEqual(["Typical runs", "States", "Endpoints", "What a reader must do"]);
    expect(titles.indexOf("Rules for writers")).toBeGreaterThan(titles.indexOf("Events in detail"));
  });

  it("lists each endpoint with its parameters", () => {
    const content = renderCatalog(hecate);
    for (const [path, methods] of Object.entries(createPaths(hecate)))
      for (const method of Object.keys(getMembers(methods)))
        expect(content).toContain(`- \`${method.toUpperCase()} ${path}\`: `);
    expect(content).toContain(
      "- `limit` (query; integer, 1 to 5000, default `500`): At most so many events.",
    );
  });

  it("says where the statements of an event and of a field come from", () => {
    const payload = { properties: { a: { type: "string", "x-source": ["B, 2"] } } };
    const section = findSection(createCatalog({ payload, sources: ["A | 1", "B"] }), first.type);
    expect(section).toContain("Source: A &#124; 1 · B.");
    expect(section.join()).toContain("Source: B, 2.");
  });

  it("links a reference to the envelope to its section", () => {
    expect(renderCatalog(hecate)).toContain("array of object ([`Envelope`](#the-envelope))");
  });
});

/** Returns what the fixtures of a bundled protocol show. */
function readOwnRecordings(protocol: Protocol): Recordings {
  return readRecordings(protocol, readFixtureStreams(`fixtures/${protocol.id}`));
}

/** Returns the paths of the fields that `schema` declares itself, without the fields `hidden` of the root. */
function listFieldPaths(schema: Json | undefined, path: string, hidden: readonly string[] = []): string[] {
  if (!isObject(schema)) return [];
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const fields = properties
    .filter(([name]) => !hidden.includes(name))
    .flatMap(([name, sub]) => {
      const below = path === "" ? name : `${path}.${name}`;
      return [below, ...listFieldPaths(sub, below)];
    });
  return [...fields, ...listFieldPaths(schema.items, `${path}[]`)];
}

/** Returns the lines of the section below the last heading `name`. */
function findSection(markdown: string, name: string): string[] {
  const all = markdown.split("\n");
  const start = all.lastIndexOf(`### \`${name}\``) + 1;
  const length = all.slice(start).findIndex((line) => /^#{1,3} /.test(line));
  return start === 0 ? [] : all.slice(start, length < 0 ? undefined : start + length);
}

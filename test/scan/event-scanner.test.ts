/** If this fails, `accrete validate` accepts an event that parsing and the validators refuse, or reads its fields wrongly. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../generator/json.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createRandom } from "../../generator/random.js";
import { damageBytes } from "../ingest/reading-fuzz.js";
import {
  createSubjects,
  escapeUnit,
  getScanner,
  isRecognised,
  OWN_SUBJECTS,
  readFixtureLines,
} from "./alike.js";
import { SCHEMA, VALUE } from "./arbitraries.js";

/** Event types that the scanner leaves to parsing: one has undeclared payload fields, one has a number of 16 digits. */
const PARSED = new Set(["external.event", "snapshot"]);

describe.each(OWN_SUBJECTS)("of $name", (subject) => {
  const lines = readFixtureLines(subject.protocol).map((line) => Buffer.from(line));
  const knownEvents = lines.filter((line) => subject.parseKnownEvent(line));

  it.each([
    ["", (line: Buffer) => line],
    [
      " with blanks, as other languages write them",
      (line: Buffer) => Buffer.from(formatWithBlanks(parseLine(line) as Json)),
    ],
  ])("recognises the events of the fixtures%s", (_form, respell) => {
    expect(knownEvents.length).toBeGreaterThan(20);
    const missed = knownEvents
      .filter((line) => !isRecognised(subject, respell(line)))
      .map((line) => parseLine(line).type);
    expect(missed.filter((type) => !PARSED.has(type))).toEqual([]);
  });

  it("recognises no damaged line that parsing refuses", () => {
    const next = createRandom(5).below;
    let recognised = 0;
    for (let count = 0; count < 3000; count++) {
      const line = damageBytes(lines[next(lines.length)] as Buffer, next);
      if (isRecognised(subject, line)) recognised++;
    }
    expect(recognised).toBeGreaterThan(20);
  });

  it("recognises events with members in another order, twice, left out or unknown", () => {
    const next = createRandom(6).below;
    for (let count = 0; count < 1000; count++)
      isRecognised(
        subject,
        Buffer.from(rearrangeMembers(JSON.parse(String(lines[next(lines.length)])), next)),
      );
  });
});

function parseLine(line: Buffer): { readonly type: string } {
  return JSON.parse(line.toString());
}

function formatWithBlanks(value: Json): string {
  const text = JSON.stringify(value, null, 1).replace(/\n */g, " ");
  return text.replace(/([[{]) | ([\]}])/g, "$1$2");
}

/** Returns the text of a value whose members are reversed, repeated, left out, added or spelled in other ways. */
function rearrangeMembers(value: Json, next: (below: number) => number): string {
  if (Array.isArray(value))
    return `[${value.map((item) => rearrangeMembers(item, next)).join(next(9) === 0 ? " , " : ",")}]`;
  if (typeof value === "string" && next(6) === 0) return spellWithEscapes(value, next);
  if (typeof value === "number" && next(6) === 0)
    return [`${value}.0`, `${value}e0`, `-${value}`, `0${value}`, `${value}.5`][next(5)] ?? "";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const key = next(40) === 0 ? spellWithEscapes(name, next) : JSON.stringify(name);
    return `${key}${next(20) === 0 ? " : " : ":"}${rearrangeMembers(member as Json, next)}`;
  });
  if (next(8) === 0) members.reverse();
  if (next(15) === 0) members.splice(next(members.length + 1), 1);
  if (next(15) === 0) members.push(members[next(members.length)] ?? '"x":1');
  if (next(15) === 0) members.push(`"extra":{"a":[1,{"b":null}],"a${next(2) === 0 ? "" : "b"}":1.5e3}`);
  return `{${members.join(",")}}`;
}

/** Returns the JSON of a text with unneeded escapes. */
function spellWithEscapes(text: string, next: (below: number) => number): string {
  const spellUnit = (unit: string): string => {
    const needsEscape = unit < " " || unit === '"' || unit === "\\";
    return next(4) === 0 || needsEscape ? escapeUnit(unit) : unit;
  };
  return `"${text.split("").map(spellUnit).join("")}"`;
}

/** Creates a protocol with one event type whose payload is `payload`. */
function createProtocol(payload: Json): Protocol {
  const at = { file: "", pointer: "" };
  const schema = {
    type: "object",
    properties: { type: { type: "string" }, run: { type: "string" }, data: { type: "object" } },
    required: ["type", "data"],
  };
  const envelope = {
    discriminator: "type",
    placement: "nested",
    property: "data",
    schema,
    payloadFields: [],
    at,
  };
  const event = {
    type: "x",
    stability: "stable",
    since: "1.0",
    examples: [],
    payload: payload as JsonObject,
    at,
  };
  const lists = { resources: [], tombstones: [], waivers: [], definitions: {} };
  return {
    ...lists,
    name: "p",
    major: 1,
    id: "p/v1",
    version: "1.0",
    envelope,
    events: [event],
    at,
  } as unknown as Protocol;
}

describe("any protocol", () => {
  it("recognises no event that the schema refuses", () => {
    let recognised = 0;
    const event = fc.record(
      { type: fc.constant("x"), run: fc.string(), data: VALUE },
      { requiredKeys: ["type", "data"] },
    );
    fc.assert(
      fc.property(
        SCHEMA.filter((schema) => typeof schema === "object"),
        fc.array(event, { minLength: 5, maxLength: 10 }),
        (schema, events) => {
          for (const subject of createSubjects([
            createProtocol({ ...(schema as JsonObject), type: "object" }),
          ]))
            for (const each of events)
              if (isRecognised(subject, Buffer.from(JSON.stringify(each)))) recognised++;
        },
      ),
      { numRuns: 150, seed: 3 },
    );
    expect(recognised).toBeGreaterThan(20);
  });

  it("does not recognise events with a field of another protocol", () => {
    const line = Buffer.from('{"type":"x","run":"r","data":{}}');
    for (const [foreign, end] of [
      [[], line.length],
      [["run"], -1],
      [["other"], line.length],
    ] as const) {
      const scanner = getScanner(createProtocol({ type: "object" }), "reader", foreign);
      scanner.load(line, 0, line.length);
      expect(scanner.scan(0)).toBe(end);
    }
  });

  it.each([
    [
      "listed values beyond ASCII, and with escapes",
      { enum: ["büro", 'a"b', "plain", "😀"] },
      ["büro", 'a"b', "plain", "😀"],
    ],
    ["lengths that no text has", { type: "string", minLength: 4294967297 }, ["a"]],
    ["lengths that every text has", { type: "string", maxLength: 4294967297 }, ["a"]],
    ["numbers of items that no array has", { type: "array", minItems: 4294967296 }, [[], [1]]],
  ])("reads %s as parsing does", (_about, schema, values) => {
    const protocol = {
      ...createProtocol({ type: "object", properties: { a: schema, b: schema } }),
      stream: { key: ["run"], rules: { texts: [{ key: ["a"] }] } },
    } as unknown as Protocol;
    for (const subject of createSubjects([protocol]))
      for (const value of values) {
        const line = Buffer.from(JSON.stringify({ type: "x", run: "r", data: { a: value, b: value } }));
        expect(isRecognised(subject, line)).toBe(subject.parseKnownEvent(line) !== undefined);
      }
  });

  it("reads the fields of a payload, not those of nested objects with the same schema", () => {
    const node = {
      type: "object",
      properties: { id: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/node" } } },
    };
    const at = { file: "", pointer: "" };
    const base = createProtocol({ $ref: "#/$defs/node" });
    const protocol = {
      ...base,
      definitions: { node: { schema: node, at } },
      envelope: {
        ...base.envelope,
        placement: "keyed",
        property: undefined,
        schema: { ...base.envelope.schema, required: ["type"] },
      },
      events: base.events.map((event) => ({ ...event, payloadProperty: "tree" })),
    } as unknown as Protocol;
    const event = { type: "x", tree: { id: "a", kids: [{ id: "b", kids: [{ id: "c" }] }] } };
    const areRecognised = createSubjects([protocol]).map((subject) =>
      isRecognised(subject, Buffer.from(JSON.stringify(event))),
    );
    expect(areRecognised).toContain(true);
  });

  it("reads a payload that is not an object", () => {
    const protocol = createProtocol({ type: ["object", "null"], properties: { a: { type: "string" } } });
    const open = {
      ...protocol,
      envelope: {
        ...protocol.envelope,
        schema: { type: "object", properties: { type: { type: "string" }, data: {} } },
      },
    };
    for (const subject of createSubjects([open as unknown as Protocol])) {
      expect(isRecognised(subject, Buffer.from('{"type":"x","data":{"a":"1"}}'))).toBe(true);
      isRecognised(subject, Buffer.from('{"type":"x","data":null}'));
    }
  });

  it("reads more different texts than its table of texts can hold", () => {
    const field = { type: "string" };
    const properties = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, field]));
    const protocol = {
      ...createProtocol({ type: "object", properties }),
      stream: { key: ["run"], rules: { texts: [{ key: ["a", "b", "c", "d"] }] } },
    } as unknown as Protocol;
    const [subject] = createSubjects([protocol]);
    const next = createRandom(9).below;
    const id = (): string => `id_${next(20_000)}`;
    for (let count = 0; count < 20_000; count++) {
      const event = { type: "x", run: id(), data: { a: id(), b: id(), c: id(), d: id() } };
      expect(subject && isRecognised(subject, Buffer.from(JSON.stringify(event)))).toBe(true);
    }
  });
});

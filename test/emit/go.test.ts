/** If this fails, generated Go packages do not compile, or lose declared fields of events. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { emitGo } from "../../generator/emit/go/go.js";
import type { Location } from "../../generator/finding.js";
import { isObject, type Json, type JsonObject, own } from "../../generator/json.js";
import type { EventType, Protocol } from "../../generator/protocol/protocol.js";
import type { Schema } from "../../generator/schema/json-schema.js";
import { createSharedFolder } from "../folders.js";
import { writeOutputs } from "./emit-all.js";
import { PROTOCOLS, readValidFixtures } from "./fixtures.js";
import { loadHostileProtocols } from "./hostile-protocols.js";
import { createRandomProtocols, PROTOCOL_COUNT, SEED } from "./made-protocols.js";

const hasGo = ["go", "gofmt"].every((name) => spawnSync(name, ["-h"]).error === undefined);
if (!hasGo) console.warn("go or gofmt is absent: the Go packages are not checked by them");

/** A text of which gofmt makes lists, headings, links and quotes at the beginning of a line. */
const MARKS = "- a * b # C 1. d 2) e + f [Go]: https://go.dev `` '' //go:build x ".repeat(30);

const at = { file: "odd", pointer: "" };

/** Definitions that have no equal type in Go. */
const ODD: Protocol["definitions"] = Object.fromEntries(
  Object.entries({
    Node: {
      type: "object",
      properties: { next: { $ref: "#/$defs/Node" } },
      required: ["next"],
      description: MARKS,
    },
    A: { type: "object", properties: { b: { $ref: "#/$defs/B" } }, required: ["b"] },
    B: { type: "object", properties: { a: { $ref: "#/$defs/A" } }, required: ["a"] },
    NullableText: { type: ["string", "null"] },
    Other: { $ref: "#/$defs/Any" },
    Any: true,
    Never: false,
    Event: { type: "string", enum: ["", "a", "A", "-a"] },
    Mixed: { anyOf: [{ type: "string" }, { $ref: "#/$defs/A" }] },
    Maybe: { oneOf: [{ $ref: "#/$defs/A" }, { type: "null" }] },
  }).map(([name, schema]): [string, { schema: Schema; at: Location }] => [name, { schema, at }]),
);

/** Creates a protocol with odd names, texts and definitions from another one. */
function createOddProtocols(protocol: Protocol | undefined): Protocol[] {
  if (!protocol) return [];
  const properties = Object.fromEntries(
    Object.keys(ODD).map((name) => [
      `${name}_field`,
      { $ref: `#/$defs/${name}`, deprecated: true, description: MARKS },
    ]),
  );
  const payload = {
    type: "object",
    properties: {
      ...properties,
      event_type: { type: "string" },
      "a,b": {},
      a: {},
      A: {},
    },
  };
  const events = protocol.events.map((event) => ({ ...event, description: MARKS, payload }));
  return [{ ...protocol, id: "odd/v1", name: "1-odd", title: MARKS, events, definitions: ODD }];
}

const hostile = [
  ...(await loadHostileProtocols()),
  ...createOddProtocols(PROTOCOLS[0]),
  ...(await createRandomProtocols(PROTOCOL_COUNT, SEED)),
];
const root = createSharedFolder();

function runTool(name: string, parameters: readonly string[], input = ""): string {
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", GO111MODULE: "on" };
  const { stdout, stderr, status } = spawnSync(name, parameters, {
    cwd: root,
    env,
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return status === 0 ? stdout : `${name} failed: ${stderr}`;
}

const imports = PROTOCOLS.map(({ id }, i) => `\tp${i} "accrete.test/${id}/go"`);
const rows = PROTOCOLS.map(
  ({ id }, i) =>
    `\t"${id}": func(data []byte) (any, error) { e, err := p${i}.DecodeEvent(data); return e, err },`,
);

/** A Go program that decodes each `{"protocol", "event"}` on a line of stdin, and prints the result. */
const MAIN = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

${imports.join("\n")}
)

var decoders = map[string]func([]byte) (any, error){
${rows.join("\n")}
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<24)
	input := json.NewDecoder(lines)
	for input.More() {
		var asked struct {
			Protocol string
			Event    json.RawMessage
		}
		if err := input.Decode(&asked); err != nil {
			panic(err)
		}
		event, err := decoders[asked.Protocol](asked.Event)
		answer := map[string]any{"event": event}
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		line, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
}
`;

/** A request to the Go program. */
interface DecodeRequest {
  readonly protocol: string;
  readonly event: Json;
}

/** The answer of the Go program. */
interface Answer {
  readonly error?: string;
  readonly event: {
    readonly Type: string;
    readonly Envelope: JsonObject;
    readonly Payload: JsonObject;
    readonly Raw: Json;
  };
}

function decodeEvents(requests: readonly DecodeRequest[]): Answer[] {
  const lines = runTool("go", ["run", "./main"], requests.map((one) => JSON.stringify(one)).join("\n"));
  return lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Returns whether Go omits an optional field with this value. */
function isEmpty(value: Json): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Lists the places where two values differ. Values that Go omits count as equal. */
function listDifferences(sent: Json, got: Json, at = ""): string[] {
  if (isEmpty(sent) && isEmpty(got)) return [];
  if (Array.isArray(sent) && Array.isArray(got) && sent.length === got.length)
    return sent.flatMap((one, i) => listDifferences(one, got[i] as Json, `${at}/${i}`));
  if (isObject(sent) && isObject(got))
    return [...new Set([...Object.keys(sent), ...Object.keys(got)])].flatMap((name) =>
      listDifferences(own(sent, name) ?? null, own(got, name) ?? null, `${at}/${name}`),
    );
  return JSON.stringify(sent) === JSON.stringify(got) ? [] : [`${at}: ${JSON.stringify([sent, got])}`];
}

/** Joins the decoded envelope and payload to an event. */
function joinParts({ envelope }: Protocol, { payloadProperty }: EventType, got: Answer["event"]): JsonObject {
  if (envelope.placement === "inline") return { ...got.Envelope, ...got.Payload };
  const property = envelope.property ?? payloadProperty;
  return { ...got.Envelope, ...(property !== undefined && { [property]: got.Payload }) };
}

/** Removes the undeclared fields of an open payload. */
function removeUndeclaredFields(
  { envelope }: Protocol,
  { payload }: EventType,
  event: JsonObject,
): JsonObject {
  const { property } = envelope;
  const sent = property === undefined ? undefined : own(event, property);
  if (property === undefined || !isObject(sent) || payload.additionalProperties !== true) return event;
  const names = Object.keys(isObject(payload.properties) ? payload.properties : {});
  const kept = Object.entries(sent).filter(([name]) => names.includes(name));
  return { ...event, [property]: Object.fromEntries(kept) };
}

const cases = PROTOCOLS.flatMap((protocol) =>
  protocol.events.flatMap((type) =>
    readValidFixtures(protocol, type.type).map((event) => ({ protocol, type, event: event as JsonObject })),
  ),
);

describe("Go packages", () => {
  it("begin with the line by which Go tools recognise generated code", () => {
    for (const protocol of PROTOCOLS) {
      const { path, content } = emitGo(protocol);
      expect(path).toBe(`${protocol.id}/go/events.go`);
      expect(content).toMatch(/^\/\/ Code generated .* DO NOT EDIT\.\n/);
    }
  });

  it.each<[schema: Json, type: string]>([
    [{ properties: { a: true } }, "json.RawMessage"],
    [{ type: "object", properties: { a: { type: "null" } } }, "*OddPayloadValue"],
    [{ type: "object", additionalProperties: { type: "integer" } }, "map[string]int64"],
    [
      { type: "object", additionalProperties: { type: "integer" }, patternProperties: { "^x": true } },
      "map[string]json.RawMessage",
    ],
    [{ type: "array", items: { type: ["string", "null"] } }, "[]*string"],
    [{ type: "array", items: { type: "string" }, prefixItems: [{ type: "null" }] }, "[]json.RawMessage"],
    [{ type: "string", "x-extensible-enum": ["a"] }, "*OddPayloadValue"],
    [{ enum: [1, 1.5] }, "*float64"],
  ])("hold every value that a reader accepts: %j", (schema, type) => {
    const [protocol] = PROTOCOLS;
    const [first] = protocol?.events ?? [];
    if (!protocol || !first) throw new Error("there is no protocol");
    const event = { ...first, type: "odd", payload: { type: "object", properties: { value: schema } } };
    const { content } = emitGo({ ...protocol, events: [event], definitions: {}, resources: [] });
    expect(content).toContain(`\tValue ${type} \`json:"value,omitempty"\``);
  });

  describe.skipIf(!hasGo)("under the Go tools", { timeout: 300_000 }, () => {
    writeOutputs(root, [...PROTOCOLS, ...hostile].map(emitGo));
    writeOutputs(root, [{ path: "main/main.go", content: MAIN }]);
    writeFileSync(path.join(root, "go.mod"), "module accrete.test\n\ngo 1.19\n");

    it("are formatted like gofmt does, for hostile schemas too", () => {
      expect(hostile.length).toBeGreaterThan(20);
      expect(runTool("gofmt", ["-l", ...[...PROTOCOLS, ...hostile].map(({ id }) => id)])).toBe("");
    });

    it("pass go vet, for hostile schemas too", () => {
      expect(runTool("go", ["vet", ...[...PROTOCOLS, ...hostile].map(({ id }) => `./${id}/go`)])).toBe("");
    });

    it("read every valid fixture, and write every declared field of it again", () => {
      expect(cases.length).toBeGreaterThan(200);
      const answers = decodeEvents(cases.map(({ protocol, event }) => ({ protocol: protocol.id, event })));
      const wrong = cases.flatMap(({ protocol, type, event }, i) => {
        const { error, event: got } = answers[i] as Answer;
        if (error !== undefined) return [`${type.type}: ${error}`];
        return [
          ...(got.Type === type.type ? [] : [`${type.type}: became ${got.Type}`]),
          ...(Object.hasOwn(got.Payload, "Raw") ? [`${type.type}: unknown`] : []),
          ...listDifferences(
            removeUndeclaredFields(protocol, type, event),
            joinParts(protocol, type, got),
          ).map((one) => `${type.type}${one}`),
          ...listDifferences(event, got.Raw),
        ];
      });
      expect(wrong).toEqual([]);
    });

    it("keep the payload of an unknown event type as raw JSON, and refuse values that are not events", () => {
      const event = cases.find(({ protocol }) => protocol.id === "hecate/v1")?.event ?? {};
      const bad: Json[] = [
        null,
        1,
        [],
        {},
        { type: null },
        { type: 1 },
        { ...event, data: null },
        { TYPE: event.type ?? "" },
      ];
      const events = [{ ...event, type: "no.such", data: { a: [1] } }, ...bad];
      const [unknown, ...refused] = decodeEvents(events.map((event) => ({ protocol: "hecate/v1", event })));
      expect(unknown?.event).toMatchObject({
        Type: "no.such",
        Payload: { Type: "no.such", Raw: { a: [1] } },
      });
      expect(refused.map(({ error }) => typeof error)).toEqual(bad.map(() => "string"));
    });
  });
});

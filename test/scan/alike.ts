/** Compares the events that the scanner recognises in lines with those that parsing and the validators give. */
import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { checkLineText } from "../../generator/ingest/line-reader.js";
import { isObject, type JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createScanner, type EventScanner } from "../../generator/scan/event-scanner.js";
import { PROFILES, type Profile } from "../../generator/schema/readings.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";

/** A protocol with its scanner and its validators. */
export interface Subject {
  readonly name: string;
  readonly protocol: Protocol;
  readonly scanner: EventScanner;
  /** Returns the value of a line if it is valid JSON and an event that the validators accept. */
  parseKnownEvent(line: Buffer): JsonObject | undefined;
}

/** One subject for each protocol and profile. */
export function createSubjects(protocols: readonly Protocol[]): Subject[] {
  return protocols.flatMap((protocol) => PROFILES.map((profile) => createSubject(protocol, profile)));
}

/** The subjects of the protocols of this repository. */
export const OWN_SUBJECTS = createSubjects((await loadSchemas("schemas")).protocols);

/** Returns the scanner of a protocol. Throws if there is none. */
export function getScanner(
  protocol: Protocol,
  profile: Profile,
  foreign: readonly string[] = [],
): EventScanner {
  const scanner = createScanner(protocol, profile, foreign).get();
  if (scanner === undefined) throw new Error("no WebAssembly");
  return scanner;
}

function createSubject(protocol: Protocol, profile: Profile): Subject {
  const { decodeEvent } = createValidators(protocol);
  return {
    name: `${protocol.id} ${profile}`,
    protocol,
    scanner: getScanner(protocol, profile),
    parseKnownEvent(line) {
      if (checkLineText(line).length > 0) return undefined;
      const value = JSON.parse(line.toString());
      return decodeEvent(value, { profile }).kind === "known" ? value : undefined;
    },
  };
}

/** Returns the JSON escape of a UTF-16 unit. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns the lines of the fixture streams and the single fixtures of a protocol. */
export function readFixtureLines({ id }: Protocol): string[] {
  const readFolder = (name: string): string[] =>
    readdirSync(`fixtures/${id}/${name}`, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.jsonl?$/.test(file))
      .map((file) => readFileSync(`fixtures/${id}/${name}/${file}`, "utf8"));
  const single = readFolder("valid").map((text) => JSON.stringify(JSON.parse(text)));
  return [
    ...readFolder("streams").flatMap((text) => text.split("\n").filter((line) => line !== "")),
    ...single,
  ];
}

/** Returns true if the line is recognised. Throws if parsing refuses the event or gives other values of its fields. */
export function isRecognised({ scanner, protocol, parseKnownEvent }: Subject, line: Buffer): boolean {
  if (!isUtf8(line) || line.includes(0x0a)) return false;
  if (!scanner.load(line, 0, line.length)) return false;
  const end = scanner.scan(0);
  if (end < 0) return false;
  // The scanner stops after the first value of a line, which may have more text.
  const value = parseKnownEvent(line.subarray(0, end));
  if (value === undefined) throw new Error(`${protocol.id} recognises ${line.subarray(0, end)}`);
  compareEvent(protocol, scanner, value, line);
  return end === line.length;
}

function compareEvent(protocol: Protocol, scanner: EventScanner, value: JsonObject, line: Buffer): void {
  const { discriminator, placement, property } = protocol.envelope;
  const event = protocol.events.find(({ type }) => type === value[discriminator]);
  const payload = placement === "nested" ? property : event?.payloadProperty;
  const expected = new Map(Object.entries(value));
  const scanned = scanner.event as JsonObject;
  const fail = (part: string): never => {
    throw new Error(`the scanner reads another ${part} of ${line}`);
  };
  if (scanner.type !== value[discriminator]) fail("type");
  const { key = [], sequence, id } = protocol.stream ?? {};
  if (key.length === 1 && scanner.stream !== (value[key[0] as string] ?? "")) fail("stream");
  if (sequence !== undefined && scanner.sequence !== value[sequence]) fail("sequence");
  if (id !== undefined && scanner.id !== value[id]) fail("id");
  for (const name of [...expected.keys(), ...ABSENT]) {
    const actualValue = scanned[name];
    const expectedValue = expected.get(name);
    // The scanner may read the fields of a payload on demand. Then they are not own properties.
    if (
      name === payload &&
      isObject(actualValue) &&
      isObject(expectedValue) &&
      !hasOwnFields(actualValue, expectedValue)
    ) {
      for (const member of [...Object.keys(expectedValue), ...ABSENT])
        if (JSON.stringify(actualValue[member]) !== JSON.stringify(expectedValue[member]))
          fail(`${name}.${member}`);
    } else if (JSON.stringify(actualValue) !== JSON.stringify(expectedValue)) fail(name);
  }
}

function hasOwnFields(actual: JsonObject, expected: JsonObject): boolean {
  return Object.hasOwn(actual, Object.keys(expected)[0] ?? "");
}

/** Names that no event has. */
const ABSENT = ["no_such_field", ""];

/** Compares what the scanner reads in lines with what parsing and the validators read. */
import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import { checkLineText } from "../../generator/ingest/line-reader.js";
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
  parseKnownEvent(line: Buffer): { readonly [name: string]: unknown } | undefined;
}

/** One subject for each protocol and profile. */
export function createSubjects(protocols: readonly Protocol[]): Subject[] {
  return protocols.flatMap((protocol) => PROFILES.map((profile) => createSubject(protocol, profile)));
}

export const OWN_SUBJECTS = createSubjects((await loadSchemas("schemas")).protocols);

/** The scanner of a protocol; every engine that tests run on has one. */
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

/** The lines of the fixture streams and single fixtures of a protocol. */
export function readFixtureLines({ id }: Protocol): string[] {
  const folder = (name: string): string[] =>
    readdirSync(`fixtures/${id}/${name}`, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.jsonl?$/.test(file))
      .map((file) => readFileSync(`fixtures/${id}/${name}/${file}`, "utf8"));
  const single = folder("valid").map((text) => JSON.stringify(JSON.parse(text)));
  return [...folder("streams").flatMap((text) => text.split("\n").filter((line) => line !== "")), ...single];
}

/** Returns whether the line is recognised. Throws if parsing gives another event, or another value of one of its fields. */
export function isRecognised({ scanner, protocol, parseKnownEvent }: Subject, line: Buffer): boolean {
  if (!isUtf8(line) || line.includes(0x0a)) return false;
  if (!scanner.load(line, 0, line.length)) return false;
  const end = scanner.scan(0);
  if (end < 0) return false;
  // A line with more than one value is not recognised as a whole.
  const value = parseKnownEvent(line.subarray(0, end));
  if (value === undefined) throw new Error(`${protocol.id} recognises ${line.subarray(0, end)}`);
  compareEvent(protocol, scanner, value, line);
  return end === line.length;
}

function compareEvent(protocol: Protocol, scanner: EventScanner, value: Fields, line: Buffer): void {
  const { discriminator, placement, property } = protocol.envelope;
  const event = protocol.events.find(({ type }) => type === value[discriminator]);
  const payload = placement === "nested" ? property : event?.payloadProperty;
  const expected = new Map(Object.entries(value));
  const shown = scanner.event as Fields;
  const fail = (what: string): never => {
    throw new Error(`${what} of ${line}`);
  };
  if (scanner.type !== value[discriminator]) fail("type");
  const { key = [], sequence, id } = protocol.stream ?? {};
  if (key.length === 1 && scanner.stream !== (value[key[0] as string] ?? "")) fail("stream");
  if (sequence !== undefined && scanner.sequence !== value[sequence]) fail("sequence");
  if (id !== undefined && scanner.id !== value[id]) fail("id");
  for (const name of [...expected.keys(), ...ABSENT]) {
    const [one, other] = [shown[name], expected.get(name)];
    if (
      name === payload &&
      isFields(one) &&
      isFields(other) &&
      !Object.hasOwn(one, Object.keys(other)[0] ?? "")
    ) {
      for (const member of [...Object.keys(other), ...ABSENT])
        if (JSON.stringify(one[member]) !== JSON.stringify(other[member])) fail(`${name}.${member}`);
    } else if (JSON.stringify(one) !== JSON.stringify(other)) fail(name);
  }
}

interface Fields {
  readonly [name: string]: unknown;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names that no event has. */
const ABSENT = ["no_such_field", ""];

/** Counts and reads the fixtures of a protocol. */

import { readdirSync } from "node:fs";
import path from "node:path";
import { getErrorCode } from "../io.js";
import { getOwn, isObject, type Json, type JsonObject, parseJson } from "../json.js";
import { getEventName } from "../protocol/names.js";
import type { Protocol } from "../protocol/protocol.js";
import { readBytes } from "./read-bytes.js";

/** The numbers of fixtures of one event type. */
export interface FixtureCount {
  /** The number of events that must be accepted. */
  readonly valid: number;
  /** The number of events that must be refused. */
  readonly invalid: number;
  /** The number of streams that have an event of the type. */
  readonly streams: number;
}

/** The count of an event type without fixtures. */
export const NO_FIXTURES: FixtureCount = { valid: 0, invalid: 0, streams: 0 };

/** Counts the fixtures below `folder` by event type: `valid/NAME/*.json`, `invalid/NAME/*.json` and `streams/*.jsonl`. */
export function countFixtures(
  folder: string,
  { envelope, events }: Protocol,
): ReadonlyMap<string, FixtureCount> {
  const typesByName = new Map(events.map((event) => [getEventName(event), event.type]));
  const counts = new Map<string, FixtureCount>();
  const add = (type: string, kind: keyof FixtureCount, added: number): void => {
    const count = counts.get(type) ?? NO_FIXTURES;
    counts.set(type, { ...count, [kind]: count[kind] + added });
  };
  for (const kind of ["valid", "invalid"] as const)
    for (const eventName of listNames(path.join(folder, kind))) {
      const names = listNames(path.join(folder, kind, eventName));
      add(
        typesByName.get(eventName) ?? eventName,
        kind,
        names.filter((name) => name.endsWith(".json")).length,
      );
    }
  const streams = listNames(path.join(folder, "streams")).filter((name) => name.endsWith(".jsonl"));
  for (const name of streams) {
    const text = readBytes(path.join(folder, "streams", name)).toString("utf8");
    for (const type of collectTypes(text, envelope.discriminator)) add(type, "streams", 1);
  }
  return counts;
}

/** Returns the names in a folder; none if there is no such folder. */
function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(getErrorCode(error))) return [];
    throw error;
  }
}

/** Returns the event types of a stream. The conformance tests report lines that are not events. */
function collectTypes(text: string, discriminator: string): ReadonlySet<string> {
  const events = text.split("\n").map(parseJson).filter(isObject);
  return new Set(
    events.map((event) => getOwn(event, discriminator)).filter((type) => typeof type === "string"),
  );
}

/** An event of a fixture, valid or not. */
interface FixtureEvent {
  /** The path of the fixture below the folder of the version, such as `valid/run.queued/plain.json`. */
  readonly id: string;
  readonly event: Json;
}

/** Reads the events of `valid/NAME/*.json` and `invalid/NAME/*.json` below `folder`, sorted by path. Files without an event are skipped. */
export function readFixtureEvents(folder: string): FixtureEvent[] {
  return ["invalid", "valid"].flatMap((kind) =>
    listNames(path.join(folder, kind))
      .sort()
      .flatMap((eventName) =>
        listNames(path.join(folder, kind, eventName))
          .sort()
          .filter((name) => name.endsWith(".json"))
          .flatMap((name) => readFixtureEvent(folder, kind, `${kind}/${eventName}/${name}`)),
      ),
  );
}

function readFixtureEvent(folder: string, kind: string, id: string): FixtureEvent[] {
  const value = parseJson(readBytes(path.join(folder, id)).toString("utf8"));
  const event = kind === "valid" ? value : isObject(value) ? value.event : undefined;
  // The conformance tests report files that are not JSON, and those without an event.
  return event === undefined ? [] : [{ id, event }];
}

/** A stream of the fixtures. */
interface FixtureStream {
  /** The name of its file, such as `two-runs.jsonl`. */
  readonly id: string;
  readonly events: readonly JsonObject[];
}

/** Reads `streams/*.jsonl` below `folder`, sorted by name. Lines that are not JSON objects are skipped: the conformance tests report them. */
export function readFixtureStreams(folder: string): FixtureStream[] {
  return listNames(path.join(folder, "streams"))
    .sort()
    .filter((name) => name.endsWith(".jsonl"))
    .map((id) => {
      const text = readBytes(path.join(folder, "streams", id)).toString("utf8");
      return { id, events: text.split("\n").map(parseJson).filter(isObject) };
    });
}

import path from "node:path";
import { isObject, type Json } from "../json.js";
import { listNames } from "./fixture-counts.js";
import { readBytes } from "./read-bytes.js";

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
  try {
    const value: Json = JSON.parse(readBytes(path.join(folder, id)).toString("utf8"));
    if (kind === "valid") return [{ id, event: value }];
    return isObject(value) && value.event !== undefined ? [{ id, event: value.event }] : [];
  } catch (error) {
    // The conformance tests report files that are not JSON.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Small protocols as files, in the form that `accrete` reads from a schemas folder. */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";

/** The files of one protocol folder by their relative paths. */
export interface ProtocolFiles {
  readonly [path: string]: JsonObject;
}

/** A file of a protocol that tests change in place, on a copy. */
// biome-ignore lint/suspicious/noExplicitAny: mutations reach deep into documents that they made
export type Draft = { [path: string]: any };

export const MANIFEST = "protocol.json";
export const ENVELOPE = "envelope.schema.json";
export const SHARED = "shared/common.schema.json";

const EVENT = /^events\/(.+)\.schema\.json$/;

/** Returns the path of the schema of an event type. */
export function getEventPath(type: string): string {
  return `events/${type}.schema.json`;
}

/** Returns the event type that a file describes; undefined if it describes something else. */
export function getEventType(path: string): string | undefined {
  return EVENT.exec(path)?.[1];
}

/** Returns the event types of a protocol, sorted. */
export function listEventTypes(files: ProtocolFiles): string[] {
  return Object.keys(files)
    .flatMap((path) => getEventType(path) ?? [])
    .sort();
}

/** Returns the paths of the files that describe whole messages: events and resources. */
export function listMessagePaths(files: ProtocolFiles): string[] {
  return Object.keys(files).filter(
    (path) => getEventType(path) !== undefined || path.startsWith("resources/"),
  );
}

const STABILITIES = ["experimental", "candidate", "stable"];

/** Returns the stability of an event type or a resource. The default of a resource is that of the most stable event. */
export function getStability(files: ProtocolFiles, path: string): string {
  const label = files[path]?.["x-stability"];
  if (typeof label === "string" || getEventType(path) !== undefined) return String(label);
  const labels = listEventTypes(files).map((type) => getStability(files, getEventPath(type)));
  return STABILITIES.findLast((each) => labels.includes(each)) ?? "experimental";
}

/** Returns a deep copy that may be changed. */
export function copyFiles(files: ProtocolFiles): Draft {
  return structuredClone(files) as Draft;
}

/** The layout of messages that protocol.json states. */
export interface Layout {
  readonly discriminator: string;
  readonly placement: "nested" | "inline" | "keyed";
  readonly property?: string;
}

/** Reads the layout of messages from protocol.json. */
export function readLayout(files: ProtocolFiles): Layout {
  const { discriminator, payload } = getObject(files[MANIFEST], "envelope");
  const { placement, property } = isObject(payload) ? payload : {};
  return {
    discriminator: String(discriminator),
    placement: placement as Layout["placement"],
    ...(typeof property === "string" && { property }),
  };
}

/** Returns the member of an object if it is an object itself; otherwise an empty object. */
export function getObject(object: Json | undefined, name: string): JsonObject {
  const value = isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(value) ? value : {};
}

/** Returns the member of an object if it is a list; otherwise an empty list. */
export function getList(object: Json | undefined, name: string): readonly Json[] {
  const value = isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
  return Array.isArray(value) ? value : [];
}

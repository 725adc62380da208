/** Reads events from the bodies of log records, as OTLP/HTTP sends them in JSON. */
import { isObject, type Json, type JsonObject } from "../json.js";

/** Returns the bodies of the log records of a request as texts; undefined if it is not one. Texts stay as they were sent. */
export function readLogBodies(request: Json): readonly string[] | undefined {
  if (!isObject(request) || !Array.isArray(request.resourceLogs)) return undefined;
  return listObjects(request.resourceLogs)
    .flatMap(({ scopeLogs }) => listObjects(scopeLogs))
    .flatMap(({ logRecords }) => listObjects(logRecords))
    .map(({ body }) => readBody(body));
}

function listObjects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function readBody(body: Json | undefined): string {
  const text = isObject(body) ? body.stringValue : undefined;
  return typeof text === "string" ? text : JSON.stringify(readAnyValue(body));
}

/** Returns the JSON value of an AnyValue of OTLP. */
function readAnyValue(value: Json | undefined): Json {
  if (!isObject(value)) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  // JSON of protocol buffers writes whole numbers of 64 bits as texts.
  if (intValue !== undefined) return Number(intValue);
  if (arrayValue !== undefined)
    return isObject(arrayValue) ? readValues(arrayValue.values).map(readAnyValue) : [];
  if (kvlistValue !== undefined) {
    const members = isObject(kvlistValue) ? listObjects(kvlistValue.values) : [];
    return Object.fromEntries(members.map(({ key, value }) => [String(key), readAnyValue(value)]));
  }
  return stringValue ?? boolValue ?? doubleValue ?? bytesValue ?? null;
}

function readValues(values: Json | undefined): readonly Json[] {
  return Array.isArray(values) ? values : [];
}

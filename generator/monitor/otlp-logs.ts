/** Reads events from the bodies of log records, as OTLP/HTTP sends them in JSON. */
import { isObject, type Json, type JsonObject } from "../json.js";

/** The body of a log record: a value, or a text that is not JSON. */
type LogBody = { readonly value: Json } | { readonly text: string };

/** Returns the bodies of the log records of a request; undefined if it is not one. */
export function readLogBodies(request: Json): readonly LogBody[] | undefined {
  if (!isObject(request) || !Array.isArray(request.resourceLogs)) return undefined;
  return listObjects(request.resourceLogs)
    .flatMap(({ scopeLogs }) => listObjects(scopeLogs))
    .flatMap(({ logRecords }) => listObjects(logRecords))
    .map(({ body }) => readBody(body));
}

function listObjects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function readBody(body: Json | undefined): LogBody {
  const text = body !== undefined && isObject(body) ? body.stringValue : undefined;
  if (typeof text !== "string") return { value: readAnyValue(body) };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { text };
  }
}

/** Returns the JSON value of an AnyValue of OTLP. */
function readAnyValue(value: Json | undefined): Json {
  if (value === undefined || !isObject(value)) return null;
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

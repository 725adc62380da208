/** Reads events from the bodies of log records, as OTLP/HTTP sends them in JSON. */
import { getMembers, isObject, type Json, type JsonObject, listItems } from "../json.js";

/** Returns the bodies of the log records of a request as texts; undefined if it is not one. Texts stay as they were sent. */
export function readLogBodies(request: Json): readonly string[] | undefined {
  if (!isObject(request) || !Array.isArray(request.resourceLogs)) return undefined;
  return listObjects(request.resourceLogs)
    .flatMap(({ scopeLogs }) => listObjects(scopeLogs))
    .flatMap(({ logRecords }) => listObjects(logRecords))
    .map(({ body }) => readBody(body));
}

function listObjects(value: Json | undefined): readonly JsonObject[] {
  return listItems(value).filter(isObject);
}

function readBody(body: Json | undefined): string {
  const text = isObject(body) ? body.stringValue : undefined;
  return typeof text === "string" ? text : formatAnyValue(body);
}

/** Returns an AnyValue of OTLP as JSON. */
function formatAnyValue(value: Json | undefined): string {
  if (!isObject(value)) return "null";
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  // JSON of protocol buffers writes whole numbers of 64 bits as texts. Their digits are kept.
  if (typeof intValue === "string" && /^-?(?:0|[1-9]\d*)$/.test(intValue)) return intValue;
  if (arrayValue !== undefined)
    return `[${listItems(getMembers(arrayValue).values).map(formatAnyValue).join(",")}]`;
  if (kvlistValue !== undefined) {
    const members = listObjects(getMembers(kvlistValue).values);
    return `{${members.map((each) => `${JSON.stringify(String(each.key))}:${formatAnyValue(each.value)}`).join(",")}}`;
  }
  return JSON.stringify(stringValue ?? boolValue ?? intValue ?? doubleValue ?? bytesValue ?? null);
}

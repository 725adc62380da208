/** Reads bodies of requests: JSON objects of limited size. */
import type { IncomingMessage } from "node:http";
import { isObject, type JsonObject } from "../json.js";
import { findJsonFindings } from "../source/json-text.js";
import { locateOffset } from "../source/source.js";
import { capitalize } from "../text.js";
import type { Request } from "./answer.js";
import { HttpError } from "./problem.js";
import { quote } from "./query.js";

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** Returns the bytes of a request's body. Throws if there are more than `limit`. */
export async function receiveBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    length += part.length;
    if (length > limit)
      throw new HttpError("body-too-large", `The body is larger than ${limit} bytes.`, {
        headers: { connection: "close" },
      });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Reads the body of a request as a JSON object. */
export function readJsonObject({ body, header }: Request): JsonObject {
  const [type = ""] = (header("content-type") ?? "").split(";");
  if (!/^application\/(json|[^/]+\+json)$/i.test(type.trim()))
    throw new HttpError(
      "media-type-unsupported",
      `The body must have the content-type application/json, not ${quote(type)}.`,
    );
  const text = decodeText(body);
  const [finding] = findJsonFindings(text);
  if (finding) {
    const { line, column } = locateOffset(text, finding.offset);
    const message = `The body ${finding.message} (line ${line}, column ${column}).`;
    const errors = [{ pointer: finding.pointer, message: `${capitalize(finding.message)}.` }];
    throw new HttpError("body-malformed", message, { errors });
  }
  const value = JSON.parse(text);
  if (isObject(value)) return value;
  throw createBodyError([{ pointer: "", message: "The body must be a JSON object." }]);
}

function decodeText(body: Uint8Array): string {
  try {
    return UTF_8.decode(body);
  } catch {
    throw new HttpError("body-malformed", "The body is not valid UTF-8.");
  }
}

/** Creates the problem of a body that is JSON but not what the route takes. */
export function createBodyError(errors: readonly { readonly pointer: string; readonly message: string }[]) {
  const [first] = errors;
  const place = first?.pointer ? `${first.pointer}: ` : "";
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new HttpError("body-invalid", `${place}${first?.message}${more}`, { errors });
}

import type { IncomingMessage } from "node:http";
import { HttpError } from "./problem.js";

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

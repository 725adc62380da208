/** Reads inputs in pieces of any size, and collects what the event reader reports. */
import type { Finding } from "../../generator/finding.js";
import { createEventReader } from "../../generator/ingest/event-reader.js";
import { locatePart, type Place, type ReadLimits } from "../../generator/ingest/place.js";
import { createFullShare } from "../../generator/ingest/stream-share.js";
import { createUnreadableFinding } from "../../generator/ingest/unreadable-finding.js";
import type { Json } from "../../generator/json.js";

/** Functions that get the values of an input and its findings. A place is valid only during the call. */
export interface ReadHandlers {
  value(value: Json, place: Place): void;
  finding?(finding: Finding): void;
}

/** Reads `bytes` in pieces of `size` bytes, as the input `name`. */
export function readAll(
  name: string,
  bytes: Buffer,
  handlers: ReadHandlers,
  { size = 1 << 20, limits }: { readonly size?: number; readonly limits?: ReadLimits } = {},
): void {
  const sink = {
    discriminators: ["type", "Kind"],
    acceptValue: handlers.value,
    reportUnreadable: (problems: Parameters<typeof createUnreadableFinding>[0][], place: Place) => {
      for (const problem of problems) handlers.finding?.(createUnreadableFinding(problem, place));
    },
  };
  const reader = createEventReader({ index: 0, name }, sink as never, createFullShare(), limits);
  // The piece is overwritten after each call, so that a reader that keeps it fails.
  const piece = Buffer.allocUnsafeSlow(Math.min(size, bytes.length));
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(piece, 0, at, at + size);
    reader.push(piece.subarray(0, length));
    piece.fill(0x7f);
  }
  reader.end();
}

/** Reads an input. Returns each value as `line:column pointer value` and each finding as `line:column rule`. */
export function describeReads(
  name: string,
  bytes: Buffer,
  options?: { readonly size?: number; readonly limits?: ReadLimits },
): string[] {
  const found: string[] = [];
  readAll(
    name,
    bytes,
    {
      value(value, place) {
        const { pointer, line, column } = locatePart(place, "");
        found.push(`${line}:${column} ${pointer === "" ? "" : `${pointer} `}${JSON.stringify(value)}`);
      },
      finding: ({ rule, at }) => void found.push(`${at.line}:${at.column ?? ""} ${rule}`),
    },
    options,
  );
  return found;
}

import path from "node:path";
import { slashes } from "../io.js";
import type { Input } from "./input.js";

/**
 * The protocol in whose folder an input lies, the innermost: `notes/v1` for `fixtures/notes/v1/streams/day.jsonl`. Of
 * a feed the address says it.
 */
export function idInPath(
  { file, name }: Pick<Input, "file" | "name">,
  ids: readonly string[],
): string | undefined {
  const place = `/${slashes(file === undefined ? name : path.resolve(file))}`;
  const found = ids
    .map((id) => ({ id, at: place.lastIndexOf(`/${id}/`) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at);
  return found[0]?.id;
}

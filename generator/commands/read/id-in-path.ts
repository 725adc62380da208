import { slashes } from "../plan-tree.js";

/** The protocol in whose folder a file lies, as fixtures do: `notes/v1` for `fixtures/notes/v1/streams/day.jsonl`. */
export function idInPath(file: string, ids: readonly string[]): string | undefined {
  const path = `/${slashes(file)}`;
  return ids.find((id) => path.includes(`/${id}/`));
}

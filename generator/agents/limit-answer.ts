/** The largest answer to an agent that did not ask for more, in bytes. Answers take space in the context of a model. */
const MAX_BYTES = 2048;

const NOTICE = "\n… shortened: call the tool again with more: true for the rest.";

/** Returns a text that has at most 2 KB, unless `more` is true. It is cut at the end of a line if there is one. */
export function limitAnswer(text: string, more: boolean): string {
  const bytes = Buffer.from(text.trimEnd());
  if (more || bytes.length <= MAX_BYTES) return bytes.toString();
  // A character that is cut in two decodes to the replacement character.
  const head = bytes
    .subarray(0, MAX_BYTES - Buffer.byteLength(NOTICE))
    .toString()
    .replace(/\ufffd+$/, "");
  const end = head.lastIndexOf("\n");
  return (end > MAX_BYTES / 2 ? head.slice(0, end) : head) + NOTICE;
}

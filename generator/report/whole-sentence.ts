import type { Finding } from "../finding.js";

/** The message with its subject, for reports that do not show pointers: what "must be a number" is said by the place alone. */
export function wholeSentence({ message, at }: Pick<Finding, "message" | "at">): string {
  return message.startsWith("must ") && at.pointer !== "" ? `${at.pointer} ${message}` : message;
}

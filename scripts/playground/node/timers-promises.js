/** Resolves when the messages that wait were handled. */
export function setImmediate() {
  return new Promise((resolve) => setTimeout(resolve));
}

/** The hash of an empty text. */
export const EMPTY_HASH = 0x811c9dc5;

/**
 * Returns the 32-bit FNV-1a hash of the UTF-16 units of a text: an integer from 0 to 2^32 - 1. It is not cryptographic.
 * `before` is the hash of the text before it.
 */
export function hashText(text: string, before: number = EMPTY_HASH): number {
  let hash = before;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

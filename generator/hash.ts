/** Returns the 32-bit FNV-1a hash of the UTF-16 units of a text: an integer from 0 to 2^32 - 1. It is not cryptographic. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

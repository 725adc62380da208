/** Returns the 32-bit FNV-1a hash of the UTF-16 units of a text, which for ASCII are its bytes: from 0 to 2^32 - 1. It spreads texts, and proves nothing. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

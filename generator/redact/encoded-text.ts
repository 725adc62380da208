/** Recognises texts in base64 among other bytes, without decoding them. */

/** The least number of letters of a text in base64. */
const LEAST = 24;
/** The number of bytes that are looked at first. */
const PROBE = 8;

/** The values of the letters of base64, in both alphabets; 64 for all other bytes. */
const VALUES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const index = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".indexOf(
    String.fromCharCode(byte),
  );
  return byte === 0x2d ? 62 : byte === 0x5f ? 63 : index < 0 ? 64 : index;
});

const BACKSLASH = 0x5c;

/** Returns whether a word from `start` to `stop` begins like a printable text in base64. The bytes may be JSON. */
export function mayHoldEncodedText(bytes: Uint8Array, start: number, stop: number): boolean {
  const isInWord = (at: number): boolean => (VALUES[bytes[at] ?? 0] ?? 64) < 64;
  // Wherever such a word begins, it covers one of these places and the seven bytes before it.
  for (let at = start + PROBE - 1; at < stop; at += LEAST - PROBE) {
    if (!isInWord(at) || !isInWord(at - 4) || !isInWord(at - 2) || !isInWord(at - 7)) continue;
    let first = at;
    while (first > start && isInWord(first - 1)) first--;
    let end = at + 1;
    while (end < stop && isInWord(end)) end++;
    // The letter of an escape such as `\n` does not belong to the word.
    if (first > start && bytes[first - 1] === BACKSLASH) first++;
    if (end - first >= LEAST && beginsPrintable(bytes, first)) return true;
    at = end;
  }
  return false;
}

/** Returns whether the first 24 letters encode 18 printable ASCII characters. */
function beginsPrintable(bytes: Uint8Array, first: number): boolean {
  for (let at = first; at < first + LEAST; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((index) => VALUES[bytes[at + index] ?? 0]);
    if (![(a << 2) | (b >> 4), ((b & 15) << 4) | (c >> 2), ((c & 3) << 6) | d].every(isPrintable))
      return false;
  }
  return true;
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

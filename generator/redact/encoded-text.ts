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

const getValue = (bytes: Uint8Array, at: number): number => VALUES[bytes[at] ?? 0] ?? 64;

/** Returns whether a word from `start` to `stop` begins like a printable text in base64. The bytes may be JSON. */
export function mayHoldEncodedText(bytes: Uint8Array, start: number, stop: number): boolean {
  // Wherever such a word begins, it covers one of these places and the seven bytes before it.
  let known = -1;
  for (let at = start + PROBE - 1; at < stop; at += LEAST - PROBE) {
    if (getValue(bytes, at) > 63 || getValue(bytes, at - 4) > 63 || getValue(bytes, at - 7) > 63) continue;
    let first = at;
    while (first > start && first > known && getValue(bytes, first - 1) < 64) first--;
    // The word before goes on.
    const goesOn = first === known;
    known = at;
    // The letter of an escape such as `\n` does not belong to the word.
    if (
      !goesOn &&
      beginsPrintable(bytes, first > start && bytes[first - 1] === BACKSLASH ? first + 1 : first, stop)
    )
      return true;
  }
  return false;
}

/** Returns whether 24 letters from `first` on encode 18 printable ASCII characters. */
function beginsPrintable(bytes: Uint8Array, first: number, stop: number): boolean {
  if (first + LEAST > stop) return false;
  for (let at = first; at < first + LEAST; at += 4) {
    const a = getValue(bytes, at);
    const b = getValue(bytes, at + 1);
    const c = getValue(bytes, at + 2);
    const d = getValue(bytes, at + 3);
    if ((a | b | c | d) > 63) return false;
    if (
      !isPrintable((a << 2) | (b >> 4)) ||
      !isPrintable(((b & 15) << 4) | (c >> 2)) ||
      !isPrintable(((c & 3) << 6) | d)
    )
      return false;
  }
  return true;
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Follows the frames of zstd data without decompressing them (RFC 8878, section 3.1). */

/** Follows the frames of zstd data, which is read in pieces. */
export interface ZstdFrameReader {
  readonly read: (piece: Uint8Array) => void;
  /** Returns whether the data ends where a frame ends. */
  readonly isComplete: () => boolean;
}

/** A part of a frame. */
interface FramePart {
  /** The number of its bytes. */
  readonly length: number;
  /** Returns the part after it. The bytes are those of the part, none if it is skipped. */
  readonly next: (bytes: Buffer) => FramePart;
  /** True if only the length of the part matters. */
  readonly isSkipped?: boolean;
}

const FRAME_MAGIC = 0xfd2fb528;
/** The first of 16 magic numbers of frames with other data. */
const SKIPPABLE_MAGIC = 0x184d2a50;

/** The first part of a frame. */
const MAGIC: FramePart = {
  length: 4,
  next: (bytes) => {
    const magic = bytes.readUInt32LE();
    if (magic === FRAME_MAGIC) return DESCRIPTOR;
    return (magic & ~0xf) === SKIPPABLE_MAGIC ? SKIPPED_SIZE : OTHER_DATA;
  },
};

const SKIPPED_SIZE: FramePart = { length: 4, next: (bytes) => skip(bytes.readUInt32LE(), MAGIC) };

/** Data that is no frame, which decompression refuses. */
const OTHER_DATA: FramePart = { length: Infinity, next: () => OTHER_DATA, isSkipped: true };

const DESCRIPTOR: FramePart = {
  length: 1,
  next: ([descriptor = 0]) => {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const contentSizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    const dictionaryIdBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
    const checksumBytes = (descriptor & 4) === 0 ? 0 : 4;
    return skip((isSingleSegment ? 0 : 1) + dictionaryIdBytes + contentSizeBytes, createBlock(checksumBytes));
  },
};

/** Returns the header of a block in a frame that ends with a checksum of this length. */
function createBlock(checksumBytes: number): FramePart {
  const block: FramePart = {
    length: 3,
    next: (bytes) => {
      const header = bytes.readUIntLE(0, 3);
      const isLast = (header & 1) === 1;
      const isRepeatedByte = ((header >> 1) & 3) === 1;
      return skip(isRepeatedByte ? 1 : header >> 3, isLast ? skip(checksumBytes, MAGIC) : block);
    },
  };
  return block;
}

function skip(length: number, after: FramePart): FramePart {
  return length === 0 ? after : { length, next: () => after, isSkipped: true };
}

/** Creates a reader at the beginning of the data. */
export function createZstdFrameReader(): ZstdFrameReader {
  let part = MAGIC;
  let bytes = Buffer.alloc(0);
  let count = 0;
  const read = (piece: Uint8Array): void => {
    for (let offset = 0; offset < piece.length; ) {
      const taken = Math.min(part.length - count, piece.length - offset);
      if (part.isSkipped !== true) bytes = Buffer.concat([bytes, piece.subarray(offset, offset + taken)]);
      offset += taken;
      count += taken;
      if (count < part.length) continue;
      part = part.next(bytes);
      bytes = Buffer.alloc(0);
      count = 0;
    }
  };
  return { read, isComplete: () => part === OTHER_DATA || (part === MAGIC && count === 0) };
}

/** Runs assembly/scanner.ts as WebAssembly, with a memory of its own. */
import { decodeText, type Slices } from "./fields.js";
import { INPUT, MAX_INPUT, MEASURED, PAGES, SKIPPED, TYPE_HASH, TYPE_NUMBER } from "./layout.js";
import { Program } from "./program.js";
import { SCANNER } from "./scanner-wasm.js";

/** An instance of the scanner and its program. */
export interface Instance {
  readonly memory: ArrayBuffer;
  readonly program: Program;
  /** Copies bytes into the memory. Returns false if there is no room. */
  load(bytes: Uint8Array, start: number, stop: number): boolean;
  /**
   * Returns the end of the event that begins at `start`; see `scanEvent` in assembly/scanner.ts. Both are counted from the
   * first loaded byte.
   */
  scanEvent(start: number): number;
  /** Returns the hash of the type of the last scanned event. */
  typeHash(): number;
  /** Returns the number of the type of the last scanned event. */
  typeNumber(): number;
  /** Adds the type with this number, the hash of its name, and the node of its events. */
  addType(hash: number, node: number, number: number): void;
  /** Remembers an id; see assembly/ids.ts. */
  rememberId(owner: number, start: number, length: number, adds: number): number;
  rotateIds(): void;
  /**
   * Returns the start of the first line, from `start` on, that may belong to the shard `index` of `count`. Both are counted
   * from the first loaded byte.
   */
  skipOtherShards(start: number, index: number, count: number): number;
  /** The number of lines that the last call of `skipOtherShards` skipped. */
  readonly skippedLines: number;
  /** True if the line that `skipOtherShards` returned certainly belongs to the shard. */
  readonly isOwnShard: boolean;
  /** Returns the CRC-32 of the bytes from `start` to `stop`, as a signed number. Both are counted from the first loaded byte. */
  computeCrc(start: number, stop: number): number;
  /** Returns the measure of the string whose characters are from `start` to `end`. All calls return the same object. */
  measure(start: number, end: number): Measure;
}

/** The measurements of a text. */
export interface Measure {
  /** Length in UTF-16 units. */
  readonly units: number;
  /** Length in bytes of UTF-8, with U+FFFD in place of each surrogate without a partner. */
  readonly bytes: number;
  /** The checksum of the text as a signed number; see `FACTOR` in conform/text-measure.ts. */
  readonly sum: number;
  /** `FACTOR` to the power of `units`, as a signed number. It serves to join the checksum with that of the text before. */
  readonly power: number;
  /** True if the text contains U+FFFD, the replacement character. */
  readonly hasReplacement: boolean;
}

/**
 * The members of WebAssembly that this file uses; the types of Node do not declare them. Undefined in an engine that cannot
 * compile WebAssembly.
 */
const WebAssembly:
  | {
      readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object, imports: object) => { readonly exports: Exports };
    }
  | undefined = Reflect.get(globalThis, "WebAssembly");

/** The exports of assembly/scanner.ts. */
interface Exports extends Pick<Instance, "addType" | "rememberId" | "rotateIds"> {
  computeCrc(start: number, stop: number): number;
  measure(start: number, end: number): void;
  skipOtherShards(start: number, stop: number, index: number, count: number): number;
  setShardField(place: number, length: number): void;
  scanEvent(start: number): number;
  setDiscriminator(place: number, length: number): void;
}

let compiled: object | undefined;

/**
 * Returns an instance for events whose type is in the field `discriminator` and whose streams are identified by the field
 * `key`. Texts of the fields `common` are interned. Returns undefined if the engine has no WebAssembly, or not enough memory
 * for it.
 */
export function createInstance(
  discriminator: string,
  key: string,
  common: ReadonlySet<string>,
): Instance | undefined {
  if (WebAssembly === undefined) return undefined;
  let memory: { readonly buffer: ArrayBuffer };
  try {
    memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const { buffer } = memory;
  const program = new Program(buffer, common);
  const bytes = Buffer.from(buffer) as Slices;
  const results = new Int32Array(buffer);
  compiled ??= new WebAssembly.Module(Buffer.from(SCANNER, "base64"));
  const importObject = {
    extend: program.patterns.extend,
    test: (pattern: number, start: number, stop: number, kind: number): boolean =>
      program.patterns.test(pattern, decodeText(bytes, start, stop, kind)),
  };
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory }, strings: importObject });
  const { scanEvent, addType, rememberId, rotateIds, ...internal } = exports;
  internal.setDiscriminator(...program.addText(JSON.stringify(discriminator)));
  internal.setShardField(...program.addText(`${JSON.stringify(key)}:"`));
  let loaded = 0;
  const measurement = { units: 0, bytes: 0, sum: 0, power: 0, hasReplacement: false };
  return {
    memory: buffer,
    program,
    addType,
    rememberId,
    rotateIds,
    load(from, start, stop) {
      if (stop - start >= MAX_INPUT) return false;
      bytes.set(from.subarray(start, stop), INPUT);
      bytes[INPUT + stop - start] = 0x0a;
      loaded = stop - start;
      return true;
    },
    scanEvent(start) {
      const end = scanEvent(INPUT + start);
      return end < 0 ? end : end - INPUT;
    },
    computeCrc: (start, stop) => internal.computeCrc(INPUT + start, INPUT + stop),
    skipOtherShards: (start, index, count) =>
      internal.skipOtherShards(INPUT + start, INPUT + loaded, index, count) - INPUT,
    get skippedLines() {
      return results[SKIPPED >> 2] ?? 0;
    },
    get isOwnShard() {
      return results[(SKIPPED >> 2) + 1] === 1;
    },
    measure(start, end) {
      internal.measure(start, end);
      measurement.units = results[MEASURED >> 2] ?? 0;
      measurement.bytes = results[(MEASURED >> 2) + 1] ?? 0;
      measurement.sum = results[(MEASURED >> 2) + 2] ?? 0;
      measurement.power = results[(MEASURED >> 2) + 3] ?? 0;
      measurement.hasReplacement = results[(MEASURED >> 2) + 4] === 1;
      return measurement;
    },
    typeHash: () => (results[TYPE_HASH >> 2] ?? 0) >>> 0,
    typeNumber: () => results[TYPE_NUMBER >> 2] ?? 0,
  };
}

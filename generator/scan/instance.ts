/** A running instance of assembly/scanner.ts with a memory of its own. */
import { type Slices, textAt } from "./fields.js";
import { INPUT, MEASURED, MOST_INPUT, PAGES, SKIPPED, TYPE_HASH, TYPE_NUMBER } from "./layout.js";
import { Program } from "./program.js";
import { SCANNER } from "./scanner-wasm.js";

/** An instance and its program. */
export interface Instance {
  readonly memory: ArrayBuffer;
  readonly program: Program;
  /** Copies bytes into the memory. Returns false where there is no room. */
  load(bytes: Uint8Array, start: number, stop: number): boolean;
  /** Returns the end of the event that begins so many bytes after the first loaded one; see `scanEvent` in assembly/scanner.ts. */
  scanEvent(start: number): number;
  /** Returns the hash and the number of the type of the last scanned event. */
  hash(): number;
  type(): number;
  addType(hash: number, node: number, number: number): void;
  /** Remembers an id; see assembly/ids.ts. */
  rememberId(owner: number, start: number, length: number, adds: number): number;
  rotateIds(): void;
  /** Returns the start of the first line, from `start` on, that is not certainly of another shard; see assembly/shards.ts. Counts from the first loaded byte. */
  skipOtherShards(start: number, index: number, count: number): number;
  /** How many lines come before it, and whether it certainly is of that shard. */
  readonly skippedLines: number;
  readonly isOwnShard: boolean;
  /** Returns the measure of the string whose characters stand from `start` to `end`. One object for all. */
  measure(start: number, end: number): Measure;
}

/** A text, measured. */
export interface Measure {
  /** Length in UTF-16 units. */
  readonly units: number;
  /** Bytes of UTF-8, where surrogates without a partner are U+FFFD. */
  readonly bytes: number;
  /** See `FACTOR` in conform/text-measure.ts; signed. */
  readonly sum: number;
  readonly power: number;
  /** Whether it has U+FFFD. */
  readonly replaced: boolean;
}

/** The part of the WebAssembly interface that is needed. Only the types of browsers declare it. An engine without a compiler does not have it. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly?: {
    readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  };
};

/** The exports of assembly/scanner.ts. */
interface Exports extends Pick<Instance, "addType" | "rememberId" | "rotateIds"> {
  measure(start: number, end: number): void;
  skipOtherShards(start: number, stop: number, index: number, count: number): number;
  setShardField(place: number, length: number): void;
  scanEvent(start: number): number;
  setDiscriminator(place: number, length: number): void;
}

let compiled: object | undefined;

/**
 * Returns an instance for events whose type is named by `discriminator` and whose streams are identified by the field `key`. For
 * `common` see `Program`. Undefined where the engine does not have WebAssembly, or no memory for it.
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
  const imported = {
    extend: program.patterns.extend,
    test: (pattern: number, start: number, stop: number, kind: number): boolean =>
      program.patterns.test(pattern, textAt(bytes, start, stop, kind)),
  };
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory }, strings: imported });
  const { scanEvent, addType, rememberId, rotateIds, ...own } = exports as Exports;
  own.setDiscriminator(...program.place(JSON.stringify(discriminator)));
  own.setShardField(...program.place(`${JSON.stringify(key)}:"`));
  let loaded = 0;
  const measured = { units: 0, bytes: 0, sum: 0, power: 0, replaced: false };
  return {
    memory: buffer,
    program,
    addType,
    rememberId,
    rotateIds,
    load(from, start, stop) {
      if (stop - start >= MOST_INPUT) return false;
      bytes.set(from.subarray(start, stop), INPUT);
      bytes[INPUT + stop - start] = 0x0a;
      loaded = stop - start;
      return true;
    },
    scanEvent(start) {
      const end = scanEvent(INPUT + start);
      return end < 0 ? end : end - INPUT;
    },
    skipOtherShards: (start, index, count) =>
      own.skipOtherShards(INPUT + start, INPUT + loaded, index, count) - INPUT,
    get skippedLines() {
      return results[SKIPPED >> 2] as number;
    },
    get isOwnShard() {
      return results[(SKIPPED >> 2) + 1] === 1;
    },
    measure(start, end) {
      own.measure(start, end);
      measured.units = results[MEASURED >> 2] as number;
      measured.bytes = results[(MEASURED >> 2) + 1] as number;
      measured.sum = results[(MEASURED >> 2) + 2] as number;
      measured.power = results[(MEASURED >> 2) + 3] as number;
      measured.replaced = results[(MEASURED >> 2) + 4] === 1;
      return measured;
    },
    hash: () => (results[TYPE_HASH >> 2] as number) >>> 0,
    type: () => results[TYPE_NUMBER >> 2] as number,
  };
}

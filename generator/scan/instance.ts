/** A running scanner: assembly/scanner.ts with a memory of its own. */

import { type Slices, textAt } from "./fields.js";
import { HASH, INPUT, MEASURED, MOST_INPUT, PAGES, PASSED, TYPE } from "./layout.js";
import { createProgram, type Program } from "./program.js";
import { SCANNER } from "./scanner-wasm.js";

/** A scanner and its program. */
export interface Instance {
  readonly memory: ArrayBuffer;
  readonly program: Program;
  /** Copies bytes to where texts are scanned. Returns whether there was room; what is scanned ends with them. */
  load(bytes: Uint8Array, start: number, stop: number): boolean;
  /** Where the event ends that begins so many bytes after the first one that was loaded: see `scanEvent` in assembly/scanner.ts. */
  scanEvent(start: number): number;
  /** The hash and the number of the type of the event that was scanned last. */
  hash(): number;
  type(): number;
  learn(hash: number, node: number, number: number): void;
  /** See assembly/ids.ts. */
  meetId(owner: number, start: number, length: number, adds: number): number;
  ageIds(): void;
  /** Passes over the lines from `start` on, in bytes after the first one that was loaded, that surely belong to another share than `index` of `of`: returns where the next one begins. Streams are told apart by the field `key`. */
  pass(start: number, index: number, of: number): number;
  /** How many lines were passed over, and whether the next one surely is of that share. */
  readonly passed: number;
  readonly isOwn: boolean;
  /** The measure of the string whose characters stand from `start` to `end`. One object for all. */
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

/** The part of the WebAssembly interface that is needed; it belongs to the types of browsers, which are not there. An engine without a compiler has none. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly?: {
    readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  };
};

/** What assembly/scanner.ts exports. */
interface Exports extends Pick<Instance, "learn" | "meetId" | "ageIds"> {
  measure(start: number, end: number): void;
  pass(start: number, stop: number, index: number, of: number): number;
  share(place: number, length: number): void;
  scanEvent(start: number): number;
  discriminate(place: number, length: number): void;
}

let compiled: object | undefined;

/** A scanner of events whose type is named by `discriminator`; for `common` see `createProgram`. Undefined where the engine has none, or no memory for it. */
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
  const program = createProgram(buffer, common);
  const bytes = Buffer.from(buffer) as Slices;
  const said = new Int32Array(buffer);
  compiled ??= new WebAssembly.Module(Buffer.from(SCANNER, "base64"));
  const imported = {
    extend: program.patterns.extend,
    test: (pattern: number, start: number, stop: number, kind: number): boolean =>
      program.patterns.test(pattern, textAt(bytes, start, stop, kind)),
  };
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory }, strings: imported });
  const { scanEvent, discriminate, learn, meetId, ageIds, ...own } = exports as Exports;
  discriminate(...program.place(JSON.stringify(discriminator)));
  own.share(...program.place(`${JSON.stringify(key)}:"`));
  let loaded = 0;
  const measured = { units: 0, bytes: 0, sum: 0, power: 0, replaced: false };
  return {
    ...{ memory: buffer, program, learn, meetId, ageIds },
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
    pass: (start, index, of) => own.pass(INPUT + start, INPUT + loaded, index, of) - INPUT,
    get passed() {
      return said[PASSED >> 2] as number;
    },
    get isOwn() {
      return said[(PASSED >> 2) + 1] === 1;
    },
    measure(start, end) {
      own.measure(start, end);
      measured.units = said[MEASURED >> 2] as number;
      measured.bytes = said[(MEASURED >> 2) + 1] as number;
      measured.sum = said[(MEASURED >> 2) + 2] as number;
      measured.power = said[(MEASURED >> 2) + 3] as number;
      measured.replaced = said[(MEASURED >> 2) + 4] === 1;
      return measured;
    },
    hash: () => (said[HASH >> 2] as number) >>> 0,
    type: () => said[TYPE >> 2] as number,
  };
}

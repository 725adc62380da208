/** A running scanner: assembly/scanner.ts with a memory of its own. */

import { type Slices, textAt } from "./fields.js";
import { HASH, INPUT, MOST_INPUT, PAGES, TYPE } from "./layout.js";
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
interface Exports {
  scanEvent(start: number): number;
  discriminate(place: number, length: number): void;
  learn(hash: number, node: number, number: number): void;
}

let compiled: object | undefined;

/** A scanner of events whose type is named by `discriminator`; for `common` see `createProgram`. Undefined where the engine has none, or no memory for it. */
export function createInstance(discriminator: string, common: ReadonlySet<string>): Instance | undefined {
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
    extend: (automaton: number, state: number, byte: number): number =>
      program.automata[automaton]?.extend(state, byte) ?? -1,
    test: (pattern: number, start: number, stop: number, kind: number): boolean =>
      program.pattern(pattern)?.test(textAt(bytes, start, stop, kind)) === true,
  };
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory }, strings: imported });
  const { scanEvent, discriminate, learn } = exports as Exports;
  discriminate(...program.place(discriminator));
  return {
    ...{ memory: buffer, program, learn },
    load(from, start, stop) {
      if (stop - start >= MOST_INPUT) return false;
      bytes.set(from.subarray(start, stop), INPUT);
      bytes[INPUT + stop - start] = 0x0a;
      return true;
    },
    scanEvent(start) {
      const end = scanEvent(INPUT + start);
      return end < 0 ? end : end - INPUT;
    },
    hash: () => (said[HASH >> 2] as number) >>> 0,
    type: () => said[TYPE >> 2] as number,
  };
}

import fc from "fast-check";

/** One thing that happens in a stream: a text, a tool call, a cost tick, a gap … What exactly, `pick` says. */
export interface Operation {
  /** Which of the operations that the protocol knows, modulo their number. */
  readonly pick: number;
  /** Which stream, modulo their number. */
  readonly stream: number;
  /** All values follow from it; 0 gives the plainest. */
  readonly seed: number;
  /** How much: pieces of a text, events of a call, numbers in a gap. */
  readonly size: number;
  /** Goes on at the same time as the operation before. */
  readonly together: boolean;
}

/** What a stream, or several, are made of. Shrinks by leaving out operations and making them plainer. */
export interface Script {
  readonly operations: readonly Operation[];
  /** Whether each stream gets its terminal event. */
  readonly ended: boolean;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  pick: fc.nat(9999),
  stream: fc.nat(5),
  seed: fc.nat(2 ** 30),
  size: fc.nat(3),
  together: fc.boolean(),
});

/** Scripts of at most `most` operations. */
export function scripts(most: number): fc.Arbitrary<Script> {
  return fc.record({
    operations: fc.array(operation, { maxLength: most, size: "max" }),
    ended: fc.boolean(),
  });
}

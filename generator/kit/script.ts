import fc from "fast-check";

/** One thing that happens in a stream: a text, a tool call, a cost tick, a gap … What exactly, `pick` says. */
export interface Operation {
  /** Which of the operations that the protocol knows, modulo their number; or the event type that it has to tell of. */
  readonly pick: number | string;
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

const details = {
  stream: fc.nat(5),
  seed: fc.nat(2 ** 30),
  size: fc.nat(3),
};
const operation: fc.Arbitrary<Operation> = fc.record({
  pick: fc.nat(9999),
  ...details,
  together: fc.boolean(),
});

/** How many stops of the tour through all event types one script makes. */
const STOPS = 3;

/** A script before it is known where the tour is. */
interface ScriptDraft extends Script {
  readonly stops: readonly (Omit<Operation, "pick" | "together"> & { readonly left: number })[];
}

/** Drafts of scripts with at most `most` operations besides their part of the tour. */
export function drafts(most: number): fc.Arbitrary<ScriptDraft> {
  // Left out by shrinking, nearly never by chance.
  const stop = fc.record({ ...details, left: fc.noBias(fc.nat(999)) });
  return fc.record({
    operations: fc.array(operation, { maxLength: most, size: "max" }),
    stops: fc.tuple(...Array.from({ length: STOPS }, () => stop)),
    ended: fc.boolean(),
  });
}

/** The script of a draft, whose part of the tour through `types` is the one with this number. */
export function scriptOf(
  { operations, stops, ended }: ScriptDraft,
  types: readonly string[],
  number: number,
): Script {
  const tour = stops.flatMap(({ left, ...rest }, index): Operation[] => {
    const pick = types[(number * STOPS + index) % types.length];
    return left === 0 || pick === undefined ? [] : [{ ...rest, pick, together: false }];
  });
  return { operations: [...tour, ...operations], ended };
}

import fc from "fast-check";

/** One scenario in a stream, such as a text, a tool call or a gap. `pick` selects it. */
export interface Operation {
  /** The index of the scenario, modulo the number of scenarios; or the event type that it has to contain. */
  readonly pick: number | string;
  /** Which stream, modulo their number. */
  readonly stream: number;
  /** Determines all values; 0 gives the simplest ones. */
  readonly seed: number;
  /** The size of the scenario: pieces of a text, events of a call, numbers in a gap. */
  readonly size: number;
  /** Runs at the same time as the operation before. */
  readonly together: boolean;
}

/** What streams are generated from. Shrinking leaves out operations and simplifies them. */
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

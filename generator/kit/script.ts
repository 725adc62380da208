/** Scripts: lists of operations from which streams are built. fast-check generates and shrinks them. */
import fc from "fast-check";

/** One scenario in a stream, such as a text, a tool call or a gap. */
export interface Operation {
  /** The index of the scenario, modulo the number of scenarios; or the event type that the scenario must contain. */
  readonly pick: number | string;
  /** The index of the stream, modulo the number of streams. */
  readonly stream: number;
  /** Determines all values; 0 gives the simplest ones. */
  readonly seed: number;
  /** The size of the scenario: pieces of a text, events of a call, numbers in a gap. */
  readonly size: number;
  /** Runs at the same time as the operation before. */
  readonly together: boolean;
}

/** The operations of streams. */
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

/** The number of operations of each script that are reserved for covering all event types. */
const COVERAGE_OPERATIONS = 3;

/** A script whose reserved operations have no event types yet. */
interface ScriptDraft extends Script {
  readonly reserved: readonly (Omit<Operation, "pick" | "together"> & { readonly keep: number })[];
}

/** Generates drafts of scripts with at most `maxLength` random operations. */
export function scriptDrafts(maxLength: number): fc.Arbitrary<ScriptDraft> {
  // Shrinking sets `keep` to 0 and so removes the operation; chance nearly never does.
  const reserved = fc.record({ ...details, keep: fc.noBias(fc.nat(999)) });
  return fc.record({
    operations: fc.array(operation, { maxLength, size: "max" }),
    reserved: fc.tuple(...Array.from({ length: COVERAGE_OPERATIONS }, () => reserved)),
    ended: fc.boolean(),
  });
}

/** Returns the script of a draft. Scripts with successive numbers go through all of `types`, three at a time. */
export function completeScript(
  { operations, reserved, ended }: ScriptDraft,
  types: readonly string[],
  number: number,
): Script {
  const coverage = reserved.flatMap(({ keep, ...rest }, index): Operation[] => {
    const pick = types[(number * COVERAGE_OPERATIONS + index) % types.length];
    return keep === 0 || pick === undefined ? [] : [{ ...rest, pick, together: false }];
  });
  return { operations: [...coverage, ...operations], ended };
}

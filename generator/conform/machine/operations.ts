/** What decides the results of values and conditions besides their operands. */
import type { Condition, Value } from "./language.js";

/** The operations that read fields of the event or nothing, the place of the event or the whole of it, and rows. */
interface Sources {
  readonly fields: string;
  readonly place: string;
  readonly rows: string;
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Returns the source of each operation. The type checker refuses lists that are not those of all operations. */
function readSources<Op extends string>() {
  type Checked<S extends Sources> = [Op, Words<S[keyof Sources]>] extends [Words<S[keyof Sources]>, Op]
    ? S
    : never;
  return <const S extends Sources>(sources: S & Checked<S>): ReadonlyMap<string, string> =>
    new Map(
      Object.entries(sources).flatMap(([source, words]: [string, string]) =>
        words.split(" ").map((operation) => [operation, source] as const),
      ),
    );
}

const VALUES = readSources<Value["op"]>()({
  fields: "constant payload envelope type first add multiply subtract divide minimum bytes units join",
  place: "sequence epoch event index gap item path counterpart",
  rows: "key cell textUnits covered keys",
});

const CONDITIONS = readSources<Condition["op"]>()({
  fields: "not all any equal differ less atMost present is in matches related hasReplacement",
  place: "seenFromStart ended hasMember hasPath",
  rows: "exists current sameText endsWithText",
});

/** Returns whether an operation is one of conditions. */
export function isCondition(node: { readonly op: string }): node is Condition {
  return CONDITIONS.has(node.op);
}

/** Returns whether a node reads nothing but fields of the event, apart from its operands. */
export function isOfFields({ op }: { readonly op: string }): boolean {
  return (VALUES.get(op) ?? CONDITIONS.get(op)) === "fields";
}

/** Returns whether a node reads rows, apart from its operands. */
export function isOfRows({ op }: { readonly op: string }): boolean {
  return (VALUES.get(op) ?? CONDITIONS.get(op)) === "rows";
}

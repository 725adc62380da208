import { canonical } from "../../json.js";
import type { KitEvent, Wanted } from "../../sample/event-maker.js";
import type { StreamBuilder } from "../stream-builder.js";
import type { Trial } from "../trial.js";

/** What comes in pieces: the event type of a piece, its field with the piece, and what names one thing. */
interface Piecewise {
  readonly type: string;
  readonly field: string;
  names(builder: StreamBuilder, index: number): Wanted;
}

/** Everything that comes in pieces by the rules of the protocol: texts, and the outputs of what runs. */
export function textsOf({ rules }: Trial): readonly Piecewise[] {
  return (rules.texts ?? []).map(({ delta, part, key }) => ({
    ...{ type: delta, field: part },
    names: (builder, index) =>
      Object.fromEntries(key.map((name) => [name, builder.fresh(delta, name, index)])),
  }));
}

/** Outputs whose pieces say how many bytes came before them: two sources, each with the same output. */
export function outputsOf({ rules }: Trial): readonly Piecewise[] {
  return (rules.offsets ?? []).map(({ type, data, key: [source, output] }) => ({
    ...{ type, field: data },
    names: (builder, index) => ({
      [source]: builder.fresh(type, source, index),
      [output]: builder.fresh(type, output, 1),
    }),
  }));
}

/** The pieces of two things. */
const PIECES = [
  ["qzalpha be", "gins here"],
  ["qzgamma be", "gins there"],
] as const;

/**
 * A consumer that joins the pieces of two things that come one after the other must join them where they come in turns.
 * One that shows pieces as they come is not judged. `cursors` are those of the two things, which may have the same names.
 */
export function keptJoined(
  trial: Trial,
  what: string,
  { type, field, names }: Piecewise,
  { cursors, sameNames }: { readonly cursors: readonly [number, number]; readonly sameNames: boolean },
): void {
  const tell = (turns: readonly (0 | 1)[]): readonly KitEvent[] | undefined => {
    const builder = trial.builder();
    const one = names(builder, 1);
    const ids = [one, sameNames ? one : names(builder, 2)];
    const said = [0, 0];
    const told = turns.map((who) => {
      const piece = PIECES[who][said[who] ?? 0] ?? "";
      said[who] = (said[who] ?? 0) + 1;
      const wanted: Wanted = { ...ids[who], [field]: piece };
      return builder.send(builder.cursor(cursors[who]), { type, wanted }, 3 + who * 2 + (said[who] ?? 0));
    });
    return told.every((event) => event !== undefined) ? (told as KitEvent[]) : undefined;
  };
  const [behind, inTurns] = [tell([0, 0, 1, 1]), tell([0, 1, 0, 1])];
  if (behind === undefined || inTurns === undefined) return;
  const before = trial.tryView([...trial.events, ...behind]);
  if (before === undefined || !isJoined(canonical(before))) return;
  if (!isJoined(canonical(trial.view([...trial.events, ...inTurns]))))
    trial.fail(`${what}, pieces in ${field} of ${type} are mixed up when they come in turns`);
}

function isJoined(view: string): boolean {
  return PIECES.every((pieces) => view.includes(pieces.join("")));
}

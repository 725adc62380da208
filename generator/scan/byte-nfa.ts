/**
 * Patterns as nondeterministic automata over bytes, for texts of printable ASCII. Patterns with look-arounds, word
 * boundaries, backreferences or modifiers have none.
 */
import type { AST } from "@eslint-community/regexpp";
import { parsePattern } from "../regex/parse-pattern.js";

/** A state: it reads a byte of `bytes`, or nothing, in that case perhaps only at the start or end of the text. */
interface NfaState {
  readonly bytes?: ReadonlySet<number>;
  readonly only?: "start" | "end";
  /** The next states; more than one only if it reads nothing. */
  readonly to: number[];
}

/** Two states between which a part of a pattern is read. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** A nondeterministic automaton. */
export interface ByteNfa extends Part {
  readonly states: readonly NfaState[];
}

const MAX_STATES = 2_000;
const PRINTABLE = Array.from({ length: 95 }, (_, index) => 0x20 + index);

/** Returns the automaton of a pattern; undefined if it has none, or too many states. */
export function createByteNfa({ source, flags }: RegExp): ByteNfa | undefined {
  const pattern = parsePattern(source, flags)?.pattern;
  if (pattern === undefined) return undefined;
  const builder = new Builder(flags.replace(/[^isuv]/g, ""));
  try {
    return { states: builder.states, ...builder.choice(pattern.alternatives) };
  } catch (error) {
    if (error instanceof NotRepresented) return undefined;
    throw error;
  }
}

class NotRepresented extends Error {}

class Builder {
  readonly states: NfaState[] = [];
  private readonly sets = new Map<string, ReadonlySet<number>>();

  constructor(private readonly flags: string) {}

  choice(alternatives: readonly AST.Alternative[]): Part {
    const [only] = alternatives;
    if (only && alternatives.length === 1) return this.sequence(only);
    const [start, end] = [this.state(), this.state()];
    for (const alternative of alternatives) {
      const part = this.sequence(alternative);
      this.link(start, part.start);
      this.link(part.end, end);
    }
    return { start, end };
  }

  private sequence({ elements }: AST.Alternative): Part {
    const start = this.state();
    return { start, end: elements.reduce((end, element) => this.append(end, this.element(element)), start) };
  }

  private element(element: AST.Element): Part {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return this.reading({ bytes: this.bytesOf(element.raw), to: [] });
      case "CapturingGroup":
        return this.choice(element.alternatives);
      case "Group":
        if (element.modifiers !== null) throw new NotRepresented();
        return this.choice(element.alternatives);
      case "Quantifier":
        return this.repetition(element);
      case "Assertion":
        if (element.kind !== "start" && element.kind !== "end") throw new NotRepresented();
        return this.reading({ only: element.kind, to: [] });
      default:
        throw new NotRepresented();
    }
  }

  private repetition({ element, min, max }: AST.Quantifier): Part {
    const start = this.state();
    let end = start;
    for (let i = 0; i < min; i++) end = this.append(end, this.element(element));
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.state();
      this.link(end, loop);
      this.link(this.append(loop, this.element(element)), loop);
      return { start, end: loop };
    }
    const exit = this.state();
    for (let i = min; i < max; i++) {
      this.link(end, exit);
      end = this.append(end, this.element(element));
    }
    this.link(end, exit);
    return { start, end: exit };
  }

  /** Returns the printable characters that a part of one character matches. */
  private bytesOf(raw: string): ReadonlySet<number> {
    const known = this.sets.get(raw);
    if (known) return known;
    const pattern = new RegExp(`^(?:${raw})$`, this.flags);
    const bytes = new Set(PRINTABLE.filter((byte) => pattern.test(String.fromCharCode(byte))));
    this.sets.set(raw, bytes);
    return bytes;
  }

  private reading(state: NfaState): Part {
    const end = this.state();
    state.to.push(end);
    return { start: this.state(state), end };
  }

  private state(state: NfaState = { to: [] }): number {
    if (this.states.length >= MAX_STATES) throw new NotRepresented();
    return this.states.push(state) - 1;
  }

  private append(end: number, part: Part): number {
    this.link(end, part.start);
    return part.end;
  }

  private link(from: number, to: number): void {
    this.states[from]?.to.push(to);
  }
}

/** Returns the states that are reached from these without reading, at the edge of the text if there is one; ascending. */
export function closure(
  { states }: ByteNfa,
  from: readonly number[],
  edge: "start" | "end" | undefined,
): readonly number[] {
  const seen = new Set(from);
  for (const at of seen) {
    const { bytes, only, to } = states[at] as NfaState;
    if (bytes === undefined && (only === undefined || only === edge)) for (const one of to) seen.add(one);
  }
  return [...seen].sort((a, b) => a - b);
}

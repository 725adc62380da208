/**
 * Builds nondeterministic automata over bytes from patterns, for texts of printable ASCII. There is no automaton for patterns
 * with look-arounds, word boundaries, backreferences or modifiers.
 */
import type { AST } from "@eslint-community/regexpp";
import { getItem } from "../get-item.js";
import { parsePattern } from "../regex/parse-pattern.js";

/** A state of an automaton. */
interface NfaState {
  /** The bytes that lead to the next state. Without this member, the next states are reached without reading. */
  readonly bytes?: ReadonlySet<number>;
  /** The edge of the text at which the state can be left. Without this member, it can be left anywhere. */
  readonly edge?: "start" | "end";
  /** The next states. There is only one if the state reads a byte. */
  readonly to: number[];
}

/** A part of an automaton: a path from `start` to `end` reads what a part of the pattern matches. */
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

/** Creates the automaton of a pattern; undefined if the pattern has none, or one with too many states. */
export function createByteNfa({ source, flags }: RegExp): ByteNfa | undefined {
  const pattern = parsePattern(source, flags)?.pattern;
  if (pattern === undefined) return undefined;
  // The other flags do not change which characters match.
  const builder = new NfaBuilder(flags.replace(/[^isuv]/g, ""));
  try {
    return { states: builder.states, ...builder.addChoice(pattern.alternatives) };
  } catch (error) {
    if (error instanceof UnsupportedPattern) return undefined;
    throw error;
  }
}

/** Thrown for a pattern that has no automaton. */
class UnsupportedPattern extends Error {}

class NfaBuilder {
  readonly states: NfaState[] = [];
  private readonly sets = new Map<string, ReadonlySet<number>>();

  constructor(private readonly flags: string) {}

  addChoice(alternatives: readonly AST.Alternative[]): Part {
    const [only] = alternatives;
    if (only && alternatives.length === 1) return this.addSequence(only);
    const start = this.addState();
    const end = this.addState();
    for (const alternative of alternatives) {
      const part = this.addSequence(alternative);
      this.link(start, part.start);
      this.link(part.end, end);
    }
    return { start, end };
  }

  private addSequence({ elements }: AST.Alternative): Part {
    const start = this.addState();
    return {
      start,
      end: elements.reduce((end, element) => this.append(end, this.addElement(element)), start),
    };
  }

  private addElement(element: AST.Element): Part {
    switch (element.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return this.addSingleState({ bytes: this.findBytes(element.raw), to: [] });
      case "CapturingGroup":
        return this.addChoice(element.alternatives);
      case "Group":
        if (element.modifiers !== null) throw new UnsupportedPattern();
        return this.addChoice(element.alternatives);
      case "Quantifier":
        return this.addRepetition(element);
      case "Assertion":
        if (element.kind !== "start" && element.kind !== "end") throw new UnsupportedPattern();
        return this.addSingleState({ edge: element.kind, to: [] });
      default:
        throw new UnsupportedPattern();
    }
  }

  private addRepetition({ element, min, max }: AST.Quantifier): Part {
    const start = this.addState();
    let end = start;
    for (let i = 0; i < min; i++) end = this.append(end, this.addElement(element));
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.addState();
      this.link(end, loop);
      this.link(this.append(loop, this.addElement(element)), loop);
      return { start, end: loop };
    }
    const exit = this.addState();
    for (let i = min; i < max; i++) {
      this.link(end, exit);
      end = this.append(end, this.addElement(element));
    }
    this.link(end, exit);
    return { start, end: exit };
  }

  /** Returns the printable characters that an element for one character matches. */
  private findBytes(raw: string): ReadonlySet<number> {
    const knownSet = this.sets.get(raw);
    if (knownSet) return knownSet;
    const pattern = new RegExp(`^(?:${raw})$`, this.flags);
    const bytes = new Set(PRINTABLE.filter((byte) => pattern.test(String.fromCharCode(byte))));
    this.sets.set(raw, bytes);
    return bytes;
  }

  private addSingleState(state: NfaState): Part {
    const end = this.addState();
    state.to.push(end);
    return { start: this.addState(state), end };
  }

  private addState(state: NfaState = { to: [] }): number {
    if (this.states.length >= MAX_STATES) throw new UnsupportedPattern();
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

/**
 * Returns the states that are reached from these without reading, in ascending order. At the start or the end of the text,
 * `edge` is this edge.
 */
export function followEmptySteps(
  { states }: ByteNfa,
  from: readonly number[],
  edge: "start" | "end" | undefined,
): readonly number[] {
  const reachedStates = new Set(from);
  // The loop also visits the states that it adds.
  for (const state of reachedStates) {
    const { bytes, edge: neededEdge, to } = getItem(states, state);
    const canBeLeft = bytes === undefined && (neededEdge === undefined || neededEdge === edge);
    if (canBeLeft) for (const next of to) reachedStates.add(next);
  }
  return [...reachedStates].sort((a, b) => a - b);
}

/**
 * A pattern as a nondeterministic automaton over code points, built from refa's syntax tree. Edges are a set of
 * characters, empty, or a condition on what stands before or after the position: on one character, which is what `^`,
 * `$` and `\b` come down to, or on a word, as in look-arounds.
 */
import { CharSet, type Concatenation, type Element, JS, type NoParent } from "refa";
import { parsePattern } from "../../regex/parse-pattern.js";
import { Exhausted } from "../budget.js";
import { characterTest } from "./alphabet.js";
import { patternSyntax, unicodeSource } from "./pattern-syntax.js";

/** The condition of an edge; `set` indexes `Nfa.sets`. */
export type Edge =
  | { readonly is: "char"; readonly set: number; readonly to: number }
  | { readonly is: "empty"; readonly to: number }
  | { readonly is: "next" | "previous"; readonly set: number; readonly negate: boolean; readonly to: number }
  /** A word that leads from `start` to a final state stands after the position, or none does. */
  | { readonly is: "ahead"; readonly start: number; readonly negate: boolean; readonly to: number }
  /** A look-ahead with a backreference in it: it may hold or not. */
  | { readonly is: "maybeAhead"; readonly start: number; readonly to: number }
  /** A word that leads through `Nfa.behind[index]` stands before the position, or none does. */
  | { readonly is: "behind"; readonly index: number; readonly negate: boolean; readonly to: number };

/** The part of an automaton that a look-behind reads. */
interface Behind {
  readonly start: number;
  readonly accept: number;
}

/** An automaton. State 0 is initial. */
export interface Nfa {
  readonly edges: readonly (readonly Edge[])[];
  readonly sets: readonly CharSet[];
  /** For each set whether it holds a character. */
  readonly members: readonly ((char: number) => boolean)[];
  /** The sets that conditions on the next character ask about. */
  readonly asked: readonly number[];
  /** The accepting states of the pattern and of its look-aheads; they have no edges. */
  readonly finals: ReadonlySet<number>;
  readonly behind: readonly Behind[];
  readonly looksBehind: boolean;
  /** The states from which the pattern may still match once a character has been read. */
  readonly alive: ReadonlySet<number>;
  /** Whether it accepts just what the pattern matches; otherwise more, since a backreference is read as any text. */
  readonly exact: boolean;
}

type Concat = NoParent<Concatenation>;
type Assertion = NoParent<Element> & { readonly type: "Assertion" };

const MAX_CHARACTER = 0x10ffff;
const MOST_WORDS = 100;
const automata = new Map<string, Nfa | undefined>();

/** Returns the automaton of a pattern, kept for the next question about it; undefined where `compilePattern` gives none. */
export function automaton(source: string, maxNodes: number): Nfa | undefined {
  return cachedNfa(source, maxNodes, MOST_WORDS);
}

/** Returns the same with every backreference read as any text: it has all paths that a backtracking matcher may try. */
export function literalAutomaton(source: string, maxNodes: number): Nfa | undefined {
  return cachedNfa(source, maxNodes, patternSyntax(source).hasBackreference ? 0 : MOST_WORDS);
}

function cachedNfa(source: string, maxNodes: number, maxWords: number): Nfa | undefined {
  const key = `${maxNodes} ${maxWords} ${source}`;
  if (automata.has(key)) return automata.get(key);
  if (automata.size > 500) automata.clear();
  const made = compilePattern(source, maxNodes, maxWords);
  automata.set(key, made);
  return made;
}

/**
 * Returns the automaton of a pattern, or undefined where the pattern is too large or not one that we read. A backreference to
 * at most `maxWords` words is spelled out.
 */
export function compilePattern(source: string, maxNodes: number, maxWords = MOST_WORDS): Nfa | undefined {
  try {
    const parsed = parsePattern(unicodeSource(source), "u");
    if (!parsed) return undefined;
    const { expression } = JS.Parser.fromAst(parsed).parse({
      backreferences: "unknown",
      maxBackreferenceWords: maxWords,
      assertions: "parse",
      simplify: false, // what never matches is tried all the same
    });
    return new Builder(maxNodes).build(expression.alternatives);
  } catch {
    return undefined;
  }
}

class Builder {
  private readonly edges: Edge[][] = [[]];
  private readonly sets: CharSet[] = [];
  private readonly finals = new Set<number>();
  private readonly behind: Behind[] = [];
  private looksBehind = false;
  private readonly lookAround = new Map<readonly Concat[], (to: number) => Edge>();
  private backreferences = 0;
  private isInsideBehind = false;

  constructor(private readonly maxNodes: number) {}

  build(alternatives: readonly Concat[]): Nfa {
    this.finals.add(this.addEmptyEdge(this.addChoice(alternatives, 0)));
    const { edges, sets, finals, behind, looksBehind } = this;
    const conditions = edges.flatMap((own) => own.flatMap((edge) => (edge.is === "next" ? [edge.set] : [])));
    return {
      edges,
      sets,
      members: sets.map(characterTest),
      asked: [...new Set(conditions)].filter((set) => !sets[set]?.isAll),
      finals,
      behind,
      looksBehind,
      alive: statesAlive({ edges, finals, behind, sets }),
      exact: this.backreferences === 0,
    };
  }

  private addState(): number {
    if (this.edges.length >= this.maxNodes)
      throw new Exhausted(`a pattern of more than ${this.maxNodes} states`);
    return this.edges.push([]) - 1;
  }

  private addEdge(from: number, edge: Edge): number {
    this.edges[from]?.push(edge);
    return edge.to;
  }

  /** Adds an empty edge, by default to a new state. Returns where it leads. */
  private addEmptyEdge(from: number, to = this.addState()): number {
    return this.addEdge(from, { is: "empty", to });
  }

  private indexOfSet(characters: CharSet): number {
    const known = this.sets.findIndex((set) => set.equals(characters));
    return known >= 0 ? known : this.sets.push(characters) - 1;
  }

  private addChoice(alternatives: readonly Concat[], from: number): number {
    const [only] = alternatives;
    if (only && alternatives.length === 1) return this.addSequence(only, from);
    const to = this.addState();
    for (const alternative of alternatives)
      this.addEmptyEdge(this.addSequence(alternative, this.addEmptyEdge(from)), to);
    return to;
  }

  private addSequence({ elements }: Concat, from: number): number {
    return elements.reduce((at, element) => this.addElement(element, at), from);
  }

  private addElement(element: NoParent<Element>, from: number): number {
    switch (element.type) {
      case "CharacterClass":
        return this.addEdge(from, {
          is: "char",
          set: this.indexOfSet(element.characters),
          to: this.addState(),
        });
      case "Alternation":
        return this.addChoice(element.alternatives, from);
      case "Quantifier":
        return this.addRepetition(element.alternatives, element.min, element.max, from);
      case "Assertion":
        return this.addAssertion(element, from);
      case "Unknown":
        return this.addAnyText(from);
    }
  }

  private addAnyText(from: number): number {
    if (this.isInsideBehind) throw new Exhausted("a backreference inside a look-behind");
    this.backreferences++;
    const loop = this.addEmptyEdge(from);
    this.addEdge(loop, { is: "char", set: this.indexOfSet(CharSet.all(MAX_CHARACTER)), to: loop });
    return this.addEmptyEdge(loop);
  }

  private addRepetition(alternatives: readonly Concat[], min: number, max: number, from: number): number {
    let at = from;
    for (let i = 0; i < min; i++) at = this.addChoice(alternatives, at);
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.addEmptyEdge(at);
      this.addEmptyEdge(this.addChoice(alternatives, loop), loop);
      return this.addEmptyEdge(loop);
    }
    const end = this.addState();
    for (let i = min; i < max; i++) {
      this.addEmptyEdge(at, end);
      at = this.addChoice(alternatives, at);
    }
    return this.addEmptyEdge(at, end);
  }

  private addAssertion({ alternatives, kind, negate }: Assertion, from: number): number {
    const characters = singleCharacters(alternatives);
    if (characters) {
      if (kind === "behind") this.looksBehind = true;
      const is = kind === "ahead" ? "next" : "previous";
      return this.addEdge(from, { is, set: this.indexOfSet(characters), negate, to: this.addState() });
    }
    // A repetition copies its look-arounds; all copies lead to the same states.
    const make = this.lookAround.get(alternatives) ?? this.buildLookAround(alternatives, kind, negate);
    this.lookAround.set(alternatives, make);
    return this.addEdge(from, make(this.addState()));
  }

  private buildLookAround(alternatives: readonly Concat[], kind: Assertion["kind"], negate: boolean) {
    if (this.isInsideBehind) throw new Exhausted("a look-around inside a look-behind");
    this.isInsideBehind = kind === "behind";
    const before = this.backreferences;
    const start = this.addState();
    const accept = this.addEmptyEdge(this.addChoice(alternatives, start));
    this.isInsideBehind = false;
    if (kind === "behind") {
      const index = this.behind.push({ start, accept }) - 1;
      return (to: number): Edge => ({ is: "behind", index, negate, to });
    }
    this.finals.add(accept);
    if (this.backreferences > before) return (to: number): Edge => ({ is: "maybeAhead", start, to });
    return (to: number): Edge => ({ is: "ahead", start, negate, to });
  }
}

/** Returns the characters of a look-around of one character. */
function singleCharacters(alternatives: readonly Concat[]): CharSet | undefined {
  const sets = alternatives.map(({ elements: [element, ...more] }) =>
    element?.type === "CharacterClass" && more.length === 0 ? element.characters : undefined,
  );
  if (sets.length === 0 || !sets.every((set) => set !== undefined)) return undefined;
  return CharSet.empty(MAX_CHARACTER).union(...sets);
}

/** Returns the states that lead to a final one, or through a look-behind, without standing at the start of the text. */
function statesAlive({
  edges,
  finals,
  behind,
  sets,
}: Pick<Nfa, "edges" | "finals" | "behind" | "sets">): ReadonlySet<number> {
  const before: number[][] = edges.map(() => []);
  for (const [from, own] of edges.entries()) {
    for (const edge of own) {
      const atStart = edge.is === "previous" && edge.negate && sets[edge.set]?.isAll;
      if (!atStart) before[edge.to]?.push(from);
    }
  }
  const alive = new Set([...finals, ...behind.map(({ accept }) => accept)]);
  for (const state of alive) for (const from of before[state] ?? []) alive.add(from);
  return alive;
}

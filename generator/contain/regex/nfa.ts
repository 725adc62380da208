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
  | { readonly is: "perhaps"; readonly start: number; readonly to: number }
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
const known = new Map<string, Nfa | undefined>();

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
  if (known.has(key)) return known.get(key);
  if (known.size > 500) known.clear();
  const made = compilePattern(source, maxNodes, maxWords);
  known.set(key, made);
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
    this.finals.add(this.to(this.choice(alternatives, 0)));
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

  private state(): number {
    if (this.edges.length >= this.maxNodes)
      throw new Exhausted(`a pattern of more than ${this.maxNodes} states`);
    return this.edges.push([]) - 1;
  }

  private edge(from: number, edge: Edge): number {
    this.edges[from]?.push(edge);
    return edge.to;
  }

  /** Adds an empty edge, by default to a new state. Returns where it leads. */
  private to(from: number, to = this.state()): number {
    return this.edge(from, { is: "empty", to });
  }

  private set(characters: CharSet): number {
    const known = this.sets.findIndex((set) => set.equals(characters));
    return known >= 0 ? known : this.sets.push(characters) - 1;
  }

  private choice(alternatives: readonly Concat[], from: number): number {
    const [only] = alternatives;
    if (only && alternatives.length === 1) return this.sequence(only, from);
    const to = this.state();
    for (const alternative of alternatives) this.to(this.sequence(alternative, this.to(from)), to);
    return to;
  }

  private sequence({ elements }: Concat, from: number): number {
    return elements.reduce((at, element) => this.element(element, at), from);
  }

  private element(element: NoParent<Element>, from: number): number {
    switch (element.type) {
      case "CharacterClass":
        return this.edge(from, { is: "char", set: this.set(element.characters), to: this.state() });
      case "Alternation":
        return this.choice(element.alternatives, from);
      case "Quantifier":
        return this.repeat(element.alternatives, element.min, element.max, from);
      case "Assertion":
        return this.assertion(element, from);
      case "Unknown":
        return this.anyText(from);
    }
  }

  private anyText(from: number): number {
    if (this.isInsideBehind) throw new Exhausted("a backreference inside a look-behind");
    this.backreferences++;
    const loop = this.to(from);
    this.edge(loop, { is: "char", set: this.set(CharSet.all(MAX_CHARACTER)), to: loop });
    return this.to(loop);
  }

  private repeat(alternatives: readonly Concat[], min: number, max: number, from: number): number {
    let at = from;
    for (let i = 0; i < min; i++) at = this.choice(alternatives, at);
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.to(at);
      this.to(this.choice(alternatives, loop), loop);
      return this.to(loop);
    }
    const end = this.state();
    for (let i = min; i < max; i++) {
      this.to(at, end);
      at = this.choice(alternatives, at);
    }
    return this.to(at, end);
  }

  private assertion({ alternatives, kind, negate }: Assertion, from: number): number {
    const characters = singleCharacters(alternatives);
    if (characters) {
      if (kind === "behind") this.looksBehind = true;
      const is = kind === "ahead" ? "next" : "previous";
      return this.edge(from, { is, set: this.set(characters), negate, to: this.state() });
    }
    // A repetition copies its look-arounds; all copies lead to the same states.
    const make = this.lookAround.get(alternatives) ?? this.buildLookAround(alternatives, kind, negate);
    this.lookAround.set(alternatives, make);
    return this.edge(from, make(this.state()));
  }

  private buildLookAround(alternatives: readonly Concat[], kind: Assertion["kind"], negate: boolean) {
    if (this.isInsideBehind) throw new Exhausted("a look-around inside a look-behind");
    this.isInsideBehind = kind === "behind";
    const before = this.backreferences;
    const start = this.state();
    const accept = this.to(this.choice(alternatives, start));
    this.isInsideBehind = false;
    if (kind === "behind") {
      const index = this.behind.push({ start, accept }) - 1;
      return (to: number): Edge => ({ is: "behind", index, negate, to });
    }
    this.finals.add(accept);
    if (this.backreferences > before) return (to: number): Edge => ({ is: "perhaps", start, to });
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

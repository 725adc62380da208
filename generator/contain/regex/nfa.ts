/**
 * Builds a nondeterministic automaton over code points from refa's syntax tree of a pattern. An edge reads one character
 * of a set, or reads nothing. An edge that reads nothing may have a condition on the text before or after the position:
 * on one character, as for `^`, `$` and `\b`, or on several, as for look-arounds.
 */
import { CharSet, type Concatenation, type Element, JS, type NoParent } from "refa";
import { parsePattern } from "../../regex/parse-pattern.js";
import { LimitError } from "../budget.js";
import { createCharacterTest } from "./alphabet.js";
import { getPatternSyntax, requireUnicodeSource } from "./pattern-syntax.js";

/** An edge with the condition under which it can be followed; `set` is an index into `Nfa.sets`. */
export type Edge =
  | { readonly kind: "char"; readonly set: number; readonly to: number }
  | { readonly kind: "empty"; readonly to: number }
  | {
      readonly kind: "next" | "previous";
      readonly set: number;
      readonly negate: boolean;
      readonly to: number;
    }
  /** A look-ahead: a text after the position leads from `start` to a final state, or with `negate` none does. */
  | { readonly kind: "ahead"; readonly start: number; readonly negate: boolean; readonly to: number }
  /** A look-ahead that contains a backreference. It is not known whether it holds. */
  | { readonly kind: "maybeAhead"; readonly start: number; readonly to: number }
  /** A look-behind: a text before the position leads through `Nfa.behind[index]`, or with `negate` none does. */
  | { readonly kind: "behind"; readonly index: number; readonly negate: boolean; readonly to: number };

/** The part of an automaton that stands for a look-behind. */
interface LookBehind {
  readonly start: number;
  readonly accept: number;
}

/** An automaton. State 0 is initial. */
export interface Nfa {
  readonly edges: readonly (readonly Edge[])[];
  readonly sets: readonly CharSet[];
  /** For each set, a function that tests whether it holds a character. */
  readonly members: readonly ((char: number) => boolean)[];
  /** The indexes of the sets that conditions on the next character test. */
  readonly nextSets: readonly number[];
  /** The accepting states of the pattern and of its look-aheads; they have no edges. */
  readonly finals: ReadonlySet<number>;
  readonly behind: readonly LookBehind[];
  /** True if a condition tests the previous character. */
  readonly readsPrevious: boolean;
  /** The states from which the pattern may still match once a character has been read. */
  readonly alive: ReadonlySet<number>;
  /**
   * True if the automaton accepts exactly what the pattern matches. Otherwise it accepts more, because it reads a
   * backreference as any text.
   */
  readonly isExact: boolean;
}

type Concat = NoParent<Concatenation>;
type Assertion = NoParent<Element> & { readonly type: "Assertion" };

const MAX_CHARACTER = 0x10ffff;
const MAX_BACKREFERENCE_WORDS = 100;
const MAX_CACHED = 500;
const automata = new Map<string, Nfa | undefined>();

/** Returns the automaton of a pattern; undefined if `compilePattern` returns none. Uses a cache. */
export function getAutomaton(source: string, maxStates: number): Nfa | undefined {
  return getCachedNfa(source, maxStates, MAX_BACKREFERENCE_WORDS);
}

/** Returns the automaton that reads every backreference as any text. It has all paths that a backtracking matcher may try. */
export function getBacktrackingAutomaton(source: string, maxStates: number): Nfa | undefined {
  return getCachedNfa(
    source,
    maxStates,
    getPatternSyntax(source).hasBackreference ? 0 : MAX_BACKREFERENCE_WORDS,
  );
}

function getCachedNfa(source: string, maxStates: number, maxWords: number): Nfa | undefined {
  const key = `${maxStates} ${maxWords} ${source}`;
  if (automata.has(key)) return automata.get(key);
  if (automata.size > MAX_CACHED) automata.clear();
  const nfa = compilePattern(source, maxStates, maxWords);
  automata.set(key, nfa);
  return nfa;
}

/**
 * Returns the automaton of a pattern; undefined if the pattern is too large or not supported. A backreference to a group that
 * matches at most `maxWords` words becomes a choice between these words.
 */
export function compilePattern(
  source: string,
  maxStates: number,
  maxWords = MAX_BACKREFERENCE_WORDS,
): Nfa | undefined {
  try {
    const parsedPattern = parsePattern(requireUnicodeSource(source), "u");
    if (!parsedPattern) return undefined;
    const { expression } = JS.Parser.fromAst(parsedPattern).parse({
      backreferences: "unknown",
      maxBackreferenceWords: maxWords,
      assertions: "parse",
      // A backtracking matcher also tries the parts that can never match.
      simplify: false,
    });
    return new NfaBuilder(maxStates).build(expression.alternatives);
  } catch {
    return undefined;
  }
}

class NfaBuilder {
  private readonly edges: Edge[][] = [[]];
  private readonly sets: CharSet[] = [];
  private readonly finals = new Set<number>();
  private readonly behind: LookBehind[] = [];
  private readsPrevious = false;
  /** For each look-around that was built, a function that creates an edge with it. */
  private readonly lookAroundEdges = new Map<readonly Concat[], (to: number) => Edge>();
  private backreferenceCount = 0;
  private isInsideBehind = false;

  constructor(private readonly maxStates: number) {}

  build(alternatives: readonly Concat[]): Nfa {
    this.finals.add(this.addEmptyEdge(this.addChoice(alternatives, 0)));
    const { edges, sets, finals, behind, readsPrevious } = this;
    const conditions = edges.flatMap((outgoing) =>
      outgoing.flatMap((edge) => (edge.kind === "next" ? [edge.set] : [])),
    );
    return {
      edges,
      sets,
      members: sets.map(createCharacterTest),
      nextSets: [...new Set(conditions)].filter((set) => !sets[set]?.isAll),
      finals,
      behind,
      readsPrevious,
      alive: findAliveStates({ edges, finals, behind, sets }),
      isExact: this.backreferenceCount === 0,
    };
  }

  private addState(): number {
    if (this.edges.length >= this.maxStates)
      throw new LimitError(`a pattern of more than ${this.maxStates} states`);
    return this.edges.push([]) - 1;
  }

  private addEdge(from: number, edge: Edge): number {
    this.edges[from]?.push(edge);
    return edge.to;
  }

  /** Adds an empty edge, by default to a new state. Returns the state that it leads to. */
  private addEmptyEdge(from: number, to = this.addState()): number {
    return this.addEdge(from, { kind: "empty", to });
  }

  private findOrAddSet(characters: CharSet): number {
    const knownIndex = this.sets.findIndex((set) => set.equals(characters));
    return knownIndex >= 0 ? knownIndex : this.sets.push(characters) - 1;
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
    return elements.reduce((state, element) => this.addElement(element, state), from);
  }

  private addElement(element: NoParent<Element>, from: number): number {
    switch (element.type) {
      case "CharacterClass":
        return this.addEdge(from, {
          kind: "char",
          set: this.findOrAddSet(element.characters),
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
    if (this.isInsideBehind) throw new LimitError("a backreference inside a look-behind");
    this.backreferenceCount++;
    const loop = this.addEmptyEdge(from);
    this.addEdge(loop, { kind: "char", set: this.findOrAddSet(CharSet.all(MAX_CHARACTER)), to: loop });
    return this.addEmptyEdge(loop);
  }

  private addRepetition(alternatives: readonly Concat[], min: number, max: number, from: number): number {
    let state = from;
    for (let i = 0; i < min; i++) state = this.addChoice(alternatives, state);
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.addEmptyEdge(state);
      this.addEmptyEdge(this.addChoice(alternatives, loop), loop);
      return this.addEmptyEdge(loop);
    }
    const end = this.addState();
    for (let i = min; i < max; i++) {
      this.addEmptyEdge(state, end);
      state = this.addChoice(alternatives, state);
    }
    return this.addEmptyEdge(state, end);
  }

  private addAssertion({ alternatives, kind, negate }: Assertion, from: number): number {
    const characters = findSingleCharacters(alternatives);
    if (characters) {
      if (kind === "behind") this.readsPrevious = true;
      return this.addEdge(from, {
        kind: kind === "ahead" ? "next" : "previous",
        set: this.findOrAddSet(characters),
        negate,
        to: this.addState(),
      });
    }
    // A repetition adds its content several times. All copies of a look-around share its states.
    const createEdge =
      this.lookAroundEdges.get(alternatives) ?? this.buildLookAround(alternatives, kind, negate);
    this.lookAroundEdges.set(alternatives, createEdge);
    return this.addEdge(from, createEdge(this.addState()));
  }

  private buildLookAround(alternatives: readonly Concat[], kind: Assertion["kind"], negate: boolean) {
    if (this.isInsideBehind) throw new LimitError("a look-around inside a look-behind");
    this.isInsideBehind = kind === "behind";
    const countBefore = this.backreferenceCount;
    const start = this.addState();
    const accept = this.addEmptyEdge(this.addChoice(alternatives, start));
    this.isInsideBehind = false;
    if (kind === "behind") {
      const index = this.behind.push({ start, accept }) - 1;
      return (to: number): Edge => ({ kind: "behind", index, negate, to });
    }
    this.finals.add(accept);
    if (this.backreferenceCount > countBefore)
      return (to: number): Edge => ({ kind: "maybeAhead", start, to });
    return (to: number): Edge => ({ kind: "ahead", start, negate, to });
  }
}

/** Returns the characters that a look-around of one character tests; undefined for any other look-around. */
function findSingleCharacters(alternatives: readonly Concat[]): CharSet | undefined {
  const sets = alternatives.map(({ elements: [element, ...more] }) =>
    element?.type === "CharacterClass" && more.length === 0 ? element.characters : undefined,
  );
  if (sets.length === 0 || !sets.every((set) => set !== undefined)) return undefined;
  return CharSet.empty(MAX_CHARACTER).union(...sets);
}

/**
 * Returns the states from which a final state, or the end of a look-behind, can be reached without an edge that holds only
 * at the start of the text.
 */
function findAliveStates({
  edges,
  finals,
  behind,
  sets,
}: Pick<Nfa, "edges" | "finals" | "behind" | "sets">): ReadonlySet<number> {
  const predecessors: number[][] = edges.map(() => []);
  for (const [from, outgoing] of edges.entries()) {
    for (const edge of outgoing) {
      const holdsOnlyAtStart = edge.kind === "previous" && edge.negate && sets[edge.set]?.isAll;
      if (!holdsOnlyAtStart) predecessors[edge.to]?.push(from);
    }
  }
  const alive = new Set([...finals, ...behind.map(({ accept }) => accept)]);
  // The loop also visits the states that it adds.
  for (const state of alive) for (const from of predecessors[state] ?? []) alive.add(from);
  return alive;
}

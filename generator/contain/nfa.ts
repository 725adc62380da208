/**
 * A pattern as a nondeterministic automaton over code points, built from refa's syntax tree. Edges are a set of
 * characters, empty, or a condition on the character before or after the position, which is what `^`, `$`, `\b` and
 * look-arounds of one character come down to.
 */
import { type CharSet, type Concatenation, type Element, JS, type NoParent } from "refa";
import { Exhausted } from "./budget.js";
import { hasBackreference, unicodeSource } from "./pattern.js";

/** What an edge asks for; `set` indexes `Nfa.sets`. */
export type Edge =
  | { readonly is: "char"; readonly set: number; readonly to: number }
  | { readonly is: "empty"; readonly to: number }
  | { readonly is: "next" | "previous"; readonly set: number; readonly negate: boolean; readonly to: number };

/** An automaton. State 0 is initial; `accept` is the only accepting state and has no edges. */
export interface Nfa {
  readonly edges: readonly (readonly Edge[])[];
  readonly sets: readonly CharSet[];
  readonly accept: number;
  readonly looksBehind: boolean;
}

type Concat = NoParent<Concatenation>;

const known = new Map<string, Nfa | undefined>();

/** The automaton of a pattern, kept for the next question about it; undefined where `compilePattern` gives none. */
export function automaton(source: string, maxNodes: number): Nfa | undefined {
  const key = `${maxNodes} ${source}`;
  if (known.has(key)) return known.get(key);
  if (known.size > 500) known.clear();
  const made = compilePattern(source, maxNodes);
  known.set(key, made);
  return made;
}

/** The automaton of a pattern, or undefined where the pattern is not regular in a way that we read. */
export function compilePattern(source: string, maxNodes: number): Nfa | undefined {
  try {
    const parser = JS.Parser.fromLiteral({ source: unicodeSource(source), flags: "u" });
    if (hasBackreference(source)) return undefined;
    const { expression } = parser.parse({ backreferences: "throw", assertions: "parse" });
    return new Builder(maxNodes).build(expression.alternatives);
  } catch {
    return undefined;
  }
}

class Builder {
  private readonly edges: Edge[][] = [[]];
  private readonly sets: CharSet[] = [];
  private looksBehind = false;

  constructor(private readonly maxNodes: number) {}

  build(alternatives: readonly Concat[]): Nfa {
    const accept = this.choice(alternatives, 0);
    const end = this.state();
    this.empty(accept, end);
    return { edges: this.edges, sets: this.sets, accept: end, looksBehind: this.looksBehind };
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

  private empty(from: number, to: number): number {
    return this.edge(from, { is: "empty", to });
  }

  private set(characters: CharSet): number {
    const known = this.sets.findIndex((set) => set.equals(characters));
    return known >= 0 ? known : this.sets.push(characters) - 1;
  }

  private choice(alternatives: readonly Concat[], from: number): number {
    const to = this.state();
    for (const alternative of alternatives) {
      let at = this.empty(from, this.state());
      for (const element of alternative.elements) at = this.element(element, at);
      this.empty(at, to);
    }
    return to;
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
        return this.assertion(element.alternatives, element.kind, element.negate, from);
      case "Unknown":
        throw new Exhausted("a backreference");
    }
  }

  private repeat(alternatives: readonly Concat[], min: number, max: number, from: number): number {
    let at = from;
    for (let i = 0; i < min; i++) at = this.choice(alternatives, at);
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.empty(at, this.state());
      this.empty(this.choice(alternatives, loop), loop);
      return this.empty(loop, this.state());
    }
    const end = this.state();
    for (let i = min; i < max; i++) {
      this.empty(at, end);
      at = this.choice(alternatives, at);
    }
    return this.empty(at, end);
  }

  private assertion(
    alternatives: readonly Concat[],
    kind: "ahead" | "behind",
    negate: boolean,
    from: number,
  ) {
    const [alternative, ...others] = alternatives;
    const [element, ...more] = alternative?.elements ?? [];
    if (others.length > 0 || more.length > 0 || element?.type !== "CharacterClass") {
      throw new Exhausted("a look-around of more than one character");
    }
    if (kind === "behind") this.looksBehind = true;
    const is = kind === "ahead" ? "next" : "previous";
    return this.edge(from, { is, set: this.set(element.characters), negate, to: this.state() });
  }
}

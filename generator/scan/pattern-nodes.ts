/**
 * Patterns as nondeterministic automata over bytes. Read are patterns of the plain kind: literals, classes, groups,
 * choices, repetitions, `^` and `$`.
 */

import { ESCAPES, PRINTABLE } from "./byte-sets.js";
import type { Node, Nodes, Part } from "./nodes.js";

/** How many states the nondeterministic origin of an automaton may have. */
const MOST_NODES = 2_000;

/** The nodes of a pattern, or undefined if it is of another kind or too large. `i` is the only flag that has a meaning here. */
export function nodesOf({ source, flags }: RegExp): Nodes | undefined {
  const nodes: Node[] = [];
  try {
    const parsed = new Parser(source, flags.includes("i"), nodes).parse();
    return parsed && { nodes, ...parsed };
  } catch (error) {
    if (error instanceof Unread) return undefined;
    throw error;
  }
}

/** Thrown at what is not of the plain kind. */
class Unread extends Error {}

/** Recursive descent over the source of a RegExp, which is known to be legal. */
class Parser {
  private at = 0;
  /** Character classes by where they begin, and where they end: copies of a part have the same. */
  private readonly classes = new Map<number, readonly [set: Set<number>, end: number]>();

  constructor(
    private readonly source: string,
    private readonly fold: boolean,
    private readonly nodes: Node[],
  ) {}

  parse(): Part | undefined {
    const whole = this.choice();
    return this.at === this.source.length ? whole : undefined;
  }

  private node(node: Node): number {
    if (this.nodes.length >= MOST_NODES) throw new Unread();
    return this.nodes.push(node) - 1;
  }

  private empty(...to: number[]): number {
    return this.node({ to });
  }

  private link(from: number, to: number): void {
    this.nodes[from]?.to.push(to);
  }

  private peek(): string {
    return this.source.charAt(this.at);
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private choice(): Part {
    const first = this.sequence();
    if (this.peek() !== "|") return first;
    const [start, end] = [this.empty(first.start), this.empty()];
    this.link(first.end, end);
    while (this.take("|")) {
      const next = this.sequence();
      this.link(start, next.start);
      this.link(next.end, end);
    }
    return { start, end };
  }

  private sequence(): Part {
    const start = this.empty();
    let end = start;
    while (this.at < this.source.length && this.peek() !== "|" && this.peek() !== ")") {
      const part = this.repeated();
      this.link(end, part.start);
      end = part.end;
    }
    return { start, end };
  }

  private repeated(): Part {
    const from = this.at;
    const first = this.atom();
    const until = this.at;
    const counts = this.counts();
    if (counts === undefined) return first;
    this.take("?");
    const after = this.at;
    // Each copy is read anew.
    const copy = (): Part => {
      this.at = from;
      const part = this.atom();
      this.at = after;
      return part;
    };
    if (until === from) throw new Unread();
    const [min, max] = counts;
    const start = this.empty();
    let end = start;
    const follow = (part: Part): void => {
      this.link(end, part.start);
      end = part.end;
    };
    for (let i = 0; i < min; i++) follow(copy());
    if (max === Infinity) {
      const loop = this.empty();
      const part = copy();
      this.link(end, loop);
      this.link(loop, part.start);
      this.link(part.end, loop);
      return { start, end: loop };
    }
    const exit = this.empty();
    for (let i = min; i < max; i++) {
      this.link(end, exit);
      follow(copy());
    }
    this.link(end, exit);
    return { start, end: exit };
  }

  private counts(): readonly [number, number] | undefined {
    if (this.take("*")) return [0, Infinity];
    if (this.take("+")) return [1, Infinity];
    if (this.take("?")) return [0, 1];
    const [all, min, comma, max] = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.source.slice(this.at)) ?? [];
    if (all === undefined) return undefined;
    this.at += all.length;
    return [Number(min), comma === undefined ? Number(min) : max ? Number(max) : Infinity];
  }

  private atom(): Part {
    if (this.take("^")) return this.one({ only: "start", to: [] });
    if (this.take("$")) return this.one({ only: "end", to: [] });
    if (this.take("(")) {
      if (!this.take("?:") && this.peek() === "?") throw new Unread();
      const inner = this.choice();
      if (!this.take(")")) throw new Unread();
      return inner;
    }
    if (this.take("[")) return this.one({ bytes: this.characterClass(), to: [] });
    if (this.take(".")) return this.one({ bytes: PRINTABLE, to: [] });
    return this.one({ bytes: this.folded(this.character(false)), to: [] });
  }

  private one(node: Node): Part {
    const end = this.empty();
    node.to.push(end);
    return { start: this.node(node), end };
  }

  private characterClass(): Set<number> {
    const from = this.at;
    const known = this.classes.get(from);
    if (known === undefined) {
      const made = this.newClass();
      this.classes.set(from, [made, this.at]);
      return made;
    }
    const [set, end] = known;
    this.at = end;
    return set;
  }

  private newClass(): Set<number> {
    const negate = this.take("^");
    const members = new Set<number>();
    while (!this.take("]")) {
      if (this.at >= this.source.length) throw new Unread();
      const low = this.character(true);
      if (this.peek() === "-" && this.source.charAt(this.at + 1) !== "]") {
        this.at++;
        const [from, to] = [single(low), single(this.character(true))];
        for (let byte = from; byte <= to; byte++) members.add(byte);
      } else for (const byte of low) members.add(byte);
    }
    const folded = this.folded(members);
    return negate ? new Set([...PRINTABLE].filter((byte) => !folded.has(byte))) : folded;
  }

  /** The characters that the next one or its escape stand for. */
  private character(inClass: boolean): Set<number> {
    const char = this.peek();
    const code = char.charCodeAt(0);
    this.at++;
    if (char !== "\\") {
      if (Number.isNaN(code) || code > 0x7e || (!inClass && "*+?{}()|[]".includes(char))) throw new Unread();
      return new Set([code]);
    }
    const escaped = this.peek();
    this.at++;
    const known = ESCAPES.get(escaped);
    if (known !== undefined) return new Set(known);
    if (escaped === "" || /[A-Za-z0-9]/.test(escaped) || escaped > "~") throw new Unread();
    return new Set([escaped.charCodeAt(0)]);
  }

  private folded(bytes: Set<number>): Set<number> {
    if (!this.fold) return bytes;
    const both = [...bytes].flatMap((byte) => {
      const char = String.fromCharCode(byte);
      return [char.toLowerCase(), char.toUpperCase()].map((each) => each.charCodeAt(0));
    });
    return new Set(both);
  }
}

function single(members: ReadonlySet<number>): number {
  const [one = 0] = members;
  if (members.size !== 1) throw new Unread();
  return one;
}

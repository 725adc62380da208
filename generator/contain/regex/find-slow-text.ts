/**
 * Finds texts for which a backtracking matcher needs far more steps than they have characters. Such a text is a beginning, a
 * part that is repeated, and an end with which the pattern does not match. A part that the pattern reads in two ways doubles
 * the steps each time (Weideman et al., "Analyzing Matching Time Behavior of Backtracking Regular Expression Matchers by
 * Using Ambiguity of NFA", 2016). A candidate counts only if the steps of a matcher grow like that.
 */
import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import { parsePattern, toUnicodeSource } from "../../regex/parse-pattern.js";
import { Budget, DEFAULT_LIMITS, LimitError } from "../budget.js";
import { partitionAlphabet } from "./alphabet.js";
import { createStepCounter } from "./count-match-steps.js";
import { type Edge, getBacktrackingAutomaton, type Nfa } from "./nfa.js";

/** A family of texts on which a pattern is slow: `beginning`, then `part` as often as one likes, then `end`. */
export interface SlowTexts {
  readonly beginning: string;
  readonly part: string;
  readonly end: string;
  /** How the steps grow with the number of parts: as a power of it, or doubling with each part or few parts. */
  readonly growth: "quadratic" | "cubic or more" | "exponential";
}

/** The answer about a pattern; "unknown" if it is too large to be decided. */
export type Slowness = SlowTexts | "none" | "unknown";

const MAX_STATES = 3_000;
const MAX_STEPS = 3_000_000;
/** The greatest number of states in a part of the automaton in which repeated parts are searched. */
const MAX_LOOP_STATES = 400;
/** Repetitions with a greater number are searched as if they had no greatest number. */
const MAX_REPETITIONS = 40;
/** The greatest numbers of ends, of characters before a beginning, and of repeated words of one state. */
const MAX_ENDS = 12;
const MAX_FIRST = 3;
const MAX_WORDS = 3;
/** The number of beginnings that are tried as parts, which finds choices that follow each other. */
const MAX_LONG_PARTS = 3;
/** The numbers of parts whose steps are compared. */
const FEW_PARTS = 24;
const MANY_PARTS = 48;
/** The least growth of the steps, each time that the parts are doubled, that counts as quadratic and as cubic. */
const QUADRATIC = 3;
const CUBIC = 6;
/** Texts whose steps grow less than this from a quarter of the parts on are not looked at any further. */
const LEAST_GROWTH = 4.5;
/** A greater growth is called exponential. */
const HIGH_POWER = 64;
/** So many steps for so few parts are too many, however they grow. */
const MANY_STEPS = 300_000;
/** What a text costs, whatever its steps. */
const TEXT_COST = 300;

const answers = new Map<string, Slowness>();

/** Finds a family of texts on which a backtracking matcher is slow, within so many steps. The same pattern always gets the same answer. */
export function findSlowTexts(source: string, maxSteps = MAX_STEPS): Slowness {
  const key = JSON.stringify([source, maxSteps]);
  const known = answers.get(key) ?? searchSlowTexts(source, maxSteps);
  answers.set(key, known);
  return known;
}

function searchSlowTexts(source: string, maxSteps: number): Slowness {
  const nfa = getBacktrackingAutomaton(simplifyPattern(source), MAX_STATES);
  const countSteps = createStepCounter(source);
  if (!nfa || !countSteps) return "unknown";
  // Only steps end the search, so that the answer does not depend on the machine.
  const limits = { ...DEFAULT_LIMITS, maxSteps, timeoutMs: Number.POSITIVE_INFINITY };
  return new SlowTextSearch(countSteps, nfa, new Budget(limits)).find();
}

/**
 * Returns a pattern with a small automaton that has the loops of `source`: large repetitions have no greatest number, and
 * look-behinds look ahead. The automaton only suggests texts, whose steps are counted with `source` itself.
 */
function simplifyPattern(source: string): string {
  const unicodeSource = toUnicodeSource(source) ?? source;
  const pattern = parsePattern(unicodeSource, "u")?.pattern;
  if (!pattern) return source;
  const replacements: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  visitRegExpAST(pattern, {
    onQuantifierEnter: ({ min, max, greedy, element, end }) => {
      if (Math.max(min, max === Number.POSITIVE_INFINITY ? 0 : max) <= MAX_REPETITIONS) return;
      const text = `{${Math.min(min, 2)},}${greedy ? "" : "?"}`;
      replacements.push({ start: element.end, end, text });
    },
    onAssertionEnter: (assertion: AST.Assertion) => {
      if (assertion.kind !== "lookbehind") return;
      const { start, negate } = assertion;
      replacements.push({ start, end: start + "(?<!".length, text: negate ? "(?!" : "(?=" });
    },
  });
  let result = "";
  let copied = 0;
  for (const { start, end, text } of replacements.sort((a, b) => a.start - b.start)) {
    result += unicodeSource.slice(copied, start) + text;
    copied = end;
  }
  return result + unicodeSource.slice(copied);
}

/** Returns the text of a family that repeats its part `count` times. */
export function buildSlowText({ beginning, part, end }: Omit<SlowTexts, "growth">, count: number): string {
  return beginning + part.repeat(count) + end;
}

/** A step that reads one character: the state to which it leads, and the number of ways that lead there. */
interface CharStep {
  readonly to: number;
  readonly ways: number;
}

/** A state, and a word that is repeated from there on. */
interface Loop {
  readonly state: number;
  readonly word: readonly number[];
}

class SlowTextSearch {
  private readonly chars: readonly number[];
  private readonly steps = new Map<number, ReadonlyMap<number, readonly CharStep[]>>();

  constructor(
    private readonly countSteps: NonNullable<ReturnType<typeof createStepCounter>>,
    private readonly nfa: Nfa,
    private readonly budget: Budget,
  ) {
    const classes = partitionAlphabet(nfa.sets, new Set(), new Budget(DEFAULT_LIMITS));
    this.chars = classes.filter(({ onlySurrogates }) => !onlySurrogates).map(({ char }) => char);
  }

  /** Returns the slowest texts that were found before the budget was spent. */
  find(): Slowness {
    let worst: SlowTexts | undefined;
    try {
      for (const texts of this.listSlowTexts()) {
        if (texts.growth !== "quadratic") return texts;
        worst ??= texts;
      }
    } catch (error) {
      if (!(error instanceof LimitError)) throw error;
      return worst ?? "unknown";
    }
    return worst ?? "none";
  }

  private *listSlowTexts(): Generator<SlowTexts> {
    const beginnings = this.findBeginnings();
    const single = this.chars.map((char) => ({ state: 0, word: [char] }));
    const long = [...beginnings.values()].slice(-MAX_LONG_PARTS).map((word) => ({ state: 0, word }));
    for (const loops of [this.listAmbiguousLoops(beginnings), this.listLoops(beginnings), single, long])
      for (const { state, word } of loops) {
        const texts = this.measure(beginnings.get(state) ?? [], word);
        if (texts) yield texts;
      }
  }

  /** Returns slow texts of a beginning and a part, with some ends; undefined if the steps grow with the length only. */
  private measure(beginning: readonly number[], part: readonly number[]): SlowTexts | undefined {
    const word = String.fromCodePoint(...beginning);
    const repeated = String.fromCodePoint(...part);
    const others = ["", ...this.chars.slice(0, MAX_ENDS).map((char) => String.fromCodePoint(char)), "\n"];
    let worst: SlowTexts | undefined;
    // A pattern with `^` may be slow only behind another character.
    for (const first of others.slice(0, MAX_FIRST))
      for (const end of others) {
        const texts = this.measureTexts({ beginning: first + word, part: repeated, end });
        if (texts && texts.growth !== "quadratic") return texts;
        worst ??= texts;
      }
    return worst;
  }

  private measureTexts(texts: Omit<SlowTexts, "growth">): SlowTexts | undefined {
    const count = (parts: number): number => {
      const steps = this.countSteps(buildSlowText(texts, parts), MANY_STEPS);
      this.budget.spend(TEXT_COST + (steps >> 2));
      return steps;
    };
    const few = count(FEW_PARTS);
    if (few === MANY_STEPS) return { ...texts, growth: "exponential" };
    const fewer = count(FEW_PARTS / 4);
    if (few < fewer * LEAST_GROWTH) return undefined;
    const many = count(MANY_PARTS);
    if (many === MANY_STEPS && many > few * HIGH_POWER) return { ...texts, growth: "exponential" };
    const isCubic = many === MANY_STEPS ? few >= fewer * CUBIC ** 2 : many >= few * CUBIC;
    if (isCubic) return { ...texts, growth: "cubic or more" };
    return many >= few * QUADRATIC ? { ...texts, growth: "quadratic" } : undefined;
  }

  /** Returns the shortest word that leads from the start to each state. */
  private findBeginnings(): ReadonlyMap<number, readonly number[]> {
    const found = new Map<number, readonly number[]>([[0, []]]);
    for (const [state, word] of found)
      for (const [char, steps] of this.getSteps(state))
        for (const { to } of steps) if (!found.has(to)) found.set(to, [...word, char]);
    return found;
  }

  /** Yields words that lead from a state back to itself in two ways. */
  private *listAmbiguousLoops(states: ReadonlyMap<number, unknown>): Generator<Loop> {
    for (const component of this.listComponents([...states.keys()])) {
      if (component.size > MAX_LOOP_STATES) throw new LimitError("the pattern is too large");
      for (const state of component)
        for (const word of this.listAmbiguousWords(state, component)) yield { state, word };
    }
  }

  /** Searches pairs of ways that leave a state together and come back to it together, but were apart in between. */
  private *listAmbiguousWords(state: number, component: ReadonlySet<number>): Generator<readonly number[]> {
    const seen = new Set<string>();
    const queue = [{ one: state, other: state, isApart: false, word: [] as readonly number[] }];
    let found = 0;
    for (const { one, other, isApart, word } of queue)
      for (const [char, steps] of this.getSteps(one))
        for (const first of steps)
          for (const second of this.getSteps(other).get(char) ?? []) {
            if (!component.has(first.to) || !component.has(second.to)) continue;
            this.budget.spend();
            const apart =
              isApart || first.to !== second.to || (one === other && first === second && first.ways > 1);
            const next = { one: first.to, other: second.to, isApart: apart, word: [...word, char] };
            if (apart && next.one === state && next.other === state) {
              yield next.word;
              if (++found === MAX_WORDS) return;
              continue;
            }
            const key = `${next.one} ${next.other} ${apart}`;
            if (seen.has(key)) continue;
            seen.add(key);
            queue.push(next);
          }
  }

  /** Yields, for each state and each character that begins a way back to it, the shortest such word. */
  private *listLoops(states: ReadonlyMap<number, unknown>): Generator<Loop> {
    for (const component of this.listComponents([...states.keys()]))
      for (const state of component)
        for (const [char, steps] of this.getSteps(state))
          for (const { to } of steps) {
            const rest = component.has(to) ? this.findWay(to, state, component) : undefined;
            if (rest) yield { state, word: [char, ...rest] };
          }
  }

  private findWay(from: number, to: number, component: ReadonlySet<number>): readonly number[] | undefined {
    const found = new Map<number, readonly number[]>([[from, []]]);
    for (const [state, word] of found) {
      if (state === to) return word;
      this.budget.spend();
      for (const [char, steps] of this.getSteps(state))
        for (const step of steps)
          if (component.has(step.to) && !found.has(step.to)) found.set(step.to, [...word, char]);
    }
    return undefined;
  }

  /** Returns the sets of states that can all reach each other by reading characters. */
  private listComponents(states: readonly number[]): ReadonlySet<number>[] {
    const reach = new Map(states.map((state) => [state, this.listReachable(state)]));
    const components: ReadonlySet<number>[] = [];
    for (const state of states) {
      const own = reach.get(state);
      if (!own?.has(state) || components.some((each) => each.has(state))) continue;
      components.push(new Set([...own].filter((other) => reach.get(other)?.has(state))));
    }
    return components;
  }

  private listReachable(state: number): ReadonlySet<number> {
    const found = new Set<number>();
    const queue = [state];
    for (const each of queue)
      for (const steps of this.getSteps(each).values())
        for (const { to } of steps)
          if (!found.has(to)) {
            this.budget.spend();
            found.add(to);
            queue.push(to);
          }
    return found;
  }

  /** Returns the steps from a state by the character that they read. Conditions on the text around count as fulfilled. */
  private getSteps(state: number): ReadonlyMap<number, readonly CharStep[]> {
    const known = this.steps.get(state);
    if (known) return known;
    const found = new Map<number, readonly CharStep[]>();
    const ways = this.listReadingEdges(state);
    for (const char of this.chars) {
      const counts = new Map<number, number>();
      for (const { set, to } of ways)
        if (this.nfa.members[set]?.(char)) counts.set(to, (counts.get(to) ?? 0) + 1);
      if (counts.size > 0)
        found.set(
          char,
          [...counts].map(([to, ways]) => ({ to, ways })),
        );
    }
    this.steps.set(state, found);
    return found;
  }

  /** Returns the edges that read a character after edges that read nothing, once for each way. */
  private listReadingEdges(state: number): Extract<Edge, { kind: "char" }>[] {
    const found: Extract<Edge, { kind: "char" }>[] = [];
    const visit = (each: number, path: ReadonlySet<number>): void => {
      if (path.has(each)) return;
      this.budget.spend();
      const longer = new Set([...path, each]);
      for (const edge of this.nfa.edges[each] ?? [])
        if (edge.kind === "char") found.push(edge);
        else {
          visit(edge.to, longer);
          if (edge.kind === "ahead" || edge.kind === "maybeAhead") visit(edge.start, longer);
        }
    };
    visit(state, new Set());
    return found;
  }
}

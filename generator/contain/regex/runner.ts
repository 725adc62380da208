/** An automaton determinised lazily, as a search for its words or a match of a text needs it. */
import type { Budget } from "../budget.js";
import type { Nfa } from "./nfa.js";
import { type Around, isNowhere, NOWHERE, sorted, textOf, Walk, type Ways } from "./ways.js";

/** The state that is reached once the pattern has matched, whatever follows. */
export const MATCHED = -1;

/** What has been read of a text. */
interface State extends Ways {
  /** For each look-behind where its automaton may be. */
  readonly behind: readonly (readonly number[])[];
  /** The character before, where that has a bearing; START where it has none. */
  readonly previous: number;
  /** The ways along edges that read nothing, by what of the next character has a bearing on them. */
  readonly closed: Map<string, Closed>;
}

interface Closed {
  /** Undefined when one of them has succeeded. */
  readonly ways: Ways | undefined;
  /** The same for the automaton of each look-behind. */
  readonly behind: readonly (readonly number[])[];
}

const START = -1;

/** Runs one automaton over many texts. States are numbers; 0 is the initial one. */
export class Runner {
  private readonly states: State[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly steps = new Map<number, number>();
  private readonly bearings = new Map<number, string>();
  private readonly walk: Walk;

  constructor(
    private readonly nfa: Nfa,
    budget: Budget,
  ) {
    this.walk = new Walk(nfa, budget);
    this.number(
      { single: [0], joint: [] },
      nfa.behind.map(({ start }) => [start]),
      START,
    );
  }

  /** Where reading `char` leads. */
  step(state: number, char: number): number {
    if (state === MATCHED) return MATCHED;
    const key = state * 0x110000 + char;
    const known = this.steps.get(key);
    if (known !== undefined) return known;
    const result = this.read(state, char);
    this.steps.set(key, result);
    return result;
  }

  /** Whether the pattern can match no text that leads here, whatever follows. */
  isDead(state: number): boolean {
    const { single, joint } = this.states[state] ?? { single: [MATCHED], joint: [] };
    return isNowhere({ single, joint });
  }

  /** Whether the pattern matches a text that ends in this state. */
  accepts(state: number): boolean {
    return state === MATCHED || this.closed(state, undefined).ways === undefined;
  }

  private number(ways: Ways, behind: State["behind"], previous: number): number {
    const key = `${textOf(ways)}/${behind.map((each) => each.join(",")).join("/")}/${previous}`;
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const number = this.states.push({ ...ways, behind, previous, closed: new Map() }) - 1;
    this.numbers.set(key, number);
    return number;
  }

  private read(state: number, char: number): number {
    const { ways, behind } = this.closed(state, char);
    if (!ways) return MATCHED;
    const { single, joint } = this.walk.advance(ways, char);
    const later = behind.map((reached, i) =>
      sorted([...this.walk.successors(reached, char), this.nfa.behind[i]?.start ?? 0]),
    );
    const anew = this.nfa.alive.has(0) ? [0] : []; // the match may begin anywhere, unless it has to at the start
    const all = { single: sorted([...single, ...anew]), joint };
    return this.number(all, later, this.nfa.looksBehind ? char : START);
  }

  private closed(number: number, next: number | undefined): Closed {
    const state = this.states[number];
    if (!state) return { ways: NOWHERE, behind: [] };
    const bearing = this.bearing(next);
    const known = state.closed.get(bearing);
    if (known) return known;
    const outside: Around = {
      previous: state.previous === START ? undefined : state.previous,
      next,
      behind: [],
    };
    const behind = state.behind.map(
      (single) => this.walk.close({ single, joint: [] }, outside)?.single ?? [],
    );
    const holds = behind.map((reached, i) => reached.includes(this.nfa.behind[i]?.accept ?? START));
    const closed = { ways: this.walk.close(state, { ...outside, behind: holds }), behind };
    state.closed.set(bearing, closed);
    return closed;
  }

  /** What of the next character has a bearing on conditions. */
  private bearing(next: number | undefined): string {
    if (next === undefined) return "end";
    const known = this.bearings.get(next);
    if (known !== undefined) return known;
    const bearing = this.nfa.asked.map((set) => (this.nfa.members[set]?.(next) ? "+" : "-")).join("");
    this.bearings.set(next, bearing);
    return bearing;
  }
}

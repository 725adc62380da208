/** Runs patterns as deterministic automata. A state is created when a search or a match first needs it. */
import type { Budget } from "../budget.js";
import type { Nfa } from "./nfa.js";
import {
  createThreadsKey,
  hasNoThreads,
  NfaStepper,
  NO_THREADS,
  type PositionContext,
  sortUnique,
  type Threads,
} from "./nfa-threads.js";

/** The state after the pattern has matched. It is never left. */
export const MATCHED = -1;

/** A state of the deterministic automaton: the threads of the nondeterministic one. */
interface State extends Threads {
  /** For each look-behind, the states that its automaton may be in. */
  readonly behind: readonly (readonly number[])[];
  /** The character before this position if conditions depend on it; otherwise START. */
  readonly previous: number;
  /** The threads after all edges that read nothing. The key tells which conditions the next character satisfies. */
  readonly closed: Map<string, ClosedState>;
}

/** A state after all edges that read nothing were followed. */
interface ClosedState {
  /** The threads; undefined if one of them has succeeded. */
  readonly threads: Threads | undefined;
  /** The states of the automaton of each look-behind. */
  readonly behind: readonly (readonly number[])[];
}

/** Stands for the position before the first character. */
const START = -1;
const CODE_POINTS = 0x110000;

/** Runs one automaton over many texts. States are numbers; 0 is the initial one. */
export class LazyDfa {
  private readonly states: State[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly steps = new Map<number, number>();
  private readonly conditionKeys = new Map<number, string>();
  private readonly stepper: NfaStepper;

  constructor(
    private readonly nfa: Nfa,
    budget: Budget,
  ) {
    this.stepper = new NfaStepper(nfa, budget);
    this.internState(
      { single: [0], joint: [] },
      nfa.behind.map(({ start }) => [start]),
      START,
    );
  }

  /** Returns the state after reading `char`. */
  step(state: number, char: number): number {
    if (state === MATCHED) return MATCHED;
    const key = state * CODE_POINTS + char;
    const knownStep = this.steps.get(key);
    if (knownStep !== undefined) return knownStep;
    const result = this.computeStep(state, char);
    this.steps.set(key, result);
    return result;
  }

  /** Returns whether the pattern cannot match any longer, whatever text follows. */
  isDead(state: number): boolean {
    const threads = state === MATCHED ? undefined : this.states[state];
    return threads !== undefined && hasNoThreads(threads);
  }

  /** Returns whether the pattern matches a text that ends in this state. */
  accepts(state: number): boolean {
    return state === MATCHED || this.closeState(state, undefined).threads === undefined;
  }

  private internState(threads: Threads, behind: State["behind"], previous: number): number {
    const key = `${createThreadsKey(threads)}/${behind.map((each) => each.join(",")).join("/")}/${previous}`;
    const knownState = this.numbers.get(key);
    if (knownState !== undefined) return knownState;
    const number = this.states.push({ ...threads, behind, previous, closed: new Map() }) - 1;
    this.numbers.set(key, number);
    return number;
  }

  private computeStep(state: number, char: number): number {
    const { threads, behind } = this.closeState(state, char);
    if (!threads) return MATCHED;
    const { single, joint } = this.stepper.advance(threads, char);
    const nextBehind = behind.map((reached, i) =>
      sortUnique([...this.stepper.findSuccessors(reached, char), this.nfa.behind[i]?.start ?? 0]),
    );
    // A match may begin at any position, unless the pattern is anchored to the start.
    const restart = this.nfa.alive.has(0) ? [0] : [];
    const nextThreads = { single: sortUnique([...single, ...restart]), joint };
    return this.internState(nextThreads, nextBehind, this.nfa.readsPrevious ? char : START);
  }

  private closeState(number: number, next: number | undefined): ClosedState {
    const state = this.states[number];
    if (!state) return { threads: NO_THREADS, behind: [] };
    const conditionKey = this.findConditionKey(next);
    const knownThreads = state.closed.get(conditionKey);
    if (knownThreads) return knownThreads;
    const context: PositionContext = {
      previous: state.previous === START ? undefined : state.previous,
      next,
      behind: [],
    };
    const behind = state.behind.map(
      (single) => this.stepper.close({ single, joint: [] }, context)?.single ?? [],
    );
    const behindHolds = behind.map((reached, index) => {
      const accept = this.nfa.behind[index]?.accept;
      return accept !== undefined && reached.includes(accept);
    });
    const closedThreads = { threads: this.stepper.close(state, { ...context, behind: behindHolds }), behind };
    state.closed.set(conditionKey, closedThreads);
    return closedThreads;
  }

  /** Returns a key for the conditions that the next character satisfies. */
  private findConditionKey(next: number | undefined): string {
    if (next === undefined) return "end";
    const knownKey = this.conditionKeys.get(next);
    if (knownKey !== undefined) return knownKey;
    const conditionKey = this.nfa.nextSets.map((set) => (this.nfa.members[set]?.(next) ? "+" : "-")).join("");
    this.conditionKeys.set(next, conditionKey);
    return conditionKey;
  }
}

/** What an edge asks for; `set` indexes `Nfa.sets`. */
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
export interface Behind {
  readonly start: number;
  readonly accept: number;
}

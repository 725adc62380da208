/** The conditions of stability of a protocol: the member `promotion` of protocol.json. */

/** The conditions under which the candidate event types of the protocol can become stable. */
export interface PromotionPlan {
  /** The values of `x-requires`, and the names of conditions, that are met. */
  readonly met?: readonly string[];
  /** Conditions that no tool can check: a sentence by its name. All of them must be met. */
  readonly conditions?: { readonly [name: string]: string };
  /** The kinds of frontends of which one must be tested with every candidate event type, such as "web". */
  readonly consumers?: readonly string[];
  /** Tool families with their event types. At least one family must be complete from end to end. */
  readonly families?: { readonly [name: string]: readonly string[] };
}

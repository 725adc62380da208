/** What a consumer shows of a feed, as data: a page and a terminal draw the same blocks. */

import type { Tone } from "../protocol/view-roles.js";

/** A name and its value, both as plain text. */
export type Fact = readonly [name: string, text: string];

/** What all blocks have. */
interface Shared {
  /** Counts from 1 in the order of first events. */
  readonly id: number;
  /** The stream's key, as `streamKey` makes it. */
  readonly stream: string;
  /** The number and the type of its first event. */
  readonly sequence: number | undefined;
  readonly type: string;
  /** When that happened, as the event says it. */
  readonly time: string | number | undefined;
  /** It came after events with higher numbers. */
  readonly late: boolean;
}

/** A text of a speaker, its pieces joined. */
export interface TextBlock extends Shared {
  readonly kind: "text";
  readonly speaker: "user" | "assistant" | "thinking";
  text: string;
  /** Pieces may follow. */
  open: boolean;
}

/** The output of a tool on one channel: its end, if it is long. */
export interface Output {
  readonly channel: string;
  text: string;
  /** How many characters before `text` are left out. */
  dropped: number;
}

/** A tool call with everything that concerns it. */
export interface ToolBlock extends Shared {
  readonly kind: "tool";
  /** The id of the call. */
  readonly key: string;
  name: string;
  state: string;
  tone: Tone;
  /** What it was called with: text, or JSON. */
  input: string | undefined;
  readonly output: Output[];
  readonly facts: Map<string, string>;
}

/** A question to a person and its answer. */
export interface ApprovalBlock extends Shared {
  readonly kind: "approval";
  /** The id of the approval. */
  readonly key: string;
  /** The id of the call that waits for it, if an event named one. */
  call: string | undefined;
  subject: string;
  state: string;
  tone: Tone;
  readonly facts: Map<string, string>;
}

/** Events that are not there. */
export interface GapBlock extends Shared {
  readonly kind: "gap";
  /** The numbers that are missing, both inclusive, where they are known. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly facts: readonly Fact[];
}

/** Anything else that is known, and what the run has used. */
interface NoticeBlock extends Shared {
  readonly kind: "notice" | "cost";
  readonly summary: string;
  readonly tone: Tone;
  readonly facts: readonly Fact[];
}

/** An event of a type that this release does not know: shown as it is. */
interface UnknownBlock extends Shared {
  readonly kind: "unknown";
  readonly value: unknown;
}

/** A value that is not an event of the protocol, or that contradicts an earlier event. */
export interface FaultBlock extends Shared {
  readonly kind: "fault";
  readonly problem: string;
  /** The event; undefined where the problem is a sentence about something that is none. */
  readonly value: unknown;
}

/** One thing to show. Blocks of texts, tools and approvals change as events come. */
export type Block =
  | TextBlock
  | ToolBlock
  | ApprovalBlock
  | GapBlock
  | NoticeBlock
  | UnknownBlock
  | FaultBlock;

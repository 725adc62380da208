/** The blocks in which a feed is shown. A page and a terminal draw the same blocks. */
import type { Tone } from "../protocol/view-roles.js";

/** Values by their names, both as plain text. */
export type Facts = { readonly [name: string]: string };

/** The members of all blocks. */
export interface BlockBase extends EventPosition {
  /** The position of the block among all blocks, counted from 1. */
  readonly id: number;
}

/** The stream, the type and the time of an event. For a block, they are those of its first event. */
export interface EventPosition {
  /** The key of the stream, as `streamKey` makes it. */
  readonly stream: string;
  /** The sequence number of the event; undefined if it has none. */
  readonly sequence: number | undefined;
  readonly type: string;
  readonly time: string | number | undefined;
  /** True if the event was delivered after events with higher numbers. */
  readonly late: boolean;
}

/** A text of a speaker, with its pieces joined. */
export interface TextBlock extends BlockBase {
  readonly kind: "text";
  readonly speaker: "user" | "assistant" | "thinking";
  text: string;
  /** True if more pieces may follow. */
  open: boolean;
}

/** The output of a tool on one channel; only its end, if it is long. */
export interface Output {
  readonly channel: string;
  text: string;
  /** The number of characters that are left out before `text`. */
  dropped: number;
  /** The number of bytes before `text` that did not arrive. */
  readonly missing: number;
  /** The number of bytes of the process before `text` whose place a mask takes; absent if there is none. */
  readonly masked?: number;
}

/** The members of a tool call or an approval, which later events change. */
export interface ChangingBlock extends BlockBase {
  /** The id of the call or the approval. */
  readonly key: string;
  state: string;
  tone: Tone;
  facts: Facts;
}

/** A tool call and all events about it. */
export interface ToolBlock extends ChangingBlock {
  readonly kind: "tool";
  name: string;
  /** The input of the call: text or JSON. */
  input: string | undefined;
  readonly output: Output[];
}

/** A question to a person and its answer. */
export interface ApprovalBlock extends ChangingBlock {
  readonly kind: "approval";
  /** The id of the call that waits for the approval, if an event named one. */
  call: string | undefined;
  subject: string;
}

/** A gap: events that are missing. */
export interface GapBlock extends BlockBase {
  readonly kind: "gap";
  /** The first missing number, if it is known. */
  readonly first: number | undefined;
  /** The last missing number, if it is known. */
  readonly last: number | undefined;
  readonly facts: Facts;
}

/** Returns the sentence of a gap, without a full stop. */
export function describeGap({ first, last }: Pick<GapBlock, "first" | "last">): string {
  if (last === undefined) return "Events may be missing here";
  if (first === undefined) return `Events before ${last + 1} are missing`;
  return first === last ? `Event ${first} is missing` : `Events ${first} to ${last} are missing`;
}

/** Any other event of a known type, or the cost of the run. */
export interface NoticeBlock extends BlockBase {
  readonly kind: "notice" | "cost";
  /** The event type in words, such as "Run started". */
  readonly label: string;
  /** The sentence of the catalogue about the event type. */
  readonly summary: string;
  readonly tone: Tone;
  readonly facts: Facts;
}

/** An event of an unknown type, shown as it is. */
export interface UnknownBlock extends BlockBase {
  readonly kind: "unknown";
  readonly value: unknown;
}

/** A value that is not an event of the protocol, or that contradicts an earlier event. */
export interface FaultBlock extends BlockBase {
  readonly kind: "fault";
  readonly problem: string;
  /** The value; undefined if the problem describes something that is not a value. */
  readonly value: unknown;
}

/** A part of the view. Texts, tool calls and approvals change with later events. */
export type Block =
  | TextBlock
  | ToolBlock
  | ApprovalBlock
  | GapBlock
  | NoticeBlock
  | UnknownBlock
  | FaultBlock;

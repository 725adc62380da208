/** Finds the readers and writers that a break affects, according to its witness, and describes them in sentences. */
import type { Json } from "../../json.js";
import type { Affected, Change } from "../change.js";
import { quoteList } from "../phrases.js";

/** The order of the sentences: those about an event of the baseline come before those about a current event. */
const SENTENCE_ORDER: readonly Affected[] = ["data-loss", "current-readers", "senders", "baseline-readers"];

/** Returns who is affected by a change. If it withdraws a name, readers lose the value of that name in the witness. */
export function findAffected({ rule, proof }: Change): readonly Affected[] {
  const isDataLost = rule.effect === "withdraws" && proof?.backward !== undefined;
  return SENTENCE_ORDER.filter((who) => proof?.affects.includes(who) || (isDataLost && who === "data-loss"));
}

/** The facts that the sentences mention. */
interface SentenceFacts {
  /** The baseline as the user named it. */
  readonly against?: string | undefined;
  /** If the witness is a stream: the stream rule that refuses it. */
  readonly streamRule?: string | undefined;
  /** The removed names, for readers who no longer receive their values. */
  readonly removed?: Json | undefined;
  /** True if only resources break. Then the witness is a value and not an event. */
  readonly isResource?: boolean | undefined;
}

/** Returns a sentence for each group of affected readers or writers. */
export function describeAffected(affects: readonly Affected[], facts: SentenceFacts): string[] {
  const { against = "the baseline", streamRule, removed, isResource } = facts;
  const eventSentences = streamRule === undefined ? EVENT_SENTENCES : STREAM_SENTENCES;
  const sentences = isResource ? RESOURCE_SENTENCES : eventSentences;
  const suffix = streamRule === undefined ? "" : ` (${streamRule})`;
  return affects.map((who) => `${sentences[who](against, quoteList(removed))}${suffix}.`);
}

type Sentences = { readonly [who in Affected]: (against: string, removed: string) => string };

const EVENT_SENTENCES: Sentences = {
  "data-loss": (against, removed) => `Readers built against ${against} no longer receive ${removed}`,
  "current-readers": (against) => `Current readers reject events that ${against} allows`,
  senders: (against) => `Writers built against ${against} violate the contract`,
  "baseline-readers": (against) => `Readers built against ${against} reject events that can be sent now`,
};

const RESOURCE_SENTENCES: Sentences = {
  ...EVENT_SENTENCES,
  "current-readers": (against) => `Current readers reject values that ${against} allows`,
  "baseline-readers": (against) => `Readers built against ${against} reject values that can be sent now`,
};

const STREAM_SENTENCES: Sentences = {
  ...EVENT_SENTENCES,
  "current-readers": (against) => `Current readers reject this stream of ${against}`,
  senders: (against) => `Writers built against ${against} violate the contract with this stream`,
  "baseline-readers": (against) => `Readers built against ${against} reject this stream`,
};

/** Finds who is affected by a break, as its witness shows, and describes it in sentences. */
import type { Json } from "../../json.js";
import type { Affected, Change } from "../change.js";
import { quoteList } from "../phrases.js";

/** In the order of the witnesses: an event of the baseline comes before a current one. */
const ORDER: readonly Affected[] = ["data-loss", "current-readers", "senders", "baseline-readers"];

/** Returns who is affected by a change. Where a name is withdrawn, readers lose what the witness holds under it. */
export function findAffected({ rule, proof }: Change): readonly Affected[] {
  const isDataLost = rule.effect === "withdraws" && proof?.backward !== undefined;
  return ORDER.filter((who) => proof?.affects.includes(who) || (isDataLost && who === "data-loss"));
}

/** What the witness was compared with, and the stream rule that refuses it if it is a stream. */
interface WitnessContext {
  /** The baseline as the user named it. */
  readonly against?: string | undefined;
  readonly streamRule?: string | undefined;
  /** The removed names, for readers who no longer receive their values. */
  readonly removed?: Json | undefined;
  /** Whether only resources break, so that the witness is a value and not an event. */
  readonly isResource?: boolean | undefined;
}

/** Returns a sentence for everyone who is affected. */
export function describeAffected(affects: readonly Affected[], context: WitnessContext): string[] {
  const { against = "the baseline", streamRule, removed, isResource } = context;
  const sentences = isResource ? OF_RESOURCES : streamRule === undefined ? OF_EVENTS : OF_STREAMS;
  const by = streamRule === undefined ? "" : ` (${streamRule})`;
  return affects.map((who) => `${sentences[who](against, quoteList(removed))}${by}.`);
}

type Sentences = { readonly [who in Affected]: (against: string, removed: string) => string };

const OF_EVENTS: Sentences = {
  "data-loss": (against, removed) => `Readers built against ${against} no longer receive ${removed}`,
  "current-readers": (against) => `Current readers reject events that ${against} allows`,
  senders: (against) => `Writers built against ${against} violate the contract`,
  "baseline-readers": (against) => `Readers built against ${against} reject events that can be sent now`,
};

const OF_RESOURCES: Sentences = {
  ...OF_EVENTS,
  "current-readers": (against) => `Current readers reject values that ${against} allows`,
  "baseline-readers": (against) => `Readers built against ${against} reject values that can be sent now`,
};

const OF_STREAMS: Sentences = {
  ...OF_EVENTS,
  "current-readers": (against) => `Current readers reject this stream of ${against}`,
  senders: (against) => `Writers built against ${against} violate the contract with this stream`,
  "baseline-readers": (against) => `Readers built against ${against} reject this stream`,
};

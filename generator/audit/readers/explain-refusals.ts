/** Explains why current readers refuse events of an archive: which version could write each, and which change broke it. */
import type { CompatFinding } from "../../compat/create-finding.js";
import type { BaselineSide } from "../../compat/side.js";
import { formatLocatedMessage } from "../../finding.js";
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import type { Summary } from "../../report/reporter.js";
import { streamKey } from "../../stream/stream-key.js";
import { formatCount } from "../../text.js";
import { createValidators, type Validators } from "../../validators/protocol-validators.js";
import { formatVersions, type ReaderProof, selectChangesOfType } from "./prove-readers.js";
import type { VersionHistory } from "./version-history.js";

/** Explains refused events, and counts them. */
export interface RefusalExplainer {
  /** Counts a refused event of a protocol. Returns a sentence that explains it. */
  explain(value: Json, protocolId: string | undefined): string | undefined;
  /** Returns the counts so far. */
  summarize(): Summary;
}

/** Why an event is refused. */
interface Explanation {
  /** The indexes of the versions whose writers could send the event; none if it never was valid. */
  readonly writers: readonly number[];
  /** The version whose readers refuse the event, and the change of this version; undefined if they are unknown. */
  readonly brokenBy: BaselineSide | undefined;
  readonly change: CompatFinding | undefined;
}

/** Refused events with the same cause. */
interface RefusalCount extends Omit<Explanation, "writers"> {
  readonly history: VersionHistory;
  readonly writers: Set<number>;
  events: number;
  readonly streams: Set<string>;
}

/** Creates an explainer without counts. */
export function createRefusalExplainer(proofs: readonly ReaderProof[]): RefusalExplainer {
  const counts = new Map<string, RefusalCount>();
  const explainers = new Map(proofs.map((proof) => [proof.history.id, createProtocolExplainer(proof)]));
  return {
    explain(value, protocolId = "") {
      const explainer = explainers.get(protocolId);
      if (explainer === undefined || !isObject(value)) return undefined;
      const { history } = explainer;
      const explanation = explainer.explain(value);
      const { writers, brokenBy, change } = explanation;
      const key = [protocolId, writers.length > 0, brokenBy?.label, change?.fingerprint].join("\n");
      const count = counts.get(key) ?? {
        history,
        brokenBy,
        change,
        writers: new Set(),
        events: 0,
        streams: new Set(),
      };
      counts.set(key, count);
      count.events++;
      count.streams.add(explainer.readStream(value));
      for (const writer of writers) count.writers.add(writer);
      return describeRefusal(history, explanation, "it");
    },
    summarize: () => summarizeCounts([...counts.values()]),
  };
}

/** Explains the refused events of one protocol. */
interface ProtocolExplainer {
  readonly history: VersionHistory;
  explain(event: JsonObject): Explanation;
  readStream(event: JsonObject): string;
}

function createProtocolExplainer({ history, breakingChanges }: ReaderProof): ProtocolExplainer {
  const versions = history.versions.map((side) => ({ side, validators: createValidators(side.protocol) }));
  const contract = history.versions.at(-1)?.protocol;
  return {
    history,
    readStream: (event) => streamKey(contract?.stream, event),
    explain(event) {
      const writers = versions.flatMap(({ validators }, index) =>
        isSentBy(validators, event) ? [index] : [],
      );
      const brokenBy = versions.find(
        ({ validators }, index) => index > (writers.at(-1) ?? Infinity) && !isReadBy(validators, event),
      )?.side;
      const type = String(contract && getOwn(event, contract.envelope.discriminator));
      const [change] = selectChangesOfType((brokenBy && breakingChanges.get(brokenBy)) ?? [], type);
      return { writers, brokenBy, change };
    },
  };
}

function isSentBy({ decodeEvent }: Validators, event: JsonObject): boolean {
  return decodeEvent(event, { profile: "writer" }).kind === "known";
}

function isReadBy({ decodeEvent }: Validators, event: JsonObject): boolean {
  return decodeEvent(event, { profile: "reader" }).kind !== "invalid";
}

/** Describes why events are refused; `object` is "it" or "them". */
function describeRefusal(
  history: VersionHistory,
  { writers, brokenBy, change }: Explanation,
  object: "it" | "them",
): string {
  if (writers.length === 0) return `No version of ${history.id} could write ${object}.`;
  const origin = `Writers of ${history.id} ${formatVersions(history, writers)} could send ${object}`;
  if (brokenBy === undefined) return `${origin}.`;
  const cause = change === undefined ? "." : `: ${formatLocatedMessage(change)}`;
  return `${origin}; ${brokenBy.label} broke ${object}${cause}`;
}

function summarizeCounts(counts: readonly RefusalCount[]): Summary {
  const sortedCounts = counts
    .map((count) => ({ ...count, writers: [...count.writers].sort((a, b) => a - b) }))
    .sort((a, b) => b.events - a.events);
  const lines = sortedCounts.map(
    ({ history, events, streams, ...explanation }) =>
      `refused: ${formatCount(events, "event")} of ${formatCount(streams.size, "stream")}. ${describeRefusal(history, explanation, "them")}`,
  );
  const refused = sortedCounts.map(({ history, writers, brokenBy, change, events, streams }) => ({
    protocol: history.id,
    events,
    streams: streams.size,
    writers: writers.map((index) => history.versions[index]?.label),
    ...(brokenBy && { brokenBy: brokenBy.label }),
    ...(change && { change: { rule: change.rule, message: change.message, at: change.at } }),
  }));
  return { text: lines.join("\n"), data: { refused } };
}

import type { Finding, Location } from "../finding.js";
import type { Json, JsonObject } from "../json.js";
import { digest } from "../protocol/digest.js";
import type { Spot } from "../schema/describe.js";
import { adviseOn, listMissingTombstones } from "./advice.js";
import { type Affected, type Change, identifyPlace } from "./change.js";
import { decideVerdict, findHighestStability, isWaivable } from "./policy.js";
import { describeAffected, findAffected } from "./proof/affected.js";
import { type ConsumerReach, describeReaches, findConsumerReaches, type RecordedConsumer } from "./reach.js";
import type { Side } from "./side.js";
import { listSubjectNames } from "./subjects.js";

/** A finding of a comparison. */
export interface CompatFinding extends Finding {
  readonly fingerprint: string;
  /** The affected readers and writers; empty without a witness. */
  readonly affects: readonly Affected[];
  /** True if a waiver can cover the finding. */
  readonly waivable: boolean;
  /** The event types concerned; "*" for all of them. */
  readonly events: readonly string[];
  /** The resources concerned; absent if there are none. */
  readonly resources?: readonly string[];
  readonly stability: string;
  /** The tombstones that are missing, with the reason to be filled in; absent if the finding is not about missing ones. */
  readonly tombstones?: readonly JsonObject[];
  /** The baseline, if the finding compares with one. */
  readonly against?: string;
  /** The recorded consumers that the change reaches or not; absent if there are none. */
  readonly consumers?: readonly ConsumerReach[];
}

/** The versions in whose files a finding is located. */
export interface ReportContext {
  readonly current: Side;
  /** The baselines by the names that the user gave them. */
  readonly baselines: ReadonlyMap<string, Side>;
  /** The version that the current contract will be released as; undefined if it has no releases, tombstones and waivers. */
  readonly next: string | undefined;
  /** The recorded consumers of the protocol. */
  readonly consumers: readonly RecordedConsumer[];
}

/** Creates the finding about a change: what changed, where, who is affected and what to do. */
export function createFinding(change: Change, context: ReportContext): CompatFinding {
  const verdict = decideVerdict(change);
  const { rule, proof, against, before, after } = change;
  const old = before && locateOldSpot(before, change, context);
  const now = after && locateSpot(context.current, after, change);
  // A finding about both directions has a second witness.
  const [witness, opposite] = [proof?.backward, proof?.forward].filter((each) => each !== undefined);
  const broken = [proof?.broken?.backward, proof?.broken?.forward].filter((each) => each !== undefined);
  const breaks = broken.flatMap(({ phrase }) => phrase ?? []);
  const differences = broken.flatMap(({ schemas }) => schemas);
  const { events: stream, rule: streamRule } = proof?.stream ?? {};
  const { events, resources } = listSubjectNames(change.places.map(({ event }) => event));
  const isResource = events.length === 0 && resources.length > 0;
  const tombstones = listMissingTombstones(change, context.current.protocol, context.next);
  const hint = adviseOn(change, context.current.protocol, context.next);
  const affects = findAffected(change);
  const affectedSentences = describeAffected(affects, {
    against,
    streamRule,
    removed: change.from ?? change.name,
    isResource,
  });
  const consumers = verdict === "addition" ? [] : findConsumerReaches(change, context.consumers);
  const reachSentence = describeReaches(change, consumers) ?? "";
  const doubt = proof?.undecided === undefined ? "" : ` Not proven: ${proof.undecided}.`;
  return {
    rule: rule.id,
    severity: verdict === "addition" ? "note" : verdict,
    message: `${[rule.describe(change), ...affectedSentences].join(" ")}${doubt}${reachSentence && ` ${reachSentence}`}`,
    at: now ?? old ?? context.current.protocol.envelope.at,
    ...(now && old && { baseline: old }),
    ...(witness !== undefined && { witness }),
    ...(opposite !== undefined && { opposite }),
    ...(breaks.length > 0 && { breaks }),
    ...(differences.length > 0 && { differences }),
    ...(stream !== undefined && { stream }),
    ...(verdict !== "addition" && hint !== undefined && { hint }),
    fingerprint: computeFingerprint(change, context.current.protocol.id),
    affects,
    waivable: context.next !== undefined && verdict === "error" && isWaivable(change),
    events,
    ...(resources.length > 0 && { resources }),
    stability: findHighestStability(change),
    ...(tombstones !== undefined && { tombstones }),
    ...(against !== undefined && { against }),
    ...(consumers.length > 0 && { consumers }),
  };
}

/**
 * Computes the identity of a finding across runs and machines: the rule, all places in the contract, and the content of
 * both sides. Prose, files and lines make no difference.
 */
export function computeFingerprint(
  { rule, name, from, to, content, rename, places }: Change,
  protocol: string,
): string {
  const placeKeys = places.map((place): Json => [...identifyPlace(place)]);
  const members = rename?.members?.map((pair): Json => [...pair]);
  const identity = [rule.id, protocol, placeKeys, name, from, to, content, members].map(
    (part) => part ?? null,
  );
  return digest(identity).slice(0, 16);
}

function locateOldSpot(spot: Spot, change: Change, { current, baselines }: ReportContext): Location {
  const side = change.against === undefined ? undefined : baselines.get(change.against);
  if (side) return locateSpot(side, spot, change);
  // A change of a removed name belongs to no single baseline, so the first version whose file has the spot is used.
  const locations = [current, ...baselines.values()].map((each) => locateSpot(each, spot, change));
  return (
    locations.find(({ file, line }) => file === spot.file && line !== undefined) ?? {
      file: spot.file,
      pointer: spot.pointer,
    }
  );
}

/** Locates a field by its name, and anything else by its value unless the rule states otherwise. */
function locateSpot({ locate }: Side, { file, pointer }: Spot, { rule }: Change): Location {
  const isField = /\/properties\/[^/]*$/.test(pointer);
  return locate(file, pointer, isField || rule.isLocatedAtName ? "name" : "value");
}

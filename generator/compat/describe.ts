import type { Finding, Location } from "../finding.js";
import type { Json } from "../json.js";
import { digest } from "../protocol/digest.js";
import { adviseOn } from "./advice.js";
import { type Affected, type Change, identifyPlace } from "./change.js";
import { decideVerdict, findHighestStability, isWaivable } from "./policy.js";
import { describeAffected, findAffected } from "./proof/affected.js";
import type { Side, Spot } from "./side.js";
import { listSubjectNames } from "./subjects.js";

/** A finding of a comparison. */
export interface CompatFinding extends Finding {
  readonly fingerprint: string;
  /** The affected readers and writers; empty without a witness. */
  readonly affects: readonly Affected[];
  /** Whether a waiver can cover it. */
  readonly waivable: boolean;
  /** The event types concerned; "*" for all of them. */
  readonly events: readonly string[];
  /** The resources concerned; absent if there are none. */
  readonly resources?: readonly string[];
  readonly stability: string;
  /** The version that was compared against, where one was. */
  readonly against?: string;
}

/** The versions in which spots are located: the current side, and the baselines by name. */
export interface Places {
  readonly current: Side;
  readonly baselines: ReadonlyMap<string, Side>;
  /** The version that the current contract will be released as. */
  readonly next: string;
}

/** Describes a change: what changed, where, who is affected and what to do. */
export function describe(change: Change, places: Places): CompatFinding {
  const verdict = decideVerdict(change);
  const { rule, proof, against, before, after } = change;
  const old = before && locateOld(before, change, places);
  const now = after && locateSpot(places.current, after, change);
  const witness = proof?.backward ?? proof?.forward;
  const opposite = proof?.backward === undefined ? undefined : proof.forward;
  const { events: stream, rule: streamRule } = proof?.stream ?? {};
  const { events, resources } = listSubjectNames(change.occurrences.map(({ event }) => event));
  const isResource = events.length === 0 && resources.length > 0;
  const hint = adviseOn(change, places.current.protocol, places.next);
  const undecided = proof?.undecided === undefined ? "" : ` Not proven: ${proof.undecided}.`;
  return {
    rule: rule.id,
    severity: verdict === "addition" ? "note" : verdict,
    message:
      [
        rule.describe(change),
        ...describeAffected(findAffected(change), {
          against,
          streamRule,
          removed: change.from ?? change.name,
          isResource,
        }),
      ].join(" ") + undecided,
    at: now ?? old ?? places.current.protocol.envelope.at,
    ...(now && old && { baseline: old }),
    ...(witness !== undefined && { witness }),
    ...(opposite !== undefined && { opposite }),
    ...(stream !== undefined && { stream }),
    ...(verdict !== "addition" && hint !== undefined && { hint }),
    fingerprint: computeFingerprint(change, places.current.protocol.id),
    affects: findAffected(change),
    waivable: verdict === "error" && isWaivable(change),
    events,
    ...(resources.length > 0 && { resources }),
    stability: findHighestStability(change),
    ...(against !== undefined && { against }),
  };
}

/**
 * Computes the identity of a finding across runs and machines: the rule, all places in the contract, and the content of
 * both sides. Prose, files and lines make no difference.
 */
export function computeFingerprint(
  { rule, name, from, to, content, rename, occurrences }: Change,
  protocol: string,
): string {
  const places = occurrences.map((place): Json => [...identifyPlace(place)]);
  const members = rename?.members?.map((pair): Json => [...pair]);
  const identity = [rule.id, protocol, places, name, from, to, content, members].map((part) => part ?? null);
  return digest(identity).slice(0, 16);
}

function locateOld(spot: Spot, change: Change, { current, baselines }: Places): Location {
  const side = change.against === undefined ? undefined : baselines.get(change.against);
  if (side) return locateSpot(side, spot, change);
  // A change about names may come from any version, so the version that has the line is used.
  const found = [current, ...baselines.values()].map((each) => locateSpot(each, spot, change));
  return (
    found.find(({ file, line }) => file === spot.file && line !== undefined) ?? {
      file: spot.file,
      pointer: spot.pointer,
    }
  );
}

/** Locates a field by its name, and anything else by its value unless the rule states otherwise. */
function locateSpot({ locate }: Side, { file, pointer }: Spot, { rule }: Change): Location {
  const named = /\/properties\/[^/]*$/.test(pointer) || rule.isLocatedAtName;
  return locate(file, pointer, named ? "name" : "value");
}

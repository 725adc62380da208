import type { Finding, Location } from "../finding.js";
import { digest } from "../model/digest.js";
import { adviceOn } from "./advice.js";
import type { Hurt } from "./change.js";
import { strictest, type Verdict } from "./policy.js";
import type { Fact, Rule } from "./rule.js";
import type { Side, Spot } from "./side.js";

/** A finding of a comparison. */
export interface CompatFinding extends Finding {
  readonly fingerprint: string;
  /** Whom the break hurts; empty if nobody, as far as documents go. */
  readonly hurts: readonly Hurt[];
  /** The event types concerned; "*" for all of them. */
  readonly events: readonly string[];
  readonly stability: string;
  /** The version that was compared against, where one was. */
  readonly against?: string;
}

/** How to find the lines of a spot: the current side, and the baselines by name. */
export interface Places {
  readonly current: Side;
  readonly baselines: ReadonlyMap<string, Side>;
}

/** Says what a fact is, where, whom it hurts and what to do. */
export function describe(rule: Rule, fact: Fact, verdict: Verdict, places: Places): CompatFinding {
  const { proof, against, before, after } = fact;
  const hurts = proof?.hurts ?? [];
  const old = before && locateOld(before, fact, places);
  const now = after && placeOf(places.current, after, fact);
  const witness = proof?.left ?? proof?.right;
  const stream = proof?.stream?.events;
  const hint = adviceOn(rule, fact, places.current.protocol);
  const undecided = proof?.undecided === undefined ? "" : ` Not proven: ${proof.undecided}.`;
  return {
    rule: rule.id,
    severity: verdict === "addition" ? "note" : verdict,
    message: `${rule.say(fact)}${hurts.length === 0 || proof?.stream ? "" : ` Hurts ${hurts.join(" and ")}.`}${undecided}`,
    at: now ?? old ?? places.current.protocol.envelope.at,
    ...(now && old && { baseline: old }),
    ...(witness !== undefined && { witness }),
    ...(stream !== undefined && { stream }),
    ...(verdict !== "addition" && hint !== undefined && { hint }),
    fingerprint: fingerprintOf(rule.id, fact, places.current.protocol.id),
    hurts,
    events: [...new Set(fact.occurrences.map(({ event }) => (event === "" ? "*" : event)))],
    stability: strictest(fact),
    ...(against !== undefined && { against }),
  };
}

/** Identity across runs: the rule, the place in the contract and the change; no prose, no file, no line. */
export function fingerprintOf(
  rule: string,
  { name, from, to, occurrences: [first] }: Fact,
  id: string,
): string {
  return digest([rule, id, first?.event ?? "", first?.path ?? "", name, from ?? null, to ?? null]).slice(
    0,
    16,
  );
}

function locateOld(spot: Spot, fact: Fact, { current, baselines }: Places): Location {
  const side = fact.against === undefined ? undefined : baselines.get(fact.against);
  if (side) return placeOf(side, spot, fact);
  // A fact about names may come from any version: the one that knows the line.
  const found = [current, ...baselines.values()].map((each) => placeOf(each, spot, fact));
  return (
    found.find(({ file, line }) => file === spot.file && line !== undefined) ?? {
      file: spot.file,
      pointer: spot.pointer,
    }
  );
}

/** A field is pointed at by its name, everything else by its value. */
function placeOf({ locate }: Side, { file, pointer }: Spot, { kind }: Fact): Location {
  const named = /\/properties\/[^/]*$/.test(pointer) || kind.startsWith("bound-") || kind.startsWith("enum-");
  return locate(file, pointer, named ? "name" : "value");
}

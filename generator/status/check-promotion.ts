/** Refuses event types that are marked candidate or stable although they lack something. */

import path from "node:path";
import { createErrorFinding, type Finding } from "../finding.js";
import { listKeys } from "../json.js";
import { type ConsumerRecord, readConsumers } from "../load/consumer-records.js";
import { countFixtures } from "../load/fixtures.js";
import type { Protocol, Stability } from "../protocol/protocol.js";
import {
  assessPromotion,
  type Evidence,
  MISSING_REQUIREMENTS,
  type Promotion,
  type Requirement,
} from "./promotion.js";

/** The sources of facts that are not in the schemas. */
interface EvidenceSources {
  /** The folder of fixtures. */
  readonly fixtures: string;
  readonly records: readonly ConsumerRecord[];
}

/** Collects the fixtures of a protocol, and the frontends that were tested with each event type. */
export function collectEvidence(
  protocol: Protocol,
  { fixtures, records }: EvidenceSources,
): Omit<Evidence, "types"> {
  const { id } = protocol;
  const consumers = new Map<string, ConsumerRecord[]>();
  const recordsOfProtocol = records.filter((record) => record.protocol === id);
  for (const record of recordsOfProtocol)
    for (const type of record.events) consumers.set(type, [...(consumers.get(type) ?? []), record]);
  return {
    fixtures: countFixtures(path.join(fixtures, id), protocol),
    consumers,
    records: recordsOfProtocol,
  };
}

/**
 * Checks the marked event types of those protocols that declare `promotion`. `consumers` is the file with the records of
 * frontends. Generated code is not looked at, because `accrete generate --check` reports it.
 */
export function checkPromotions(
  protocols: readonly Protocol[],
  { fixtures, consumers }: { readonly fixtures: string; readonly consumers: string },
): Finding[] {
  const protocolsWithPlan = protocols.filter(({ promotion }) => promotion !== undefined);
  if (protocolsWithPlan.length === 0) return [];
  const { records, findings } = readConsumers(consumers);
  const typeFindings = protocolsWithPlan.flatMap((protocol) => {
    const evidence = { ...collectEvidence(protocol, { fixtures, records }), types: true };
    return checkMarkedTypes(protocol, assessPromotion(protocol, evidence));
  });
  return [...findings, ...typeFindings];
}

/** Returns the findings about the event types that are marked candidate or stable too early. */
export function checkMarkedTypes(protocol: Protocol, promotion: Promotion): Finding[] {
  return [
    ...findIncompleteTypes(protocol, promotion),
    ...reportConditions(protocol, promotion.unmetByStable),
  ];
}

/** Reports what keeps a protocol from being stable. */
export function reportConditions({ id, at }: Protocol, conditions: readonly string[]): Finding[] {
  return conditions.map((condition) =>
    createErrorFinding("promotion-incomplete", `${id} cannot become stable: ${condition}.`, at),
  );
}

/** Reports event types that are marked candidate or stable although they lack something. */
export function findIncompleteTypes({ id, events, promotion }: Protocol, { rows }: Promotion): Finding[] {
  // A candidate event type is a proposal to frontends. It needs examples, and no runtime has to send it yet.
  const requirements: { readonly [stability in Stability]: readonly Requirement[] } = {
    experimental: [],
    candidate: promotion === undefined ? [] : ["fixtures"],
    stable: listKeys(MISSING_REQUIREMENTS),
  };
  return rows.flatMap(({ type, stability, lacks }, index) => {
    const missing = lacks.filter((lack) => requirements[stability].includes(lack));
    const at = events[index]?.at;
    if (missing.length === 0 || at === undefined) return [];
    const reasons = missing.map((lack) => MISSING_REQUIREMENTS[lack]).join("; ");
    const isStable = stability === "stable";
    return [
      createErrorFinding(
        isStable ? "stable-incomplete" : "candidate-incomplete",
        `${id} marks ${JSON.stringify(type)} ${stability}, but ${reasons}.`,
        at,
        `Supply what is missing, or leave it ${isStable ? '"candidate"' : '"experimental"'} until then.`,
      ),
    ];
  });
}

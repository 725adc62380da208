import path from "node:path";
import { countSeverities, errorFinding, type Finding } from "../finding.js";
import { makeOutputs } from "../generate/generate.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { type ConsumerRecord, readConsumers } from "../load/consumer-records.js";
import { countFixtures } from "../load/fixture-counts.js";
import { loadProtocols } from "../load/load-protocols.js";
import { checkTree } from "../output/output-tree.js";
import type { Protocol } from "../protocol/protocol.js";
import { REPORTERS } from "../report/report.js";
import { formatCount } from "../text.js";
import {
  assessPromotion,
  countTotals,
  type Evidence,
  MISSING_REQUIREMENTS,
  type Promotion,
} from "./promotion.js";
import { renderStatus } from "./status-report.js";

/** The options of `accrete status`. */
interface StatusOptions {
  /** Ids of the protocols; all if there are none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly out: string;
  readonly fixtures: string;
  readonly emit: readonly string[];
  /** The file in which contract tests record the frontends that passed. */
  readonly consumers: string;
  readonly json: boolean;
  /**
   * Whether an event type that is marked stable and lacks something, or whose protocol does not meet its `promotion`, is an
   * error (`marked`), and also what keeps the candidate event types from becoming stable (`all`).
   */
  readonly check: "nothing" | "marked" | "all";
}

/** Prints what each event type lacks before it can be stable, and returns the exit code. */
export async function status(options: StatusOptions, io: Io): Promise<ExitCode> {
  const { protocols, findings } = await loadProtocols(options.schemas, options.protocols);
  const { records, findings: recordFindings } = readConsumers(options.consumers);
  const errors = [...findings, ...recordFindings].filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const summary = { text: `${formatCount(errors.length, "error")}: the status is unknown`, data: {} };
    io.stderr(REPORTERS.text(errors, { color: false, summary }));
    return EXIT.usage;
  }
  const promotions: Promotion[] = [];
  const premature: Finding[] = [];
  for (const protocol of protocols) {
    if (io.showsProgress) io.stderr(`checking ${protocol.id} …\n`);
    const promotion = assessPromotion(protocol, await collectEvidence(protocol, options, records));
    promotions.push(promotion);
    if (options.check !== "nothing") premature.push(...findPrematureStability(protocol, promotion));
    if (options.check === "all") premature.push(...reportConditions(protocol, promotion.unmetConditions));
    if (options.check === "marked") premature.push(...reportConditions(protocol, promotion.unmetByStable));
  }
  if (options.json) io.stdout(`${JSON.stringify({ protocols: promotions.map(addTotals) }, undefined, 2)}\n`);
  else io.stdout(promotions.map((promotion) => renderStatus(promotion, io.colors)).join("\n"));
  if (premature.length === 0) return EXIT.ok;
  const summary = { text: formatCount(premature.length, "error"), data: {} };
  io.stderr(REPORTERS.text(premature, { color: false, summary }));
  return EXIT.findings;
}

function addTotals(promotion: Promotion) {
  const { rows } = promotion;
  const countByStability = (stability: string) =>
    countTotals(rows.filter((row) => row.stability === stability));
  return {
    ...promotion,
    totals: {
      stable: countByStability("stable"),
      candidate: countByStability("candidate"),
      experimental: countByStability("experimental"),
    },
  };
}

async function collectEvidence(
  protocol: Protocol,
  options: StatusOptions,
  records: readonly ConsumerRecord[],
): Promise<Evidence> {
  const { id, envelope, events } = protocol;
  const { findings } = checkTree(options.out, await makeOutputs([protocol], options), [id]);
  const consumers = new Map<string, ConsumerRecord[]>();
  for (const record of records)
    for (const type of record.protocol === id ? record.events : [])
      consumers.set(type, [...(consumers.get(type) ?? []), record]);
  return {
    // The package of accrete ships its own protocols without their tests.
    types: countSeverities(findings.filter(({ at }) => !at.file.endsWith(".test.ts"))).errors === 0,
    fixtures: countFixtures(path.join(options.fixtures, id), envelope.discriminator),
    consumers: new Map(events.map(({ type }) => [type, consumers.get(type) ?? []])),
  };
}

/** Reports what keeps a protocol from being stable. */
function reportConditions({ id, at }: Protocol, conditions: readonly string[]): Finding[] {
  return conditions.map((condition) =>
    errorFinding("promotion-incomplete", `${id} cannot become stable: ${condition}.`, at),
  );
}

/** Reports event types that are marked stable although they lack something. */
function findPrematureStability({ id, events }: Protocol, { rows }: Promotion): Finding[] {
  return rows.flatMap(({ type, stability, lacks }, index) => {
    const at = events[index]?.at;
    if (stability !== "stable" || lacks.length === 0 || at === undefined) return [];
    const why = lacks.map((lack) => MISSING_REQUIREMENTS[lack]).join("; ");
    return [
      errorFinding(
        "stable-incomplete",
        `${id} marks ${JSON.stringify(type)} stable, but ${why}.`,
        at,
        'Supply what is missing, or leave it "candidate" until then.',
      ),
    ];
  });
}

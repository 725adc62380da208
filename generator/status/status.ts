import { countSeverities, type Finding } from "../finding.js";
import { makeOutputs } from "../generate/generate.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { readConsumers } from "../load/consumer-records.js";
import { loadProtocols } from "../load/load-protocols.js";
import { checkTree } from "../output/output-tree.js";
import type { Protocol } from "../protocol/protocol.js";
import { REPORTERS } from "../report/report.js";
import { formatCount } from "../text.js";
import {
  checkMarkedTypes,
  collectEvidence,
  findIncompleteTypes,
  reportConditions,
} from "./check-promotion.js";
import { assessPromotion, countTotals, type Promotion } from "./promotion.js";
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
   * The conditions that are errors if they are not met: with `marked`, those of event types that are marked candidate or
   * stable; with `all`, also those under which candidate event types can become stable.
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
    // The check looks for event types that are marked too early, so these errors are its findings.
    const isPremature = errors.every(({ rule }) => rule === "requirement-unmet");
    return isPremature && options.check !== "nothing" ? EXIT.findings : EXIT.usage;
  }
  const promotions: Promotion[] = [];
  const checkFindings: Finding[] = [];
  for (const protocol of protocols) {
    if (io.showsProgress) io.stderr(`checking ${protocol.id} …\n`);
    const promotion = assessPromotion(protocol, {
      ...collectEvidence(protocol, { fixtures: options.fixtures, records }),
      types: await hasCurrentTypes(protocol, options),
    });
    promotions.push(promotion);
    if (options.check === "marked") checkFindings.push(...checkMarkedTypes(protocol, promotion));
    if (options.check === "all")
      checkFindings.push(
        ...findIncompleteTypes(protocol, promotion),
        ...reportConditions(protocol, promotion.unmetConditions),
      );
  }
  if (options.json) io.stdout(`${JSON.stringify({ protocols: promotions.map(addTotals) }, undefined, 2)}\n`);
  else io.stdout(promotions.map((promotion) => renderStatus(promotion, io.colors)).join("\n"));
  if (checkFindings.length === 0) return EXIT.ok;
  const summary = { text: formatCount(checkFindings.length, "error"), data: {} };
  io.stderr(REPORTERS.text(checkFindings, { color: false, summary }));
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

/** Returns whether the generated code of a protocol is up to date. */
async function hasCurrentTypes(protocol: Protocol, options: StatusOptions): Promise<boolean> {
  const { findings } = checkTree(options.out, await makeOutputs([protocol], options), [protocol.id]);
  // The package of accrete ships its own protocols without their tests.
  return countSeverities(findings.filter(({ at }) => !at.file.endsWith(".test.ts"))).errors === 0;
}

import path from "node:path";
import { Option } from "commander";
import { errorFinding, type Finding } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { readConsumers } from "../load/consumer-records.js";
import { countFixtures } from "../load/fixture-counts.js";
import { loadProtocols } from "../load/load-protocols.js";
import { checkTree } from "../output/check-tree.js";
import type { Protocol } from "../protocol/protocol.js";
import { REPORTERS } from "../report/report.js";
import { type Evidence, LACKS, type Promotion, promotionOf, totalsOf } from "../status/promotion.js";
import { statusReport } from "../status/status-report.js";
import { counted } from "../text.js";
import type { CommandEntry } from "./command.js";
import { outputsOf } from "./generate.js";
import { severities } from "./lint.js";
import {
  emitOption,
  emitted,
  fixturesOption,
  nonEmpty,
  outOption,
  schemasOrOwnOption,
  text,
} from "./options.js";

/** What `accrete status` takes. */
export interface StatusOptions {
  /** Ids of the protocols; all if there is none. */
  readonly protocols: readonly string[];
  readonly schemas: string;
  readonly out: string;
  readonly fixtures: string;
  readonly emit: readonly string[];
  /** The file that contract tests keep their record in. */
  readonly consumers: string;
  readonly json: boolean;
  /** Fail where an event type is marked stable and lacks something. */
  readonly check: boolean;
}

/** Prints how far the event types are on their way to a stable contract. */
export async function status(options: StatusOptions, io: Io): Promise<ExitCode> {
  const { protocols, findings } = await loadProtocols(options.schemas, options.protocols);
  const { records, findings: unread } = readConsumers(options.consumers);
  const errors = [...findings, ...unread].filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const summary = { text: `${counted(errors.length, "error")}: nothing can be said`, data: {} };
    io.stderr(REPORTERS.text(errors, { color: false, summary }));
    return EXIT.usage;
  }
  const promotions: Promotion[] = [];
  const premature: Finding[] = [];
  for (const protocol of protocols) {
    if (io.watched) io.stderr(`looking at ${protocol.id} …\n`);
    const promotion = promotionOf(protocol, await evidenceOf(protocol, options, records));
    promotions.push(promotion);
    if (options.check) premature.push(...prematureIn(protocol, promotion));
  }
  if (options.json) io.stdout(`${JSON.stringify({ protocols: promotions.map(withTotals) }, undefined, 2)}\n`);
  else io.stdout(promotions.map((promotion) => statusReport(promotion, io.colors)).join("\n"));
  if (premature.length === 0) return EXIT.ok;
  const summary = { text: counted(premature.length, "error"), data: {} };
  io.stderr(REPORTERS.text(premature, { color: false, summary }));
  return EXIT.findings;
}

function withTotals(promotion: Promotion) {
  const { rows } = promotion;
  const of = (stability: string) => totalsOf(rows.filter((row) => row.stability === stability));
  return {
    ...promotion,
    totals: { stable: of("stable"), candidate: of("candidate"), experimental: of("experimental") },
  };
}

async function evidenceOf(
  protocol: Protocol,
  options: StatusOptions,
  records: ReturnType<typeof readConsumers>["records"],
): Promise<Evidence> {
  const { id, envelope, events } = protocol;
  const { findings } = checkTree(options.out, await outputsOf(protocol, options), [id]);
  const consumers = new Map<string, string[]>();
  for (const { consumer, protocol: played, events: types } of records)
    for (const type of played === id ? types : [])
      consumers.set(type, [...(consumers.get(type) ?? []), consumer]);
  return {
    // The package of accrete ships its own protocols without their tests.
    types: severities(findings.filter(({ at }) => !at.file.endsWith(".test.ts"))).errors === 0,
    fixtures: countFixtures(path.join(options.fixtures, id), envelope.discriminator),
    consumers: new Map(events.map(({ type }) => [type, consumers.get(type) ?? []])),
  };
}

/** Event types that are marked stable, though something is missing. */
function prematureIn({ id, events }: Protocol, { rows }: Promotion): Finding[] {
  return rows.flatMap(({ type, stability, lacks }, index) => {
    const at = events[index]?.at;
    if (stability !== "stable" || lacks.length === 0 || at === undefined) return [];
    const why = lacks.map((lack) => LACKS[lack]).join("; ");
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

/** `accrete status`. */
export const statusCommand: CommandEntry = {
  name: "status",
  summary: "say what each event type lacks before it can be stable",
  operands: { syntax: "[protocol...]", description: "ids such as hecate/v1; all protocols if there is none" },
  options: [
    new Option("--check", "exit with 1 if an event type is marked stable and lacks something"),
    new Option("--json", "print for another program"),
    new Option(
      "--consumers <file>",
      "where contract tests record which frontends passed (default: consumers.json among the fixtures)",
    ).argParser(nonEmpty),
    emitOption,
    schemasOrOwnOption,
    outOption,
    fixturesOption,
  ],
  examples: [
    ["status hecate/v1", "one protocol, a line for each event type"],
    ["status --check", "in CI: is nothing called stable too early?"],
    ["status --json", "for another program"],
  ],
  run: (protocols, options, io) =>
    status(
      {
        protocols,
        schemas: text(options, "schemas"),
        out: text(options, "out"),
        fixtures: text(options, "fixtures"),
        emit: emitted(options),
        consumers: String(options.consumers ?? path.join(text(options, "fixtures"), "consumers.json")),
        json: options.json === true,
        check: options.check === true,
      },
      io,
    ),
};

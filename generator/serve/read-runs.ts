import { findProtocol, isUnambiguously } from "../conform/find-protocol.js";
import { UsageError } from "../failure.js";
import { errorFinding, type Finding } from "../finding.js";
import { eventReader } from "../ingest/event-reader.js";
import { inputsOf, protocolIdInPath } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import { envelopeTextReader, locate, type Sink } from "../ingest/place.js";
import { describeReadError, readInput } from "../ingest/read-input.js";
import { createStreamShare } from "../ingest/stream-share.js";
import { unreadableFinding } from "../ingest/unreadable-finding.js";
import { isObject, type Json } from "../json.js";
import type { Validators } from "../validators/protocol-validators.js";
import { collectRuns, type RunCollector } from "./collect-runs.js";
import type { Run } from "./run.js";

/** What recordings hold. With findings there are no runs. */
interface ReadRuns {
  readonly runs: readonly Run[];
  readonly findings: readonly Finding[];
}

/** Findings that are kept: more of them say nothing new. */
const ENOUGH = 20;

/**
 * The runs of all files, folders and standard input (`-`), in the order in which they first appear. Events of one run
 * may stand in several files. An event that cannot be served is a finding; an operand that cannot be read a usage error.
 */
export async function readRuns(
  operands: readonly string[],
  protocols: readonly Validators[],
  stdin: AsyncIterable<Uint8Array>,
): Promise<ReadRuns> {
  const { inputs, unreadable } = inputsOf(operands);
  if (unreadable.length > 0) throw new UsageError(unreadable.join("; "));
  const collector = collectRuns();
  const findings: Finding[] = [];
  for (const input of inputs) {
    const reader = eventReader(input, sinkOf(input, protocols, collector, findings), createStreamShare(0, 1));
    await readInput(input, stdin, reader, () => undefined).catch((error) => {
      const reason = describeReadError(error);
      throw reason === undefined ? error : new UsageError(`cannot read ${input.name}: ${reason}`);
    });
  }
  return { runs: findings.length > 0 ? [] : collector.runs(), findings: findings.slice(0, ENOUGH) };
}

/** Takes the values of one input. */
function sinkOf(
  input: Input,
  protocols: readonly Validators[],
  collector: RunCollector,
  findings: Finding[],
): Sink {
  const certain = new Map(protocols.map((home) => [home, isUnambiguously(home, protocols)]));
  const folder = protocolIdInPath(
    input,
    protocols.map(({ protocol }) => protocol.id),
  );
  const textOf = envelopeTextReader();
  const decided = protocols.find(({ protocol }) => protocol.id === folder);
  let home = decided;
  const find = (value: Json): Validators | undefined => {
    if (decided) return isObject(value) ? decided : undefined;
    if (home && certain.get(home)?.(value) && home.decodeEvent(value).kind === "known") return home;
    return isObject(value) ? findProtocol(value, protocols, "reader", home?.protocol.id) : undefined;
  };
  const report = (finding: () => Finding): void => {
    if (findings.length < ENOUGH) findings.push(finding());
  };
  return {
    discriminators: [...new Set(protocols.map(({ protocol }) => protocol.envelope.discriminator))],
    value: (value, place) => {
      const found = find(value);
      home = found ?? home;
      const fault =
        found && isObject(value)
          ? collector.add(found.protocol, Buffer.from(textOf(place)), value)
          : `Not an event of ${protocols.map(({ protocol }) => protocol.id).join(", ")}.`;
      if (fault !== undefined) report(() => errorFinding("event-unservable", fault, locate(place, "")));
    },
    unreadable: (problems, place) => {
      for (const problem of problems) report(() => unreadableFinding(problem, place));
    },
  };
}

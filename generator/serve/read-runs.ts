import { createProtocolFinder } from "../conform/find-protocol.js";
import { UsageError } from "../failure.js";
import { createErrorFinding, type Finding } from "../finding.js";
import { createEventReader } from "../ingest/event-reader.js";
import { findInputs, findProtocolIdInPath } from "../ingest/inputs.js";
import type { Input } from "../ingest/place.js";
import { createEnvelopeTextReader, locatePart, type Sink } from "../ingest/place.js";
import { requireInput } from "../ingest/read-input.js";
import { createFullShare } from "../ingest/stream-share.js";
import { createUnreadableFinding } from "../ingest/unreadable-finding.js";
import { createObject, isObject, type Json, type JsonObject } from "../json.js";
import { listEndpointFields, resolveEndpoints } from "../protocol/endpoints.js";
import type { Protocol } from "../protocol/protocol.js";
import { createRowFinder, type FoundRow } from "../rows/find-row.js";
import type { RowFailure } from "../rows/map-row.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";
import { type Run, type RunEvent, readEvent, readFieldText, readStreamKey } from "./run.js";
import { readStoredState } from "./states.js";

/** The content of recordings. With findings there are no runs. */
interface RecordedRuns {
  readonly runs: readonly Run[];
  readonly findings: readonly Finding[];
}

/** The largest number of findings that are reported. */
const MAX_FINDINGS = 20;

/**
 * Reads the runs of all files, folders and standard input (`-`), in the order in which they first appear. The events of
 * one run may be in several files. An event that cannot be served is a finding, a file that cannot be read a usage error.
 */
export async function readRuns(
  operands: readonly string[],
  protocols: readonly Validators[],
  stdin: AsyncIterable<Uint8Array>,
): Promise<RecordedRuns> {
  const { inputs, unreadable } = await findInputs(operands);
  if (unreadable.length > 0) throw new UsageError(unreadable.join("; "));
  const drafts = new Map<string, RunDraft>();
  const findings: Finding[] = [];
  const report = (makeFinding: () => Finding): void => {
    if (findings.length < MAX_FINDINGS) findings.push(makeFinding());
  };
  for (const input of inputs) {
    const reader = createEventReader(input, createSink(input, protocols, drafts, report), createFullShare());
    await requireInput(input, stdin, reader, () => undefined);
  }
  const runs = [...drafts.values()].map((draft) => ({ ...draft, fields: createObject(draft.fields) }));
  return { runs: findings.length > 0 ? [] : runs, findings };
}

/** Returns a sink that adds the events of one input to the runs. */
function createSink(
  input: Input,
  protocols: readonly Validators[],
  drafts: Map<string, RunDraft>,
  report: (makeFinding: () => Finding) => void,
): Sink {
  const ids = protocols.map(({ protocol }) => protocol.id);
  const findOwner = createOwnerFinder(protocols, findProtocolIdInPath(input, ids));
  const findRow = createRowFinder(protocols.map((validators) => ({ validators })));
  const readText = createEnvelopeTextReader();
  return {
    discriminators: listDiscriminators(protocols),
    acceptValue(value, place) {
      const row = findRow(value, undefined);
      if (row) {
        const failure = addRow(drafts, row);
        if (failure)
          report(() =>
            createErrorFinding("row-invalid", failure.message, locatePart(place, failure.pointer)),
          );
        return;
      }
      const owner = findOwner(value);
      const problem =
        owner && isObject(value)
          ? addEvent(drafts, owner.protocol, Buffer.from(readText(place)), value)
          : `Not an event of ${ids.join(", ")}.`;
      if (problem !== undefined)
        report(() => createErrorFinding("event-unservable", problem, locatePart(place, "")));
    },
    reportUnreadable(problems, place) {
      for (const problem of problems) report(() => createUnreadableFinding(problem, place));
    },
  };
}

/** Returns a function that finds the protocol of a value: the one with the id `idInPath`, or the one that fits best. */
function createOwnerFinder(
  protocols: readonly Validators[],
  idInPath: string | undefined,
): (value: Json) => Validators | undefined {
  const only = protocols.find(({ protocol }) => protocol.id === idInPath);
  const findProtocol = createProtocolFinder(protocols);
  let last: Validators | undefined;
  return (value) => {
    if (!isObject(value)) return undefined;
    if (only) return only;
    const found = findProtocol(value, last);
    last = found ?? last;
    return found;
  };
}

/** A run whose events are still being read. */
interface RunDraft {
  readonly protocol: string;
  readonly key: string;
  readonly fields: Map<string, string>;
  readonly events: RunEvent[];
}

/** A problem with a part of a row. */
type RowProblem = Pick<RowFailure, "pointer" | "message">;

/** Adds the event of a row to its run, with the state that the row stores. Returns the problem if it cannot be served. */
function addRow(
  drafts: Map<string, RunDraft>,
  { found, result }: FoundRow<{ readonly validators: Validators }>,
): RowProblem | undefined {
  if (result.kind === "failed") return result;
  const { protocol } = found.validators;
  const state = readStoredState(protocol, result.payload);
  const raw = Buffer.from(JSON.stringify(result.event));
  const message = addEvent(drafts, protocol, raw, result.event, state);
  return message === undefined ? undefined : { pointer: "", message };
}

/** Adds an event to its run. Returns the reason if it cannot be served; then it is not added. */
function addEvent(
  drafts: Map<string, RunDraft>,
  protocol: Protocol,
  raw: Uint8Array,
  value: JsonObject,
  state?: JsonObject,
): string | undefined {
  const parts = readStreamKey(protocol, value);
  if ("missing" in parts) return `The stream is unknown, because ${parts.missing} is not a text.`;
  const event = readEvent(protocol, raw, value);
  if (typeof event === "string") return event;
  const name = JSON.stringify([protocol.id, ...parts]);
  const draft: RunDraft = drafts.get(name) ?? {
    protocol: protocol.id,
    key: parts.join("/"),
    fields: new Map(),
    events: [],
  };
  drafts.set(name, draft);
  draft.events.push(state === undefined ? event : { ...event, state });
  for (const field of listEndpointFields(resolveEndpoints(protocol))) {
    const text = draft.fields.has(field) ? undefined : readFieldText(value, field);
    if (text !== undefined) draft.fields.set(field, text);
  }
  return undefined;
}

import { createProtocolFinder } from "../conform/find-protocol.js";
import { createErrorFinding, type Finding } from "../finding.js";
import { computeChecksum } from "../ingest/content-identity.js";
import { createEventReader } from "../ingest/event-reader.js";
import { findProtocolIdInPath } from "../ingest/inputs.js";
import { createEnvelopeTextReader, type Input, locatePart, type Place } from "../ingest/place.js";
import { readInput } from "../ingest/read-input.js";
import { createFullShare } from "../ingest/stream-share.js";
import { createUnreadableFinding } from "../ingest/unreadable-finding.js";
import { isObject, type Json } from "../json.js";
import { createRowFinder } from "../rows/find-row.js";
import type { JsonFinding } from "../source/json-text.js";
import { streamKey } from "../stream/stream-key.js";
import { createTracker } from "../stream/tracker.js";
import { listDiscriminators, type Validators } from "../validators/protocol-validators.js";

/** An envelope of a recording. */
export interface Envelope {
  /** The id of the protocol and the key of the stream. */
  readonly run: string;
  /** The JSON text as it was written. For a row of a log, the JSON text of its event. */
  readonly text: string;
  readonly place: Place;
}

/**
 * Passes the envelopes of an input to `acceptEnvelope` in their order, without redeliveries. A row of a log gives the
 * envelope of its event. Values that are not events of a protocol are findings.
 */
export async function readEnvelopes(
  input: Input,
  validators: readonly Validators[],
  acceptEnvelope: (envelope: Envelope) => void,
  report: (finding: Finding) => void,
): Promise<void> {
  const protocols = validators.map((each) => ({
    validators: each,
    tracker: createTracker(each.protocol.stream),
  }));
  const readEnvelopeText = createEnvelopeTextReader();
  const idInPath = findProtocolIdInPath(
    input,
    validators.map(({ protocol }) => protocol.id),
  );
  const protocolInPath = protocols.find((each) => each.validators.protocol.id === idInPath);
  let assumed = protocols.length === 1 ? protocols[0] : protocolInPath;
  const findRow = createRowFinder(protocols);
  const findProtocol = createProtocolFinder(validators);
  const acceptValue = (value: Json, place: Place): void => {
    const row = findRow(value, assumed);
    const mappedEvent = row?.result.kind === "mapped" ? row.result.event : undefined;
    const event = mappedEvent ?? value;
    const found = isObject(event)
      ? (protocolInPath?.validators ?? findProtocol(event, assumed?.validators))
      : undefined;
    if (!isObject(event) || found === undefined) {
      report(createErrorFinding("protocol-unknown", "Not an event of any protocol.", locatePart(place, "")));
      return;
    }
    assumed = protocols.find((each) => each.validators === found);
    const { id, stream } = found.protocol;
    const text = mappedEvent === undefined ? readEnvelopeText(place) : JSON.stringify(mappedEvent);
    if (assumed?.tracker.place(event, computeChecksum(Buffer.from(text))).kind === "duplicate") return;
    acceptEnvelope({ run: `${id} ${streamKey(stream, event)}`, text, place });
  };
  const sink = {
    discriminators: listDiscriminators(validators),
    acceptValue,
    reportUnreadable: (findings: readonly JsonFinding[], place: Place) => {
      for (const finding of findings) report(createUnreadableFinding(finding, place));
    },
  };
  const emptyStdin = (async function* () {})();
  await readInput(input, emptyStdin, createEventReader(input, sink, createFullShare()), () => {});
}

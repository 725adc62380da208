/** Checks the events of a run as they happen: each one against its schema, and all of them against the stream rules. */
import { checkEvent, type EventContext } from "../conform/check-event.js";
import { createStreamChecker } from "../conform/stream-checker.js";
import type { Severity } from "../finding.js";
import { getItem } from "../get-item.js";
import { createReader } from "../stream/index.js";
import { readPosition } from "../stream/stream-key.js";
import type { Validators } from "../validators/protocol-validators.js";
import type { Delivery, Log } from "./log.js";
import { parseRunEvent } from "./run.js";

/** A finding about an event of a run. */
interface RunFinding {
  /** The number of the event or, without numbers, its position in the run; undefined for the end of the run. */
  readonly event: number | undefined;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string | undefined;
  /** JSON pointer into the event. */
  readonly pointer: string;
}

/** The result of a check so far. */
interface RunCheck {
  readonly findings: readonly RunFinding[];
  /** The number of checked deliveries. */
  readonly checked: number;
  /** True if the run has ended and all of its deliveries were checked. */
  readonly finished: boolean;
}

/** The milliseconds after which a call ends, so that a long run does not block the server. */
const MAX_CALL_MS = 50;

/** Returns a function that checks the deliveries that were added to a log since its last call, as far as its time allows. */
export function createRunCheck(validators: Validators, log: Log): () => RunCheck {
  const { protocol } = validators;
  const reader = createReader({ ...protocol, decodeEvent: validators.decodeEvent });
  const streams = createStreamChecker(protocol, { profile: "writer" });
  const findings: RunFinding[] = [];
  /** The number or the position of each checked delivery. A redelivery has the position of the event before it. */
  const numbers: number[] = [];
  let position = 0;
  let checked = 0;
  let isEnded = false;
  const checkDelivery = ({ event, isRepeated }: Delivery): void => {
    const value = parseRunEvent(event);
    if (!isRepeated) position++;
    const number = event.sequence ?? position;
    numbers.push(number);
    const place = (pointer: string) => ({ file: "", pointer });
    const context: EventContext = { protocols: [validators], profile: "writer", assumedId: protocol.id };
    for (const { rule, severity, message, hint, at } of checkEvent(value, context, place).findings)
      findings.push({ event: number, rule, severity, message, hint, pointer: at.pointer ?? "" });
    const delivery = reader.read(value);
    if (delivery.kind === "invalid") streams.refuse(readPosition(protocol.stream, value), checked);
    else
      for (const { index, ...finding } of streams.check(delivery.event as object, delivery, checked))
        findings.push({ event: numbers[index], ...finding });
  };
  return () => {
    const start = performance.now();
    while (checked < log.deliveries.length && performance.now() - start < MAX_CALL_MS) {
      checkDelivery(getItem(log.deliveries, checked));
      checked++;
    }
    const finished = log.isFinished() && checked === log.deliveries.length;
    if (finished && !isEnded) {
      isEnded = true;
      for (const { index, ...finding } of streams.end()) findings.push({ event: numbers[index], ...finding });
    }
    return { findings, checked, finished };
  };
}

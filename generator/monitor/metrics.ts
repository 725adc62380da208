import { statSync } from "node:fs";
import { Counter, Gauge, Registry } from "prom-client";
import type { Protocol } from "../protocol/protocol.js";
import {
  type CheckedValue,
  countStreams,
  type MonitorFinding,
  type MonitorSession,
} from "./monitor-session.js";
import type { InputLags } from "./source.js";

/** The greatest number of unknown event types that are named. Types are texts of events, so there may be any number of them. */
export const MAX_UNKNOWN_TYPES = 100;

/** The label of event types that the protocol does not declare. */
const UNDECLARED = "(undeclared)";

/** The measures of a monitor, for Prometheus. */
interface Metrics {
  observe(value: CheckedValue): void;
  countFinding(finding: MonitorFinding): void;
  /** Returns the text that Prometheus reads, and its content-type. */
  format(
    sessions: readonly MonitorSession[],
    lags: InputLags,
  ): Promise<{ readonly type: string; readonly text: string }>;
}

/** Creates measures without values. */
export function createMetrics(protocols: readonly Protocol[]): Metrics {
  const registers = [new Registry()] as const;
  const [registry] = registers;
  const declared = new Map(protocols.map(({ id, events }) => [id, new Set(events.map(({ type }) => type))]));
  const labelType = (protocol = "", type = ""): string =>
    declared.get(protocol)?.has(type) ? type : UNDECLARED;
  const events = new Counter({
    name: "accrete_events_total",
    help: "Values that were checked, by protocol, event type and result: known, unknown, invalid or unreadable.",
    labelNames: ["protocol", "type", "result"],
    registers: [...registers],
  });
  const findings = new Counter({
    name: "accrete_findings_total",
    help: "Findings by rule, severity, protocol and event type.",
    labelNames: ["rule", "severity", "protocol", "type"],
    registers: [...registers],
  });
  const unknownTypes = new Gauge({
    name: "accrete_unknown_type_first_seen_seconds",
    help: `The time at which an undeclared event type came first, in seconds since 1970. At most ${MAX_UNKNOWN_TYPES} types are named.`,
    labelNames: ["protocol", "type"],
    registers: [...registers],
  });
  const streams = new Gauge({
    name: "accrete_open_streams",
    help: "Streams that have not ended.",
    labelNames: ["protocol"],
    registers: [...registers],
  });
  const lag = new Gauge({
    name: "accrete_input_lag_bytes",
    help: "Bytes of a file that were not checked yet.",
    labelNames: ["input"],
    registers: [...registers],
  });
  const messageLag = new Gauge({
    name: "accrete_input_lag_messages",
    help: "Messages of a partition of Kafka, or of a stream of NATS, that were not checked yet.",
    labelNames: ["input"],
    registers: [...registers],
  });
  const seen = new Set<string>();
  return {
    observe({ kind, protocol, type }) {
      events.inc({ protocol: protocol ?? "", type: labelType(protocol, type), result: kind });
      if (kind !== "unknown" || protocol === undefined || type === undefined) return;
      const key = `${protocol}\n${type}`;
      if (seen.has(key) || seen.size >= MAX_UNKNOWN_TYPES) return;
      seen.add(key);
      unknownTypes.set({ protocol, type }, Math.floor(Date.now() / 1000));
    },
    countFinding({ rule, severity, protocol, type }) {
      findings.inc({
        rule,
        severity: severity ?? "error",
        protocol: protocol ?? "",
        type: type === undefined ? "" : labelType(protocol, type),
      });
    },
    async format(sessions, lags) {
      // Other monitors may have the streams and inputs of this one now.
      for (const gauge of [streams, lag, messageLag]) gauge.reset();
      for (const [protocol, count] of countStreams(sessions)) streams.set({ protocol }, count);
      for (const [input, count] of lags) messageLag.set({ input }, count);
      for (const [input, { offset }] of sessions.flatMap(({ positions }) => [...positions])) {
        const size = statSync(input, { throwIfNoEntry: false })?.size;
        if (size !== undefined) lag.set({ input }, Math.max(0, size - offset));
      }
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}

import { statSync } from "node:fs";
import { Counter, Gauge, Registry } from "prom-client";
import { importOptional } from "../failure.js";
import type { Protocol } from "../protocol/protocol.js";
import {
  type CheckedValue,
  countStreams,
  type MonitorFinding,
  type MonitorSession,
} from "./monitor-session.js";
import type { InputLags } from "./source.js";

/**
 * The greatest number of unknown event types that are named, and that of unlisted values. Both are texts of events, so there may
 * be any number of them.
 */
export const MAX_NAMED = 100;

/** The most characters of a value that are shown. */
const MAX_VALUE_LENGTH = 100;

/** The milliseconds between two exports. */
const EXPORT_INTERVAL_MS = 15_000;

/** The label of event types that the protocol does not declare. */
const UNDECLARED = "(undeclared)";

/** The measures of a monitor, for Prometheus. */
interface Metrics {
  observe(value: CheckedValue): void;
  countFinding(finding: MonitorFinding): void;
  /** Returns the text that Prometheus reads, and its content-type. */
  format(): Promise<{ readonly type: string; readonly text: string }>;
  /** Sends all measures to an OTLP receiver now and then. Returns a function that sends them once more and ends that. */
  startExport(url: string, serviceName: string): Promise<() => Promise<void>>;
}

/**
 * Creates measures without values. `listSessions` and `lags` are asked when measures are read. `note` gets a clause about each
 * unknown event type and unlisted value that comes for the first time.
 */
export function createMetrics(
  protocols: readonly Protocol[],
  listSessions: () => readonly MonitorSession[],
  lags: InputLags,
  note: (clause: string) => void,
): Metrics {
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
    help: `The time at which an undeclared event type came first, in seconds since 1970. At most ${MAX_NAMED} types are named.`,
    labelNames: ["protocol", "type"],
    registers: [...registers],
  });
  const unlistedValues = new Counter({
    name: "accrete_unlisted_values_total",
    help: "Values of open lists that the contract does not list, by protocol, event type and list.",
    labelNames: ["protocol", "type", "list"],
    registers: [...registers],
  });
  const firstValues = new Gauge({
    name: "accrete_unlisted_value_first_seen_seconds",
    help: `The time at which an unlisted value of an open list came first, in seconds since 1970. At most ${MAX_NAMED} values are named.`,
    labelNames: ["protocol", "type", "list", "value"],
    registers: [...registers],
  });
  createInputGauges(registry, listSessions, lags);
  const nameType = createFirstSeen(unknownTypes, "event types", note);
  const nameValue = createFirstSeen(firstValues, "values", note);
  return {
    observe({ kind, protocol, type, unlisted = [] }) {
      events.inc({ protocol: protocol ?? "", type: labelType(protocol, type), result: kind });
      if (protocol === undefined || type === undefined) return;
      if (kind === "unknown")
        nameType({ protocol, type }, `${protocol} declares no event type ${JSON.stringify(type)}`);
      for (const { pointer, list, value: own } of unlisted) {
        unlistedValues.inc({ protocol, type, list });
        const value = String(own).slice(0, MAX_VALUE_LENGTH);
        const clause = `${protocol} does not list ${JSON.stringify(value)} in ${pointer} of ${type}`;
        nameValue({ protocol, type, list, value }, clause);
      }
    },
    countFinding({ rule, severity, protocol, type }) {
      findings.inc({
        rule,
        severity: severity ?? "error",
        protocol: protocol ?? "",
        type: type === undefined ? "" : labelType(protocol, type),
      });
    },
    async format() {
      return { type: registry.contentType, text: await registry.metrics() };
    },
    startExport: (url, serviceName) => startExport(registry, url, serviceName),
  };
}

/** Returns a function that sets a gauge to the current time, and notes a clause, if labels come for the first time. */
function createFirstSeen(
  gauge: Gauge,
  kind: string,
  note: (clause: string) => void,
): (labels: { readonly [label: string]: string }, clause: string) => void {
  const seen = new Set<string>();
  return (labels, clause) => {
    const key = JSON.stringify(labels);
    if (seen.size >= MAX_NAMED || seen.has(key)) return;
    seen.add(key);
    gauge.set(labels, Math.floor(Date.now() / 1000));
    note(`first seen: ${clause}`);
    if (seen.size === MAX_NAMED) note(`further ${kind} are counted, and not named`);
  };
}

/** Creates the gauges whose values are counted when they are read. */
function createInputGauges(
  registry: Registry,
  listSessions: () => readonly MonitorSession[],
  lags: InputLags,
): void {
  // Other monitors may have the inputs of an earlier reading now.
  const createGauge = (
    name: string,
    help: string,
    label: string,
    count: () => Iterable<readonly [label: string, value: number]>,
  ): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [value, number] of count()) this.set({ [label]: value }, number);
      },
    });
  createGauge("accrete_open_streams", "Streams that have not ended.", "protocol", () =>
    countStreams(listSessions()),
  );
  createGauge("accrete_input_lag_bytes", "Bytes of a file that were not checked yet.", "input", () =>
    measureFiles(listSessions()),
  );
  createGauge(
    "accrete_input_lag_messages",
    "Messages of a partition of Kafka, or of a stream of NATS, that were not checked yet.",
    "input",
    () => lags,
  );
}

/** Returns how many bytes of files were not checked yet. */
function measureFiles(sessions: readonly MonitorSession[]): (readonly [input: string, bytes: number])[] {
  return sessions
    .flatMap(({ positions }) => [...positions])
    .flatMap(([input, { offset }]) => {
      const size = statSync(input, { throwIfNoEntry: false })?.size;
      return size === undefined ? [] : [[input, Math.max(0, size - offset)] as const];
    });
}

async function startExport(
  registry: Registry,
  url: string,
  serviceName: string,
): Promise<() => Promise<void>> {
  const [
    { MeterProvider, PeriodicExportingMetricReader },
    { resourceFromAttributes },
    { OTLPMetricExporter },
  ] = await importOptional(
    () =>
      Promise.all([
        import("@opentelemetry/sdk-metrics"),
        import("@opentelemetry/resources"),
        import("@opentelemetry/exporter-metrics-otlp-http"),
      ]),
    "The SDK of OpenTelemetry is needed to send metrics. Install it: npm install @opentelemetry/sdk-metrics @opentelemetry/resources @opentelemetry/exporter-metrics-otlp-http (on Node 20: @opentelemetry/sdk-metrics@2 @opentelemetry/resources@2 @opentelemetry/exporter-metrics-otlp-http@0.223)",
  );
  const exporter = new OTLPMetricExporter({ url: `${url.replace(/\/$/, "")}/v1/metrics` });
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: EXPORT_INTERVAL_MS });
  const resource = resourceFromAttributes({ "service.name": serviceName });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter = provider.getMeter("accrete");
  for (const { name, help: description } of registry.getMetricsAsArray()) {
    const measure = registry.getSingleMetric(name) as Counter | Gauge;
    const instrument =
      measure instanceof Counter
        ? meter.createObservableCounter(name, { description })
        : meter.createObservableGauge(name, { description });
    instrument.addCallback(async (observed) => {
      for (const { value, labels } of (await measure.get()).values) observed.observe(value, { ...labels });
    });
  }
  return () => provider.shutdown();
}

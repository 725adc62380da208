/** Checks events while they arrive: from files that grow, standard input, live feeds, brokers, and batches over HTTP. */
import { UsageError } from "../failure.js";
import { createEventReader } from "../ingest/event-reader.js";
import { isHttpAddress, readFeed } from "../ingest/feed.js";
import { readUntil } from "../ingest/read-until.js";
import { createFullShare } from "../ingest/stream-share.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { REPORTERS } from "../report/report.js";
import type { Profile } from "../schema/readings.js";
import { isLoopback } from "../serve/access.js";
import { formatCount, getErrorMessage, sanitizeLine } from "../text.js";
import { loadValidators } from "../validate/load-validators.js";
import { createFileSource } from "./file-source.js";
import { type ListenAddress, startServer } from "./http-source.js";
import { createKafkaSource, type KafkaAddress } from "./kafka-source.js";
import { createMetrics } from "./metrics.js";
import { countStreams, type SessionOptions } from "./monitor-session.js";
import { createNatsSource, type NatsAddress } from "./nats-source.js";
import { createSessionStore, type SessionStore } from "./session-store.js";
import { type InputLags, type Source, waitForAbort } from "./source.js";

/** The options of `accrete monitor`. */
export interface MonitorOptions {
  /** Files to follow; `-` is standard input. */
  readonly files: readonly string[];
  readonly schemas: string;
  readonly protocol: string | undefined;
  readonly profile: Profile;
  /** `lines`: each finding is a line of JSON; `text`: findings are texts, and summaries are written. */
  readonly format: "lines" | "text";
  /** The address of a live feed. */
  readonly url: string | undefined;
  readonly kafka: KafkaAddress | undefined;
  readonly nats: NatsAddress | undefined;
  /** The address at which batches are taken. */
  readonly listen: ListenAddress | undefined;
  /** The address of an OTLP receiver of metrics. */
  readonly otlp: string | undefined;
  /** The file of the state. */
  readonly state: string | undefined;
}

/** The milliseconds between two summaries, and for which the streams that ended are remembered at least. */
const MINUTE_MS = 60_000;

/** Checks events until a signal arrives, or all inputs have ended. */
export async function monitor(options: MonitorOptions, io: Io): Promise<ExitCode> {
  refuseWrongUse(options);
  const validators = await loadValidators(options, io);
  const lags: InputLags = new Map();
  const metrics = createMetrics(
    validators.map(({ protocol }) => protocol),
    () => sessions.list(),
    lags,
    (clause) => io.stderr(`accrete: ${sanitizeLine(clause)}\n`),
  );
  const counts: Counts = { events: 0, invalid: 0, findings: 0, rules: new Map() };
  const observer = createObserver(counts, metrics, options, io);
  const sessions: SessionStore = createSessionStore(options.state, {
    validators,
    profile: options.profile,
    ...observer,
  });
  const { session } = sessions.open();
  const controller = new AbortController();
  const { signal: stop } = controller;
  let failure: unknown;
  const saveSoon = (): void => {
    sessions.save().catch((error: unknown) => {
      failure ??= error;
      controller.abort();
    });
  };
  const summarize = (): void => io.stderr(`${formatSummary(counts, sessions)}\n`);
  let isRunning = false;
  /** The sources that are not open yet. */
  const waiting = new Set<Source>();
  const endExport =
    options.otlp === undefined
      ? undefined
      : await metrics.startExport(options.otlp, io.environment?.OTEL_SERVICE_NAME ?? "accrete-monitor");
  const { input, sink, position } = session.openInput(HTTP_INPUT);
  const server =
    options.listen &&
    (await startServer(options.listen, {
      input,
      sink,
      position,
      getCounts: () => ({ events: counts.events, findings: counts.findings }),
      commit: sessions.save,
      isReady: () => isRunning && waiting.size === 0,
      formatMetrics: metrics.format,
    }));
  if (server && options.listen) announce(server.url, options.listen, io);
  const timer = setInterval(() => {
    sessions.evictEnded();
    if (options.format === "text") summarize();
    saveSoon();
  }, MINUTE_MS);
  void io.waitForStopSignal().then(() => controller.abort());
  isRunning = true;
  try {
    const context = { io, session, sessions, lags, stop, touch: saveSoon };
    const sources = listSources(options).map((source) => {
      waiting.add(source);
      return source({ ...context, reportOpen: () => void waiting.delete(source) });
    });
    // A server takes batches until it is stopped.
    await Promise.all(server ? [...sources, waitForAbort(stop)] : sources);
  } finally {
    isRunning = false;
    clearInterval(timer);
    controller.abort();
    await server?.close();
    await endExport?.().catch((error: unknown) => io.stderr(`accrete: ${getErrorMessage(error)}\n`));
  }
  if (failure !== undefined) throw failure;
  // With a state, the streams go on when the monitor starts again.
  if (options.state !== undefined) sessions.saveNow();
  else session.end();
  if (options.format === "text") summarize();
  return EXIT.ok;
}

/** What was checked since the start. */
interface Counts {
  events: number;
  invalid: number;
  findings: number;
  readonly rules: Map<string, number>;
}

/** Creates the functions that count values and findings, and print findings. */
function createObserver(
  counts: Counts,
  metrics: ReturnType<typeof createMetrics>,
  { format }: MonitorOptions,
  io: Io,
): Pick<SessionOptions, "observe" | "report"> {
  return {
    observe(value) {
      counts.events++;
      if (value.kind === "invalid" || value.kind === "unreadable") counts.invalid++;
      metrics.observe(value);
    },
    report(finding) {
      counts.findings++;
      counts.rules.set(finding.rule, (counts.rules.get(finding.rule) ?? 0) + 1);
      metrics.countFinding(finding);
      io.stdout(
        format === "lines" ? `${JSON.stringify(finding)}\n` : REPORTERS.text([finding], { color: io.colors }),
      );
    },
  };
}

/** The name of the batches over HTTP in findings. */
const HTTP_INPUT = "<http>";

function refuseWrongUse({ files, url, kafka, nats, listen, otlp, state }: MonitorOptions): void {
  if (files.length === 0 && [url, kafka, nats, listen].every((source) => source === undefined))
    throw new UsageError("Name what to monitor: files, -, --url, --kafka, --nats or --listen.");
  if (new Set(files).size < files.length) throw new UsageError("A file is named twice.");
  if (url !== undefined && !isHttpAddress(url))
    throw new UsageError(`${url} is not the address of a feed; an address begins with http:// or https://.`);
  if (otlp !== undefined && !isHttpAddress(otlp))
    throw new UsageError(`--otlp needs an address such as http://localhost:4318, not ${otlp}.`);
  if (state !== undefined && files.includes("-"))
    throw new UsageError("--state is not for standard input, which cannot be read again.");
  if (kafka !== undefined && state === undefined)
    throw new UsageError(
      "--kafka needs --state FILE: a partition that moves to another monitor goes on from its state.",
    );
}

function announce(url: string, { host }: ListenAddress, io: Io): void {
  io.stderr(`accrete: listening at ${url}\n`);
  if (!isLoopback(host)) io.stderr(`accrete: other machines can send events to ${host}\n`);
}

function listSources({ files, url, kafka, nats }: MonitorOptions): readonly Source[] {
  return [
    ...files.map((file) => (file === "-" ? readStandardInput : createFileSource(file))),
    ...(url === undefined ? [] : [createFeedSource(url)]),
    ...(kafka === undefined ? [] : [createKafkaSource(kafka)]),
    ...(nats === undefined ? [] : [createNatsSource(nats)]),
  ];
}

const readStandardInput: Source = async ({ io, session, stop, touch, reportOpen }) => {
  reportOpen();
  const { input, sink } = session.openInput("<stdin>");
  const reader = createEventReader(input, sink, createFullShare());
  for await (const piece of readUntil(stop, io.stdin)) {
    reader.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    touch();
  }
  if (!stop.aborted) reader.end();
};

function createFeedSource(url: string): Source {
  return async ({ io, session, stop, touch, reportOpen }) => {
    reportOpen();
    const { input, sink } = session.openInput(url);
    const message = await readFeed(input, sink, {
      url,
      follow: true,
      signal: stop,
      maxFailures: Infinity,
      maxIdleConnections: Infinity,
      isDone: () => stop.aborted,
      reportProgress: touch,
      createPageReader: () => createEventReader(input, sink, createFullShare()),
    });
    if (message !== undefined && !stop.aborted) io.stderr(`accrete: ${message}\n`);
  };
}

function formatSummary({ events, invalid, findings, rules }: Counts, sessions: SessionStore): string {
  const byRule = [...rules].sort(([, a], [, b]) => b - a).map(([rule, count]) => `${count} ${rule}`);
  const open = [...countStreams(sessions.list()).values()].reduce((sum, count) => sum + count, 0);
  const list = byRule.length > 0 ? ` (${byRule.join(", ")})` : "";
  return `${formatCount(events, "event")}, ${invalid} invalid, ${formatCount(findings, "finding")}${list}, ${formatCount(open, "open stream")}`;
}

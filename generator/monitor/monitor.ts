/** Checks events while they arrive: from files that grow, standard input, a live feed, and batches over HTTP. */
import { statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { createEventReader } from "../ingest/event-reader.js";
import { readFeed } from "../ingest/feed.js";
import { followFile } from "../ingest/follow-file.js";
import { createLineReader } from "../ingest/line-reader.js";
import { type ByteReader, READ_LIMITS } from "../ingest/place.js";
import { readUntil } from "../ingest/read-until.js";
import { createFullShare } from "../ingest/stream-share.js";
import { EXIT, type ExitCode, type Io, toForwardSlashes } from "../io.js";
import { REPORTERS } from "../report/report.js";
import type { Profile } from "../schema/readings.js";
import { isLoopback } from "../serve/access.js";
import { formatCount, getErrorMessage } from "../text.js";
import { loadValidators } from "../validate/load-validators.js";
import { type ListenAddress, startServer } from "./http-source.js";
import { createMetrics } from "./metrics.js";
import { createMonitorSession, type MonitorSession } from "./monitor-session.js";
import { createStateFile, readStateFile } from "./state-file.js";

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
  /** The address at which batches are taken. */
  readonly listen: ListenAddress | undefined;
  /** The file of the state. */
  readonly state: string | undefined;
}

/** The milliseconds between two summaries, and for which the streams that ended are remembered at least. */
const MINUTE_MS = 60_000;

/** What a source of events needs. */
interface SourceContext {
  readonly io: Io;
  readonly session: MonitorSession;
  readonly stop: AbortSignal;
  /** Says that something was checked. */
  touch(): void;
}

/** Reads events until its input ends, or `stop` is aborted. To add a source, add a function and its option. */
type Source = (context: SourceContext) => Promise<void>;

/** Checks events until a signal arrives, or all inputs have ended. */
export async function monitor(options: MonitorOptions, io: Io): Promise<ExitCode> {
  refuseWrongUse(options);
  const validators = await loadValidators(options, io);
  const metrics = createMetrics(validators.map(({ protocol }) => protocol));
  const counts = { events: 0, invalid: 0, findings: 0, rules: new Map<string, number>() };
  const session = openSession(options, {
    validators,
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
        options.format === "lines"
          ? `${JSON.stringify(finding)}\n`
          : REPORTERS.text([finding], { color: io.colors }),
      );
    },
  });
  const state =
    options.state === undefined ? undefined : createStateFile(path.resolve(options.state), session.save);
  const controller = new AbortController();
  const { signal: stop } = controller;
  let failure: unknown;
  const saveSoon = (): void => {
    state?.save().catch((error: unknown) => {
      failure ??= error;
      controller.abort();
    });
  };
  const summarize = (): void => io.stderr(`${formatSummary(counts, session)}\n`);
  let isReady = false;
  const { input, sink, position } = session.openInput(HTTP_INPUT);
  const server =
    options.listen &&
    (await startServer(options.listen, {
      input,
      sink,
      position,
      getCounts: () => ({ events: counts.events, findings: counts.findings }),
      commit: async () => state?.save(),
      isReady: () => isReady,
      formatMetrics: () => metrics.format(session),
    }));
  if (server && options.listen) announce(server.url, options.listen, io);
  const timer = setInterval(() => {
    session.evictEnded();
    if (options.format === "text") summarize();
    saveSoon();
  }, MINUTE_MS);
  void io.waitForStopSignal().then(() => controller.abort());
  isReady = true;
  try {
    const context: SourceContext = { io, session, stop, touch: saveSoon };
    const sources = listSources(options).map((source) => source(context));
    const aborted = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve()));
    // A server takes batches until it is stopped.
    await Promise.all(server ? [...sources, aborted] : sources);
  } finally {
    isReady = false;
    clearInterval(timer);
    controller.abort();
    await server?.close();
  }
  if (failure !== undefined) throw failure;
  // With a state, the streams go on when the monitor starts again.
  if (state) state.saveNow();
  else session.end();
  if (options.format === "text") summarize();
  return EXIT.ok;
}

/** The name of the batches over HTTP in findings. */
const HTTP_INPUT = "<http>";

function refuseWrongUse({ files, url, listen, state }: MonitorOptions): void {
  if (files.length === 0 && url === undefined && listen === undefined)
    throw new UsageError("Name what to monitor: files, -, --url or --listen.");
  if (new Set(files).size < files.length) throw new UsageError("A file is named twice.");
  if (url !== undefined && (!/^https?:\/\//.test(url) || !URL.canParse(url)))
    throw new UsageError(`${url} is not the address of a feed; an address begins with http:// or https://.`);
  if (state !== undefined && files.includes("-"))
    throw new UsageError("--state is for files, --url and --listen: standard input cannot be read again.");
}

/** Opens a session, which goes on from the state if there is one. */
function openSession(
  { state: file, profile }: MonitorOptions,
  rest: Omit<Parameters<typeof createMonitorSession>[0], "state" | "profile">,
): MonitorSession {
  const state = file === undefined ? undefined : readStateFile(file);
  try {
    return createMonitorSession({ ...rest, profile, state });
  } catch (error) {
    if (state === undefined) throw error;
    throw new UsageError(`${file}: ${getErrorMessage(error)} Remove the file to begin without a state.`);
  }
}

function announce(url: string, { host }: ListenAddress, io: Io): void {
  io.stderr(`accrete: listening at ${url}\n`);
  if (!isLoopback(host)) io.stderr(`accrete: other machines can send events to ${host}\n`);
}

function listSources({ files, url }: MonitorOptions): readonly Source[] {
  return [
    ...files.map((file) => (file === "-" ? readStandardInput : createFileSource(file))),
    ...(url === undefined ? [] : [createFeedSource(url)]),
  ];
}

/** Follows a file of JSON Lines from the position of the state. */
function createFileSource(file: string): Source {
  return async ({ session, stop, touch }) => {
    const { input, sink, position } = session.openInput(toForwardSlashes(file), file);
    const size = statSync(file).size;
    if (size < position.offset)
      throw new UsageError(
        `${file} has ${size} bytes, but ${position.offset} were read before. Was it replaced?`,
      );
    const lines = createLineReader(
      input,
      sink,
      READ_LIMITS,
      createFullShare(),
      position.offset,
      position.lines + 1,
    );
    let bytesRead = position.offset;
    const reader: ByteReader = {
      push(bytes) {
        lines.push(bytes);
        const end = bytes.lastIndexOf(LF) + 1;
        for (let index = 0; index < end; index++) if (bytes[index] === LF) position.lines++;
        if (end > 0) position.offset = bytesRead + end;
        bytesRead += bytes.length;
        if (end > 0) touch();
      },
      // A line without its end may still grow.
      end: () => undefined,
    };
    const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve()));
    await followFile(file, reader, stopped, position.offset);
  };
}

const LF = 0x0a;

const readStandardInput: Source = async ({ io, session, stop, touch }) => {
  const { input, sink } = session.openInput("<stdin>");
  const reader = createEventReader(input, sink, createFullShare());
  for await (const piece of readUntil(stop, io.stdin)) {
    reader.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    touch();
  }
  if (!stop.aborted) reader.end();
};

function createFeedSource(url: string): Source {
  return async ({ io, session, stop, touch }) => {
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

function formatSummary(
  {
    events,
    invalid,
    findings,
    rules,
  }: {
    readonly events: number;
    readonly invalid: number;
    readonly findings: number;
    readonly rules: ReadonlyMap<string, number>;
  },
  session: MonitorSession,
): string {
  const byRule = [...rules].sort(([, a], [, b]) => b - a).map(([rule, count]) => `${count} ${rule}`);
  const open = [...session.countStreams().values()].reduce((sum, count) => sum + count, 0);
  const list = byRule.length > 0 ? ` (${byRule.join(", ")})` : "";
  return `${formatCount(events, "event")}, ${invalid} invalid, ${formatCount(findings, "finding")}${list}, ${formatCount(open, "open stream")}`;
}

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import { applyEventFaults } from "../../generator/serve/event-faults.js";
import type { FaultPlan } from "../../generator/serve/fault.js";
import { readRuns } from "../../generator/serve/read-runs.js";
import type { Run } from "../../generator/serve/run.js";
import { createEventServer, type ServeOptions } from "../../generator/serve/server.js";
import { createSseParser, type SseFrame } from "../../generator/stream/index.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";

export const VALIDATORS = (await loadSchemas("schemas")).protocols.map(createValidators);
export const PROTOCOLS = VALIDATORS.map(({ protocol }) => protocol);

/** Reads the runs of recordings; throws if one cannot be served. */
export async function loadRuns(...files: readonly string[]): Promise<readonly Run[]> {
  const { runs, findings } = await readRuns(files, VALIDATORS, process.stdin);
  if (findings.length > 0) throw new Error(JSON.stringify(findings));
  return runs;
}

/** Reads the lines of a recording. */
export function readLines(file: string): string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n");
}

/** Returns the protocol of a run with its validators. */
export function findValidators({ protocol }: Pick<Run, "protocol">): (typeof VALIDATORS)[number] {
  const validators = VALIDATORS.find((one) => one.protocol.id === protocol);
  if (!validators) throw new Error(`no protocol ${protocol}`);
  return validators;
}

/** Applies the event faults of a plan to a run. Returns the changed run and the names of the faults that had an effect. */
export function injectFaults(
  run: Run,
  plan: FaultPlan,
  isInteractive = false,
): ReturnType<typeof applyEventFaults> {
  return applyEventFaults(run, plan, findValidators(run).protocol, isInteractive);
}

/** A listening server. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
  /** Returns the number of open connections. */
  connections(): Promise<number>;
}

type ServerOptions = Partial<ServeOptions> & Pick<ServeOptions, "runs">;

/** Starts a server, which is closed after the test. A concurrent test calls `openServer`. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = await openServer(options);
  onTestFinished(server.close);
  return server;
}

/** Starts a server, which the caller closes. */
export async function openServer(options: ServerOptions): Promise<RunningServer> {
  const server = createEventServer({
    protocols: PROTOCOLS,
    format: "spec",
    pace: { kind: "at-once" },
    access: { host: "127.0.0.1" },
    ...options,
    limits: { grace: 100, ...options.limits },
  });
  server.http.listen(0, "127.0.0.1");
  await once(server.http, "listening");
  const { port } = server.http.address() as AddressInfo;
  const connections = (): Promise<number> =>
    new Promise((resolve) => server.http.getConnections((_, count) => resolve(count)));
  return { url: `http://127.0.0.1:${port}`, port, close: () => server.close(), connections };
}

/** An answer that was received. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** True if the server sent the whole answer; false if the connection broke. */
  readonly complete: boolean;
}

interface RequestOptions {
  readonly method?: string;
  readonly agent?: Agent;
  readonly body?: string;
  /** Disconnects when the answer ends with this text. */
  readonly until?: string;
}

/** Sends a request and reads the whole answer, without decompressing it or following redirects. */
export function sendRequest(
  url: string,
  headers: { readonly [name: string]: string } = {},
  { method = "GET", until, agent, body }: RequestOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: agent ?? false }, (response) => {
      const parts: Buffer[] = [];
      const done = (): void => {
        const { statusCode: status = 0, complete } = response;
        resolve({ status, headers: response.headers, body: Buffer.concat(parts), complete });
      };
      response.on("data", (part) => {
        parts.push(part);
        if (until !== undefined && Buffer.concat(parts.slice(-2)).toString("utf8").endsWith(until))
          sent.destroy();
      });
      response.on("close", done);
      response.on("error", () => undefined);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Parses the frames of a stream. */
export function parseFrames(bytes: Uint8Array): readonly SseFrame[] {
  const parser = createSseParser();
  return [...parser.push(bytes)];
}

/** Parses the JSON body of an answer. */
export function parseBody(answered: Pick<Answer, "body">): ParsedJson {
  return JSON.parse(answered.body.toString("utf8"));
}

/** A parsed JSON value, whose members tests read without checks. */
type ParsedJson = ReturnType<typeof JSON.parse>;

export const SSE = { accept: "text/event-stream" };

/** A JSON answer that was received. */
export interface JsonAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: ParsedJson;
}

/** Posts a value as JSON, or a text as it is. */
export async function sendJson(url: string, value: unknown): Promise<JsonAnswer> {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  const answer = await sendRequest(url, { "content-type": "application/json" }, { method: "POST", body });
  return { status: answer.status, type: answer.headers["content-type"], body: parseBody(answer) };
}

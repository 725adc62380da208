/** If this fails, `accrete monitor` loses events or findings, or a client or a scraper cannot talk to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStreamChecker } from "../../generator/conform/protocol-checker.js";
import { findUnlistedValues } from "../../generator/conform/unlisted-values.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { LIMITS } from "../../generator/monitor/http-source.js";
import { createMetrics, MAX_NAMED } from "../../generator/monitor/metrics.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { createRandom } from "../../generator/random.js";
import { OPEN_LIST } from "../../generator/schema/listed-values.js";
import type { Validators } from "../../generator/validators/protocol-validators.js";
import { runAccrete } from "../commands/run-in-process.js";
import { fixtureStreams, validators } from "../conform/check-stream.js";
import { deep } from "../depth.js";
import { PROTOCOLS, readValidFixtures } from "../emit/fixtures.js";
import { getCommand } from "../package/build.js";

const root = path.join(import.meta.dirname, "../..");
const SCHEMAS = path.join(root, "schemas");
const protocol = (validators.get("hecate/v1") as { protocol: Protocol }).protocol;
const runs = fixtureStreams.filter(({ id }) => id === "hecate/v1").map(({ lines }) => lines);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "accrete-monitor-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The lines of all runs of hecate, which take turns. Some are lost, damaged, repeated or of an unknown type. */
function makeLines(seed: number): string[] {
  const random = createRandom(seed);
  const rest = runs.map((lines) => [...lines]);
  const mixed: string[] = [];
  while (rest.some((lines) => lines.length > 0)) {
    const next = random.pick(rest.filter((lines) => lines.length > 0)).shift() ?? "";
    if (random.chance(0.04)) continue;
    mixed.push(random.chance(0.03) ? next.replace('"type":"', '"type":"new.') : next);
    if (random.chance(0.03)) mixed.push(next);
    if (random.chance(0.02)) mixed.push(next.replace('"sequence":', '"seq":'));
    if (random.chance(0.02)) mixed.push(next.slice(0, -5));
  }
  return mixed;
}

/** A finding as a line of the output. */
interface Line {
  readonly rule: string;
  readonly message: string;
  readonly at: { readonly file: string; readonly line: number; readonly column?: number };
}

const readLines = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

const describeLine = ({ rule, message, at }: Line): string =>
  `${at.line}:${at.column ?? ""} ${rule} ${message}`;

/** A monitor that runs in this process. */
interface RunningMonitor {
  readonly url: string;
  stop(): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
}

async function startMonitor(...argv: readonly string[]): Promise<RunningMonitor> {
  let requestStop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    requestStop = resolve;
  });
  let printed = "";
  const outcome = runAccrete(["monitor", "--schemas", SCHEMAS, ...argv], "", {
    stderr: (text) => {
      printed += text;
    },
    waitForStopSignal: () => stopped,
  });
  while (!printed.includes("listening at")) {
    const ended = await Promise.race([outcome, pause(10)]);
    if (ended) throw new Error(`${printed}${ended.stderr}`);
  }
  const url = /http:\S+/.exec(printed)?.[0] ?? "";
  return {
    url,
    stop: async () => {
      requestStop();
      const { exitCode, stdout } = await outcome;
      return { exitCode, stdout, stderr: printed };
    },
  };
}

const post = (url: string, type: string, body: string): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": type }, body });

/** Reads the text that Prometheus reads: the value of each sample, by its name and labels. */
function readMetrics(text: string): ReadonlyMap<string, number> {
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    samples.map((line) => {
      const [, name = "", value = ""] =
        /^([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/.exec(line) ?? [];
      expect([line, name]).not.toEqual([line, ""]);
      return [name, Number(value)];
    }),
  );
}

describe("batches over HTTP", () => {
  it("gives a text in a log record the findings of the same line", async () => {
    const [run = []] = runs;
    // JSON.parse would keep one of two equal names, and make null of the number.
    const text = (run[0] ?? "").replace("{", '{"twice":1,"twice":1e999,');
    const listRules = async (at: string, type: string, body: string): Promise<string[]> => {
      const monitor = await startMonitor("--listen", "0");
      await post(monitor.url + at, type, body);
      const { stdout } = await monitor.stop();
      return readLines(stdout).map(({ rule }) => rule);
    };
    const expected = await listRules("/events", "application/x-ndjson", text);
    const log = (body: object): string =>
      JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body }] }] }] });
    expect(await listRules("/v1/logs", "application/json", log({ stringValue: text }))).toEqual(expected);
    const large = { key: "n", value: { intValue: "9007199254740993" } };
    expect(
      await listRules("/v1/logs", "application/json", log({ kvlistValue: { values: [large] } })),
    ).toEqual(await listRules("/events", "application/x-ndjson", '{"n":9007199254740993}'));
    expect(expected.length).toBeGreaterThan(1);
  });

  it("takes JSON Lines, lists, single events and log records, and counts what it found", async () => {
    const monitor = await startMonitor("--listen", "0", "--profile", "writer");
    const [run = []] = runs;
    const logs = (bodies: readonly object[]): string =>
      JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: bodies.map((body) => ({ body })) }] }] });
    const kvlist = (event: JsonObject): object => ({
      kvlistValue: {
        values: Object.entries(event).map(([key, value]) => ({ key, value: toAnyValue(value) })),
      },
    });
    const toAnyValue = (value: unknown): object => {
      if (typeof value === "string") return { stringValue: value };
      if (typeof value === "boolean") return { boolValue: value };
      if (typeof value === "number")
        return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
      if (Array.isArray(value)) return { arrayValue: { values: value.map(toAnyValue) } };
      return kvlist(value as JsonObject);
    };
    const batches: readonly (readonly [string, string, string, object])[] = [
      ["/events", "application/x-ndjson", run.slice(0, 3).join("\n"), { events: 3, findings: 0 }],
      [
        "/events",
        "application/json; charset=utf-8",
        `[${run.slice(3, 6).join(",")}]`,
        { events: 3, findings: 0 },
      ],
      ["/events", "application/json", run[6] ?? "", { events: 1, findings: 0 }],
      ["/v1/logs", "application/json", logs([{ stringValue: run[7] }, kvlist(JSON.parse(run[8] ?? ""))]), {}],
      [
        "/events",
        "application/x-ndjson",
        `${(run[9] ?? "").replace('"type":"', '"type":"new.')}\n`,
        { events: 1, findings: 1 },
      ],
      ["/events", "application/x-ndjson", "{]\n", { events: 1, findings: 1 }],
      [
        "/v1/logs",
        "application/json",
        logs([{ stringValue: "started" }]),
        {
          partialSuccess: {
            rejectedLogRecords: "1",
            errorMessage: "The bodies of 1 log record are not JSON.",
          },
        },
      ],
    ];
    for (const [at, type, body, answer] of batches) {
      const response = await post(monitor.url + at, type, body);
      expect([body, response.status, await response.json()]).toEqual([body, 200, answer]);
    }
    const response = await fetch(`${monitor.url}/metrics`);
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    const metrics = readMetrics(await response.text());
    const sum = (pattern: RegExp): number =>
      [...metrics].reduce((total, [name, value]) => total + (pattern.test(name) ? value : 0), 0);
    expect(sum(/^accrete_events_total/)).toBe(12);
    expect(sum(/^accrete_events_total.*result="known"/)).toBe(9);
    expect(
      metrics.get('accrete_events_total{protocol="hecate/v1",type="(undeclared)",result="unknown"}'),
    ).toBe(1);
    expect(metrics.get('accrete_events_total{protocol="hecate/v1",type="run.created",result="known"}')).toBe(
      1,
    );
    expect(sum(/^accrete_findings_total.*rule="event-type-unknown"/)).toBe(1);
    expect(
      sum(/^accrete_unknown_type_first_seen_seconds\{protocol="hecate\/v1",type="new\./),
    ).toBeGreaterThan(1.7e9);
    expect(metrics.get('accrete_open_streams{protocol="hecate/v1"}')).toBe(1);
    for (const at of ["/health", "/ready"]) expect((await fetch(monitor.url + at)).status).toBe(200);
    const { exitCode, stdout } = await monitor.stop();
    expect(exitCode).toBe(0);
    const rules = readLines(stdout).map(({ rule }) => rule);
    expect(rules.slice(0, 3)).toEqual(["event-type-unknown", "json-syntax", "json-syntax"]);
    // Without a state, the streams end with the monitor.
    expect(rules).toContain("stream-unfinished");
  });

  it("refuses what it cannot take", async () => {
    const monitor = await startMonitor("--listen", "0");
    const { port, hostname } = new URL(monitor.url);
    const status = async (at: string, type: string, body: string): Promise<number> =>
      (await post(monitor.url + at, type, body)).status;
    expect(await status("/events", "text/plain", "{}")).toBe(415);
    expect(await status("/v1/logs", "application/x-protobuf", "")).toBe(415);
    expect(await status("/v1/logs", "application/json", "[]")).toBe(400);
    expect(await status("/nowhere", "application/json", "{}")).toBe(404);
    expect((await fetch(`${monitor.url}/events`)).status).toBe(405);
    const zipped = { "content-type": "application/json", "content-encoding": "gzip" };
    expect(
      (await fetch(`${monitor.url}/events`, { method: "POST", headers: zipped, body: "{}" })).status,
    ).toBe(415);
    expect(await status("/events", "application/x-ndjson", " ".repeat(LIMITS.body + 1))).toBe(413);
    // A page of another site reaches this machine by a name of its own.
    const foreign = await new Promise<number | undefined>((resolve) => {
      request({ host: hostname, port, path: "/metrics", headers: { host: "evil.example" } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(foreign).toBe(421);
    // Batches that are never completed.
    const sockets = Array.from({ length: LIMITS.batches }, () => connect(Number(port), hostname));
    for (const socket of sockets)
      socket.write(
        "POST /events HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n[",
      );
    let refused: Response | undefined;
    for (let tries = 0; tries < 100 && refused?.status !== 429; tries++) {
      await pause(20);
      refused = await post(`${monitor.url}/events`, "application/json", "[]");
    }
    expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([429, "1"]);
    // Answers about the monitor itself do not wait.
    expect((await fetch(`${monitor.url}/health`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    while ((await status("/events", "application/json", "[]")) !== 200) await pause(20);
    expect((await monitor.stop()).exitCode).toBe(0);
  });

  it("has the limits that docs/monitoring.md states", () => {
    const page = readFileSync(path.join(root, "docs/monitoring.md"), "utf8");
    expect(page).toContain(`| body | ${LIMITS.body / 2 ** 20} MiB | 413 |`);
    expect(page).toContain(`| batches that are not answered yet | ${LIMITS.batches} | 429`);
    expect(page).toContain(`| time for a request | ${LIMITS.request / 1000} s | 408 |`);
    expect(page).toContain(`at most ${MAX_NAMED} types are named`);
    expect(page).toContain(`at most ${MAX_NAMED} values are named`);
  });

  it("answers a batch only when its state is in the file", async () => {
    const state = path.join(folder, "batches.json");
    const monitor = await startMonitor("--listen", "0", "--state", state);
    const [first = ""] = runs[0] ?? [];
    for (const line of [first, first.replace(/"event_id":"evt_01/, '"event_id":"evt_02')]) {
      expect((await post(`${monitor.url}/events`, "application/json", line)).status).toBe(200);
      const { checkers } = JSON.parse(readFileSync(state, "utf8"));
      const [id] = /evt_\w+/.exec(line) ?? [];
      expect(JSON.stringify(checkers["hecate/v1"].tracker.ids)).toContain(id);
    }
    await monitor.stop();
  });
});

describe("metrics", () => {
  const page = readFileSync(path.join(root, "docs/monitoring.md"), "utf8");
  const documented = new Map(
    [...page.matchAll(/^\| `(accrete_\w+)` \| ([^|]*) \|/gm)].map(([, name = "", labels = ""]) => [
      name,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    ]),
  );

  it("are all documented, and on the dashboard with labels that they have", async () => {
    const { text } = await createMetrics(
      [],
      () => [],
      new Map(),
      () => {},
    ).format();
    const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    expect([...documented.keys()]).toEqual(names);
    const dashboard = JSON.parse(
      readFileSync(path.join(root, "docs/examples/grafana/dashboard.json"), "utf8"),
    );
    const shown = dashboard.panels.flatMap(
      ({ targets }: { targets: { expr: string; legendFormat: string }[] }) =>
        targets.map(({ expr, legendFormat }) => {
          const [name = ""] = /accrete_\w+/.exec(expr) ?? [];
          const [, by = ""] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
          const legend = [...legendFormat.matchAll(/{{(\w+)}}/g)].map(([, label]) => label);
          const labels = [...by.split(/, */), ...legend];
          expect([expr, labels.filter((label) => !documented.get(name)?.includes(label))]).toEqual([
            expr,
            [],
          ]);
          return name;
        }),
    );
    expect([...new Set(shown)].sort()).toEqual(names.sort());
  });

  it("are sent to an OTLP receiver as Prometheus reads them", async () => {
    const received: OtlpMetrics[] = [];
    const receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        received.push(JSON.parse(Buffer.concat(parts).toString()));
        response.end("{}");
      });
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const { port } = receiver.address() as AddressInfo;
    const monitor = await startMonitor("--listen", "0", "--otlp", `http://127.0.0.1:${port}`);
    await post(
      `${monitor.url}/events`,
      "application/x-ndjson",
      `${(runs[0] ?? []).slice(0, 6).join("\n")}\n{`,
    );
    const text = await (await fetch(`${monitor.url}/metrics`)).text();
    await monitor.stop();
    receiver.close();
    const [resource] = received.at(-1)?.resourceMetrics ?? [];
    expect(resource?.resource.attributes).toContainEqual({
      key: "service.name",
      value: { stringValue: "accrete-monitor" },
    });
    const samples = (resource?.scopeMetrics ?? []).flatMap(({ metrics }) =>
      metrics.flatMap(({ name, sum, gauge }) =>
        (sum ?? gauge)?.dataPoints.map(({ attributes, asDouble, asInt }) => {
          const labels = attributes.map(({ key, value }) => `${key}="${value.stringValue}"`).join(",");
          return [`${name}{${labels}}`, asDouble ?? Number(asInt)] as const;
        }),
      ),
    );
    expect(samples.length).toBeGreaterThan(4);
    expect(Object.fromEntries(samples as [string, number][])).toEqual(Object.fromEntries(readMetrics(text)));
  });
});

/** What an OTLP receiver of metrics gets. */
interface OtlpMetrics {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly object[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

interface OtlpMetric {
  readonly name: string;
  readonly sum?: OtlpPoints;
  readonly gauge?: OtlpPoints;
}

interface OtlpPoints {
  readonly dataPoints: readonly {
    readonly attributes: readonly {
      readonly key: string;
      readonly value: { readonly stringValue: string };
    }[];
    readonly asDouble?: number;
    readonly asInt?: number | string;
  }[];
}

/** Validates a whole input, with which the findings of a monitor are compared. */
const validateAsWriter = (input: string, stdin = "") => {
  const options = ["--schemas", SCHEMAS, "--protocol", "hecate/v1", "--profile", "writer", "--limit", "0"];
  return runAccrete(["validate", input, ...options, "--format", "json"], stdin);
};

/** Replaces each text of a value by another one, one text at a time. */
function* replaceTexts(value: Json): Generator<Json> {
  if (typeof value === "string") yield "unheard_of";
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const other of replaceTexts(item)) yield value.with(index, other);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value))
      for (const other of replaceTexts(member)) yield { ...value, [name]: other };
  }
}

describe("values that come for the first time", () => {
  it("are those that only writers refuse for a list", () => {
    const onlyRefused = new Set<string>();
    let found = 0;
    let foundInAll = 0;
    for (const protocol of PROTOCOLS) {
      const { decodeEvent } = validators.get(protocol.id) as Validators;
      for (const { type } of protocol.events)
        for (const fixture of readValidFixtures(protocol, type))
          for (const event of [fixture, ...replaceTexts(fixture)] as JsonObject[]) {
            if (event[protocol.envelope.discriminator] !== type) continue;
            if (decodeEvent(event, { profile: "reader" }).kind !== "known") continue;
            const decoded = decodeEvent(event, { profile: "writer" });
            const issues = decoded.kind === "invalid" ? decoded.issues : [];
            const refused = issues.filter(({ message }) => message.startsWith('must be "'));
            const fields = new Set(refused.map(({ pointer }) => pointer));
            // Values outside of other lists are valid for writers, too.
            const all = findUnlistedValues(protocol, event);
            const unlisted = all.filter(({ list }) => list.endsWith(OPEN_LIST)).map(({ pointer }) => pointer);
            expect([event, unlisted.filter((field) => !fields.has(field))]).toEqual([event, []]);
            for (const field of fields) if (!unlisted.includes(field)) onlyRefused.add(`${type} ${field}`);
            found += unlisted.length;
            foundInAll += all.length;
          }
    }
    expect([found > 20, foundInAll > 100]).toEqual([true, true]);
    // These are values under a condition that writers keep, and no open lists.
    expect([...onlyRefused].sort()).toEqual([
      "approval_needed /ApprovalNeeded/PlanContent",
      "approval_needed /ApprovalNeeded/RiskHint",
      "artifact.updated /data/new_value",
      "artifact.updated /data/old_value",
      "compacting_end /CompactingEnd/Err",
      "gap.run_disconnected /data/prior_status",
      "policy.tool_blocked /data/kind",
      "tool.completed /data/kind",
      "tool.failed /data/kind",
      "tool.invoked /data/kind",
    ]);
  });

  it("are counted by list, named up to a limit, and no findings", async () => {
    const monitor = await startMonitor("--listen", "0");
    const index = (runs[0] ?? []).findIndex((line) => line.includes('"type":"run.queued"'));
    const line = runs[0]?.[index] ?? "";
    const lines = Array.from({ length: MAX_NAMED + 5 }, (_, number) =>
      line
        .replace(/"kind":"\w+"/, `"kind":"kind \\u0007 ${number % (MAX_NAMED + 2)}"`)
        .replace(/"sequence":\d+/, `"sequence":${index + number}`)
        .replace(/("event_id":"\w{20})\w{6}/, `$1${String(number).padStart(6, "0")}`),
    );
    const types = [line.replace('"run.queued"', '"run.\u00e4"'), line.replace('"run.queued"', '"run.again"')];
    const response = await post(
      `${monitor.url}/events`,
      "application/x-ndjson",
      [...lines, ...types].join("\n"),
    );
    expect(await response.json()).toMatchObject({ events: lines.length + 2 });
    const metrics = readMetrics(await (await fetch(`${monitor.url}/metrics`)).text());
    const labels =
      'protocol="hecate/v1",type="run.queued",list="run.queued.schema.json#/properties/kind/x-extensible-enum"';
    expect(metrics.get(`accrete_unlisted_values_total{${labels}}`)).toBe(lines.length);
    const named = [...metrics].filter(([name]) =>
      name.startsWith(`accrete_unlisted_value_first_seen_seconds{${labels}`),
    );
    expect(named.length).toBe(MAX_NAMED);
    for (const [, time] of named) expect(Math.abs(Date.now() / 1000 - time)).toBeLessThan(600);
    const { stdout, stderr } = await monitor.stop();
    expect(stdout).not.toContain("kind");
    const notes = stderr.split("\n").filter((each) => !each.includes("listening"));
    expect(notes[0]).toBe(
      'accrete: first seen: hecate/v1 does not list "kind \\u0007 0" in /data/kind of run.queued',
    );
    expect(notes.slice(MAX_NAMED)).toEqual([
      "accrete: further values are counted, and not named",
      'accrete: first seen: hecate/v1 declares no event type "run.again"',
      "",
    ]);
  });
});

describe("standard input", () => {
  it("gives the findings of validate", async () => {
    const lines = makeLines(7);
    const monitored = await runAccrete(
      ["monitor", "-", "--schemas", SCHEMAS, "--protocol", "hecate/v1", "--profile", "writer"],
      lines.join("\n"),
      { waitForStopSignal: () => new Promise(() => {}) },
    );
    const validated = await validateAsWriter("-", lines.join("\n"));
    const expected: Line[] = JSON.parse(validated.stdout).findings;
    expect(expected.length).toBeGreaterThan(30);
    expect(readLines(monitored.stdout).map(describeLine).sort()).toEqual(expected.map(describeLine).sort());
    expect(monitored.exitCode).toBe(0);
  });

  it("ends a text with a summary", async () => {
    const { stdout, stderr } = await runAccrete(
      ["monitor", "-", "--schemas", SCHEMAS, "--format", "text"],
      `${(runs[0] ?? []).slice(0, 4).join("\n")}\n{`,
      { waitForStopSignal: () => new Promise(() => {}) },
    );
    expect(stdout).toMatch(/^<stdin>:5:2: error json-syntax /);
    expect(stderr).toBe("5 events, 1 invalid, 1 finding (1 json-syntax), 0 open streams\n");
  });
});

describe("brokers", () => {
  it.each([
    ["nats", "EVENTS"],
    ["kafka", "events?group=a"],
  ])("are waited for before the monitor is ready: %s", async (name, rest) => {
    const sockets: Socket[] = [];
    // A broker that never answers.
    const server = createTcpServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const source = [`--${name}`, `${name}://127.0.0.1:${port}/${rest}`];
    const state = path.join(folder, `${name}.json`);
    const monitor = await startMonitor("--listen", "0", ...source, "--state", state);
    while (sockets.length === 0) await pause(10);
    const statuses = await Promise.all(
      ["/health", "/ready"].map(async (at) => (await fetch(monitor.url + at)).status),
    );
    expect(statuses).toEqual([200, 503]);
    server.close();
    for (const socket of sockets) socket.destroy();
    expect(await monitor.stop()).toMatchObject({ exitCode: 2 });
  });

  it.each([
    [["--kafka", "kafka://127.0.0.1/events"], "--kafka needs --state FILE"],
    [["--kafka", "localhost:9092/events"], "It must be kafka://HOST:PORT/TOPIC"],
    [["--kafka", "kafka://user:secret@127.0.0.1/events"], "Passwords are read from KAFKA_USERNAME"],
    [["--kafka", "kafka://127.0.0.1/"], "It must be kafka://HOST:PORT/TOPIC"],
    [["--nats", "nats://127.0.0.1/"], "It must be nats://HOST:PORT/STREAM"],
    [["--nats", "nats://user:secret@127.0.0.1/EVENTS"], "Passwords are read from NATS_USER"],
    [["--nats", "nats://127.0.0.1:1/EVENTS"], "NATS at 127.0.0.1:1: connection refused"],
    [["--listen", "0", "--otlp", "localhost"], "--otlp needs an address such as http://localhost:4318"],
  ])("refuses %j", async (argv, message) => {
    expect(await runAccrete(["monitor", "--schemas", SCHEMAS, ...argv])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(message),
    });
  });
});

describe("a file that grows", () => {
  const openMonitor = (file: string, state: string, out: string): ChildProcess => {
    const argv = [
      "monitor",
      file,
      "--state",
      state,
      "--protocol",
      "hecate/v1",
      "--profile",
      "writer",
      "--schemas",
      SCHEMAS,
    ];
    const child = spawn(process.execPath, [getCommand(), ...argv], { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout?.on("data", (text) => appendFileSync(out, text));
    return child;
  };

  deep.it(
    "loses no finding when the monitor is killed, and repeats only those since the last save",
    async () => {
      const file = path.join(folder, "events.jsonl");
      const state = path.join(folder, "state.json");
      const out = path.join(folder, "out.jsonl");
      const lines = makeLines(11);
      const text = `${lines.join("\n")}\n`;
      const random = createRandom(43);
      writeFileSync(file, "");
      writeFileSync(out, "");
      const readPosition = (): { readonly offset: number; readonly lines: number } => {
        const { positions } = existsSync(state) ? JSON.parse(readFileSync(state, "utf8")) : { positions: [] };
        return Object.fromEntries(positions)[file] ?? { offset: 0, lines: 0 };
      };
      let written = 0;
      const grow = (): void => {
        // Pieces end within lines, too. Each process sees a fifth of the text at most for the first time.
        const end = Math.min(written + random.between(1, text.length / 12), (text.length * (kills + 1)) / 5);
        const piece = text.slice(written, end);
        appendFileSync(file, piece);
        written += piece.length;
      };
      let kills = 0;
      const printed: Line[] = [];
      for (let position = readPosition(); position.offset < Buffer.byteLength(text); kills++) {
        expect(kills).toBeLessThan(100);
        writeFileSync(out, "");
        const child = openMonitor(file, state, out);
        const closed = once(child, "close");
        // A busy machine may need long to start a process. Some are killed before they have read anything.
        const begin = Date.now();
        const end = begin + random.between(400, 1500);
        const mustRead = random.chance(0.7);
        const isWaiting = (): boolean =>
          mustRead && readPosition().offset === position.offset && Date.now() < begin + 20_000;
        while (Date.now() < end || isWaiting()) {
          grow();
          await pause(random.between(20, 300));
        }
        child.kill("SIGKILL");
        await closed;
        // The last line may be cut.
        const lines = readLines(readFileSync(out, "utf8").replace(/[^\n]*$/, ""));
        // A line that was checked before the last save is not checked again.
        const repeated = lines.filter(({ at }) => at.column !== undefined && at.line <= position.lines);
        expect(repeated).toEqual([]);
        printed.push(...lines);
        const next = readPosition();
        expect(next.offset).toBeGreaterThanOrEqual(position.offset);
        position = next;
      }
      expect(kills).toBeGreaterThan(2);
      const { checkers } = JSON.parse(readFileSync(state, "utf8"));
      const checker = createStreamChecker(protocol, { profile: "writer", state: checkers["hecate/v1"] });
      const atEnd = checker.end().map(({ index, rule, message }) => `${index % 2 ** 40}: ${rule} ${message}`);
      const validated = await validateAsWriter(file);
      const expected = (JSON.parse(validated.stdout).findings as Line[]).map(describeLine);
      expect([...new Set([...printed.map(describeLine), ...atEnd])].sort()).toEqual(
        [...new Set(expected)].sort(),
      );
    },
  );

  it("refuses a state of other rules, a state that is damaged, and a file that was cut off", async () => {
    const file = path.join(folder, "short.jsonl");
    const state = path.join(folder, "short.json");
    writeFileSync(file, `${(runs[0] ?? []).join("\n")}\n`);
    const run = (...argv: readonly string[]) =>
      runAccrete(["monitor", file, "--schemas", SCHEMAS, "--state", state, ...argv], "", {
        waitForStopSignal: () => pause(300),
      });
    expect((await run()).exitCode).toBe(0);
    expect(await run("--profile", "writer")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/saved for hecate\/v1 with the profile reader.*Remove the file/),
    });
    writeFileSync(file, `${(runs[0] ?? []).slice(0, -1).join("\n")}\n`);
    expect(await run()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Was it cut off?") });
    writeFileSync(state, "{");
    expect(await run()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is not a state") });
  });

  it.each(["renamed", "copied and emptied"])(
    "goes on when the file is %s, also while it is stopped",
    async (how) => {
      const file = path.join(folder, `${how.slice(0, 6)}.jsonl`);
      const state = `${file}.json`;
      const [run = []] = runs;
      const write = (from: number, to: number): void =>
        appendFileSync(
          file,
          run
            .slice(from, to)
            .map((line) => `${line}\n`)
            .join(""),
        );
      const rotate = (): void => {
        copyFileSync(file, `${file}.copy`);
        if (how === "renamed") renameSync(file, `${file}.1`);
        else {
          renameSync(`${file}.copy`, `${file}.1`);
          writeFileSync(file, "");
        }
        rmSync(`${file}.copy`, { force: true });
      };
      const readOffset = (): number =>
        existsSync(state)
          ? (Object.fromEntries(JSON.parse(readFileSync(state, "utf8")).positions)[file]?.offset ?? 0)
          : 0;
      const waitForLines = async (from: number, to: number): Promise<void> => {
        const length = Buffer.byteLength(
          run
            .slice(from, to)
            .map((line) => `${line}\n`)
            .join(""),
        );
        while (readOffset() !== length) await pause(20);
      };
      const argv = [file, "--state", state, "--listen", "0", "--profile", "writer"];
      write(0, 5);
      let monitor = await startMonitor(...argv);
      await waitForLines(0, 5);
      rotate();
      write(5, 10);
      await waitForLines(5, 10);
      expect(await monitor.stop()).toMatchObject({ exitCode: 0, stdout: "" });
      // These lines are read from the file that was renamed or copied.
      write(10, 12);
      rotate();
      write(12, run.length);
      monitor = await startMonitor(...argv);
      await waitForLines(12, run.length);
      expect(await monitor.stop()).toMatchObject({ exitCode: 0, stdout: "" });
      // Lines that nobody has read are lost with their file.
      write(0, 1);
      rotate();
      rmSync(`${file}.1`);
      write(1, 2);
      monitor = await startMonitor(...argv);
      await waitForLines(1, 2);
      expect((await monitor.stop()).stderr).toContain("the earlier file is not beside it");
    },
  );
});

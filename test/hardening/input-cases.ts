/** Fuzz cases about one kind of input each, such as feeds or compressed files. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import zlib, { gzipSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createParser } from "eventsource-parser";
import { protocol as framesKit } from "../../generated/frames/v2/index.js";
import { type Adapter, type ConsumerCase, consumerCases } from "../../generator/kit/index.js";
import { LAWS } from "../../generator/kit/laws/laws.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createBodyReading, createEnvelopeReading } from "../../generator/protocol/message-readings.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Random } from "../../generator/random.js";
import type { DecodeEvent } from "../../generator/runtime/runtime.js";
import { FORMATS } from "../../generator/schema/formats.js";
import { buildDocument, PROFILES, type Profile } from "../../generator/schema/readings.js";
import { readRuns } from "../../generator/serve/read-runs.js";
import { createEventServer } from "../../generator/serve/server.js";
import { createSseParser } from "../../generator/stream/index.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { runAccrete } from "../commands/run-in-process.js";
import { UNUSUAL_VALUES } from "../emit/mutations.js";
import { createMutatedStream, damageBytes } from "../ingest/reading-fuzz.js";
import { validateOperands } from "../validate/operands.js";
import { findOutputFaults } from "./run-case.js";

/** Runs one case, which depends only on the random numbers, and returns its faults. */
export type InputCase = (random: Random) => Promise<string[]>;

const { protocols } = await loadSchemas("schemas");

/** `accrete validate` reads streams with changed bytes without crashing. */
const validateBytes: InputCase = async (random) => {
  await validateOperands(["-"], createMutatedStream(random.below), { profile: random.pick(PROFILES) });
  return [];
};

const SSE_PIECES = [
  ..."data|data: x|data:y|data:  z|id: 1|id|id:\0|id: é|event: e|event|retry: 5|retry: x|:|: c|foo: 1|data:".split(
    "|",
  ),
  ..."\n \r \r\n \n\n \r\r \uFEFF 😀".split(" "),
];

/** The parser of feeds gives what eventsource-parser gives, wherever the bytes are cut. */
const parseFeed: InputCase = async (random) => {
  const text = Array.from({ length: random.below(40) }, () => random.pick(SSE_PIECES)).join("");
  const bytes = random.chance(0.3) ? damageBytes(Buffer.from(text), random.below) : Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random.below(random.pick([1, 4, 64]));
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  const own = createSseParser();
  const frames = pieces.flatMap((piece) => own.push(piece));
  const got = frames.map(({ event, data, ownId }) => ({ event, data, id: ownId }));
  const expected: unknown[] = [];
  const other = createParser({
    onEvent: ({ event, data, id }) => expected.push({ event: event || "message", data, id }),
  });
  // It waits for what follows a carriage return at the end of a piece, so it gets the whole text.
  other.feed(new TextDecoder().decode(bytes));
  if (bytes.at(-1) === 13) other.feed("\n");
  const [one, two] = [got, expected].map((each) => JSON.stringify(each));
  return one === two ? [] : [`the feed ${JSON.stringify(String(bytes))} is ${one}, not ${two}`];
};

/** A generated decoder, and plain Ajv validators of the same reading. */
interface Decoder {
  readonly decodeEvent: DecodeEvent<unknown, unknown>;
  readonly discriminator: string;
  readonly envelope: (value: unknown) => boolean;
  readonly bodies: ReadonlyMap<string, (value: unknown) => boolean>;
  readonly events: readonly string[];
}

async function createDecoder(protocol: Protocol, profile: Profile): Promise<Decoder> {
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true, validateSchema: false });
  for (const [name, { pattern }] of FORMATS) ajv.addFormat(name, pattern);
  const compile = (reading: Parameters<typeof buildDocument>[0]) => {
    const validate = ajv.compile(buildDocument(reading));
    return (value: unknown) => validate(value) as boolean;
  };
  const module = await import(
    path.join(import.meta.dirname, "../../generated", protocol.id, `${profile}.js`)
  );
  const folder = path.join(import.meta.dirname, "../../fixtures", protocol.id, "valid");
  return {
    decodeEvent: module.decodeEvent,
    discriminator: protocol.envelope.discriminator,
    envelope: compile(createEnvelopeReading(profile, protocol)),
    bodies: new Map(
      protocol.events.map((event) => [event.type, compile(createBodyReading(profile, protocol, event))]),
    ),
    events: readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".json"))
      .map((file) => readFileSync(path.join(folder, file), "utf8")),
  };
}

let decoders: Promise<Decoder[]> | undefined;

/** The generated decoders of both readings decide as Ajv decides with the schemas of the readings. */
const decodeValue: InputCase = async (random) => {
  decoders ??= Promise.all(
    protocols.flatMap((protocol) => PROFILES.map((profile) => createDecoder(protocol, profile))),
  );
  const decoder = random.pick(await decoders);
  const event = JSON.parse(random.pick(decoder.events));
  for (let count = random.below(4); count > 0; count--) changeValue(event, random);
  const type = event[decoder.discriminator];
  const body = decoder.bodies.get(type);
  const isValid = decoder.envelope(event) && (body === undefined || body(event));
  const expected = isValid ? (body === undefined ? "unknown" : "known") : "invalid";
  const { kind } = decoder.decodeEvent(event);
  return kind === expected ? [] : [`${JSON.stringify(event)} is ${kind}, not ${expected}`];
};

/** Changes a random part of a value: another value, a removed field, an added field, a repeated item. */
function changeValue(value: { [name: string]: unknown }, random: Random): void {
  const names = Object.keys(value);
  const name = random.pick([...names, "extra", "constructor", "toString"]);
  const child = Object.hasOwn(value, name) ? value[name] : undefined;
  if (typeof child === "object" && child !== null && random.chance(0.7))
    changeValue(child as { [name: string]: unknown }, random);
  else if (random.chance(0.3)) delete value[name];
  else if (typeof child === "string" && random.chance(0.6))
    value[name] = damageBytes(Buffer.from(child || " "), random.below).toString();
  else if (typeof child === "number" && random.chance(0.6))
    value[name] = child + random.pick([-1, 1, 0.5, 1e9]);
  else if (Array.isArray(value)) value.push(structuredClone(child ?? random.pick(UNUSUAL_VALUES)));
  else value[name] = structuredClone(random.pick([...UNUSUAL_VALUES, ...names.map((each) => value[each])]));
}

/** What the methods of a consumer that lies return or do. */
const LIES: readonly ((event: unknown, random: Random) => unknown)[] = [
  () => undefined,
  () => null,
  () => Number.NaN,
  (event) => event,
  (event) => [event, event],
  () => {
    throw new Error("no");
  },
  () => {
    throw "a text";
  },
  () => {
    throw undefined;
  },
  () => Promise.reject(new Error("no")),
  () => Promise.resolve({ a: 1 }),
  () => ({
    get trap() {
      throw new Error("no");
    },
  }),
  () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    return loop;
  },
  () => new Proxy({}, { ownKeys: () => ["a", "a"], get: () => 1 }),
  () => new Map<unknown, unknown>([[{}, new Set([1n, Symbol("s"), () => 1])]]),
  () => JSON.parse('{"__proto__":1,"constructor":{"prototype":2}}'),
  () => Object.create(null),
  (_event, random) => random.next(),
  () => "x".repeat(1e5),
  () => ({ then: "no function" }),
  (event) => {
    for (const key of Object.keys(Object(event))) delete (event as { [key: string]: unknown })[key];
  },
  (event) => Object.assign(Object(event), { __proto__: null, type: 1 }),
  (event) => Object.freeze(event),
  () => new Date(Number.NaN),
  () => [{ after: "x", before: {} }, null, 7],
  () => Array.from({ length: 5 }),
];

/** The kit reports consumers that lie as broken. It does not fail itself. */
const testConsumer: InputCase = async (random) => {
  const createMethods = (): Adapter => {
    const names = ["push", "snapshot", "opaque", "gaps", "cursor", "viewRun", "ingest", "reconnect", "drop"];
    const seen: unknown[] = [];
    const methods = names
      .filter((name) => ["push", "snapshot"].includes(name) || random.chance(0.6))
      .map((name) => {
        const lie = random.pick(LIES);
        const honest = (given: unknown) => (name === "push" ? void seen.push(given) : [...seen]);
        const rate = random.pick([0, 0.01, 0.3, 1]);
        return [name, (given: unknown) => (random.chance(rate) ? lie(given, random) : honest(given))];
      });
    return Object.fromEntries(methods);
  };
  const whole = createMethods();
  const create = random.pick<() => unknown>([
    () => whole,
    () => createMethods(),
    async () => createMethods(),
    () => undefined,
    () => random.pick([null, 1, {}, { push: 1 }, Promise.resolve(7)]),
  ]);
  const adapter = { ...(random.chance(0.3) ? whole : {}), create } as Adapter;
  const seed = random.below(1000);
  let cases: readonly ConsumerCase[];
  try {
    cases = consumerCases(adapter, { protocol: framesKit, runs: 1, seed });
  } catch (error) {
    return [`the cases are not created: ${(error as Error).stack}`];
  }
  const faults: string[] = [];
  for (const each of Array.from({ length: 3 }, () => random.pick(cases)))
    try {
      await each.run();
    } catch (error) {
      // A message about a law or the adapter is a report; anything else is a failure of the kit.
      const { message = "", stack = String(error) } = error instanceof Error ? error : {};
      if (!/^The adapter /.test(message) && !LAWS.some(({ id }) => message.startsWith(id)))
        faults.push(`${each.id}: ${stack}`);
    }
  return faults;
};

const { zstdCompressSync } = zlib as unknown as { zstdCompressSync?(bytes: Buffer): Buffer };
const BOMB_PARTS = [
  " ",
  "\n",
  "[",
  '{"a":',
  '"',
  "x",
  "\0",
  "{}\n",
  '{"type":"a","data":{}}\n',
  "1,",
  "\ufeff",
];

/** A file of more lines is not a bomb: a command takes its time to report each line, in little memory. */
const MAX_BOMB_LINES = 1e6;

/** Commands read compressed files, however large and damaged, with bounded memory and a message. */
const readBomb: InputCase = async (random) => {
  const folder = mkdtempSync(path.join(tmpdir(), "accrete-bomb-"));
  try {
    const kind = random.pick(["gz", "zst", "parquet"]);
    const file = path.join(folder, kind === "parquet" ? "a.parquet" : `a.jsonl.${kind}`);
    if (kind === "parquet") writeParquetBomb(file, random);
    else {
      const part = random.pick(BOMB_PARTS);
      const lines = part.endsWith("\n") ? MAX_BOMB_LINES : Number.POSITIVE_INFINITY;
      const length = Math.min(random.pick([10, 1e4, 1e6, 3e7, 2e8]), part.length * lines);
      let bytes: Buffer = Buffer.alloc(length, part);
      const compress = kind === "zst" && zstdCompressSync ? zstdCompressSync : gzipSync;
      for (let depth = random.pick([1, 1, 1, 2]); depth > 0; depth--) bytes = compress(bytes);
      if (random.chance(0.3)) bytes = Buffer.concat([bytes, bytes]);
      writeFileSync(file, bytes);
    }
    if (random.chance(0.4)) writeFileSync(file, damageBytes(readFileSync(file), random.below));
    const command = kind === "parquet" ? "audit" : random.pick(["audit", "validate", "replay", "redact"]);
    const argv = [command, file, ...(command === "redact" ? ["--out", path.join(folder, "out")] : [])];
    return findOutputFaults(await runAccrete(argv), argv);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Writes the file in a process of its own, because that needs more memory than a command may take. */
function writeParquetBomb(file: string, random: Random): void {
  const [length, rows] = random.pick([
    [10, 1e5],
    [1e4, 1e4],
    [1e6, 100],
    [1e6, 500],
    [3e7, 3],
  ]);
  const text = random.pick(["'x'", `'{"a":'`, "'['", `'{"type":"a"} '`, "chr(0)"]);
  const codec = random.pick(["zstd", "snappy", "gzip", "uncompressed"]);
  const query = `COPY (SELECT repeat(${text}, ${length}) AS event FROM range(${rows})) TO '${file}' (FORMAT parquet, COMPRESSION ${codec})`;
  const script = `
    import { DuckDBInstance } from "@duckdb/node-api";
    const database = await DuckDBInstance.create(":memory:", { threads: "1" });
    await (await database.connect()).run(process.argv[1]);
  `;
  execFileSync(process.execPath, ["--input-type=module", "--eval", script, query], {
    cwd: path.join(import.meta.dirname, "../.."),
  });
}

const REQUEST_PARTS = [
  ..."GET|POST|OPTIONS|PUT|/|/health|/frames/v1/events/stream|/%|/%00|/../x|*|HTTP/1.1|HTTP/1.0|HTTP/9.9".split(
    "|",
  ),
  ..."Host: localhost|Host:|Host: evil.example|Content-Length: 5|Content-Length: -1|Transfer-Encoding: chunked".split(
    "|",
  ),
  ..."Connection: close|Expect: 100-continue|Upgrade: websocket|Connection: Upgrade|Last-Event-ID: 99".split(
    "|",
  ),
  ..."Accept-Encoding: gzip|Origin: http://evil.example|Origin: null|X: \0|: x|5\r\nhello|0\r\n\r\n|ffffffffff\r\n".split(
    "|",
  ),
  ...'?after_sequence=1|?limit=-1|?limit=1e9|{"decision":1}|[[[[|/step|/page/findings|/openapi.json'.split(
    "|",
  ),
];

let servers: Promise<readonly number[]> | undefined;

/** Starts a server of runs and a monitor, and returns their ports. */
async function startServers(): Promise<number[]> {
  const file = "fixtures/frames/v1/streams/task.jsonl";
  const { runs } = await readRuns([file], protocols.map(createValidators), process.stdin);
  const { http } = createEventServer({
    ...{ protocols, runs, format: "spec", pace: { kind: "at-once" }, access: { host: "127.0.0.1" } },
    limits: { idle: 500, grace: 100 },
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const monitorPort = await new Promise<number>((resolve) => {
    void runAccrete(["monitor", "--listen", "0"], "", {
      stderr: (text) => {
        const [, port] = /:(\d+)/.exec(text) ?? [];
        if (port !== undefined) resolve(Number(port));
      },
      waitForStopSignal: () => new Promise(() => undefined),
    });
  });
  return [(http.address() as AddressInfo).port, monitorPort];
}

/** Servers answer malformed requests with 4xx or close the connection, and go on. */
const sendRequest: InputCase = async (random) => {
  servers ??= startServers();
  const port = random.pick(await servers);
  const lines = Array.from({ length: 1 + random.below(8) }, () => random.pick(REQUEST_PARTS));
  const [method, target, ...headers] = lines;
  const text = random.chance(0.7)
    ? `${method} ${random.pick(["/health", target ?? "/", "/events"])} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`
    : lines.join(random.pick([" ", "\r\n", "\n", ""]));
  const bytes = random.chance(0.5) ? damageBytes(Buffer.from(`${text} `), random.below) : Buffer.from(text);
  const answer = await exchange(port, bytes, 100);
  const health = await exchange(
    port,
    Buffer.from("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
  );
  const shown = JSON.stringify(String(bytes));
  return [
    ...(/^HTTP\/1\.1 200/.test(health) ? [] : [`no health after ${shown}: ${health.slice(0, 300)}`]),
    ...(/^HTTP\/1\.1 5|\n\s+at .*:\d+/m.test(answer) ? [`${shown} is answered ${answer.slice(0, 600)}`] : []),
  ];
};

/** Sends bytes and returns what comes back until the connection closes or the time is over. */
function exchange(port: number, bytes: Buffer, milliseconds = 60_000): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(parts).toString("latin1"));
    };
    const timer = setTimeout(finish, milliseconds);
    socket.on("data", (part) => parts.push(part));
    socket.on("error", () => undefined);
    socket.on("close", finish);
    socket.write(bytes);
  });
}

/** The kinds of input by their names. */
export const INPUT_CASES = {
  bytes: validateBytes,
  sse: parseFeed,
  decode: decodeValue,
  kit: testConsumer,
  bombs: readBomb,
  http: sendRequest,
} as const satisfies { readonly [kind: string]: InputCase };

export type InputKind = keyof typeof INPUT_CASES;

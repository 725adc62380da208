/** Protocols whose types or schemas are on npm, with real messages: those of official SDKs, of running programs, and of packages. */
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Json, JsonObject } from "../../generator/json.js";
import { compileOriginal } from "../../test/import/packages.js";
import { MCP_TYPES, recordMcp } from "./mcp.js";
import { compileOcpp, recordOcpp, recordOcpp201 } from "./ocpp.js";
import { listSlackMessages, SLACK_TYPES, toRequest } from "./slack.js";

/** A protocol that is imported, and its messages. */
export interface Subject {
  readonly name: string;
  /** The packages of the types or schemas and of the messages. */
  readonly packages: readonly string[];
  /** The field with the event type; undefined if no message holds it. */
  readonly discriminator?: string;
  /** The number of event types that the schemas or types have, counted without accrete. */
  readonly countTypes: (folder: string) => number;
  /** Options of the import, by the folder of the packages. */
  readonly listOptions?: (folder: string) => readonly string[];
  /** Writes the schema into the folder of the packages; returns the operand of the import. */
  readonly writeSchema: (folder: string) => string | Promise<string>;
  /** Returns real messages as texts of JSON Lines or of an SSE feed; undefined if a program for them is absent. */
  readonly record?: (folder: string) => string | undefined | Promise<string | undefined>;
  readonly extension?: "sse";
  /** True if `record` wraps the messages, because no field of theirs holds the event type. */
  readonly isWrapped?: boolean;
  /** Returns a function that tells whether the original accepts a message. The default compiles the operand with Ajv. */
  readonly compileOriginal?: (folder: string) => (message: Json) => boolean;
}

const toLines = (messages: readonly Json[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("");

/** Writes TypeScript into the folder, and the schema of one of its types with ts-json-schema-generator. */
function writeTypeSchema(folder: string, name: string, text: string, type: string): string {
  const [source, schema, config] = [`${name}.ts`, `${name}.json`, "tsconfig.json"].map((file) =>
    path.join(folder, file),
  ) as [string, string, string];
  writeFileSync(source, text);
  const compilerOptions = { strict: true, module: "nodenext", target: "es2022", skipLibCheck: true };
  writeFileSync(config, JSON.stringify({ compilerOptions }));
  const generator = path.resolve("node_modules/.bin/ts-json-schema-generator");
  const argv = ["--path", source, "--type", type, "--tsconfig", config, "--additional-properties"];
  execFileSync(generator, [...argv, "--out", schema], { cwd: folder, stdio: "pipe" });
  return schema;
}

/** Types of the Language Server Protocol: one message for each method that the package declares. */
function writeLanguageServerTypes(folder: string): string {
  const types = path.join(folder, "node_modules/vscode-languageserver-protocol/lib/common");
  const text = readdirSync(types)
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => readFileSync(path.join(types, file), "utf8"))
    .join("\n");
  const methods = text.matchAll(
    /const method: '([^']+)';[\s\S]*?const type: Protocol(Request|Notification)Type(0?)<(\w*)/g,
  );
  const messages = [...methods].map(([, method, kind, zero, params]) => {
    const id = kind === "Request" ? "id: number | string; " : "";
    const parameter = zero === "0" || params === "any" ? "params?: unknown" : `params: P.${params}`;
    return `  | { jsonrpc: "2.0"; ${id}method: "${method}"; ${parameter} }`;
  });
  return `import type * as P from "vscode-languageserver-protocol";\nexport type Message =\n${messages.join("\n")};\n`;
}

/** Records what a client and the language server pyright say to each other. Responses are left out, because they name no method. */
async function recordLanguageServer(): Promise<string | undefined> {
  const server = path.resolve(".ci/tools/node_modules/pyright/langserver.index.js");
  const messages: Json[] = [];
  const child = spawn(process.execPath, [server, "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  const send = (message: { readonly [name: string]: Json }): void => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    if (message.method !== undefined) messages.push(JSON.parse(text));
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const uri = "file:///project/a.py";
  let pending = Buffer.alloc(0);
  const accept = (message: { [name: string]: Json }): void => {
    if (message.method === undefined) {
      if (message.id === 1) {
        send({ method: "initialized", params: {} });
        const textDocument = { uri, languageId: "python", version: 1, text: "x: int = 'a'\n" };
        send({ method: "textDocument/didOpen", params: { textDocument } });
        const position = { line: 0, character: 0 };
        send({ id: 2, method: "textDocument/hover", params: { textDocument: { uri }, position } });
        const change = { textDocument: { uri, version: 2 }, contentChanges: [{ text: "x: int = 1\n" }] };
        send({ method: "textDocument/didChange", params: change });
        send({ method: "textDocument/didSave", params: { textDocument: { uri } } });
        send({ id: 3, method: "textDocument/documentSymbol", params: { textDocument: { uri } } });
        send({ method: "textDocument/didClose", params: { textDocument: { uri } } });
      }
      if (message.id === 3) {
        send({ id: 4, method: "shutdown" });
      }
      if (message.id === 4) send({ method: "exit" });
      return;
    }
    messages.push(message);
    if (message.id !== undefined)
      send({ id: message.id, result: message.method === "workspace/configuration" ? [{}, {}, {}] : null });
  };
  child.stdout.on("data", (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    for (;;) {
      const header = /^Content-Length: (\d+)[\s\S]*?\r\n\r\n/.exec(pending.toString("latin1"));
      const end = header ? header[0].length + Number(header[1]) : Number.POSITIVE_INFINITY;
      if (!header || pending.length < end) return;
      accept(JSON.parse(pending.subarray(header[0].length, end).toString("utf8")));
      pending = pending.subarray(end);
    }
  });
  const capabilities = { workspace: { configuration: true }, textDocument: { publishDiagnostics: {} } };
  const params = { processId: null, rootUri: null, capabilities, workspaceFolders: null };
  send({ id: 1, method: "initialize", params });
  const timer = globalThis.setTimeout(() => child.kill(), 60_000);
  const code = await new Promise((resolve) => {
    child.on("exit", resolve);
  });
  clearTimeout(timer);
  return code === 0 ? toLines(messages) : undefined;
}

/** Updates of sessions, which the official SDK sends. */
const UPDATES: readonly Json[] = [
  { sessionUpdate: "user_message_chunk", messageId: "m1", content: { type: "text", text: "Fix it." } },
  { sessionUpdate: "agent_thought_chunk", messageId: "m2", content: { type: "text", text: "Hm." } },
  { sessionUpdate: "agent_message_chunk", messageId: "m3", content: { type: "text", text: "Done." } },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: "call_1",
    title: "Reading",
    kind: "read",
    status: "in_progress",
    locations: [{ path: "/project/a.ts", line: 3 }],
    rawInput: { path: "a.ts" },
  },
  {
    sessionUpdate: "tool_call_content_chunk",
    toolCallId: "call_1",
    content: { type: "content", content: { type: "text", text: "1 line" } },
  },
  {
    sessionUpdate: "available_commands_update",
    availableCommands: [{ type: "command", name: "plan", description: "Makes a plan" }],
  },
  { sessionUpdate: "session_info_update", title: "Fixing" },
  { sessionUpdate: "usage_update", used: 53_000, size: 200_000 },
  { sessionUpdate: "state_update", state: "running" },
  { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" },
];

/** Sends the first request of a client. */
function sendInitialize(controller: ReadableStreamDefaultController<Uint8Array>): void {
  const params = { protocolVersion: 2, info: { name: "client", version: "1.0.0" }, capabilities: {} };
  const request = { jsonrpc: "2.0", id: 0, method: "initialize", params };
  controller.enqueue(Buffer.from(`${JSON.stringify(request)}\n`));
}

async function recordAgent(folder: string): Promise<string> {
  const file = path.join(folder, "node_modules/@agentclientprotocol/sdk/dist/v2/stable/acp.js");
  const { agent, ndJsonStream } = await import(pathToFileURL(file).href);
  const chunks: string[] = [];
  const output = new WritableStream<Uint8Array>({
    write: (bytes) => void chunks.push(Buffer.from(bytes).toString("utf8")),
  });
  const stream = ndJsonStream(output, new ReadableStream<Uint8Array>({ start: sendInitialize }));
  const info = {
    protocolVersion: 2,
    info: { name: "agent", version: "1.0.0" },
    capabilities: {},
    authMethods: [],
  };
  const app = agent().onRequest("initialize", () => info);
  await app.connectWith(
    stream,
    async (context: { notify: (method: string, params: Json) => Promise<void> }) => {
      // The SDK sends nothing before the request of the client is answered.
      await setTimeout(200);
      for (const update of UPDATES) await context.notify("session/update", { sessionId: "sess_1", update });
    },
  );
  return chunks
    .join("")
    .split("\n")
    .filter((line) => line.includes('"session/update"'))
    .map((line) => `${line}\n`)
    .join("");
}

/** Makes one event of most types with the Python SDK of AG-UI, and encodes them as its servers do. */
const AG_UI_PROGRAM = `
from ag_ui.core import *
from ag_ui.encoder import EventEncoder
ids = dict(thread_id="t1", run_id="r1")
m = dict(message_id="m1")
events = [
  RunStartedEvent(**ids), StepStartedEvent(step_name="plan"), StepFinishedEvent(step_name="plan"),
  TextMessageStartEvent(**m, role="assistant"), TextMessageContentEvent(**m, delta="Hi"), TextMessageEndEvent(**m),
  TextMessageChunkEvent(**m, role="assistant", delta="Hi"),
  ToolCallStartEvent(tool_call_id="c1", tool_call_name="read", parent_message_id="m1"),
  ToolCallArgsEvent(tool_call_id="c1", delta="{"), ToolCallEndEvent(tool_call_id="c1"),
  ToolCallChunkEvent(tool_call_id="c2", tool_call_name="read", delta="{}"),
  ToolCallResultEvent(message_id="m2", tool_call_id="c1", content="ok", role="tool"),
  StateSnapshotEvent(snapshot={"a": 1}), StateDeltaEvent(delta=[{"op": "replace", "path": "/a", "value": 2}]),
  MessagesSnapshotEvent(messages=[UserMessage(id="u1", role="user", content="Hi"), AssistantMessage(id="m1", role="assistant", content="Hi")]),
  ReasoningStartEvent(**m), ReasoningMessageStartEvent(**m, role="reasoning"), ReasoningMessageContentEvent(**m, delta="Hm"),
  ReasoningMessageEndEvent(**m), ReasoningEndEvent(**m), ActivitySnapshotEvent(**m, activity_type="PLAN", content={"a": 1}),
  RawEvent(event={"a": 1}, source="s"), CustomEvent(name="n", value={"a": 1}), RunErrorEvent(message="no", code="E"),
  RunFinishedEvent(**ids, result={"a": 1}),
]
print("".join(EventEncoder().encode(event) for event in events), end="")
`;

function recordAgUi(folder: string): string | undefined {
  const environment = path.join(folder, "python");
  const python = path.join(environment, "bin/python");
  try {
    execFileSync("python3", ["-m", "venv", environment], { stdio: "pipe" });
    execFileSync(python, ["-m", "pip", "install", "--quiet", "ag-ui-protocol==1.0.0"], { stdio: "pipe" });
  } catch {
    return undefined;
  }
  return execFileSync(python, ["-c", AG_UI_PROGRAM], { encoding: "utf8" });
}

async function writeAgUiSchema(folder: string): Promise<string> {
  const program = `import { writeFileSync } from "node:fs";
import { EventSchemas } from "@ag-ui/core/schemas";
import { z } from "zod/v4";
writeFileSync("ag-ui.json", JSON.stringify(z.toJSONSchema(EventSchemas, { io: "input", unrepresentable: "any" })));
`;
  writeFileSync(path.join(folder, "ag-ui.mjs"), program);
  execFileSync(process.execPath, ["ag-ui.mjs"], { cwd: folder, stdio: "pipe" });
  return path.join(folder, "ag-ui.json");
}

const STRIPE_TYPES = `import type Stripe from "stripe";
export type Message = Stripe.PlanCreatedEvent | Stripe.PriceCreatedEvent | Stripe.ProductCreatedEvent | Stripe.CouponCreatedEvent;
`;

/** The events that Stripe's own mock server answers with. It listens on this machine alone. */
async function recordStripe(folder: string): Promise<string | undefined> {
  const environment = { ...process.env, GOBIN: folder };
  try {
    const install = ["install", "github.com/stripe/stripe-mock@v0.203.0"];
    execFileSync("go", install, { cwd: folder, env: environment, stdio: "pipe" });
  } catch {
    return undefined;
  }
  const [http, https] = [12_731, 12_732];
  const argv = ["-http-addr", `127.0.0.1:${http}`, "-https-addr", `127.0.0.1:${https}`];
  const child = spawn(path.join(folder, "stripe-mock"), argv, { stdio: "ignore" });
  try {
    for (let attempt = 0; attempt < 100; attempt++) {
      const headers = { authorization: "Bearer sk_test_123" };
      const url = `http://127.0.0.1:${http}/v1/events`;
      const response = await fetch(url, { headers }).catch(() => undefined);
      if (response?.ok) return toLines(((await response.json()) as { data: Json[] }).data);
      await setTimeout(200);
    }
    return undefined;
  } finally {
    child.kill();
  }
}

/** Returns the number of different texts that the first group of `pattern` matches in files. */
function countMatches(folder: string, files: readonly string[], pattern: RegExp): number {
  const texts = files.map((file) => readFileSync(path.join(folder, "node_modules", file), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, match]) => match))).size;
}

const readList = (folder: string, file: string): readonly JsonObject[] =>
  JSON.parse(readFileSync(path.join(folder, file), "utf8"));

/** A version of OCPP, whose messages are frames: lists with the action beside the payload. */
function createOcppSubject(
  name: string,
  file: string,
  record: (folder: string) => Promise<readonly Json[] | undefined>,
): Subject {
  const schemas = `node_modules/ocpp-rpc/lib/schemas/${file}`;
  return {
    name,
    packages: ["ocpp-rpc@2.2.1"],
    countTypes: (folder) => readList(folder, schemas).length,
    writeSchema: (folder) => path.join(folder, schemas),
    record: async (folder) => {
      const events = await record(folder);
      return events && toLines(events);
    },
    isWrapped: true,
    compileOriginal: (folder) => compileOcpp(readList(folder, schemas)),
  };
}

/**
 * Returns the messages of a folder of FDC3 schemas. The schemas refer to one of another package. There are no messages of it
 * in packages.
 */
function createFdc3Subject(name: string, schemas: string, isWrapped: boolean): Subject {
  const locate = (folder: string): string => path.join(folder, "node_modules", schemas);
  return {
    name,
    packages: ["@finos/fdc3-schema@2.2.0", "@finos/fdc3-context@2.2.0"],
    countTypes: (folder) => {
      const files = readdirSync(locate(folder), { recursive: true, encoding: "utf8" });
      const read = (file: string): string[] => [path.join(schemas, file)];
      // Each message extends a shared schema. The shared schemas and the definitions do not.
      return files.filter(
        (file) => file.endsWith(".json") && countMatches(folder, read(file), /^ {4}"(allOf)"/gm) > 0,
      ).length;
    },
    listOptions: (folder) => ["--root", path.join(folder, "node_modules/@finos")],
    writeSchema: locate,
    isWrapped,
  };
}

export const SUBJECTS: readonly Subject[] = [
  createOcppSubject("ocpp", "ocpp1_6.json", recordOcpp),
  createOcppSubject("ocpp201", "ocpp2_0_1.json", async (folder) => recordOcpp201(folder)),
  {
    name: "acp",
    packages: ["@agentclientprotocol/sdk@2.4.0", "zod@4.6.7"],
    discriminator: "params.update.sessionUpdate",
    countTypes: (folder) => {
      const file = "@agentclientprotocol/sdk/schema/v2/schema.json";
      return countMatches(folder, [file], /"sessionUpdate": \{[^{}]*"const": "(\w+)"/g);
    },
    writeSchema: (folder) => path.join(folder, "node_modules/@agentclientprotocol/sdk/schema/v2/schema.json"),
    record: recordAgent,
  },
  {
    name: "mcp",
    packages: ["@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/server-everything@2026.8.31"],
    discriminator: "method",
    countTypes: (folder) => {
      const file = "@modelcontextprotocol/sdk/dist/esm/spec.types.d.ts";
      return countMatches(folder, [file], /^ {4}method: "([^"]+)"/gm);
    },
    writeSchema: (folder) => writeTypeSchema(folder, "mcp", MCP_TYPES, "Message"),
    record: async (folder) => toLines(await recordMcp(folder)),
  },
  {
    name: "lsp",
    packages: ["vscode-languageserver-protocol@3.18.5"],
    discriminator: "method",
    countTypes: (folder) => [...writeLanguageServerTypes(folder).matchAll(/^ {2}\|/gm)].length,
    writeSchema: (folder) => writeTypeSchema(folder, "lsp", writeLanguageServerTypes(folder), "Message"),
    record: recordLanguageServer,
  },
  {
    name: "ag-ui",
    packages: ["@ag-ui/core@1.0.0", "zod@4.6.7"],
    discriminator: "type",
    countTypes: (folder) =>
      countMatches(folder, ["@ag-ui/core/dist/version-DEKfpZNa.d.ts"], /^\s+([A-Z_]+) = "\1"/gm),
    writeSchema: writeAgUiSchema,
    record: recordAgUi,
    extension: "sse",
  },
  {
    name: "slack",
    packages: ["@slack/types@3.2.0"],
    discriminator: "event.type",
    countTypes: (folder) => {
      const events = path.join(folder, "node_modules/@slack/types/dist/events");
      const files = readdirSync(events).filter((file) => file.endsWith(".d.ts"));
      const paths = files.map((file) => `@slack/types/dist/events/${file}`);
      return countMatches(
        folder,
        paths,
        /^export (?:declare )?(?:interface|type) \w+Event\b[\s\S]*?^ {4}type: '(\w+)';/gm,
      );
    },
    writeSchema: (folder) => writeTypeSchema(folder, "slack", SLACK_TYPES, "Message"),
    record: (folder) => {
      const messages = listSlackMessages(folder);
      return messages && toLines(messages);
    },
    compileOriginal: (folder) => {
      const accepts = compileOriginal(JSON.parse(readFileSync(path.join(folder, "slack.json"), "utf8")));
      return (message) => accepts("", toRequest(message));
    },
  },
  {
    name: "stripe",
    packages: ["stripe@17.7.0"],
    discriminator: "type",
    countTypes: () => [...STRIPE_TYPES.matchAll(/Stripe\.\w+Event/g)].length,
    writeSchema: (folder) => writeTypeSchema(folder, "stripe", STRIPE_TYPES, "Message"),
    record: recordStripe,
  },
  createFdc3Subject("fdc3", "@finos/fdc3-schema/dist/schemas/api", false),
  createFdc3Subject("fdc3-all", "@finos/fdc3-schema/dist/schemas", true),
];

/** Messages of the Model Context Protocol: what a client of the official SDK and the server `server-everything` send to each other. */
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Json, JsonObject } from "../../generator/json.js";

/** The types of all requests and notifications. */
export const MCP_TYPES = `import type * as P from "@modelcontextprotocol/sdk/spec.types.js";
export type Message = P.ClientRequest | P.ClientNotification | P.ServerRequest | P.ServerNotification;
`;

/** Answers of the client to requests of the server. */
const ANSWERS = {
  CreateMessageRequestSchema: { model: "m", role: "assistant", content: { type: "text", text: "Hi" } },
  ListRootsRequestSchema: { roots: [{ uri: "file:///project", name: "project" }] },
  ElicitRequestSchema: { action: "decline" },
};

/** The arguments of all tools. Each takes those that it knows. */
const TOOL_ARGUMENTS = { message: "a", a: 1, b: 2, duration: 1, steps: 2, prompt: "p", location: "New York" };

type Method = (...argv: readonly unknown[]) => Promise<Record<string, JsonObject[]>>;

/** Records requests and notifications in both directions. Responses are left out, because they name no method. */
export async function recordMcp(folder: string): Promise<readonly Json[]> {
  const packages = path.join(folder, "node_modules/@modelcontextprotocol");
  const load = (file: string) => import(pathToFileURL(path.join(packages, "sdk/dist/esm", file)).href);
  const [{ Client }, { StdioClientTransport }, schemas] = await Promise.all(
    ["client/index.js", "client/stdio.js", "types.js"].map(load),
  );
  const args = [path.join(packages, "server-everything/dist/index.js"), "stdio"];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
  const messages: JsonObject[] = [];
  const send = transport.send.bind(transport);
  transport.send = (message: JsonObject, ...more: readonly unknown[]) => {
    messages.push(message);
    return send(message, ...more);
  };
  const start = transport.start.bind(transport);
  transport.start = () => {
    const accept = transport.onmessage;
    transport.onmessage = (message: JsonObject, ...more: readonly unknown[]) => {
      messages.push(message);
      accept(message, ...more);
    };
    return start();
  };
  const capabilities = { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } };
  const client = new Client({ name: "recorder", version: "1.0.0" }, { capabilities });
  for (const [schema, answer] of Object.entries(ANSWERS))
    client.setRequestHandler(schemas[schema], () => answer);
  await client.connect(transport);
  await callEverything(client);
  // The server sends some notifications after its answers.
  await setTimeout(1500);
  await client.close();
  return messages.filter(({ method }) => method !== undefined);
}

/** Calls all methods of the client that the server answers. An answer may be an error. */
async function callEverything(client: Readonly<Record<string, Method>>): Promise<void> {
  const call = (method: string, ...argv: readonly unknown[]) =>
    client[method]?.(...argv).catch(() => undefined);
  await call("ping");
  await call("setLoggingLevel", "debug");
  const { tools = [] } = (await call("listTools")) ?? {};
  const { resources = [] } = (await call("listResources")) ?? {};
  await call("listResourceTemplates");
  const { prompts = [] } = (await call("listPrompts")) ?? {};
  const options = { onprogress: () => undefined, timeout: 5000 };
  for (const { name } of tools)
    await call("callTool", { name, arguments: TOOL_ARGUMENTS }, undefined, options);
  const uri = resources[0]?.uri;
  for (const method of ["readResource", "subscribeResource", "unsubscribeResource"])
    await call(method, { uri });
  for (const { name, arguments: list } of prompts) {
    const names = ((list ?? []) as readonly JsonObject[]).map((each) => [each.name, "1"]);
    await call("getPrompt", { name, arguments: Object.fromEntries(names) });
  }
  const ref = { type: "ref/prompt", name: prompts.at(-1)?.name };
  await call("complete", { ref, argument: { name: "department", value: "E" } });
  await call("sendRootsListChanged");
}

/** A server with an adapter that does one thing wrong. Otherwise it lists the types of all events. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly consumer: string; readonly events: readonly { readonly Kind: string }[] };
}

interface Exchange {
  readonly requests: readonly Request[];
  readonly answers: readonly object[];
  readonly response: ServerResponse;
}

function send(response: ServerResponse, body: unknown, status = 200, type = "application/json"): void {
  response.writeHead(status, { "content-type": type, location: "/elsewhere" });
  response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

/** The responses of each fault. They concern POSTs with a snapshot only. */
const FAULTS: { readonly [fault: string]: (exchange: Exchange) => void } = {
  none: ({ response, answers }) => send(response, answers),
  "reverse order": ({ response, answers }) => send(response, [...answers].reverse()),
  "no answer": () => {},
  "half an answer": ({ response, answers }) => {
    response.writeHead(200, { "content-length": 1000 });
    response.write(JSON.stringify(answers).slice(0, 20), () => response.destroy());
  },
  "half an answer, then silence": ({ response, answers }) => {
    response.writeHead(200, { "content-length": 1000 });
    response.write(JSON.stringify(answers).slice(0, 20));
  },
  "two answers": ({ response, answers }) => send(response, [...answers, answers.at(-1)]),
  "an answer is missing": ({ response, answers }) => send(response, answers.slice(0, -1)),
  "no content": ({ response }) => send(response, "", 204),
  "empty body": ({ response }) => send(response, ""),
  "wrong id": ({ response }) => send(response, [{ jsonrpc: "2.0", id: 1_000_000, result: null }]),
  "null as id": ({ response }) =>
    send(response, { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }),
  "100 MB answer": ({ response }) => send(response, `["${"x".repeat(100 * 1024 * 1024)}"]`),
  HTML: ({ response }) => send(response, "<!doctype html><title>Not here</title>", 200, "text/html"),
  redirect: ({ response }) => send(response, "", 307),
  "status 500": ({ response }) => send(response, "Internal Server Error", 500, "text/plain"),
  "status 404": ({ response }) => send(response, "<h1>404</h1>", 404, "text/html"),
  "invalid UTF-8": ({ response }) => send(response, Buffer.from([0x22, 0xff, 0x22])),
  "breaks the connection": ({ response }) => response.destroy(),
};

/** The names of all faults. */
export const HTTP_FAULTS = Object.keys(FAULTS);

/** Starts the server. `stopsAtFault` closes it at the first fault, as a server that crashes. */
export async function startLyingServer(
  fault: string,
  { stopsAtFault = false } = {},
): Promise<{ readonly url: string; stop(): void }> {
  const consumers = new Map<string, string[]>();
  const list = (consumer: string): string[] => {
    const types = consumers.get(consumer);
    if (types === undefined) throw new Error("no such consumer");
    return types;
  };
  const handlers: { readonly [method: string]: (params: Request["params"]) => unknown } = {
    hello: () => ({ hooks: [] }),
    create: ({ consumer }) => void consumers.set(consumer, []),
    drop: ({ consumer }) => void consumers.delete(consumer),
    push: ({ consumer, events }) => void list(consumer).push(...events.map(({ Kind }) => Kind)),
    snapshot: ({ consumer }) => [...list(consumer)],
  };
  const answer = ({ id, method, params }: Request): object => {
    try {
      const handle = handlers[method];
      if (handle === undefined) throw new Error("no such method");
      return { jsonrpc: "2.0", id, result: handle(params) ?? null };
    } catch (error) {
      return { jsonrpc: "2.0", id, error: { code: -32000, message: String(error) } };
    }
  };
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body: Request | Request[] = JSON.parse(Buffer.concat(chunks).toString());
    const requests = Array.isArray(body) ? body : [body];
    const answers = requests.map(answer);
    const hasSnapshot = requests.some(({ method }) => method === "snapshot");
    if (!hasSnapshot) send(response, Array.isArray(body) ? answers : answers[0]);
    else FAULTS[fault]?.({ requests, answers, response });
    if (hasSnapshot && stopsAtFault) stop();
  });
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kit`, stop };
}

/** An adapter that does one thing wrong, which its first argument names. Otherwise it lists the types of all events. */
import { createInterface } from "node:readline";

const [fault, hooks = ""] = process.argv.slice(2);
const consumers = new Map();
let events = 0;

const write = (value) =>
  process.stdout.write(`${typeof value === "string" ? value : JSON.stringify(value)}\n`);

/** What an adapter does instead of answering a request, by the name of its fault. */
const FAULTS = {
  "no answer": ({ method }) => method === "snapshot",
  "no hello": () => true,
  "half a line": ({ method, id }) => {
    if (method !== "snapshot") return false;
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"res`);
    return true;
  },
  "half a line, then exit": ({ method, id }) => {
    if (method !== "snapshot") return false;
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"res`, () => process.exit(3));
    return true;
  },
  "two answers": ({ method, id }) => {
    if (method === "snapshot") write({ jsonrpc: "2.0", id, result: [] });
    return false;
  },
  "wrong id": ({ method, id }) => {
    if (method !== "snapshot") return false;
    write({ jsonrpc: "2.0", id: id + 1_000_000, result: [] });
    return true;
  },
  "text as id": ({ id }) => {
    write({ jsonrpc: "2.0", id: String(id), result: null });
    return true;
  },
  "null as id": () => {
    write({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
    return true;
  },
  "no version": ({ id }) => {
    write({ id, result: { hooks: [] } });
    return true;
  },
  "result and error": ({ id }) => {
    write({ jsonrpc: "2.0", id, result: null, error: { code: -32000, message: "" } });
    return true;
  },
  "error without code": ({ id }) => {
    write({ jsonrpc: "2.0", id, error: { message: "no" } });
    return true;
  },
  "a list": () => {
    write([1]);
    return true;
  },
  "100 MB answer": ({ method, id }) => {
    if (method !== "snapshot") return false;
    write({ jsonrpc: "2.0", id, result: "x".repeat(100 * 1024 * 1024) });
    return true;
  },
  "endless line": ({ method }) => {
    if (method !== "snapshot") return false;
    setInterval(() => process.stdout.write("x".repeat(1024 * 1024)), 1);
    return true;
  },
  "crash at the 500th event": ({ method, params }) => {
    if (method === "push") events += params.events.length;
    if (events >= 500) process.exit(7);
    return false;
  },
  "crash at a type": ({ method, params }) => {
    if (method === "push" && params.events.some(({ Kind }) => Kind === "error"))
      process.kill(process.pid, "SIGKILL");
    return false;
  },
  "crash at start": () => process.exit(1),
  "logs to stdout": ({ method }) => {
    if (method === "push") write("INFO received events \u001b[31m");
    return false;
  },
  "logs to stderr": ({ method }) => {
    if (method === "push") process.stderr.write("INFO received events\n");
    return false;
  },
  "error at a type": ({ method, params, id }) => {
    if (method !== "push" || !params.events.some(({ Kind }) => Kind === "error")) return false;
    write({ jsonrpc: "2.0", id, error: { code: -32000, message: "KeyError: 'name'\nline 2" } });
    return true;
  },
  "error to hello": ({ id }) => {
    write({ jsonrpc: "2.0", id, error: { code: -32000, message: "no such protocol" } });
    return true;
  },
  "no hooks": ({ id }) => {
    write({ jsonrpc: "2.0", id, result: null });
    return true;
  },
  "does not read": () => {
    input.pause();
    return true;
  },
  "ignores the end of input": () => {
    setInterval(() => {}, 1000);
    return false;
  },
  none: () => false,
};

const METHODS = {
  hello: () => ({ hooks: hooks.split(",").filter((hook) => hook !== "") }),
  create: ({ consumer }) => void consumers.set(consumer, []),
  drop: ({ consumer }) => void consumers.delete(consumer),
  push: ({ consumer, events }) =>
    void consumers.get(consumer).push(...events.map(({ Kind, type }) => Kind ?? type)),
  snapshot: ({ consumer }) => [...consumers.get(consumer)],
};

const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  const request = JSON.parse(line);
  if (FAULTS[fault](request)) return;
  const { id, method, params } = request;
  try {
    const handle = METHODS[method];
    if (handle === undefined) write({ jsonrpc: "2.0", id, error: { code: -32601, message: method } });
    else write({ jsonrpc: "2.0", id, result: handle(params) ?? null });
  } catch (error) {
    write({ jsonrpc: "2.0", id, error: { code: -32000, message: String(error) } });
  }
});

/** An adapter that does one thing wrong, which its first argument names. Otherwise it lists the types of all events. */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { createInterface } from "node:readline";

const [fault, hooks = ""] = process.argv.slice(2);
const consumers = new Map();
let events = 0;
process.stderr.write(`pid ${process.pid}\n`);

/** Answers that are written together, the last one first. */
const held = [];

function write(value) {
  const line = `${typeof value === "string" ? value : JSON.stringify(value)}\n`;
  if (fault !== "answers in reverse") {
    process.stdout.write(line);
    return;
  }
  if (held.length === 0) setImmediate(() => process.stdout.write(held.splice(0).reverse().join("")));
  held.push(line);
}

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
  "no consumer": ({ method, id }) => {
    if (method !== "create") return false;
    write({ jsonrpc: "2.0", id, error: { code: -32000, message: "no canvas" } });
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
  "ignores SIGTERM and the end of input": () => {
    if (process.listenerCount("SIGTERM") === 0) process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    return false;
  },
  "closes stdout": ({ method }) => {
    if (method !== "snapshot") return false;
    closeSync(1);
    setInterval(() => {}, 1000);
    return true;
  },
  "invalid UTF-8": ({ method, id }) => {
    if (method !== "snapshot") return false;
    process.stdout.write(Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"\xff"}\n`, "latin1"));
    return true;
  },
  "ends lines with CRLF": ({ method, id }) => {
    if (method !== "snapshot") return false;
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":[]}\r\n\r\n`);
    return true;
  },
  "a child holds stdout": ({ method }) => {
    if (method !== "snapshot") return false;
    leaveChild(false);
    return true;
  },
  "a child in a session of its own holds stdout": ({ method }) => {
    if (method !== "snapshot") return false;
    leaveChild(true);
    return true;
  },
  "answers in reverse": () => false,
  none: () => false,
};

/** Starts a process that outlives this one and holds its output open. It ends by itself after some seconds. */
function leaveChild(detached) {
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 20_000)"], {
    stdio: ["ignore", "inherit", "ignore"],
    detached,
  });
  if (!detached) process.stderr.write(`pid ${child.pid}\n`);
  child.on("spawn", () => process.exit(4));
}

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

/** Builds adapters of the consumers in test/kit/consumers: programs that need Node only. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const FOLDER = path.join(import.meta.dirname, "../kit/consumers");

/** A consumer of test/kit/consumers, with a text in its source that is replaced. */
export interface ServedConsumer {
  readonly in: "reducer" | "rebuilder" | "store";
  readonly find?: string;
  readonly replacement?: string;
}

const SERVE = `
import { createInterface } from "node:readline";
import { protocol } from "PROTOCOL";
const adapter = ADAPTER(protocol);
const HOOKS = ["opaque", "gaps", "cursor", "viewRun", "ingest", "reconnect"];
const consumers = new Map();
const METHODS = {
  hello: () => ({ hooks: HOOKS.filter((hook) => typeof (adapter.create() ?? adapter)[hook] === "function") }),
  create: ({ consumer }) => void consumers.set(consumer, adapter.create() ?? adapter),
  drop: ({ consumer }) => void consumers.delete(consumer),
  push: ({ consumer, events }) => events.forEach((event) => consumers.get(consumer).push(event)),
  ingest: ({ consumer, bytes }) => consumers.get(consumer).ingest(Buffer.from(bytes, "base64")),
  cursor: ({ consumer, stream }) => consumers.get(consumer).cursor(stream),
  viewRun: ({ consumer, stream }) => consumers.get(consumer).viewRun(stream),
};
for (const name of ["snapshot", "opaque", "gaps", "reconnect"])
  METHODS[name] = ({ consumer }) => consumers.get(consumer)[name]();
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  let answer;
  try {
    answer = { result: METHODS[method](params) ?? null };
  } catch (error) {
    answer = { error: { code: -32000, message: String(error) } };
  }
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

/** Writes the program into `folder`, and returns the command that starts it. */
export async function buildAdapter(
  folder: string,
  consumer: ServedConsumer,
  protocol = "hecate/v1",
): Promise<string> {
  const source = readFileSync(path.join(FOLDER, `${consumer.in}.ts`), "utf8");
  const planted =
    consumer.find === undefined ? source : source.replace(consumer.find, () => consumer.replacement ?? "");
  const module = path.join(import.meta.dirname, `../../generated/${protocol}/index.js`);
  const contents = planted + SERVE.replace("PROTOCOL", module).replace("ADAPTER", `${consumer.in}Adapter`);
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: FOLDER, loader: "ts" },
    ...{ bundle: true, format: "esm", platform: "node", write: false, logLevel: "silent" },
  });
  const file = path.join(folder, "adapter.mjs");
  writeFileSync(file, outputFiles[0]?.contents ?? "");
  return `node ${file}`;
}

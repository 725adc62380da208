/** Sends a request as `curl -s URL [-H HEADER]... [-d DATA]` does. The tests use it where curl is not installed. */
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: "boolean", short: "s" },
    header: { type: "string", short: "H", multiple: true, default: [] },
    data: { type: "string", short: "d" },
  },
});
const headers = values.header.map((header) => header.split(/: */, 2));
const method = values.data === undefined ? "GET" : "POST";
const response = await fetch(positionals[0], { method, headers, body: values.data });
process.stdout.write(Buffer.from(await response.arrayBuffer()));

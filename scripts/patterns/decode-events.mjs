/** Prints the milliseconds that the decoding of each line of the input takes, the least of three times. The argument is the module. */
import { createInterface } from "node:readline";

const { decodeEvent } = await import(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    decodeEvent(JSON.parse(line));
    return performance.now() - start;
  });
  console.log(Math.min(...times));
}

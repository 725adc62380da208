// The minimum work of a tool for JSON Lines: reads the file and parses its lines.
import { openSync, readSync } from "node:fs";

/** Small enough to stay in the cache of the processor. */
const PIECE = 2 ** 17;
const file = openSync(process.argv[2], "r");
let buffer = Buffer.allocUnsafeSlow(PIECE);
let [held, lines] = [0, 0];
for (;;) {
  if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafeSlow(buffer.length)]);
  const read = readSync(file, buffer, held, buffer.length - held, null);
  if (read === 0) break;
  const end = held + read;
  const filled = buffer.subarray(0, end);
  let start = 0;
  for (let stop = filled.indexOf(10); stop !== -1; stop = filled.indexOf(10, start)) {
    if (JSON.parse(buffer.utf8Slice(start, stop)) !== null) lines++;
    start = stop + 1;
  }
  buffer.copyWithin(0, start, end);
  held = end - start;
}
console.log(lines);

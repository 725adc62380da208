/** If this fails, a redelivered event in a compressed file or in Parquet is reported as another event with the same id. */
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createInstance } from "../../generator/scan/instance.js";

it("computes the CRC-32 that zlib computes", () => {
  const instance = createInstance("type", "key", new Set());
  if (instance === undefined) throw new Error("no WebAssembly");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), fc.nat(20), fc.nat(20), (bytes, before, after) => {
      const start = Math.min(before, bytes.length);
      const stop = Math.max(start, bytes.length - after);
      instance.load(bytes, 0, bytes.length);
      expect(instance.computeCrc(start, stop) >>> 0).toBe(crc32(bytes.subarray(start, stop)));
    }),
    { numRuns: 2_000 },
  );
});

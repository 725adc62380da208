/** If this fails, `npm run prove:streams:faults` cannot plant a fault, because the source that it replaces has changed. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { applyFault, PLANTED_FAULTS } from "../../scripts/streams/planted-faults.js";

const folder = path.join(import.meta.dirname, "../../generator");

it.each(PLANTED_FAULTS)("the text of the fault occurs once: $name", (fault) => {
  const text = readFileSync(path.join(folder, fault.file), "utf8");
  expect(applyFault(fault, text)).not.toBe(text);
});

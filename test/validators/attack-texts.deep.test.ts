/** If this fails, a generated validator hangs on a text that an attacker sends. `npm run measure:patterns` measures all languages. */
import { expect, it } from "vitest";
import {
  createAttackEvents,
  loadAttackProtocol,
  MAX_MS,
  SLOW_PATTERNS,
} from "../../scripts/patterns/attack-events.js";
import { measureValidator } from "../../scripts/patterns/generated-validators.js";
import { createTemporaryFolder } from "../folders.js";

it("validates 100 KB of attack text for each slow pattern within the limit", async () => {
  const folder = createTemporaryFolder();
  const protocol = await loadAttackProtocol();
  const times = await measureValidator("TypeScript, reader", protocol, createAttackEvents(), folder);
  expect(times?.length).toBe(SLOW_PATTERNS.length);
  expect(SLOW_PATTERNS.filter((_, index) => (times?.[index] ?? Number.NaN) > MAX_MS)).toEqual([]);
});

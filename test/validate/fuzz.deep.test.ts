/** If this fails, a damaged recording makes `accrete validate` crash, or hides the findings of other lines. */
import { expect, it } from "vitest";
import { createRandom } from "../../generator/random.js";
import { createMutatedStream, createStrangeValues } from "../ingest/reading-fuzz.js";
import { validateOperands } from "./operands.js";

async function* splitBytes(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it("reads streams with broken bytes to their end, and reports the same findings for chunks of any size", async () => {
  const next = createRandom(11).below;
  let found = 0;
  for (let count = 0; count < 400; count++) {
    const bytes = createMutatedStream(next);
    const whole = await validateOperands(["-"], bytes);
    found += whole.findings.length + whole.unreadable.length;
    // The chunks decide how much of damaged gzip data can be unpacked.
    if (count % 10 === 0 && whole.unreadable.length === 0)
      expect(await validateOperands(["-"], splitBytes(bytes, 1 + next(999)))).toEqual(whole);
  }
  expect(found).toBeGreaterThan(400);
});

it("reports findings for arbitrary JSON values", async () => {
  const values = createStrangeValues(1000, 12);
  const { events, invalid, findings } = await validateOperands(["-"], values.join("\n"), {
    profile: "reader",
  });
  expect(events).toBeGreaterThanOrEqual(900);
  expect(invalid).toBeGreaterThan(800);
  expect(findings.length).toBeGreaterThanOrEqual(invalid);
});

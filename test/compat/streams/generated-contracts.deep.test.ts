/** If this fails, compat calls a change of a stream rule harmless that breaks a stream, or shows a stream that breaks nothing. */
import { expect, it } from "vitest";
import { judgeGeneratedContracts } from "../../../scripts/streams/generated-contracts.js";
import { createSharedFolder } from "../../folders.js";

it("gives no wrong answer about a sample of generated contracts", async () => {
  const lines: string[] = [];
  const counts = await judgeGeneratedContracts(createSharedFolder(), { every: 480, seed: 7 }, (line) =>
    lines.push(line),
  );
  expect(lines.filter((line) => line.startsWith("WRONG"))).toEqual([]);
  expect(counts.broken).toBeGreaterThan(20);
  expect(counts.contained).toBeGreaterThan(20);
});

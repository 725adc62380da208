/** Checks laws on adapters in the test process. */
import { onTestFinished } from "vitest";
import type { KitProtocol } from "../../generator/kit/kit-protocol.js";
import { createAdapterAccess } from "../../generator/kit-process/adapter-access.js";
import { connectAdapter } from "../../generator/kit-process/remote-adapter.js";
import { type LawResult, runLaws } from "../../generator/kit-process/run-laws.js";
import { silentIo } from "./silent-io.js";

/** Checks laws, all by default, on the adapter that a command starts, with seed 1. Returns the results in the order of the laws. */
export async function checkLaws(
  command: string,
  protocol: KitProtocol,
  { runs, laws = [undefined] }: { readonly runs: number; readonly laws?: readonly (string | undefined)[] },
): Promise<readonly LawResult[]> {
  const adapter = await connectAdapter(createAdapterAccess({ command }, 30_000, silentIo), protocol);
  onTestFinished(adapter.close);
  const results: LawResult[] = [];
  for (const law of laws) {
    const options = { protocol, seed: 1, runs, law, repeatCommand: () => "" };
    results.push(...(await runLaws(adapter, options)).results);
  }
  return results;
}

/** Returns the ids of the laws that a consumer breaks, each with the id of the law that the failure names. */
export function listBrokenLaws(results: readonly LawResult[]): readonly string[] {
  return results.filter(({ id, failure }) => failure?.summary.startsWith(`${id}: `)).map(({ id }) => id);
}

/** Returns the results that are neither kept nor skipped. */
export function listUnkeptLaws(results: readonly LawResult[]): readonly LawResult[] {
  return results.filter(({ outcome }) => outcome !== "kept" && outcome !== "skipped");
}

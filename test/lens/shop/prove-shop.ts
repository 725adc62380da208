/** Compares what a comparison says about the consumers of the shop with what was decided by hand. */
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { diffContracts } from "../../../generator/compat/diff-contracts.js";
import { createUnlocatedSide } from "../../../generator/compat/side.js";
import type { Adapter } from "../../../generator/kit/index.js";
import { planExperiments, recordLens } from "../../../generator/kit/lens/record-lens.js";
import { runSteps } from "../../../generator/kit/steps.js";
import { createAdapterAccess } from "../../../generator/kit-process/adapter-access.js";
import { connectAdapter } from "../../../generator/kit-process/remote-adapter.js";
import type { Lens, Reach } from "../../../generator/protocol/lens.js";
import { silentIo } from "../../kit-process/silent-io.js";
import { createKit, loadShop, SHOP } from "./shop.js";
import { SHOP_CHANGES } from "./shop-changes.js";
import { createShopAdapter, SHOP_VIEWS } from "./shop-consumers.js";
import { REACHED } from "./shop-pairs.js";

/** How the consumers run: beside the kit, or in a process of Python. */
export type ShopLanguage = "javascript" | "python";

/** A pair of a consumer and a change. */
export interface ShopPair {
  readonly consumer: string;
  readonly change: string;
  readonly isReached: boolean;
  readonly verdict: Reach;
}

/** Records the lenses of the consumers of the shop, by their names. `folder` is for files of consumers in Python. */
export async function recordShopLenses(
  language: ShopLanguage,
  names: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, Lens>> {
  const kit = createKit(await loadShop(SHOP));
  const plan = planExperiments(kit);
  const lenses = new Map<string, Lens>();
  for (const name of names) {
    const show = SHOP_VIEWS[name];
    if (show === undefined) throw new Error(`There is no consumer ${name}.`);
    if (language !== "python") {
      lenses.set(name, await runSteps(recordLens(createShopAdapter(show), plan)));
      continue;
    }
    const command = writeShopConsumer(mkdtempSync(path.join(folder, "python-")), name);
    const adapter: Adapter & { close(): void } = await connectAdapter(
      createAdapterAccess({ command }, 60_000, silentIo),
      kit,
    );
    lenses.set(name, await runSteps(recordLens(adapter, plan)));
    adapter.close();
  }
  return lenses;
}

function writeShopConsumer(folder: string, name: string): string {
  const source = readFileSync(path.join(import.meta.dirname, "consumers.py"), "utf8");
  writeFileSync(path.join(folder, "timeline.py"), source.replace("show = nothing", `show = ${name}`));
  copyFileSync("docs/examples/python/adapter.py", path.join(folder, "adapter.py"));
  return `exec python3 ${path.join(folder, "adapter.py")}`;
}

/** Returns the verdicts of a comparison about each consumer and each change. */
export async function judgeShopPairs(lenses: ReadonlyMap<string, Lens>): Promise<readonly ShopPair[]> {
  const consumers = [...lenses].map(([consumer, lens]) => ({ consumer, lens }));
  const before = createUnlocatedSide(await loadShop(SHOP));
  const pairs: ShopPair[] = [];
  for (const [change, { after }] of Object.entries(SHOP_CHANGES)) {
    const { findings } = await diffContracts(before, createUnlocatedSide(await loadShop(after)), consumers);
    for (const { consumer } of consumers) {
      const reaches = findings
        .flatMap((finding) => finding.consumers ?? [])
        .filter((each) => each.consumer === consumer)
        .map(({ reach }) => reach);
      const verdict = (["reached", "unknown", "unreached"] as const).find((each) => reaches.includes(each));
      if (verdict === undefined) throw new Error(`No finding of ${change} is about consumers.`);
      pairs.push({ consumer, change, verdict, isReached: REACHED[consumer]?.includes(change) === true });
    }
  }
  return pairs;
}

/** If this fails, a comparison tells a team that a change does not reach its consumer although it does, or the other way round. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { judgeShopPairs, recordShopLenses, type ShopLanguage } from "./prove-shop.js";
import { SHOP_CHANGES } from "./shop-changes.js";
import { SHOP_VIEWS } from "./shop-consumers.js";
import { isReachedInStreams } from "./shop-oracle.js";
import { REACHED } from "./shop-pairs.js";

/** Only a test that hangs fails for its time. */
const TIMEOUT = 1_800_000;

it(
  "what was decided by hand is what random streams show",
  () => {
    const found = Object.entries(SHOP_VIEWS).map(([consumer, show]) => {
      const reached = Object.entries(SHOP_CHANGES).filter(([, change]) => isReachedInStreams(show, change));
      return [consumer, reached.map(([name]) => name).sort()];
    });
    const decided = Object.entries(REACHED).map(([consumer, changes]) => [consumer, [...changes].sort()]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(decided));
  },
  TIMEOUT,
);

const isWhole = process.env.ACCRETE_TEST_SHOP === "all";

/** Recording the lenses of consumers in Python takes most of the time, so a third of them stands for all unless asked otherwise. */
const CONSUMERS: { readonly [language in ShopLanguage]: readonly string[] } = {
  javascript: Object.keys(REACHED),
  python: Object.keys(REACHED).filter((_consumer, index) => index % 3 === 0 || isWhole),
};

const hasPython = spawnSync("python3", ["--version"]).error === undefined;
if (!hasPython) console.warn("python3 is absent: no lenses of consumers in Python are recorded");

it.each<ShopLanguage>(hasPython ? ["javascript", "python"] : ["javascript"])(
  "lenses of %s tell which changes reach a consumer",
  async (language) => {
    const folder = mkdtempSync(path.join(tmpdir(), "accrete-shop-"));
    try {
      const pairs = await judgeShopPairs(await recordShopLenses(language, CONSUMERS[language], folder));
      const list = (verdict: string, isReached: boolean) =>
        pairs.filter((each) => each.verdict === verdict && each.isReached === isReached);
      const affected = pairs.filter(({ verdict }) => verdict === "reached");
      expect(pairs.length).toBeGreaterThan(20 * CONSUMERS[language].length);
      expect(list("unreached", true)).toEqual([]);
      expect(list("unknown", true)).toEqual([]);
      expect(list("reached", false).length, JSON.stringify(list("reached", false))).toBeLessThanOrEqual(
        affected.length * 0.03,
      );
      expect(list("unknown", false).length).toBeLessThan(pairs.length * 0.03);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  TIMEOUT,
);

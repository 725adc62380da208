import type { Coverage } from "../../schema/describe.js";
import { getKeywords, type KeywordName } from "../../schema/keywords.js";

/** A keyword that the types of a language do not check, and the reason. */
interface UncheckedKeyword {
  readonly keyword: string;
  readonly reason: string;
}

/** Returns the keywords for which types with this coverage accept more values than the contract, in the order of the keyword table. */
export function listUncheckedKeywords(coverage: Coverage): UncheckedKeyword[] {
  return [...getKeywords()].flatMap(([keyword, row]) => {
    if (row.unsupported !== undefined) return [];
    const use = coverage.except?.[keyword as KeywordName] ?? coverage[row.facet];
    if (use === "used" || use.result === "unchanged") return [];
    return [{ keyword, reason: use.reason }];
  });
}

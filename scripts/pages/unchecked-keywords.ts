/** The lists of keywords that the types of each language do not check. */
import { listUncheckedKeywords } from "../../generator/emit/plan/unchecked-keywords.js";
import type { Coverage } from "../../generator/schema/describe.js";

/** Returns a table of the keywords that types with this coverage do not check, one row for each reason. */
export function formatUncheckedKeywords(coverage: Coverage): string {
  const keywords = listUncheckedKeywords(coverage);
  const reasons = [...new Set(keywords.map(({ reason }) => reason))];
  const rows = reasons.map((reason) => {
    const names = keywords.filter((each) => each.reason === reason).map(({ keyword }) => `\`${keyword}\``);
    return `| ${names.join(", ")} | ${reason} |`;
  });
  return ["| keywords that are not checked | reason |", "|---|---|", ...rows].join("\n");
}

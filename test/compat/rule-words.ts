/** Which words in the sources look like the name of a rule. */
import { readSources } from "../../scripts/architecture/sources.js";

/** Words with hyphens that stand alone in a string of these folders' sources; `x-` keywords, imports and tables of rules apart. */
export function kebabWords(units: readonly string[]): ReadonlySet<string> {
  return new Set(
    readSources()
      .filter(({ file, unit }) => units.includes(unit) && !/-rules\.ts$|\/rules\/|\/page\//.test(file))
      .flatMap(({ text }) => [...text.matchAll(/(?<!from |import\()"((?!x-)[a-z]+(?:-[a-z]+)+)"/g)])
      .map(([, word = ""]) => word),
  );
}

/** Such words that are no rules. A new one has to be put here, or into the table of rules that `accrete explain` reads. */
export const NO_RULES: ReadonlySet<string> = new Set([
  // Headers and their values.
  ...["accept-encoding", "content-length", "content-security-policy", "content-type", "last-event-id"],
  ...["no-referrer", "no-store", "referrer-policy"],
  // Commands of git.
  ...["cat-file", "diff-tree", "ls-files", "rev-list", "rev-parse"],
  ...["access-control-allow-headers", "access-control-allow-methods", "access-control-allow-origin"],
  ...["access-control-expose-headers", "access-control-max-age", "cache-control", "content-encoding"],
  "no-cache",
  // Faults of the mock server.
  ...["large-chunk", "late-gap", "missing-artifacts", "pruned-start", "unknown-field", "unknown-type"],
  // A format, a verdict, a way of sending, kinds of keywords' values.
  ...["date-time", "not-contained", "at-once", "name-map", "text-or-null"],
]);

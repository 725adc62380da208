import { createErrorFinding, type Finding } from "../../finding.js";
import { filterKeywords } from "../../schema/keywords.js";
import { collectDeclaredPatterns, describeFamily } from "../../schema/object-family.js";
import { walk } from "../../schema/walk.js";
import { findRootSchemasWith, type LintInput, locateInFiles } from "./input.js";

/** Keywords whose subschemas may fail while the whole schema holds. */
const ALTERNATIVES = filterKeywords(
  ({ facet, subject }) => subject === "same value" && (facet === "alternatives" || facet === "conditions"),
);

/**
 * Reports alternatives that declare fields by pattern. When one of them fails, Ajv still counts its fields as declared,
 * so a generated validator would accept what the schema refuses.
 */
export function lintBranches(input: LintInput): Finding[] {
  const { protocol } = input;
  const findings: Finding[] = [];
  for (const { schema, at } of findRootSchemasWith(ALTERNATIVES, input))
    walk(schema, (part, pointer, keyword = "") => {
      if (!ALTERNATIVES.has(keyword)) return;
      if (collectDeclaredPatterns(describeFamily(part, protocol.definitions, at)).length === 0) return;
      findings.push(
        createErrorFinding(
          "keyword-unsupported",
          `The keyword patternProperties cannot be used in a part of ${keyword}: that part may fail while the whole holds.`,
          locateInFiles(input, { ...at, pointer: at.pointer + pointer }),
          "Put it beside the alternatives, or give the alternative an object of its own in a field.",
        ),
      );
    });
  return findings;
}

import { errorFinding, type Finding } from "../../finding.js";
import type { JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { keywordsWhere } from "../../schema/keywords.js";
import { declaredPatterns, describeFamily } from "../../schema/object-family.js";
import { walk } from "../../schema/walk.js";
import type { LintInput } from "./input.js";

/** Keywords whose subschemas may fail while the whole schema holds. */
const ALTERNATIVES = keywordsWhere(
  ({ facet, subject }) => subject === "same value" && (facet === "alternatives" || facet === "conditions"),
);

/**
 * No alternative declares fields by pattern: when one fails, Ajv counts its fields as declared all the same, so a
 * generated validator would accept what the schema refuses.
 */
export function lintBranches({ protocol, files }: LintInput): Finding[] {
  return schemasOf(protocol).flatMap(({ schema, at }) => {
    const source = files.find((file) => file.source.file === at.file)?.source;
    const found: Finding[] = [];
    const declaresByPattern = (part: JsonObject): boolean =>
      declaredPatterns(describeFamily(part, protocol.definitions, at)).length > 0;
    walk(schema, (part, pointer, keyword = "") => {
      if (ALTERNATIVES.has(keyword) && declaresByPattern(part))
        found.push(
          errorFinding(
            "keyword-unsupported",
            `The keyword patternProperties cannot be used in a part of ${keyword}: that part may fail while the whole holds.`,
            source?.locate(at.pointer + pointer) ?? at,
            "Put it beside the alternatives, or give the alternative an object of its own in a field.",
          ),
        );
    });
    return found;
  });
}

function schemasOf({ envelope, events, resources, definitions }: Protocol) {
  return [
    envelope,
    ...events.map(({ payload, at }) => ({ schema: payload, at })),
    ...resources,
    ...Object.values(definitions),
  ];
}

/** Finds schemas with which validators would take for ever. */
import { createErrorFinding, type Finding } from "../../finding.js";
import { createAppliedSchemaCounter } from "../../schema/applied-schemas.js";
import { findTarget } from "../../schema/reference.js";
import { type LintInput, listRootSchemas, locateInFiles } from "./input.js";

/** The greatest number of schemas that may apply to one value. A validator takes about 10 ms for as many. */
const MAX_APPLIED_SCHEMAS = 1_000_000;

/**
 * Reports a schema that applies too many schemas to one value, a definition if there is one. Others that refer to it would be
 * reported, too.
 */
export function lintAppliedSchemas(input: LintInput): Finding[] {
  const { definitions } = input.protocol;
  const count = createAppliedSchemaCounter("protocol", (schema) => {
    const target = findTarget(schema, definitions);
    return target ? [target.schema] : [];
  });
  const excessive = listRootSchemas(input.protocol)
    .reverse()
    .find(({ schema }) => count(schema) > MAX_APPLIED_SCHEMAS);
  return excessive === undefined
    ? []
    : [
        createErrorFinding(
          "alternatives-excessive",
          `A validator would apply more than ${MAX_APPLIED_SCHEMAS} schemas to one value.`,
          locateInFiles(input, excessive.at),
          "Refer to each definition once, and merge equal alternatives.",
        ),
      ];
}

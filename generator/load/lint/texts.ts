import { errorFinding, type Finding } from "../../finding.js";
import { isObject, type Json, join } from "../../json.js";
import { listSchemas } from "../../schema/read-files.js";
import type { Source } from "../../source/source.js";
import type { LintInput } from "./input.js";

const isText = (value: Json | undefined): boolean => typeof value === "string" && value.trim() !== "";

/** Keywords that schemas must have, each with its rule. Only events must state their stability. */
const REQUIRED = [
  ["title", "title-missing"],
  ["description", "description-missing"],
  ["x-stability", "stability-missing"],
] as const;

/** Reports schemas without title or description, events without stability, and fields without description. */
export function lintTexts({ files }: Pick<LintInput, "files">): Finding[] {
  const findings: Finding[] = [];
  for (const { kind, name, source } of files) {
    const document = isObject(source.document) ? source.document : {};
    const what = kind === "event" ? `The event ${name}` : `The ${kind} schema`;
    for (const [keyword, rule] of kind === "shared" ? [] : REQUIRED)
      if (!isText(document[keyword]) && (keyword !== "x-stability" || kind === "event"))
        findings.push(errorFinding(rule, `${what} has no ${keyword}.`, source.locate("")));
    findings.push(...lintFieldDescriptions(source));
  }
  return findings;
}

function lintFieldDescriptions(source: Source): Finding[] {
  const findings: Finding[] = [];
  for (const { schema, pointer, keyword } of listSchemas(source)) {
    if (
      keyword === "x-writer" ||
      !isObject(schema.properties) ||
      /\/(if|not|then|else|anyOf|allOf|oneOf)\//.test(`${pointer}/`)
    )
      continue;
    for (const [name, field] of Object.entries(schema.properties)) {
      if (isObject(field) && (isText(field.description) || typeof field.$ref === "string")) continue;
      findings.push({
        ...errorFinding(
          "description-missing",
          `The field ${JSON.stringify(name)} has no description.`,
          source.locateKey(join(pointer, "properties", name)),
        ),
        severity: "warning",
      });
    }
  }
  return findings;
}

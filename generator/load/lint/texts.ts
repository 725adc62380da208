import { createErrorFinding, type Finding } from "../../finding.js";
import { isObject, type Json, joinPointer } from "../../json.js";
import { listSchemas } from "../../schema/read-files.js";
import type { Source } from "../../source/source.js";
import type { SchemaFile } from "../folder.js";
import type { LintInput } from "./input.js";

const isText = (value: Json | undefined): boolean => typeof value === "string" && value.trim() !== "";

/** The keywords that schemas must have, each with its rule and the kinds of files that need it. A shared file needs none. */
const REQUIRED_KEYWORDS = [
  { keyword: "title", rule: "title-missing", kinds: ["envelope", "event", "resource"] },
  { keyword: "description", rule: "description-missing", kinds: ["envelope", "event", "resource"] },
  { keyword: "x-stability", rule: "stability-missing", kinds: ["event"] },
] as const satisfies readonly { kinds: readonly SchemaFile["kind"][]; [member: string]: unknown }[];

/** Reports schemas and fields without the texts that they must have. */
export function lintTexts({ files }: Pick<LintInput, "files">): Finding[] {
  const findings: Finding[] = [];
  for (const { kind, name, source } of files) {
    const document = isObject(source.document) ? source.document : {};
    const subject = kind === "event" ? `The event ${name}` : `The ${kind} schema`;
    for (const { keyword, rule, kinds } of REQUIRED_KEYWORDS) {
      const isRequired = kinds.some((each) => each === kind);
      if (isRequired && !isText(document[keyword]))
        findings.push(createErrorFinding(rule, `${subject} has no ${keyword}.`, source.locate("")));
    }
    findings.push(...lintFieldDescriptions(source));
  }
  return findings;
}

/** Reports fields without description. Branches and `x-writer` mostly restrict fields that are described elsewhere. */
function lintFieldDescriptions(source: Source): Finding[] {
  const findings: Finding[] = [];
  for (const { schema, pointer, keyword } of listSchemas(source)) {
    if (!isObject(schema.properties) || keyword === "x-writer" || isInsideBranch(pointer)) continue;
    for (const [name, field] of Object.entries(schema.properties)) {
      if (isObject(field) && (isText(field.description) || typeof field.$ref === "string")) continue;
      findings.push({
        rule: "description-missing",
        severity: "warning",
        message: `The field ${JSON.stringify(name)} has no description.`,
        at: source.locateKey(joinPointer(pointer, "properties", name)),
      });
    }
  }
  return findings;
}

/** Returns whether a schema is inside of a condition or an alternative. */
function isInsideBranch(pointer: string): boolean {
  return /\/(if|not|then|else|anyOf|allOf|oneOf)\//.test(`${pointer}/`);
}

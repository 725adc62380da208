/** Declares fields that somebody else's schemas require and do not declare, so that the rest of them can be compared. */
import type { Finding } from "../finding.js";
import { getOwn, getValueAtPointer, isObject, type Json, joinPointer, splitPointer } from "../json.js";

interface FileContent {
  readonly path: string;
  readonly content: string;
}

/** The rule of lint about fields that are required and not declared. No event can be sent with such a schema. */
const RULE = "required-undeclared";

/**
 * Returns the files with a declaration of any value for each field that the findings report as required and not declared.
 * Returns undefined if they report no such field, or another error.
 */
export function declareRequiredFields(
  files: readonly FileContent[],
  findings: readonly Finding[],
): FileContent[] | undefined {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0 || errors.some(({ rule }) => rule !== RULE)) return undefined;
  const documents = new Map<string, Json>();
  for (const { file, pointer } of errors.map(({ at }) => at)) {
    const source = files.find(({ path }) => path === file);
    if (source === undefined) return undefined;
    const document = documents.get(file) ?? JSON.parse(source.content);
    documents.set(file, document);
    declareField(document, pointer);
  }
  return files.map((each) => {
    const document = documents.get(each.path);
    return document === undefined ? each : { ...each, content: JSON.stringify(document, undefined, 2) };
  });
}

/** Declares the field that is named at a pointer into the list `required` of a schema. */
function declareField(document: Json, pointer: string): void {
  const holder = getValueAtPointer(document, joinPointer("", ...splitPointer(pointer).slice(0, -2)));
  const name = getValueAtPointer(document, pointer);
  if (!isObject(holder) || typeof name !== "string") return;
  const properties = getOwn(holder, "properties");
  Object.assign(holder, { properties: { ...(isObject(properties) && properties), [name]: true } });
}

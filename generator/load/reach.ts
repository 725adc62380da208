import { errorFinding, type Finding } from "../finding.js";
import type { Files } from "./files.js";
import type { SchemaFile } from "./folder.js";
import { resolve } from "./references.js";
import { schemasIn } from "./schemas-in.js";

/**
 * Follows every reference of `schemas`, those of unused definitions too. A finding for each that leads to no schema;
 * `beyond` are the files outside of the protocol's folder that are reached.
 */
export function followReferences(
  files: Files,
  schemas: readonly SchemaFile[],
): { beyond: SchemaFile[]; findings: Finding[] } {
  const known = new Set(schemas.map(({ relative }) => relative));
  const beyond: SchemaFile[] = [];
  const findings: Finding[] = [];
  const follow = ({ relative, source }: SchemaFile): void => {
    for (const { schema, pointer } of schemasIn(source)) {
      const { $ref } = schema;
      if (typeof $ref !== "string") continue;
      const target = resolve(files, $ref, relative, source);
      if ("rule" in target) {
        const { rule, message, hint } = target;
        findings.push(errorFinding(rule, message, source.locate(`${pointer}/$ref`), hint));
      } else if (!known.has(target.relative)) {
        known.add(target.relative);
        beyond.push({ kind: "shared", name: target.relative, ...target });
      }
    }
  };
  for (const file of schemas) follow(file);
  // Grows while it is walked.
  for (const file of beyond) follow(file);
  return { beyond, findings };
}

import { createErrorFinding, type Finding, type Location } from "../../finding.js";
import { getOwn, type JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { EXACT_KEYWORDS, filterKeywords } from "../../schema/keywords.js";
import { readListedValues } from "../../schema/listed-values.js";
import { type LocatedSchema, listSchemas } from "../../schema/read-files.js";
import { findTarget, getTargetName } from "../../schema/reference.js";
import { collectDefinitionsBelow, walk } from "../../schema/walk.js";
import { findRootSchemasWith, type LintInput, locateInFiles } from "./input.js";

/** Keywords that negate or test a schema. Below them, the targets of references are checked, too. */
const CONDITIONS = filterKeywords(({ facet, subject, monotone }) => {
  return facet === "conditions" && subject === "same value" && monotone === false;
});

/** Reports extensible enums below keywords whose schemas are the same in both readings: every value would be allowed. */
export function lintKnownValues(input: LintInput): Finding[] {
  const { files, protocol } = input;
  const findings = files.flatMap(({ source }) =>
    findSchemasBelow(listSchemas(source), EXACT_KEYWORDS).flatMap(({ schema, pointer, holder }) =>
      findOpenLists(schema).map(({ keyword }) =>
        createFinding(holder, source.locateKey(`${pointer}/${keyword}`), keyword),
      ),
    ),
  );
  const findingsAtReferences = findRootSchemasWith(CONDITIONS, input).flatMap(({ schema: root, at }) => {
    const schemas: PlacedSchema[] = [];
    walk(root, (schema, pointer, keyword) => schemas.push({ schema, pointer, keyword }));
    return findSchemasBelow(schemas, CONDITIONS).flatMap(({ schema, pointer, holder }) => {
      const [list] = findOpenListsBehind(schema, protocol);
      if (list === undefined) return [];
      const reference = { ...at, pointer: `${at.pointer}${pointer}/$ref` };
      return [createFinding(holder, locateInFiles(input, reference, "name"), list.keyword)];
    });
  });
  const byPlace = new Map(
    [...findings, ...findingsAtReferences].map((finding) => [
      `${finding.at.file}#${finding.at.pointer}`,
      finding,
    ]),
  );
  return [...byPlace.values()];
}

type PlacedSchema = Omit<LocatedSchema, "parts">;

/** Returns the schemas below one of `keywords`, each with this keyword as its holder. */
function findSchemasBelow(
  schemas: readonly PlacedSchema[],
  keywords: ReadonlySet<string>,
): (PlacedSchema & { readonly holder: string })[] {
  const roots = schemas.filter(({ keyword }) => keyword !== undefined && keywords.has(keyword));
  if (roots.length === 0) return [];
  return schemas.flatMap((located) => {
    const root = roots.find(({ pointer }) => `${located.pointer}/`.startsWith(`${pointer}/`));
    return root?.keyword === undefined ? [] : [{ ...located, holder: root.keyword }];
  });
}

function findOpenLists(schema: JsonObject) {
  return readListedValues(schema).filter(({ isOpen }) => isOpen);
}

/** Returns the extensible enums of the definition that `schema` refers to, and of all that it refers to in turn. */
function findOpenListsBehind(schema: JsonObject, { definitions }: Protocol) {
  const name = getTargetName(schema);
  if (name === undefined || !findTarget(schema, definitions)) return [];
  const lists: ReturnType<typeof readListedValues> = [];
  for (const each of new Set([name, ...collectDefinitionsBelow(name, definitions)]))
    walk(getOwn(definitions, each)?.schema ?? true, (part) => lists.push(...findOpenLists(part)));
  return lists;
}

function createFinding(holder: string, at: Location, keyword: string): Finding {
  return createErrorFinding(
    "keyword-unsupported",
    `The keyword ${keyword} has no effect below ${holder}: both readings accept every value of its type there.`,
    at,
    "Use enum there, with exactly the values that are meant.",
  );
}

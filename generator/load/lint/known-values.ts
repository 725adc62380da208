import { errorFinding, type Finding, type Location } from "../../finding.js";
import { type JsonObject, own } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { EXACT, keywordsWhere } from "../../schema/keywords.js";
import { listedValues } from "../../schema/listed-values.js";
import { schemasIn } from "../../schema/read-files.js";
import { targetName, targetOf } from "../../schema/reference.js";
import { definitionsBelow, walk } from "../../schema/walk.js";
import { type LintInput, locateIn, rootSchemas } from "./input.js";

/** Keywords that negate or test a schema. Below them, definitions behind a reference are checked, too. */
const CONDITIONS = keywordsWhere(({ facet, subject, monotone }) => {
  return facet === "conditions" && subject === "same value" && monotone === false;
});

/** Reports extensible enums below keywords whose schemas both readings take as they are: every value would be allowed. */
export function lintKnownValues(input: LintInput): Finding[] {
  const { files, protocol } = input;
  const direct = files.flatMap(({ source }) =>
    schemasBelow(schemasIn(source), EXACT).flatMap(({ schema, pointer, holder }) =>
      openLists(schema).map(({ keyword }) =>
        createFinding(holder, source.locateKey(`${pointer}/${keyword}`), keyword),
      ),
    ),
  );
  const referred = rootSchemas(protocol).flatMap(({ schema: root, at }) => {
    const schemas: Place[] = [];
    walk(root, (schema, pointer, keyword) => schemas.push({ schema, pointer, keyword }));
    return schemasBelow(schemas, CONDITIONS).flatMap(({ schema, pointer, holder }) => {
      const place = { ...at, pointer: `${at.pointer}${pointer}/$ref` };
      return openListsBehind(schema, protocol)
        .slice(0, 1)
        .map(({ keyword }) => createFinding(holder, locateIn(input, place, "name"), keyword));
    });
  });
  const found = [...direct, ...referred];
  return [...new Map(found.map((finding) => [`${finding.at.file}#${finding.at.pointer}`, finding])).values()];
}

interface Place {
  readonly schema: JsonObject;
  readonly pointer: string;
  readonly keyword: string | undefined;
}

/** Returns the schemas below one of `keywords`, each with this keyword as its holder. */
function schemasBelow(
  schemas: readonly Place[],
  keywords: ReadonlySet<string>,
): (Place & { readonly holder: string })[] {
  const roots = schemas.filter(({ keyword }) => keyword !== undefined && keywords.has(keyword));
  return schemas.flatMap((place) => {
    const root = roots.find(({ pointer }) => `${place.pointer}/`.startsWith(`${pointer}/`));
    return root?.keyword === undefined ? [] : [{ ...place, holder: root.keyword }];
  });
}

function openLists(schema: JsonObject) {
  return listedValues(schema).filter(({ isOpen }) => isOpen);
}

/** Returns the extensible enums of the definition that `schema` refers to, and of all that it refers to in turn. */
function openListsBehind(schema: JsonObject, { definitions }: Protocol) {
  const name = targetName(schema);
  if (name === undefined || !targetOf(schema, definitions)) return [];
  const lists: ReturnType<typeof listedValues> = [];
  for (const each of new Set([name, ...definitionsBelow(name, definitions)]))
    walk(own(definitions, each)?.schema ?? true, (part) => lists.push(...openLists(part)));
  return lists;
}

function createFinding(holder: string, at: Location, keyword: string): Finding {
  return errorFinding(
    "keyword-unsupported",
    `The keyword ${keyword} has no effect below ${holder}: both readings accept every value of its type there.`,
    at,
    "Use enum there, with exactly the values that are meant.",
  );
}

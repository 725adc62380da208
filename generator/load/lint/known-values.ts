import { errorFinding, type Finding } from "../../finding.js";
import type { JsonObject } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { EXACT, keywordsWhere } from "../../schema/keywords.js";
import { schemasIn } from "../../schema/read-files.js";
import { targetName, targetOf } from "../../schema/reference.js";
import { walk } from "../../schema/walk.js";
import type { LintInput } from "./input.js";

/** Those that negate a schema or test it, so that definitions behind a reference are checked there as well. */
const CONDITIONS = keywordsWhere(({ facet, subject, monotone }) => {
  return facet === "conditions" && subject === "same value" && monotone === false;
});

/** Reports extensible enums below keywords whose schemas both readings take as they stand: every value would be allowed. */
export function lintKnownValues({ files, protocol }: LintInput): Finding[] {
  const direct = files.flatMap(({ source }) => {
    const schemas = schemasIn(source);
    return below(schemas, EXACT)
      .filter(({ schema }) => Object.hasOwn(schema, "x-extensible-enum"))
      .map(({ pointer, holder }) => fault(holder, source.locateKey(`${pointer}/x-extensible-enum`)));
  });
  const referred = rootsOf(protocol).flatMap(({ schema: root, at }) => {
    const source = files.find((file) => file.source.file === at.file)?.source;
    const schemas: Place[] = [];
    walk(root, (schema, pointer, keyword) => schemas.push({ schema, pointer, keyword }));
    return below(schemas, CONDITIONS)
      .filter(({ schema }) => leadsToKnownValues(schema, protocol))
      .map(({ pointer, holder }) => fault(holder, source?.locateKey(`${at.pointer}${pointer}/$ref`) ?? at));
  });
  const found = [...direct, ...referred];
  return [...new Map(found.map((finding) => [`${finding.at.file}#${finding.at.pointer}`, finding])).values()];
}

interface Place {
  readonly schema: JsonObject;
  readonly pointer: string;
  readonly keyword: string | undefined;
}

/** The schemas that stand below one of `keywords`, each with the keyword. */
function below(schemas: readonly Place[], keywords: ReadonlySet<string>): (Place & { holder: string })[] {
  const roots = schemas.filter(({ keyword }) => keyword !== undefined && keywords.has(keyword));
  return schemas.flatMap((place) => {
    const root = roots.find(({ pointer }) => `${place.pointer}/`.startsWith(`${pointer}/`));
    return root?.keyword === undefined ? [] : [{ ...place, holder: root.keyword }];
  });
}

function rootsOf({ envelope, events, resources, definitions }: Protocol) {
  return [
    envelope,
    ...events.map(({ payload, at }) => ({ schema: payload, at })),
    ...resources,
    ...Object.values(definitions),
  ];
}

/** Whether the definition that `schema` refers to has an extensible enum, itself or by further references. */
function leadsToKnownValues(schema: JsonObject, { definitions }: Protocol): boolean {
  const entered = new Set<string>();
  const leads = (from: JsonObject): boolean => {
    const [name, target] = [targetName(from), targetOf(from, definitions)];
    if (name === undefined || !target || entered.has(name)) return false;
    entered.add(name);
    let found = false;
    walk(target.schema, (part) => {
      found ||= Object.hasOwn(part, "x-extensible-enum") || leads(part);
    });
    return found;
  };
  return leads(schema);
}

function fault(holder: string, at: Finding["at"]): Finding {
  return errorFinding(
    "keyword-unsupported",
    `The keyword x-extensible-enum has no effect below ${holder}: both readings accept every value of its type there.`,
    at,
    "Use enum there, with exactly the values that are meant.",
  );
}

/** Lists the schemas of a draft with their places, so that mutations can change or replace them. */
import { isObject, type Json } from "../../../generator/json.js";
import { type Draft, MANIFEST, SHARED } from "./protocol-files.js";

/** A schema that mutations change in place. */
// biome-ignore lint/suspicious/noExplicitAny: mutations check the keywords that they change
export type Editable = { [keyword: string]: any };

/** A schema in a draft, with its place and its kind. */
export interface Place {
  readonly file: string;
  readonly pointer: string;
  readonly schema: Editable;
  readonly kind: "root" | "field" | "item" | "branch" | "definition" | "other";
  /** True if the schema or one around it has a label. */
  readonly isLabelled: boolean;
  /** Replaces the schema. */
  readonly replace: (schema: Json) => void;
}

/** Returns true if a field or the items of a schema have a label. */
export function hasLabel({ properties, items }: Editable): boolean {
  const below: unknown[] = [...Object.values(properties ?? {}), items];
  return below.some((each) => isObject(each as Json) && "x-stability" in (each as Editable));
}

/** Returns every schema of a draft. */
export function listSchemaPlaces(draft: Draft): Place[] {
  return Object.entries(draft).flatMap(([file, document]) => {
    if (file === MANIFEST) return [];
    if (file !== SHARED)
      return [...walk({ file, pointer: "", schema: document, kind: "root" }, false, () => {})];
    const definitions: Editable = document.$defs;
    return Object.entries(definitions).flatMap(([name, schema]) => {
      const replace = (value: Json) => {
        definitions[name] = value;
      };
      return [...walk({ file, pointer: `/$defs/${name}`, schema, kind: "definition" }, false, replace)];
    });
  });
}

const KINDS: { readonly [keyword: string]: Place["kind"] } = {
  properties: "field",
  items: "item",
  prefixItems: "item",
  additionalProperties: "item",
  allOf: "branch",
  anyOf: "branch",
  oneOf: "branch",
  then: "branch",
  else: "branch",
  dependentSchemas: "branch",
  patternProperties: "item",
  "x-writer": "other",
  not: "other",
  if: "other",
  contains: "other",
  propertyNames: "other",
};

const MAPS = ["properties", "patternProperties", "dependentSchemas"];

function* walk(
  here: Pick<Place, "file" | "pointer" | "schema" | "kind">,
  around: boolean,
  replace: (schema: Json) => void,
): Generator<Place> {
  const { file, pointer, schema, kind } = here;
  if (!isObject(schema as Json)) return;
  const isLabelled = around || (kind !== "root" && schema["x-stability"] !== undefined);
  yield { ...here, isLabelled, replace };
  for (const [keyword, value] of Object.entries(schema)) {
    const below = KINDS[keyword];
    if (below === undefined || typeof value !== "object" || value === null) continue;
    const isSchema = !Array.isArray(value) && !MAPS.includes(keyword);
    const members: [string, Editable][] = isSchema ? [["", value]] : Object.entries(value);
    for (const [key, member] of members) {
      const at = `${pointer}/${keyword}${isSchema ? "" : `/${key}`}`;
      const put = (changed: Json) => {
        if (isSchema) schema[keyword] = changed;
        else value[key] = changed;
      };
      yield* walk({ file, pointer: at, schema: member, kind: below }, isLabelled, put);
    }
  }
}

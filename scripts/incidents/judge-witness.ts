/** Judges witnesses by the schemas as they were published, without the readings and the engine of accrete. */
import "@hyperjump/json-schema/draft-04";
import "@hyperjump/json-schema/draft-06";
import "@hyperjump/json-schema/draft-07";
import "@hyperjump/json-schema/draft-2019-09";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { registerSchema, type SchemaObject, validate } from "@hyperjump/json-schema/draft-2020-12";
import { Ajv, type AnySchema } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";

/**
 * How the schemas of two versions differ about a value:
 * - `published`: as published, one accepts the value and the other refuses it.
 * - `closed`: both accept it, and the later one refuses it if its objects may have only the fields that they list.
 * - `opened`: both accept it, and the earlier one refuses it if its objects may have any other fields.
 * - `format`: they differ only if formats are asserted, as accrete does for the formats that it knows.
 * - `union`: one version lacks the event type, and its union refuses the event that the other union accepts.
 * - `refuted`: they do not differ.
 */
export type Judgement = "published" | "closed" | "opened" | "format" | "union" | "refuted";

/** The published files of one version, by their paths in the package. */
export type PublishedFiles = ReadonlyMap<string, JsonObject>;

/** A part of a published file. */
export interface PublishedPlace {
  readonly file: string;
  readonly pointer: string;
}

type Accepts = (value: Json) => Promise<boolean>;

/** Creates tests of the parts of one version, each as published, with closed objects, and with open objects. */
export interface VersionTests {
  readonly published: (at: PublishedPlace) => Accepts;
  readonly closed: (at: PublishedPlace) => Accepts;
  readonly opened: (at: PublishedPlace) => Accepts;
  /** Asserts formats, by Ajv alone. */
  readonly withFormats: (at: PublishedPlace) => Accepts;
}

const DIALECT_2020 = "https://json-schema.org/draft/2020-12/schema";
let registeredVersions = 0;

/** Judges whether a value shows a break between two versions, in either direction. */
export async function judgeWitness(
  value: Json,
  before: { readonly tests: VersionTests; readonly at: PublishedPlace },
  after: { readonly tests: VersionTests; readonly at: PublishedPlace },
): Promise<Judgement> {
  const isAcceptedBefore = await before.tests.published(before.at)(value);
  const isAcceptedAfter = await after.tests.published(after.at)(value);
  if (isAcceptedBefore !== isAcceptedAfter) return "published";
  if (isAcceptedBefore && !(await after.tests.closed(after.at)(value))) return "closed";
  if (isAcceptedAfter && !(await before.tests.opened(before.at)(value))) return "opened";
  const fitsBefore = await before.tests.withFormats(before.at)(value);
  return fitsBefore === (await after.tests.withFormats(after.at)(value)) ? "refuted" : "format";
}

/** Creates the tests of a version. */
export function createVersionTests(files: PublishedFiles): VersionTests {
  const mapFiles = (map: (schema: Json) => Json): PublishedFiles =>
    new Map([...files].map(([file, schema]) => [file, map(schema) as JsonObject]));
  return {
    published: createTests(files),
    closed: createTests(mapFiles((schema) => closeObjects(schema))),
    opened: createTests(mapFiles(openObjects)),
    withFormats: createFormatTests(files),
  };
}

/** Creates tests with Ajv that assert formats. */
function createFormatTests(files: PublishedFiles): (at: PublishedPlace) => Accepts {
  const ajv = createAjv(readDialect(files), true);
  for (const [name, schema] of files) ajv.addSchema(dropIds(schema) as AnySchema, name);
  return ({ file, pointer }) => {
    const check = ajv.compile({ $ref: `${file}#${encodeURI(pointer)}` });
    return async (value) => check(value);
  };
}

function readDialect(files: PublishedFiles): string {
  const [first] = files.values();
  return String(first?.$schema ?? DIALECT_2020).replace(/#$/, "");
}

function createAjv(dialect: string, validateFormats: boolean): Ajv | Ajv2020 {
  const options = { strict: false, validateSchema: false, validateFormats, logger: false } as const;
  const ajv = dialect === DIALECT_2020 ? new Ajv2020(options) : new Ajv(options);
  if (validateFormats) addFormats.default(ajv);
  return ajv;
}

/** Creates tests with Ajv and hyperjump. A test throws if the two differ. */
function createTests(files: PublishedFiles): (at: PublishedPlace) => Accepts {
  const base = `https://incidents.invalid/${registeredVersions++}/`;
  const dialect = readDialect(files);
  // Validators differ about formats such as uri, so only the other keywords count.
  const ajv = createAjv(dialect, false);
  for (const [name, schema] of files) {
    ajv.addSchema(dropIds(schema) as AnySchema, base + name);
    registerSchema(dropIds(schema) as SchemaObject, base + name, dialect);
  }
  const compiled = new Map<string, Accepts>();
  return ({ file, pointer }) => {
    const uri = `${base}${file}#${encodeURI(pointer)}`;
    const accepts = compiled.get(uri) ?? compileBoth(ajv, uri);
    compiled.set(uri, accepts);
    return accepts;
  };
}

function compileBoth(ajv: Ajv | Ajv2020, uri: string): Accepts {
  const check = ajv.compile({ $ref: uri });
  const otherCheck = validate(uri);
  return async (value) => {
    const accepted = check(value);
    const checkAgain = await otherCheck;
    if (checkAgain(value as Parameters<typeof checkAgain>[0]).valid !== accepted)
      throw new Error(`Ajv and hyperjump differ about ${JSON.stringify(value)}`);
    return accepted;
  };
}

/** Drops the ids of a document, so that references are relative to its path. A root `$ref` would hide the definitions beside it. */
function dropIds({ $id, id: _oldId, $schema: _dialect, $ref, ...rest }: JsonObject): JsonObject {
  const relative =
    typeof $id === "string" && URL.canParse($id) ? relativizeIds(rest, new URL(".", $id).href) : rest;
  return $ref === undefined ? relative : { ...relative, allOf: [{ $ref }] };
}

/** Makes the ids of the parts of a document relative to its path, as its own id was. */
function relativizeIds(document: JsonObject, folder: string): JsonObject {
  return mapSchema(document, false, (each) =>
    typeof each.$id === "string" && each.$id.startsWith(folder)
      ? { ...each, $id: each.$id.slice(folder.length) }
      : each,
  ) as JsonObject;
}

/** Returns the schema with `additionalProperties: false` in each object that lists its fields outside of combinations. */
function closeObjects(schema: Json, isCombined = false): Json {
  return mapSchema(schema, isCombined, (each, combined) => {
    const isOpen = ["additionalProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "$ref"].every(
      (keyword) => !Object.hasOwn(each, keyword),
    );
    return isObject(each.properties) && isOpen && !combined ? { ...each, additionalProperties: false } : each;
  });
}

/** Returns the schema without `additionalProperties: false` and `unevaluatedProperties: false`. */
function openObjects(schema: Json): Json {
  return mapSchema(schema, false, (each) =>
    Object.fromEntries(
      Object.entries(each).filter(
        ([name, value]) => !/^(additional|unevaluated)Properties$/.test(name) || value !== false,
      ),
    ),
  );
}

/** Maps every object below a schema. The members of `properties` are schemas, and `properties` itself is not one. */
function mapSchema(
  value: Json,
  isCombined: boolean,
  map: (schema: JsonObject, isCombined: boolean) => JsonObject,
): Json {
  if (Array.isArray(value)) return value.map((item) => mapSchema(item, isCombined, map));
  if (!isObject(value)) return value;
  const copy = Object.entries(value).map(([keyword, part]): [string, Json] => {
    if (/^(properties|patternProperties|definitions|\$defs)$/.test(keyword) && isObject(part))
      return [
        keyword,
        Object.fromEntries(
          Object.entries(part).map(([name, schema]) => [name, mapSchema(schema, false, map)]),
        ),
      ];
    if (/^(const|enum|default|examples|required)$/.test(keyword)) return [keyword, part];
    return [keyword, mapSchema(part, keyword === "allOf", map)];
  });
  return map(Object.fromEntries(copy), isCombined);
}

/** Reads a file, or all JSON files of a folder. A list of schemas becomes one file per schema. */
export function readPublishedFiles(fileOrFolder: string): PublishedFiles {
  const isFolder = statSync(fileOrFolder).isDirectory();
  const folder = isFolder ? fileOrFolder : path.dirname(fileOrFolder);
  const names = isFolder
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"))
    : [path.basename(fileOrFolder)];
  return new Map(
    names.flatMap((name): [string, JsonObject][] => {
      const document = JSON.parse(readFileSync(path.join(folder, name), "utf8")) as JsonObject | JsonObject[];
      return Array.isArray(document)
        ? document.map((schema, index): [string, JsonObject] => [`${name}/${index}`, schema])
        : [[name, document]];
    }),
  );
}

/** Fetches real packages through npm, and compares the verdicts on their examples before and after an import. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";
import { FORMATS } from "../../generator/schema/formats.js";

/** Fetches a package such as `@octokit/webhooks-schemas@7.6.1` and returns its folder below `root`; undefined if npm cannot fetch it. */
export function fetchPackage(root: string, spec: string): string | undefined {
  const folder = path.join(root, spec.replace(/[^\w.-]/g, "-"));
  mkdirSync(folder, { recursive: true });
  try {
    const options = { cwd: folder, encoding: "utf8", stdio: "pipe", timeout: 60_000 } as const;
    const tarball = execFileSync("npm", ["pack", "--silent", spec], options).trim();
    execFileSync("tar", ["xzf", tarball], options);
    return path.join(folder, "package");
  } catch {
    return undefined;
  }
}

/** Reads a JSON file. */
export function readJson(...parts: readonly string[]): Json {
  return JSON.parse(readFileSync(path.join(...parts), "utf8"));
}

/** Returns a function that tells whether the definition at `pointer` accepts a value, according to Ajv with our formats. */
export function compileOriginal(schema: JsonObject): (pointer: string, value: Json) => boolean {
  const options: Options = { strict: false, validateSchema: false, logger: false };
  const ajv = String(schema.$schema).includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
  for (const [name, { pattern }] of FORMATS) ajv.addFormat(name, pattern);
  const { $id: _id, ...nameless } = schema;
  ajv.addSchema(nameless, "original");
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, value) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `original#${pointer}` });
    compiled.set(pointer, validate);
    return validate(value);
  };
}

/** An event of GitHub as the examples have it. */
export interface Example {
  /** The name of the event, which no field of the payload holds. */
  readonly name: string;
  readonly payload: JsonObject;
}

/** Reads the examples of @octokit/webhooks-examples of all servers. */
export function readOctokitExamples(folder: string): Example[] {
  const servers = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return servers.flatMap(({ name: server }) => {
    const all = readJson(folder, server, "index.json") as unknown as {
      readonly name: string;
      readonly examples: readonly JsonObject[];
    }[];
    return all.flatMap(({ name, examples }) => examples.map((payload) => ({ name, payload })));
  });
}

/** Yields `value` and its variants, each with one change at most `depth` levels deep: a field is removed, added or replaced. */
export function* listVariants(value: Json, depth: number): Iterable<Json> {
  yield value;
  if (depth === 0) return;
  yield value === null ? { not: "null" } : null;
  if (Array.isArray(value))
    for (const [i, item] of value.slice(0, 2).entries())
      for (const other of listVariants(item, depth - 1)) yield value.with(i, other);
  if (!isObject(value)) return;
  yield { ...value, undeclared_field: true };
  for (const [name, below] of Object.entries(value)) {
    const { [name]: _left, ...rest } = value;
    yield rest;
    for (const other of listVariants(below, depth - 1))
      if (other !== below) yield { ...value, [name]: other };
  }
}

/** Counts of values by their verdicts before and after an import, and the values whose verdicts differ. */
export interface Agreement {
  /** Published or created values, without variants. */
  published: number;
  /** Published or created values that the original accepts. */
  valid: number;
  /** Values that the original accepts, variants included. */
  accepted: number;
  /** Values that the original refuses, variants included. */
  refused: number;
  /** Values that the original accepts and readers of the import refuse. There must be none. */
  lost: number;
  /** Values that the original accepts and writers may not send any more. */
  closed: number;
  /** Values on which the original and writers differ. */
  readonly differences: string[];
  /** Values that the original refuses and writers may send. There must be none. */
  readonly added: string[];
}

/** Creates an agreement without values. */
export function createAgreement(): Agreement {
  return { published: 0, valid: 0, accepted: 0, refused: 0, lost: 0, closed: 0, differences: [], added: [] };
}

/** Adds a value to `agreement`, with the verdicts of the original, and of writers and readers after the import. */
export function countVerdicts(
  agreement: Agreement,
  value: Json,
  verdicts: { readonly before: boolean; readonly writer: boolean; readonly reader: boolean },
): void {
  agreement[verdicts.before ? "accepted" : "refused"]++;
  if (verdicts.before && !verdicts.reader) agreement.lost++;
  if (verdicts.before === verdicts.writer) return;
  if (verdicts.before) agreement.closed++;
  const difference = `${verdicts.before} before, ${verdicts.writer} after: ${JSON.stringify(value).slice(0, 300)}`;
  if (agreement.differences.length < 20) agreement.differences.push(difference);
  if (!verdicts.before && agreement.added.length < 20) agreement.added.push(difference);
}

/** Compares the verdicts on all examples of GitHub and on their variants, which have a change at most `depth` levels deep. */
export function compareOctokit(
  schema: JsonObject,
  examples: readonly Example[],
  after: {
    readonly [profile in "writer" | "reader"]: (type: string) => ((event: JsonObject) => boolean) | undefined;
  },
  depth: number,
): Agreement {
  const before = compileOriginal(schema);
  const definitions = schema.definitions as JsonObject;
  const agreement = createAgreement();
  for (const { name, payload } of examples) {
    const definition = [`${name}_event`, `${name}$event`].find((each) => Object.hasOwn(definitions, each));
    if (definition === undefined) continue;
    for (const other of listVariants(payload, depth)) {
      const action = isObject(other) ? other.action : undefined;
      const accepts = (profile: "writer" | "reader"): boolean => {
        const type = [`${name}.${action}`, name].find((each) => after[profile](each)) ?? "";
        return after[profile](type)?.({ type, payload: other }) ?? false;
      };
      const accepted = before(`/definitions/${definition}`, other);
      if (other === payload) {
        agreement.published++;
        if (accepted) agreement.valid++;
      }
      countVerdicts(agreement, other, {
        before: accepted,
        writer: accepts("writer"),
        reader: accepts("reader"),
      });
    }
  }
  return agreement;
}

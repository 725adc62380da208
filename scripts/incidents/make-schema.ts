/** Makes the schema of the events of a package that publishes them as types of TypeScript or as schemas of zod. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  createFormatter,
  createParser,
  createProgram,
  DEFAULT_CONFIG,
  type Definition,
  IntersectionType,
  SchemaGenerator,
  type SubTypeFormatter,
  type TypeFormatter,
} from "ts-json-schema-generator";
import { MADE_SCHEMA, MADE_UNION, type SchemaPackage } from "./packages.js";

type TypeSource = Extract<SchemaPackage["source"], { type: string }>;

/** Makes the schema of the events of a package. Returns false if the version does not have them, or no tool can make it. */
export function makeSchema(source: NonNullable<SchemaPackage["source"]>, folder: string): boolean {
  try {
    if ("type" in source) {
      writeFileSync(path.join(folder, MADE_SCHEMA), makeSchemaOfType(source, folder));
    } else {
      const module = source.modules.find((each) => existsSync(path.join(folder, each)));
      if (module === undefined) return false;
      installZod(folder);
      writeFileSync(path.join(folder, "made.mjs"), createZodProgram(module, source.union));
      execFileSync(process.execPath, ["made.mjs"], { cwd: folder, stdio: "pipe" });
    }
    return true;
  } catch (error) {
    const {
      stdout = "",
      stderr = "",
      message = "",
    } = error as Error & { stdout?: unknown; stderr?: unknown };
    console.error(`no schema of ${folder}: ${`${message}${stdout}${stderr}`.slice(0, 300)}`);
    return false;
  }
}

/** Returns the schema of a type of TypeScript as JSON. */
function makeSchemaOfType({ module, type }: TypeSource, folder: string): string {
  const compilerOptions = { strict: true, module: "nodenext", target: "es2022", skipLibCheck: true };
  const tsconfig = path.join(folder, "tsconfig.json");
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions }));
  const file = path.join(folder, "made.ts");
  const code = `import type { ${type} as Union } from "./${module}";\nexport type ${MADE_UNION} = Union;\n`;
  writeFileSync(file, code);
  const options = { path: file, tsconfig, type: MADE_UNION, skipTypeCheck: true, additionalProperties: true };
  const config = { ...DEFAULT_CONFIG, ...options };
  const program = createProgram(config);
  const formatter = createFormatter(config, (chain, child) => {
    chain.addTypeFormatter(new AllOfFormatter(child));
  });
  const generator = new SchemaGenerator(program, createParser(program, config), formatter, config);
  const schema = generator.createSchema(MADE_UNION);
  // A type that the version does not have is taken for any.
  if (Object.keys(schema.definitions?.[MADE_UNION] ?? {}).length === 0) throw new Error(`no type ${type}`);
  return JSON.stringify(schema, keepOpen);
}

/** Leaves out `additionalProperties: false`, which the generator writes for some types. Objects of TypeScript may have other members. */
function keepOpen(key: string, value: unknown): unknown {
  return key === "additionalProperties" && value === false ? undefined : value;
}

/** Writes intersections as allOf. The generator itself keeps one of several members of the same name. */
class AllOfFormatter implements SubTypeFormatter {
  readonly #child: TypeFormatter;

  constructor(child: TypeFormatter) {
    this.#child = child;
  }

  supportsType(type: object): boolean {
    return type instanceof IntersectionType;
  }

  getDefinition(type: IntersectionType): Definition {
    return { allOf: type.getTypes().map((each) => this.#child.getDefinition(each)) };
  }

  getChildren(type: IntersectionType) {
    return type.getTypes().flatMap((each) => this.#child.getChildren(each));
  }
}

/** Installs the version of zod that a package depends on. Its other dependencies are left out. */
function installZod(folder: string): void {
  const manifest = path.join(folder, "package.json");
  const { dependencies, peerDependencies, type } = JSON.parse(readFileSync(manifest, "utf8"));
  const zod = dependencies?.zod ?? peerDependencies?.zod;
  const needed = { zod, "zod-to-json-schema": "3.25.1" };
  writeFileSync(manifest, JSON.stringify({ type, dependencies: needed }));
  const install = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", install, { cwd: folder, stdio: "pipe" });
}

/**
 * Returns a program that writes the schema of a union, which was made with zod 3 or with zod 4. Objects that let other
 * fields pass are left open without a statement: their readers keep such fields, and writers were not promised any. A
 * check in code has no schema; it is asked which types of JSON it lets pass.
 */
function createZodProgram(module: string, union: string): string {
  return `import { writeFileSync } from "node:fs";
import { ${union} as union } from "./${module}";
const isNew = "_zod" in union;
const samples = { null: null, boolean: true, number: 0, string: "", array: [], object: {} };
const override = ({ zodSchema, jsonSchema }) => {
  const { type, checks = [] } = zodSchema._zod.def;
  if (type !== "custom" && !(type === "any" && checks.length > 0)) return;
  const passing = Object.keys(samples).filter((name) => zodSchema.safeParse(samples[name]).success);
  if (passing.length > 0) jsonSchema.type = passing;
};
const options = { io: "input", unrepresentable: "any", target: "draft-7", override };
const schema = isNew
  ? (await import("zod/v4")).toJSONSchema(union, options)
  : (await import("zod-to-json-schema")).zodToJsonSchema(union, { $refStrategy: "none" });
const isOpen = (key, value) => key === "additionalProperties" && (value === true || JSON.stringify(value) === "{}");
const dropOpenings = function (key, value) {
  return isOpen(key, value) && this.properties !== undefined ? undefined : value;
};
writeFileSync("${MADE_SCHEMA}", JSON.stringify(schema, dropOpenings));
`;
}

/** `accrete init`: a first protocol in a project, with all that keeps its contract. */
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { Option } from "commander";
import { UsageError } from "../failure.js";
import { answers } from "../init/answers.js";
import { NEW_PACKAGE, type PackageScripts, withScripts } from "../init/package-scripts.js";
import { commonFolder, place } from "../init/place.js";
import { PLACEMENTS, type Scaffolding, scaffold } from "../init/scaffold.js";
import { told } from "../init/summary.js";
import { WORKFLOW, workflow } from "../init/workflow.js";
import { EXIT, type ExitCode, type Io, slashes } from "../io.js";
import { isObject, type JsonObject } from "../json.js";
import { ownManifest } from "../load/own-package.js";
import { readBytes } from "../load/read-bytes.js";
import { settle } from "../output/transaction.js";
import { look } from "../output/tree-paths.js";
import type { OutputFile } from "../protocol/protocol.js";
import { parseSource } from "../source/source.js";
import type { CommandEntry } from "./command.js";
import { folderOf } from "./configured.js";
import { fixturesOption, outOption, type RawOptions, schemasOption } from "./options.js";
import { CONFIG_FILE, readConfig } from "./read-config.js";

/** Where `accrete init` puts things. */
export interface InitFolders {
  /** The project; made if it is not there. */
  readonly root: string;
  /** Below the project. */
  readonly schemas: string;
  readonly fixtures: string;
  readonly out: string;
}

/** Makes a first protocol. Writes over nothing, and all or nothing. */
export function init(folders: InitFolders, scaffolding: Scaffolding, io: Io): ExitCode {
  const { root, schemas, fixtures, out } = folders;
  const manifest = path.join(root, "package.json");
  const top = commonFolder(root, [schemas, fixtures, out, manifestBehind(manifest)]);
  settle(top, io);
  const before = look(manifest) ? readManifest(manifest) : undefined;
  const streams = path.posix.join(slashes(fixtures), `${scaffolding.name}/v1/streams`);
  const scripts = withScripts(before?.text ?? NEW_PACKAGE, tools(), streams);
  const { wanted, optional } = plan(folders, scaffolding, scripts, streams, before?.document);
  refuseTaken(folders, scaffolding);
  const kept = optional.filter((file) => look(path.join(root, file.path)));
  const files = [...wanted, ...optional.filter((file) => !kept.includes(file))];
  const written = { path: manifestBehind(manifest), content: scripts.text, replaces: before !== undefined };
  place(top, root, before?.text === scripts.text ? files : [...files, written], io);
  io.stdout(told(root, { files, kept, scripts, isNew: before === undefined }));
  return EXIT.ok;
}

/** The files to be made: those without which there is no protocol, and those that may be there already. */
function plan(
  { schemas, fixtures, out }: InitFolders,
  scaffolding: Scaffolding,
  { names }: PackageScripts,
  streams: string,
  manifest: JsonObject = { type: "module" },
): { readonly wanted: readonly OutputFile[]; readonly optional: readonly OutputFile[] } {
  const below = (folder: string, files: readonly OutputFile[]): OutputFile[] =>
    files.map((file) => ({ ...file, path: path.posix.join(slashes(folder), file.path) }));
  const made = scaffold(scaffolding);
  // Generated modules are ES modules, whatever the package around them says of its own.
  const module =
    manifest.type === "module"
      ? []
      : below(out, [{ path: "package.json", content: '{ "type": "module" }\n' }]);
  return {
    wanted: [...below(schemas, made.schemas), ...below(fixtures, made.fixtures)],
    optional: [{ path: WORKFLOW, content: workflow(names.test, streams) }, ...module],
  };
}

/** Where a package.json is written: where a link leads to. */
function manifestBehind(manifest: string): string {
  return look(manifest)?.isSymbolicLink() ? realpathSync(manifest) : "package.json";
}

function refuseTaken({ root, schemas, fixtures }: InitFolders, { name }: Scaffolding): void {
  const there = [schemas, fixtures]
    .map((folder) => path.join(root, folder, `${name}/v1`))
    .filter((folder) => look(folder));
  if (there.length > 0)
    throw new UsageError(
      `${there.map(slashes).join(" and ")} ${there.length > 1 ? "are" : "is"} there already; --name makes another protocol.`,
    );
}

function readManifest(file: string): { readonly text: string; readonly document: JsonObject } {
  const bytes = readBytes(file);
  const parsed = parseSource(slashes(file), bytes);
  if ("findings" in parsed) {
    const { message, at } = parsed.findings[0] ?? { message: "It cannot be read.", at: { file } };
    throw new UsageError(`${at.file}:${"line" in at ? `${at.line}:${at.column}` : 1}: ${message}`);
  }
  const { document } = parsed.source;
  if (!isObject(document)) throw new UsageError(`${slashes(file)}:1:1: It is no JSON object.`);
  for (const field of ["scripts", "devDependencies"])
    if (document[field] !== undefined && !isObject(document[field])) {
      const { line, column } = parsed.source.locate(`/${field}`);
      throw new UsageError(`${slashes(file)}:${line}:${column}: ${JSON.stringify(field)} is no JSON object.`);
    }
  return { text: bytes.toString("utf8").replace(/^\ufeff/, ""), document };
}

/** The packages that the scripts call, in the versions that this one is tested with. */
function tools(): { readonly [name: string]: string } {
  const { version, devDependencies } = ownManifest();
  return { accrete: `^${version}`, vitest: devDependencies.vitest };
}

const FOLDERS = [schemasOption, fixturesOption, outOption];

/** A project can stand neither in the place of a file nor below it. */
function refuseFile(folder: string): void {
  if (look(folder) && !statSync(folder).isDirectory()) throw new UsageError(`${folder} is not a folder.`);
  if (!look(folder) && path.dirname(folder) !== folder) refuseFile(path.dirname(folder));
}

/** The folders as the project's configuration has them: the scripts that are made find them there again. */
async function foldersOf(folder: string, options: RawOptions, io: Io): Promise<InitFolders> {
  refuseFile(folder);
  const flag = FOLDERS.find((option) => options[option.attributeName()] !== undefined)?.long;
  if (flag)
    throw new UsageError(
      `init takes no ${flag}: write the folder into ${CONFIG_FILE}, where every command finds it.`,
    );
  const found = await readConfig(path.resolve(folder), io);
  // A folder below a configuration is no project of its own, unless it is a package.
  const isProject = found === undefined || look(path.join(folder, "package.json")) !== undefined;
  const root = isProject ? folder : path.join(folder, path.relative(folder, found.folder));
  const below = (key: "schemas" | "fixtures" | "out", { defaultValue }: Option): string =>
    found ? path.relative(root, folderOf(found, key, defaultValue)) : defaultValue;
  return {
    root,
    schemas: below("schemas", schemasOption),
    fixtures: below("fixtures", fixturesOption),
    out: below("out", outOption),
  };
}

/** `accrete init`. */
export const initCommand: CommandEntry = {
  name: "init",
  summary: "make a first protocol: schemas, fixtures, scripts and a CI workflow",
  operands: { syntax: "[dir]", description: "the project; the current folder if it is left out" },
  options: [
    new Option("--name <name>", "name of the protocol; asked for, or that of the folder"),
    new Option(
      "--placement <placement>",
      `where the payload is: ${Object.keys(PLACEMENTS).join(", ")}; asked for, or nested`,
    ),
    new Option("--discriminator <field>", "field that names the event type; asked for, or type"),
  ],
  writes: true,
  examples: [
    ["init", "in this folder; asks at a terminal"],
    ["init events --name orders --placement inline --discriminator kind", "asks nothing"],
  ],
  run: async ([root = "."], options, io) => {
    const folders = await foldersOf(root, options, io);
    return init(folders, await answers(options, root, io), io);
  },
};

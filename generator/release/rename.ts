/** Gives a protocol another name. Its releases stay as they are; protocol.json lists the name that they hold. */
import path from "node:path";
import { UsageError } from "../failure.js";
import { EXIT, type ExitCode, type Io, lstatIfExists, toForwardSlashes } from "../io.js";
import { createObject, getOwn, isObject, type Json } from "../json.js";
import { setInJson } from "../load/edit-json.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { readJsonFile } from "../load/read-bytes.js";
import { listFormerNames, listMajors } from "../load/releases/former-names.js";
import { runGit } from "../load/releases/git.js";
import { findCommonFolder, listGeneratedFiles, listGeneratedVersions } from "../output/paths.js";
import { changeFolder, type FileChange, recoverInterruptedRun } from "../output/transaction.js";
import { formatCount, sanitizeLine } from "../text.js";
import { readFolder } from "./read-folder.js";

/** The options of `accrete rename`. */
interface RenameOptions {
  readonly name: string;
  readonly newName: string;
  readonly schemas: string;
  readonly fixtures: string;
  readonly out: string;
  /** The file in which contract tests record the frontends that passed. */
  readonly consumers: string;
}

/** Moves all majors of a protocol and their fixtures to a new name, all or nothing, and lists what else names it. */
export async function renameProtocol(options: RenameOptions, io: Io): Promise<ExitCode> {
  const { name, newName, schemas, fixtures, out } = options;
  const top = findCommonFolder(".", [schemas, fixtures, out, options.consumers]);
  recoverInterruptedRun(top, io);
  await checkNames(options);
  const locate = (file: string): string =>
    toForwardSlashes(path.relative(path.resolve(top), path.resolve(file)));
  const moved = [schemas, fixtures].flatMap((folder) =>
    [...readFolder(path.join(folder, name))].map(([file, text]) => ({
      from: path.join(folder, name, file),
      to: path.join(folder, newName, file),
      content: editMovedFile(file, text, options),
    })),
  );
  const changes = moved.flatMap(({ from, to, content }): FileChange[] => [
    { path: locate(from), content: undefined, exists: true },
    { path: locate(to), content, exists: false },
  ]);
  const isOfProtocol = (id: string): boolean => id.startsWith(`${name}/v`);
  for (const file of listGeneratedFiles(out, listGeneratedVersions(out).filter(isOfProtocol)))
    changes.push({ path: locate(path.join(out, file)), content: undefined, exists: true });
  const records = renameRecords(options);
  if (records !== undefined)
    changes.push({ path: locate(options.consumers), content: records, exists: true });
  changeFolder(top, changes, io);
  const folders = [schemas, fixtures].filter((folder) => lstatIfExists(path.join(folder, newName)));
  const shown = folders.map((folder) => toForwardSlashes(path.join(folder, newName)));
  io.stdout(
    `renamed ${name} to ${newName}: ${formatCount(moved.length, "file")} in ${shown.join(" and ")}\n`,
  );
  io.stdout(`${describeConsequences(options)}\n`);
  io.stdout(listMentions(options, io));
  return EXIT.ok;
}

async function checkNames({ name, newName, schemas, fixtures }: RenameOptions): Promise<void> {
  const ids = listMajors(schemas, name).map((major) => `${name}/${major}`);
  // Without a major version, the error lists the protocols.
  await loadValidProtocols(schemas, ids.length > 0 ? ids : [name], CONTRACT_ONLY);
  if (!/^[a-z][a-z0-9_-]*$/.test(newName))
    throw new UsageError(
      `${JSON.stringify(newName)} is not a name: it begins with a lower-case letter, and has only lower-case letters, digits, "_" and "-".`,
    );
  for (const folder of [schemas, fixtures])
    if (lstatIfExists(path.join(folder, newName)))
      throw new UsageError(`${toForwardSlashes(path.join(folder, newName))} exists already.`);
  for (const [current, formerNames] of listFormerNames(schemas))
    if (formerNames.includes(newName) && current !== name)
      throw new UsageError(`${newName} is a former name of ${current}, and releases of ${current} hold it.`);
}

/** Returns the content of a moved file: protocol.json states the new name, and all other files stay as they are. */
function editMovedFile(file: string, text: string, { name, newName }: RenameOptions): string {
  if (!/^v\d+\/protocol\.json$/.test(file)) return text;
  const document: Json = JSON.parse(text.replace(/^\ufeff/, ""));
  const listed = isObject(document) ? getOwn(document, "formerNames") : undefined;
  const former = [...(Array.isArray(listed) ? listed : []), name].filter((each) => each !== newName);
  return setInJson(setInJson(text, ["name"], newName), ["formerNames"], [...new Set(former)]);
}

/** Returns the records of frontends with the new name; undefined if none has the old one. */
function renameRecords({ name, newName, consumers }: RenameOptions): string | undefined {
  if (!lstatIfExists(consumers)) return undefined;
  const { document } = readJsonFile(consumers);
  const isOld = (id: string): boolean => id.startsWith(`${name}/v`);
  if (!isObject(document) || !Object.keys(document).some(isOld)) return undefined;
  const entries = Object.entries(document).map(
    ([id, records]) => [isOld(id) ? newName + id.slice(name.length) : id, records] as const,
  );
  return `${JSON.stringify(createObject(entries), null, 2)}\n`;
}

function describeConsequences({ name, newName }: RenameOptions): string {
  return [
    `Releases keep the name ${name} and stay as they are; formerNames of protocol.json says so. ${name} cannot become the name of another protocol.`,
    `Events do not change. What others see changes: paths of \`accrete serve\` and of OpenAPI (/${newName}/v1), import paths, and names of generated packages. accrete cannot rename a package that you published; publish the new one, and deprecate the old one there.`,
    "",
    "Next:",
    "  npx accrete-cli generate  # the outputs of the new name; those of the old one were removed",
    "  npx accrete-cli compat    # compares with the releases of both names",
  ].join("\n");
}

/** Returns the lines of committed files that name the old folders, or how to find them outside of a repository. */
function listMentions({ name, schemas, fixtures, out }: RenameOptions, io: Io): string {
  const pattern = `(^|[^A-Za-z0-9_-])${name}/v[0-9]`;
  const excluded = [schemas, fixtures, out].map((folder) => `:(exclude)${path.join(folder, name)}`);
  const found = runGit(
    ".",
    ["grep", "--untracked", "-nIE", "-e", pattern, "--", ".", ...excluded],
    io.environment,
  );
  if (found === undefined || found.status > 1)
    return `  grep -rnE '${pattern}' .  # files that name it still; not in a git repository, so they are not listed\n`;
  const lines = found.stdout.toString().split("\n").filter(Boolean);
  const hidden = lines.length - MAX_MENTIONS;
  return [
    ...(lines.length > 0 ? ["", `These lines name ${name}; correct them:`] : []),
    ...lines.slice(0, MAX_MENTIONS).map((line) => `  ${sanitizeLine(line).slice(0, MAX_LINE)}`),
    ...(hidden > 0 ? [`  and ${formatCount(hidden, "further line")}`] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

const MAX_MENTIONS = 50;
const MAX_LINE = 160;

/** If this fails, editors do not complete, explain or check the schema files that accrete init and accrete import write. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { getLanguageService, type LanguageService, TextDocument } from "vscode-json-languageservice";
import { createEventSchema } from "../../scripts/pages/event-schema.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryProject, type TemporaryProject } from "../commands/temporary-project.js";

const INSTALLED = "node_modules/accrete-cli/dist/load";
const SOURCES = path.join(import.meta.dirname, "../../generator/load");
const readPublished = (name: string): string => readFileSync(path.join(SOURCES, name), "utf8");

/** Creates an empty project in which the published schemas are installed. */
function createInstalledProject(files: { readonly [relative: string]: string } = {}): TemporaryProject {
  const names = ["event.schema.json", "protocol.schema.json"];
  const installed = names.map((name) => [`${INSTALLED}/${name}`, readPublished(name)]);
  return createTemporaryProject({ ...files, ...Object.fromEntries(installed) });
}

/** Creates a language service that reads files only, as an editor without a network does. */
function createService(): LanguageService {
  return getLanguageService({
    schemaRequestService: async (uri) => readFileSync(new URL(uri), "utf8"),
    workspaceContext: { resolveRelativePath: (relative, resource) => new URL(relative, resource).href },
  });
}

/** Opens a text as the file at `relative`, in a language service. */
function openDocument({ locateFile }: TemporaryProject, relative: string, text: string) {
  const service = createService();
  const document = TextDocument.create(`file://${locateFile(relative)}`, "json", 1, text);
  const json = service.parseJSONDocument(document);
  const at = (word: string) => document.positionAt(text.indexOf(word) + 1);
  return {
    listProblems: async () => (await service.doValidation(document, json)).map(({ message }) => message),
    listCompletions: async (word: string) =>
      (await service.doComplete(document, at(word), json))?.items.map(({ label }) => label) ?? [],
    hover: async (word: string) =>
      JSON.stringify((await service.doHover(document, at(word), json))?.contents),
  };
}

it("is the metaschema of today's keywords", () => {
  expect(JSON.parse(readPublished("event.schema.json"))).toEqual(createEventSchema());
});

const EVENT = "schemas/notes/v1/events/note.added.schema.json";
const MANIFEST = "schemas/notes/v1/protocol.json";

it("checks, completes and explains the files of accrete init", async () => {
  const project = createInstalledProject();
  await runAccrete(["init", project.root, "--name", "notes"]);
  for (const file of [EVENT, MANIFEST, "schemas/notes/v1/envelope.schema.json"])
    expect(await openDocument(project, file, project.read(file)).listProblems()).toEqual([]);

  const faulty = project
    .read(EVENT)
    .replace('"x-stability": "candidate"', '"x-stability": "final", "x_since": ""');
  expect(await openDocument(project, EVENT, faulty).listProblems()).toEqual([
    expect.stringContaining('"experimental", "candidate", "stable"'),
    expect.stringContaining("x_since"),
  ]);
  const event = openDocument(project, EVENT, project.read(EVENT));
  expect(await event.hover("x-extensible-enum")).toContain("Values may be added later");
  const incomplete = project.read(EVENT).replace('"minLength": 1', '"minLength": 1, "x-"');
  expect(await openDocument(project, EVENT, incomplete).listCompletions('x-"')).toContain("x-sensitive");
  const manifest = openDocument(project, MANIFEST, project.read(MANIFEST).replace('"major"', '"majro"'));
  expect(await manifest.listProblems()).toHaveLength(2);
});

it("checks the files of accrete import, which other commands still read", async () => {
  const project = createInstalledProject({ "my.jsonl": '{"type":"tools/call","n":1}' });
  expect((await project.run("import @/my.jsonl")).exitCode).toBe(0);
  const event = "schemas/my/v1/events/tools.call.schema.json";
  expect(JSON.parse(project.read(event)).$schema).toBe(
    "../../../../node_modules/accrete-cli/dist/load/event.schema.json",
  );
  for (const file of [event, "schemas/my/v1/protocol.json"])
    expect(await openDocument(project, file, project.read(file)).listProblems()).toEqual([]);
  for (const line of [
    "generate",
    "validate @/my.jsonl",
    "compat",
    "import @/schemas/my/v1/events --name again",
  ])
    expect(await project.run(line), line).toMatchObject({ exitCode: 0, stderr: "" });
});

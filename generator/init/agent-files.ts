/** The files that tell coding agents how to work on the contract of a project. */
import path from "node:path";
import { lstatIfExists, toForwardSlashes } from "../io.js";
import { readBytes } from "../load/read-bytes.js";
import type { OutputFile } from "../protocol/protocol.js";
import type { PackageScripts } from "./package-scripts.js";

/** The file of instructions that coding agents read. A project may have one with other sections. */
export const AGENTS_FILE = "AGENTS.md";

/** The index of a project for language models (llmstxt.org). */
export const LLMS_FILE = "llms.txt";

/** The heading of the section in AGENTS.md. */
const HEADING = "## Event contracts";

/** The folders that the instructions name. */
interface NamedFolders {
  /** The folder of the project. The others are relative to it. */
  readonly root: string;
  readonly schemas: string;
  readonly out: string;
}

/** Returns the text of a new AGENTS.md. */
export function renderAgentsFile(folders: NamedFolders, scripts: PackageScripts): string {
  return `# Instructions for coding agents\n\n${renderSection(folders, scripts)}`;
}

/** Returns the AGENTS.md of the project with the section added; nothing if it has the section, or is not a file. */
export function extendAgentsFile(folders: NamedFolders, scripts: PackageScripts): OutputFile[] {
  const file = path.join(folders.root, AGENTS_FILE);
  // A link often leads to the instructions of one agent, which are not ours to change.
  if (!lstatIfExists(file)?.isFile()) return [];
  const text = readBytes(file).toString("utf8");
  if (text.split(/\r?\n/).includes(HEADING)) return [];
  const section = renderSection(folders, scripts);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const content = text.trimEnd() + `\n\n${section}`.replaceAll("\n", lineEnd);
  return [{ path: AGENTS_FILE, content }];
}

function renderSection({ schemas, out }: NamedFolders, { names }: PackageScripts): string {
  return `${HEADING}

The events of this project are JSON Schemas in \`${schemas}/\`, and accrete checks them. A released contract may only grow:
readers of every earlier version must still accept what is sent.

- Before you edit a schema, ask the tool \`check_change\` of the MCP server \`npx accrete-cli mcp\`. Without it, edit and run
  \`npm run ${names.check}\`. A finding shows an event that the change breaks, and says what to do instead;
  \`npx accrete-cli explain RULE\` says why.
- Look for an existing event type first: in \`${out}/NAME/vMAJOR/catalog.md\`, or with the tool \`find_event\`.
- Add optional fields and new event types. Do not rename, remove or narrow; deprecate instead.
- After a change of a schema, run \`npm run ${names.generate}\` and \`npm run ${names.test}\`. Never edit \`${out}/\` or a file in
  \`releases/\` by hand.
- Do not run \`accrete release\` or \`accrete compat --waive\`. People decide about releases and accepted breaks.
`;
}

/** Returns the text of llms.txt for a project with its first protocol. */
export function renderLlmsFile(id: string, { schemas, out }: NamedFolders): string {
  const locate = (...parts: readonly string[]): string => toForwardSlashes(path.join(...parts));
  return `# Events of ${id}

> The contracts of the events that this project sends and reads: JSON Schemas, which may only grow after a release.

## Contracts

- [Catalogue of ${id}](${locate(out, id, "catalog.md")}): every event type with fields and examples
- [Schema of ${id}](${locate(out, id, "schema.json")}): the whole contract as one JSON Schema
- [Sources of ${id}](${locate(schemas, id, "protocol.json")}): the protocol; its event types stand in \`events/\` beside it

## Changes

- [Instructions](${AGENTS_FILE}): how to check and make a change
`;
}

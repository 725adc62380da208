/** Creates and renders the sections of the catalogue. All headings are created first, since links need their slugs. */
import path from "node:path";
import GithubSlugger from "github-slugger";
import type { Protocol } from "../../protocol/protocol.js";
import { formatCode, formatProse, toPlainCode, toPlainText } from "./markdown.js";
import { createDefinitionId, createEventId, createResourceId, type Sections } from "./renderer.js";

/** A heading of the catalogue, and the blocks below it. */
export interface Section {
  readonly id: string;
  readonly depth: 1 | 2 | 3;
  /** The heading as Markdown. */
  readonly title: string;
  /** The text that GitHub shows for the heading. */
  readonly plainTitle: string;
  /** The family of event types whose file has the section, where the catalogue is split; otherwise it is in the main file. */
  readonly family?: string;
  /** Whether the section has a file of its own, where the catalogue is split. */
  readonly hasOwnFile?: boolean;
  /** Formats the blocks below the heading. It is called when all slugs are known. */
  body(sections: Sections): readonly string[];
}

/** Creates a section whose heading is a text. */
export function createSection(id: string, depth: 1 | 2 | 3, text: string, body: Section["body"]): Section {
  return { id, depth, title: formatProse(text), plainTitle: toPlainText(text), body };
}

/** Creates a section whose heading is a name as code, with `words` after it. */
export function createNameSection(id: string, name: string, body: Section["body"], words = ""): Section {
  return { id, depth: 3, title: formatCode(name) + words, plainTitle: toPlainCode(name) + words, body };
}

/** The id of the section of the envelope. */
export const ENVELOPE_ID = "envelope";

/** Returns the slugs of the sections as GitHub makes them: equal ones are numbered in document order. */
export function locateSections(list: readonly Section[], protocol: Protocol): Sections {
  return createView(createSlugs(list), protocol);
}

/** Returns the sections as the links of one file of several see them: those of another file are at `file.md#slug`. */
export function locateInFiles(
  files: readonly { readonly path: string; readonly sections: readonly Section[] }[],
  from: string,
  protocol: Protocol,
): Sections {
  const slugs = files.flatMap((file) => {
    const before = file.path === from ? "" : `${path.posix.relative(path.posix.dirname(from), file.path)}#`;
    return [...createSlugs(file.sections)].map(([id, slug]) => [id, `${before}${slug}`] as const);
  });
  return createView(new Map(slugs), protocol);
}

function createSlugs(list: readonly Section[]): Map<string, string> {
  const slugger = new GithubSlugger();
  return new Map(list.map(({ id, plainTitle }) => [id, slugger.slug(plainTitle)]));
}

function createView(slugs: Map<string, string>, protocol: Protocol): Sections {
  for (const [name, id] of findSectionsOfFiles(protocol))
    slugs.set(createDefinitionId(name), slugs.get(id) ?? "");
  return { slugs, definitions: protocol.definitions };
}

/** Finds the section ids of definitions that are a whole file with a section of its own: the envelope, an event, a resource. */
export function findSectionsOfFiles({
  envelope,
  events,
  resources,
  definitions,
}: Protocol): Map<string, string> {
  const files = new Map([
    ...resources.map(({ at, name }) => [at.file, createResourceId(name)] as const),
    ...events.map(({ at, type }) => [at.file, createEventId(type)] as const),
    [envelope.at.file, ENVELOPE_ID] as const,
  ]);
  return new Map(
    Object.entries(definitions).flatMap(([name, { at }]) => {
      const id = at.pointer === "" ? files.get(at.file) : undefined;
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}

/** Renders the sections as a document. */
export function renderSections(list: readonly Section[], sections: Sections): string {
  return list
    .flatMap(({ depth, title, body }) => [`${"#".repeat(depth)} ${title}`, ...body(sections)])
    .filter((block) => block !== "")
    .join("\n\n");
}

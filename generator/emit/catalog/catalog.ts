/**
 * Generates `catalog.md`, which describes a protocol to reviewers and frontend developers in the Markdown of GitHub. All texts
 * of the protocol are escaped by markdown.ts, so they cannot become links or other markup.
 */
import GithubSlugger from "github-slugger";
import type { Cache } from "../../cache/cache.js";
import type { StateDiagram } from "../../conform/stream-rule.js";
import { groupBy } from "../../group-by.js";
import type { Json } from "../../json.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { sha256Hex } from "../../sha256.js";
import { createBanner } from "../../text.js";
import { createEndpointSections } from "./endpoints.js";
import { createEnvelopeSections } from "./envelope.js";
import {
  createEventSections,
  createEventsSection,
  createIndexSections,
  listGroups,
  readFamily,
} from "./events.js";
import { collectFields, type FieldRow } from "./fields.js";
import { createFlowSections, type Flow, formatFlow } from "./flows.js";
import { formatCode, formatLink, formatParagraphs, formatProse } from "./markdown.js";
import { NO_RECORDINGS, type Recordings } from "./recordings.js";
import { rememberBlocks } from "./remember-blocks.js";
import { createEventId, createGroupId, createRenderer, type Sections, UNLIMITED } from "./renderer.js";
import {
  createNameSection,
  createSection,
  locateInFiles,
  locateSections,
  renderSections,
  type Section,
} from "./section.js";
import { createDefinitionSections, createResourceSections, createTombstoneSections } from "./shapes.js";
import { createAllStatesSections, createStateSections, formatDiagram } from "./state-diagrams.js";
import { createStreamSections, createWriterSections, formatSomeRules } from "./streams.js";
import { formatFieldRow } from "./table.js";

/** A protocol with more event types than this has the sections of its event types in a file for each family. */
const MAX_EVENTS_IN_ONE_FILE = 40;

const BANNER = `<!-- ${createBanner()} -->\n<!-- Change the schemas and run accrete generate. -->`;

/**
 * Returns the files of the catalogue of a protocol: `catalog.md`, and with many event types a file for each family of them and
 * one with the rules for writers. The fields of event types that are in the cache are not described again.
 */
export function emitCatalog(
  protocol: Protocol,
  recordings: Recordings = NO_RECORDINGS,
  cache?: Cache,
): OutputFile[] {
  const sections = createSections(protocol, recordings, cache);
  const main = `${protocol.id}/catalog.md`;
  if (protocol.events.length <= MAX_EVENTS_IN_ONE_FILE)
    return [createFile(main, sections, locateSections(sections, protocol))];
  const files = splitSections(sections, main);
  return files.map((file) => createFile(file.path, file.sections, locateInFiles(files, file.path, protocol)));
}

function createFile(path: string, list: readonly Section[], sections: Sections): OutputFile {
  return { path, content: `${BANNER}\n\n${renderSections(list, sections)}\n` };
}

/** Returns the files of a catalogue that is split: the main one, one for each family, and one for each section that has its own. */
function splitSections(sections: readonly Section[], main: string) {
  const slugger = new GithubSlugger();
  const rest = sections.filter(({ family, hasOwnFile }) => family === undefined && hasOwnFile !== true);
  const formatParent = ({ slugs }: Sections): string =>
    `Part of ${formatLink(sections[0]?.title ?? "", slugs.get("title") ?? "")}.`;
  const createPath = (name: string): string => main.replace(/\.md$/, `/${name}.md`);
  const families = groupBy(
    sections.filter(({ family }) => family !== undefined),
    ({ family }) => family ?? "",
  );
  return [
    { path: main, sections: rest },
    ...[...families].map(([family, own]) => {
      const title = createNameSection(
        createFamilyId(family),
        family,
        (view) => [formatParent(view)],
        " events",
      );
      const slug = slugger.slug(title.plainTitle);
      // The name of a group may have characters that names of files cannot have.
      const name = /^[a-z0-9_-]{1,60}$/.test(slug) ? slug : `family-${sha256Hex(slug).slice(0, 16)}`;
      return {
        path: createPath(name),
        sections: [{ ...title, depth: 1 as const }, ...own],
      };
    }),
    ...sections
      .filter(({ hasOwnFile }) => hasOwnFile)
      .map((section) => ({
        path: createPath(slugger.slug(section.plainTitle)),
        sections: [
          {
            ...section,
            depth: 1 as const,
            body: (view: Sections) => [formatParent(view), ...section.body(view)],
          },
        ],
      })),
  ];
}

/** Returns the whole catalogue of a protocol as one document. */
export function renderCatalog(protocol: Protocol, recordings: Recordings = NO_RECORDINGS): string {
  const sections = createSections(protocol, recordings, undefined);
  return `${renderSections(sections, locateSections(sections, protocol))}\n`;
}

/** A section of the catalogue. */
export interface CatalogPart {
  /** `event TYPE`, `resource NAME` or `definition NAME`; other words for a section that is not about one name. */
  readonly id: string;
  /** The fragment of links to the section. */
  readonly slug: string;
  readonly depth: 1 | 2 | 3;
  /** The heading as Markdown. */
  readonly title: string;
  readonly plainTitle: string;
  /** Returns the Markdown below the heading. */
  formatBody(): string;
}

/** Writes the pictures of a catalogue as blocks of Markdown. */
export interface PictureWriter {
  writeFlow(flow: Flow): string;
  writeStates(diagram: StateDiagram): string;
}

/** Writes pictures as Mermaid, which forges draw. */
const MERMAID: PictureWriter = { writeFlow: formatFlow, writeStates: formatDiagram };

/** Returns the sections of the catalogue in document order. */
export function listCatalogParts(
  protocol: Protocol,
  recordings: Recordings = NO_RECORDINGS,
  pictures = MERMAID,
): CatalogPart[] {
  const sections = createSections(protocol, recordings, undefined, pictures);
  const located = locateSections(sections, protocol);
  return sections.map(({ id, depth, title, plainTitle, body }) => ({
    ...{ id, slug: located.slugs.get(id) ?? "", depth, title, plainTitle },
    formatBody: () =>
      body(located)
        .filter((block) => block !== "")
        .join("\n\n"),
  }));
}

/** Returns the section of the catalogue about an event type, as Markdown; undefined if the protocol does not have it. */
export function formatCatalogSection(protocol: Protocol, type: string): string | undefined {
  const part = listCatalogParts(protocol).find(({ id }) => id === createEventId(type));
  return part && `### ${part.title}\n\n${part.formatBody()}`;
}

/** Returns the row of a field in the tables of the catalogue, as Markdown. `field` is a part of the schema `root`; undefined if that has no such row. */
export function formatCatalogField(
  { definitions }: Protocol,
  root: Json,
  field: Json | undefined,
): string | undefined {
  return formatRow(definitions, root, ({ schema }) => schema === field);
}

/** Returns the row of the field at a path as the catalogue writes it (`todos[].status`); undefined if there is none. */
export function formatCatalogPath({ definitions }: Protocol, root: Json, path: string): string | undefined {
  return formatRow(definitions, root, (row) => row.path === path);
}

function formatRow(
  definitions: Protocol["definitions"],
  root: Json,
  isWanted: (row: FieldRow) => boolean,
): string | undefined {
  const renderer = createRenderer({ slugs: new Map(), definitions }, "text", UNLIMITED);
  const row = collectFields(root, renderer).rows.find(isWanted);
  return row && formatFieldRow(row, renderer);
}

/** Returns the paths of the fields of a schema, as the catalogue writes them. */
export function listCatalogPaths({ definitions }: Protocol, root: Json): string[] {
  const renderer = createRenderer({ slugs: new Map(), definitions }, "text", UNLIMITED);
  return collectFields(root, renderer).rows.map(({ path }) => path);
}

/** Returns the stream rules that are wanted as Markdown, a line each with its source; empty if there are none. */
export function formatCatalogRules(
  protocol: Protocol,
  isWanted: Parameters<typeof formatSomeRules>[1],
): string {
  const { definitions } = protocol;
  return formatSomeRules(
    protocol,
    isWanted,
    createRenderer({ slugs: new Map(), definitions }, "text", UNLIMITED),
  );
}

/** Returns all sections in document order. */
function createSections(
  protocol: Protocol,
  { flows, states }: Recordings,
  cache: Cache | undefined,
  { writeFlow, writeStates } = MERMAID,
): Section[] {
  const chapters = [
    ...createFlowSections(flows, writeFlow),
    ...createStateSections(protocol, states, writeStates),
    ...createEndpointSections(protocol),
    createReaderSection(protocol),
    ...createEnvelopeSections(protocol),
    ...createStreamSections(protocol),
    ...createListSection("guarantees", "What writers promise", protocol.guarantees),
    createEventsSection(protocol),
    ...createIndexSections(protocol),
    createSection("legend", 2, "How to read the tables", () => [LEGEND]),
    createSection("reference", 2, "Events in detail", (sections) => [listFamilies(protocol, sections)]),
    ...createEventSections(protocol, cache && rememberBlocks(protocol, cache)),
    ...createResourceSections(protocol),
    ...createDefinitionSections(protocol),
    ...createWriterSections(protocol),
    ...createAllStatesSections(protocol, states, writeStates),
    ...createListSection("evolution", "How this protocol may change", protocol.evolution),
    ...createTombstoneSections(protocol),
  ];
  const title = createSection("title", 1, protocol.title, (sections) => [
    formatFacts(protocol),
    ...formatParagraphs(protocol.description),
    formatContents(protocol, chapters, sections),
  ]);
  return [title, ...chapters];
}

/** Returns a section with a list of sentences of the protocol; nothing for an empty list. */
function createListSection(id: string, title: string, items: readonly string[]): Section[] {
  const list = items.map((item) => `- ${formatProse(item)}`).join("\n");
  return items.length === 0 ? [] : [createSection(id, 2, title, () => [list])];
}

/** Returns the line under the title: "`orders/v1` · version 1.0 · 68 event types: 40 candidate, 28 experimental · 2 deprecated". */
function formatFacts({ id, version, events }: Protocol): string {
  const formatCount = (words: string, count: number): string[] => (count === 0 ? [] : [`${count} ${words}`]);
  const stabilities = (["stable", "candidate", "experimental"] as const).flatMap((stability) =>
    formatCount(stability, events.filter((event) => event.stability === stability).length),
  );
  const requirements = [...new Set(events.flatMap(({ requires }) => requires ?? []))].sort();
  const runtimes = [...new Set(events.flatMap(({ emittedBy }) => emittedBy ?? []))].sort();
  const types = `${events.length} event type${events.length === 1 ? "" : "s"}`;
  return [
    formatCode(id),
    `version ${formatProse(version)}`,
    stabilities.length === 0 ? types : `${types}: ${stabilities.join(", ")}`,
    ...runtimes.flatMap((name) =>
      formatCount(
        `sent by ${formatCode(name)}`,
        events.filter(({ emittedBy }) => emittedBy?.includes(name)).length,
      ),
    ),
    ...formatCount("deprecated", events.filter(({ deprecated }) => deprecated).length),
    ...requirements.flatMap((name) =>
      formatCount(`requiring ${formatCode(name)}`, events.filter(({ requires }) => requires === name).length),
    ),
  ].join(" · ");
}

/** Returns the table of contents: links to the sections of the second level, and to the groups of events. */
function formatContents(protocol: Protocol, chapters: readonly Section[], sections: Sections): string {
  const renderer = createRenderer(sections, "text", UNLIMITED);
  const groups = listGroups(protocol).map(({ name }) => renderer.link(createGroupId(name), name));
  return chapters
    .filter(({ depth }) => depth === 2)
    .map(({ id, title }) => {
      const line = `- ${formatLink(title, sections.slugs.get(id) ?? "")}`;
      return id === "events" && groups.length > 0 ? `${line}: ${groups.join(", ")}` : line;
    })
    .join("\n");
}

/** Returns links to the files of families; an empty text if the catalogue is one file. */
function listFamilies(protocol: Protocol, { slugs }: Sections): string {
  const families = new Set(listGroups(protocol).map(({ name }) => readFamily(name)));
  return [...families]
    .flatMap((family) => {
      const slug = slugs.get(createFamilyId(family));
      return slug === undefined ? [] : [`- ${formatLink(formatCode(family), slug)}`];
    })
    .join("\n");
}

function createFamilyId(family: string): string {
  return `family ${family}`;
}

/** Creates the section with what readers must do. */
function createReaderSection({ stream, events, envelope }: Protocol): Section {
  const { key = [], sequence, id, rules } = stream ?? {};
  const deprecated = events.some((event) => event.deprecated);
  const lines = [
    `Ignore events whose ${formatCode(envelope.discriminator)} you do not know, and fields that you do not know: newer writers send them.`,
    "Have a default for values that you do not know, where a list of known values may grow.",
    ...(id === undefined ? [] : [`Drop an event whose ${formatCode(id)} you have had: it was sent again.`]),
    ...(sequence === undefined
      ? []
      : [
          `Order the events of a stream by ${formatCode(sequence)}${key.length === 0 ? "" : `, and keep streams (${key.map((name) => formatCode(name)).join(", ")}) apart`}.`,
          "Do not wait for a missing number: rely only on numbers that rise.",
        ]),
    ...(rules?.gaps ?? []).map(
      ({ type }) =>
        `After ${formatCode(type)}, events are missing: do not conclude anything from their absence.`,
    ),
    ...(events.some(({ stability }) => stability === "experimental")
      ? ["Do not need experimental events. They may be absent, and change at any time."]
      : []),
    ...(deprecated ? ["Replace deprecated names. Their sections say by what."] : []),
    "Do not refuse an event because it breaks a rule for writers.",
  ];
  return createSection("readers", 2, "What a reader must do", () => [
    lines.map((line) => `- ${line}`).join("\n"),
  ]);
}

const LEGEND = [
  "- `a.b` is the field `b` of the object in `a`, `a[]` an item of the array in `a`, `a.*` the value of a field of any name.",
  "- **Required** holds whenever the object around the field is there; “see below” means that a rule under the table decides.",
  "- “One of” lists are closed. Lists of known values may grow in any release.",
  "- “writer:” marks constraints that apply to writers only; readers must not rely on them.",
].join("\n");

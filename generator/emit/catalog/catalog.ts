/**
 * Generates `catalog.md`, which describes a protocol to reviewers and frontend developers in the Markdown of GitHub. All texts
 * of the protocol are escaped by markdown.ts, so they cannot become links or other markup.
 */
import type { Cache } from "../../cache/cache.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner } from "../../text.js";
import { createEnvelopeSections } from "./envelope.js";
import { createCoreSections, createEventSections, createIndexSections, listGroups } from "./events.js";
import { formatCode, formatLink, formatParagraphs, formatProse } from "./markdown.js";
import { rememberBlocks } from "./remember-blocks.js";
import { createEventId, createGroupId, createRenderer, type Sections, UNLIMITED } from "./renderer.js";
import { createSection, locateSections, renderSections, type Section } from "./section.js";
import { createDefinitionSections, createResourceSections, createTombstoneSections } from "./shapes.js";
import { createStateSections } from "./state-diagrams.js";
import { createStreamSections } from "./streams.js";

/** Returns the catalogue of a protocol. The fields of event types that are in the cache are not described again. */
export function emitCatalog(protocol: Protocol, cache?: Cache): OutputFile {
  const sections = createSections(protocol, cache);
  const banner = `<!-- ${createBanner()} -->\n<!-- Change the schemas and run accrete generate. -->`;
  return {
    path: `${protocol.id}/catalog.md`,
    content: `${banner}\n\n${renderSections(sections, locateSections(sections, protocol))}\n`,
  };
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

/** Returns the sections of the catalogue in document order. */
export function listCatalogParts(protocol: Protocol): CatalogPart[] {
  const sections = createSections(protocol, undefined);
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

/** Returns all sections in document order. */
function createSections(protocol: Protocol, cache: Cache | undefined): Section[] {
  const chapters = [
    createSection("events", 2, "Events by group", () => []),
    ...createIndexSections(protocol),
    ...createCoreSections(protocol),
    ...createEnvelopeSections(protocol),
    ...createStreamSections(protocol),
    ...createStateSections(protocol),
    ...createListSection("guarantees", "What writers promise", protocol.guarantees),
    createSection("legend", 2, "How to read the tables", () => [LEGEND]),
    createSection("reference", 2, "Events in detail", () => []),
    ...createEventSections(protocol, cache && rememberBlocks(protocol, cache)),
    ...createResourceSections(protocol),
    ...createDefinitionSections(protocol),
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

const LEGEND = [
  "- `a.b` is the field `b` of the object in `a`, `a[]` an item of the array in `a`, `a.*` the value of a field of any name.",
  "- **Required** holds whenever the object around the field is there; “see below” means that a rule under the table decides.",
  "- “One of” lists are closed. Lists of known values may grow in any release, so have a default for values you do not know.",
  "- “writer:” marks constraints that apply to writers only; readers must not rely on them. Readers also ignore fields that they do not know.",
  "- **Stability**: a stable contract is not broken within its major version, a candidate one only after review, an experimental one at any time.",
].join("\n");

/**
 * `catalog.md`: a protocol for reviewers and frontend engineers, as GitHub shows it. Words of the protocol go through
 * markdown.ts without exception, so they can neither link nor become markup.
 */
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { bannerText } from "../../text.js";
import { envelopeSections } from "./envelope.js";
import { eventSections, groupsOf, indexSections } from "./events.js";
import { code, link, paragraphs, prose } from "./markdown.js";
import { createRenderer, groupId, type Sections, WHOLE } from "./renderer.js";
import { locateSections, renderSections, type Section, section } from "./section.js";
import { definitionSections, resourceSections, tombstoneSections } from "./shapes.js";
import { streamSections } from "./streams.js";

export function emitCatalog(protocol: Protocol): OutputFile {
  const list = sectionsOf(protocol);
  const banner = `<!-- ${bannerText()} -->\n<!-- Change the schemas and run accrete generate. -->`;
  return {
    path: `${protocol.id}/catalog.md`,
    content: `${banner}\n\n${renderSections(list, locateSections(list, protocol))}\n`,
  };
}

/** All sections in document order. */
function sectionsOf(protocol: Protocol): Section[] {
  const below = [
    section("events", 2, "Events by group", () => []),
    ...indexSections(protocol),
    ...envelopeSections(protocol),
    ...streamSections(protocol),
    ...listSection("guarantees", "What writers promise", protocol.guarantees),
    section("legend", 2, "How to read the tables", () => [LEGEND]),
    section("reference", 2, "Events in detail", () => []),
    ...eventSections(protocol),
    ...resourceSections(protocol),
    ...definitionSections(protocol),
    ...listSection("evolution", "How this protocol may change", protocol.evolution),
    ...tombstoneSections(protocol),
  ];
  const title = section("title", 1, protocol.title, (sections) => [
    formatFacts(protocol),
    ...paragraphs(protocol.description),
    formatContents(protocol, below, sections),
  ]);
  return [title, ...below];
}

/** A section with a list of sentences of the protocol; none for an empty list. */
function listSection(id: string, title: string, items: readonly string[]): Section[] {
  const list = items.map((item) => `- ${prose(item)}`).join("\n");
  return items.length === 0 ? [] : [section(id, 2, title, () => [list])];
}

/** "`orders/v1` · version 1.0 · 68 event types: 40 candidate, 28 experimental · 2 deprecated". */
function formatFacts({ id, version, events }: Protocol): string {
  const count = (words: string, found: number): string[] => (found === 0 ? [] : [`${found} ${words}`]);
  const stabilities = (["stable", "candidate", "experimental"] as const).flatMap((stability) =>
    count(stability, events.filter((event) => event.stability === stability).length),
  );
  const requirements = [...new Set(events.flatMap(({ requires }) => requires ?? []))].sort();
  const runtimes = [...new Set(events.flatMap(({ emittedBy }) => emittedBy ?? []))].sort();
  const types = `${events.length} event type${events.length === 1 ? "" : "s"}`;
  return [
    code(id),
    `version ${prose(version)}`,
    stabilities.length === 0 ? types : `${types}: ${stabilities.join(", ")}`,
    ...runtimes.flatMap((name) =>
      count(`sent by ${code(name)}`, events.filter(({ emittedBy }) => emittedBy?.includes(name)).length),
    ),
    ...count("deprecated", events.filter(({ deprecated }) => deprecated).length),
    ...requirements.flatMap((name) =>
      count(`requiring ${code(name)}`, events.filter(({ requires }) => requires === name).length),
    ),
  ].join(" · ");
}

function formatContents(protocol: Protocol, below: readonly Section[], sections: Sections): string {
  const renderer = createRenderer(sections, "text", WHOLE);
  const groups = groupsOf(protocol).map(({ name }) => renderer.link(groupId(name), name));
  return below
    .filter(({ depth }) => depth === 2)
    .map(({ id, title }) => {
      const line = `- ${link(title, sections.slugs.get(id) ?? "")}`;
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

/** Creates the sections after the events in the catalogue: resources, shared definitions, withdrawn names. */
import type { Json } from "../../json.js";
import type { Protocol, Resource, Tombstone } from "../../protocol/protocol.js";
import type { Definition } from "../../schema/json-schema.js";
import { findTarget, getTargetName } from "../../schema/reference.js";
import { walk } from "../../schema/walk.js";
import { formatLiteral } from "../../text.js";
import { listConstraints } from "./constraints.js";
import { formatType } from "./format-type.js";
import { formatCodeBlock, formatParagraphs, formatProse, formatTable } from "./markdown.js";
import {
  BRIEF,
  createDefinitionId,
  createEventId,
  createRenderer,
  createResourceId,
  type Renderer,
  type Sections,
  UNLIMITED,
} from "./renderer.js";
import { createNameSection, createSection, findSectionsOfFiles, type Section } from "./section.js";
import { describeMeaning, formatFieldBlocks, formatSources, formatTableBlocks } from "./table.js";

/** Creates a section for each resource; none if there are no resources. */
export function createResourceSections({ resources }: Protocol): Section[] {
  if (resources.length === 0) return [];
  return [
    createSection("resources", 2, "Resources", () => [
      "Shapes around events, such as the answers of endpoints.",
    ]),
    ...resources.map((resource) =>
      createNameSection(createResourceId(resource.name), resource.name, (sections) =>
        formatResource(resource, sections),
      ),
    ),
  ];
}

function formatResource(
  { summary, description, schema, examples, sources }: Resource,
  sections: Sections,
): string[] {
  const words = formatProse(summary);
  return [
    words === "" ? "" : `**${words}**`,
    ...formatParagraphs(description),
    ...formatFieldBlocks(
      schema,
      sections,
      `${formatType(schema, createRenderer(sections, "text", UNLIMITED))}.`,
    ),
    ...examples.flatMap((example) => ["Example:", formatCodeBlock(formatLiteral(example, 2), "json")]),
    ...formatSources(sources, createRenderer(sections, "text", UNLIMITED)),
  ];
}

/** Creates the sections of all definitions that are referred to, except those with a section as an event or a resource. */
export function createDefinitionSections(protocol: Protocol): Section[] {
  const fileSections = findSectionsOfFiles(protocol);
  const definitions = [...collectReferencedDefinitions(protocol)]
    .filter(([name]) => !fileSections.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (definitions.length === 0) return [];
  return [
    createSection("definitions", 2, "Shared types", () => [
      "Types that several fields have in common, by name.",
    ]),
    ...definitions.map(([name, { schema }]) =>
      createNameSection(createDefinitionId(name), name, (sections) => {
        const renderer = createRenderer(sections, "text", UNLIMITED);
        const type = [formatType(schema, renderer), ...listConstraints(schema, renderer)].join("; ");
        return [
          `Type: ${type}.`,
          describeMeaning(schema, renderer).join(" "),
          ...formatTableBlocks(schema, sections),
        ];
      }),
    ),
  ];
}

function collectReferencedDefinitions({
  envelope,
  events,
  resources,
  definitions,
}: Protocol): Map<string, Definition> {
  const referencedDefinitions = new Map<string, Definition>();
  const visit = (schema: Json): void =>
    walk(schema, (sub) => {
      const name = getTargetName(sub);
      const definition = findTarget(sub, definitions);
      if (name === undefined || !definition || referencedDefinitions.has(name)) return;
      referencedDefinitions.set(name, definition);
      visit(definition.schema);
    });
  for (const { payload } of events) visit(payload);
  visit(envelope.schema);
  for (const { schema } of resources) visit(schema);
  return referencedDefinitions;
}

/** Creates the section of the names that were removed; none if there are none. */
export function createTombstoneSections({ tombstones }: Protocol): Section[] {
  if (tombstones.length === 0) return [];
  const header = ["Name", "Kind", "Was in", "Removed in", "Use instead", "Reason"];
  return [
    createSection("tombstones", 2, "Withdrawn names", (sections) => {
      const renderer = createRenderer(sections, "cell", BRIEF);
      const fullRenderer = createRenderer(sections, "text", UNLIMITED);
      const longReasons = tombstones.filter(({ reason }) => reason.length > BRIEF.text);
      return [
        "These names were removed. They are never used again with another meaning.",
        formatTable(
          header,
          tombstones.map((tombstone) => formatTombstoneRow(tombstone, renderer)),
        ),
        longReasons
          .map(({ name, reason }) => `- ${fullRenderer.code(name)} in full: ${fullRenderer.prose(reason)}`)
          .join("\n"),
      ];
    }),
  ];
}

function formatTombstoneRow(
  { name, kind, in: place, removedIn, replacedBy, reason }: Tombstone,
  renderer: Renderer,
): string[] {
  let replacement = "";
  if (replacedBy)
    replacement =
      kind === "event" ? renderer.link(createEventId(replacedBy), replacedBy) : renderer.code(replacedBy);
  return [
    renderer.code(name),
    renderer.prose(kind),
    place === undefined ? "" : renderer.code(place),
    renderer.prose(removedIn),
    replacement,
    renderer.prose(reason),
  ];
}

/** The sections after the events in the catalogue: resources, shared definitions, withdrawn names. */
import type { Json } from "../../json.js";
import type { Protocol, Resource, Tombstone } from "../../protocol/protocol.js";
import type { Definition } from "../../schema/json-schema.js";
import { targetName, targetOf } from "../../schema/reference.js";
import { walk } from "../../schema/walk.js";
import { literal } from "../../text.js";
import { listConstraints } from "./constraints.js";
import { formatType } from "./format-type.js";
import { fence, paragraphs, prose, table } from "./markdown.js";
import {
  BRIEF,
  createRenderer,
  definitionId,
  eventId,
  type Renderer,
  resourceId,
  type Sections,
  WHOLE,
} from "./renderer.js";
import { nameSection, type Section, section, sectionsOfFiles } from "./section.js";
import { describeMeaning, fieldBlocks, tableBlocks } from "./table.js";

export function resourceSections({ resources }: Protocol): Section[] {
  if (resources.length === 0) return [];
  return [
    section("resources", 2, "Resources", () => ["Shapes around events, such as the answers of endpoints."]),
    ...resources.map((resource) =>
      nameSection(resourceId(resource.name), resource.name, (sections) => resourceBody(resource, sections)),
    ),
  ];
}

function resourceBody({ summary, description, schema, examples }: Resource, sections: Sections): string[] {
  const words = prose(summary);
  return [
    words === "" ? "" : `**${words}**`,
    ...paragraphs(description),
    ...fieldBlocks(schema, sections, `${formatType(schema, createRenderer(sections, "text", WHOLE))}.`),
    ...examples.flatMap((example) => ["Example:", fence(literal(example, 2), "json")]),
  ];
}

/** The definitions that something refers to, but for those that have a section as what they are. */
export function definitionSections(protocol: Protocol): Section[] {
  const elsewhere = sectionsOfFiles(protocol);
  const shown = [...collectReferenced(protocol)]
    .filter(([name]) => !elsewhere.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (shown.length === 0) return [];
  return [
    section("definitions", 2, "Shared types", () => ["Types that several fields have in common, by name."]),
    ...shown.map(([name, { schema }]) =>
      nameSection(definitionId(name), name, (sections) => {
        const renderer = createRenderer(sections, "text", WHOLE);
        const type = [formatType(schema, renderer), ...listConstraints(schema, renderer)].join("; ");
        return [
          `Type: ${type}.`,
          describeMeaning(schema, renderer).join(" "),
          ...tableBlocks(schema, sections),
        ];
      }),
    ),
  ];
}

function collectReferenced({ envelope, events, resources, definitions }: Protocol): Map<string, Definition> {
  const found = new Map<string, Definition>();
  const visit = (schema: Json): void =>
    walk(schema, (sub) => {
      const [name, definition] = [targetName(sub), targetOf(sub, definitions)];
      if (name === undefined || !definition || found.has(name)) return;
      found.set(name, definition);
      visit(definition.schema);
    });
  for (const { payload } of events) visit(payload);
  visit(envelope.schema);
  for (const { schema } of resources) visit(schema);
  return found;
}

export function tombstoneSections({ tombstones }: Protocol): Section[] {
  if (tombstones.length === 0) return [];
  const header = ["Name", "Kind", "Was in", "Removed in", "Use instead", "Reason"];
  return [
    section("tombstones", 2, "Withdrawn names", (sections) => {
      const renderer = createRenderer(sections, "cell", BRIEF);
      const whole = createRenderer(sections, "text", WHOLE);
      const long = tombstones.filter(({ reason }) => reason.length > BRIEF.text);
      return [
        "These names were removed. They are never used again with another meaning.",
        table(
          header,
          tombstones.map((tombstone) => tombstoneRow(tombstone, renderer)),
        ),
        long.map(({ name, reason }) => `- ${whole.code(name)} in full: ${whole.prose(reason)}`).join("\n"),
      ];
    }),
  ];
}

function tombstoneRow(
  { name, kind, in: place, removedIn, replacedBy, reason }: Tombstone,
  renderer: Renderer,
): string[] {
  const replacement = replacedBy ?? "";
  return [
    renderer.code(name),
    renderer.prose(kind),
    place === undefined ? "" : renderer.code(place),
    renderer.prose(removedIn),
    replacement === ""
      ? ""
      : kind === "event"
        ? renderer.link(eventId(replacement), replacement)
        : renderer.code(replacement),
    renderer.prose(reason),
  ];
}

/** Creates the sections of the catalogue about events: the index by group, the core, and a section for each event type. */
import { getOwn, isObject, type Json, type JsonObject } from "../../json.js";
import { listCoreEvents } from "../../protocol/core-events.js";
import { collectInheritedFields, hasPayload } from "../../protocol/message-layout.js";
import type { EventType, Protocol, Stability } from "../../protocol/protocol.js";
import { formatLiteral } from "../../text.js";
import { formatCodeBlock, formatParagraphs, formatTable } from "./markdown.js";
import type { FormatBlocks } from "./remember-blocks.js";
import {
  BRIEF,
  createEventId,
  createGroupId,
  createRenderer,
  listMembers,
  listNames,
  type Renderer,
  type Sections,
  UNLIMITED,
} from "./renderer.js";
import { createNameSection, createSection, type Section } from "./section.js";
import { formatDeprecation, formatFieldBlocks, formatSources } from "./table.js";

/** A group of event types that has at least one. */
interface Group {
  readonly name: string;
  readonly description: string;
  readonly events: readonly EventType[];
}

/** Lists the groups that have events: described groups in the order of the protocol, then the others by name. */
export function listGroups({ groups, events }: Protocol): Group[] {
  const others = new Set(events.map(({ group }) => group).filter((name) => !Object.hasOwn(groups, name)));
  return [...Object.keys(groups), ...[...others].sort()]
    .map((name) => ({
      name,
      description: getOwn(groups, name) ?? "",
      events: events.filter(({ group }) => group === name),
    }))
    .filter(({ events }) => events.length > 0);
}

/** Returns the family of a group: `tool` for `tool.shell`. */
export function readFamily(group: string): string {
  return group.split(".")[0] ?? "";
}

/** Creates a section with a table of the events for each group. */
export function createIndexSections(protocol: Protocol): Section[] {
  const isSent = protocol.events.some(({ emittedBy }) => emittedBy !== undefined);
  return listGroups(protocol).map(({ name, description, events }) =>
    createNameSection(
      createGroupId(name),
      name,
      (sections) => {
        const renderer = createRenderer(sections, "cell", BRIEF);
        const rows = events.map((event) => [
          renderer.link(createEventId(event.type), event.type),
          renderer.prose(event.summary),
          [
            `${STABILITY_MARKS[event.stability]} ${renderer.prose(event.stability)}`,
            ...listMarks(event, renderer),
            ...(isSent && event.emittedBy === undefined ? ["no known sender"] : []),
          ].join(", "),
        ]);
        return [...formatParagraphs(description), formatTable(["Event", "Summary", "Stability"], rows)];
      },
      " events",
    ),
  );
}

/** The marks of stabilities in tables. */
const STABILITY_MARKS: { readonly [stability in Stability]: string } = {
  stable: "◆",
  candidate: "●",
  experimental: "○",
};

/** Creates the section above the tables of events, which says on which of them frontends may depend. */
export function createEventsSection(protocol: Protocol): Section {
  const core = listCoreEvents(protocol);
  const marks = Object.entries(STABILITY_MARKS).map(([stability, mark]) => `${mark} ${stability}`);
  return createSection("events", 2, "Events by group", () => [
    `Stability: ${marks.join(", ")}. A stable contract is not broken within its major version, a candidate one only after review, an experimental one at any time.`,
    core.length === 0
      ? ""
      : `Frontends may depend on the ${core.length} core event types, which are candidate or stable. All others may be absent, and change at any time. The generated code has the type \`CoreEvent\` and the function \`decodeCoreEvent\` for the core alone.`,
  ]);
}

/** Creates a section for each event, in the order of the index. `remember` adds a cache to the function that describes payloads. */
export function createEventSections(
  protocol: Protocol,
  remember: (format: FormatBlocks) => FormatBlocks = (format) => format,
): Section[] {
  const formatPayload = remember((event, sections) => describePayload(event, protocol, sections));
  return listGroups(protocol).flatMap(({ name, events }) =>
    events.map((event) => ({
      family: readFamily(name),
      ...createNameSection(createEventId(event.type), event.type, (sections) => {
        const renderer = createRenderer(sections, "text", UNLIMITED);
        return [
          formatFacts(event, renderer),
          formatSummary(event, renderer),
          ...formatParagraphs(event.description),
          ...formatPayload(event, sections),
          ...formatExamples(event, protocol),
          ...formatSources(event.sources, renderer),
        ];
      }),
    })),
  );
}

/** Lists the facts that the index shows beside the stability: a deprecation, and what an event requires. */
function listMarks(event: EventType, renderer: Renderer): string[] {
  return [
    ...(event.deprecated ? ["**deprecated**"] : []),
    ...(event.requires === undefined ? [] : [`requires ${renderer.code(event.requires)}`]),
  ];
}

function formatFacts(event: EventType, renderer: Renderer): string {
  const { deprecated, renamedFrom } = event;
  const replacement = deprecated?.replacedBy;
  return [
    `Stability: ${renderer.prose(event.stability)}`,
    `since ${renderer.prose(event.since)}`,
    `group ${renderer.link(createGroupId(event.group), event.group)}`,
    ...(event.requires === undefined ? [] : [`requires ${renderer.code(event.requires)}`]),
    ...(event.emittedBy === undefined
      ? []
      : [`sent by ${event.emittedBy.map((name) => renderer.code(name)).join(", ")}`]),
    ...(renamedFrom === undefined ? [] : [`was ${renderer.link(createEventId(renamedFrom), renamedFrom)}`]),
    ...(deprecated
      ? [
          formatDeprecation(
            deprecated.since,
            replacement && renderer.link(createEventId(replacement), replacement),
            renderer,
          ),
        ]
      : []),
  ].join(" · ");
}

function formatSummary({ summary }: EventType, renderer: Renderer): string {
  const words = renderer.prose(summary);
  return words === "" ? "" : `**${words}**`;
}

function describePayload(event: EventType, protocol: Protocol, sections: Sections): string[] {
  const renderer = createRenderer(sections, "text", UNLIMITED);
  const { placement } = protocol.envelope;
  if (!hasPayload(protocol.envelope, event)) return ["This event has no payload."];
  const location =
    placement === "keyed" ? [`The payload is in ${renderer.code(event.payloadProperty ?? "")}.`] : [];
  return [
    ...location,
    ...formatFieldBlocks(
      dropCommonFields(event.payload, protocol),
      sections,
      "The payload has no fields of its own.",
    ),
  ];
}

/** Returns `payload` without the fields that it inherits from the envelope, except those that it requires. */
function dropCommonFields(payload: JsonObject, { envelope }: Protocol): JsonObject {
  const requiredNames = listNames(payload.required);
  const inheritedFields = collectInheritedFields(envelope, payload);
  const ownFields = listMembers(payload, "properties").filter(
    ([name]) => !inheritedFields.has(name) || requiredNames.includes(name),
  );
  return { ...payload, properties: Object.fromEntries(ownFields) };
}

function formatExamples({ type, examples }: EventType, { envelope }: Protocol): string[] {
  if (examples.length === 0) return [];
  const hasWholeEvent = examples.some((example) => isWholeEvent(example, type, envelope.discriminator));
  const label = `Example${examples.length === 1 ? "" : "s"} of the ${hasWholeEvent ? "event" : "payload"}:`;
  return [label, ...examples.map((example) => formatCodeBlock(formatLiteral(example, 2), "json"))];
}

/** Returns whether an example is a complete event of `type` rather than its payload. */
export function isWholeEvent(example: Json, type: string, discriminator: string): boolean {
  return isObject(example) && getOwn(example, discriminator) === type;
}

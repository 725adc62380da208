/** The events of a protocol in the catalogue: the index by group, and a section for each. */
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import { hasPayload, inheritedFields } from "../../protocol/message-layout.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { literal } from "../../text.js";
import { fence, paragraphs, table } from "./markdown.js";
import {
  BRIEF,
  createRenderer,
  eventId,
  groupId,
  members,
  names,
  type Renderer,
  type Sections,
  WHOLE,
} from "./renderer.js";
import { nameSection, type Section } from "./section.js";
import { deprecation, fieldBlocks } from "./table.js";

interface Group {
  readonly name: string;
  readonly description: string;
  readonly events: readonly EventType[];
}

/** The groups that have events: those that the protocol describes in its order, then the others by name. */
export function groupsOf({ groups, events }: Protocol): Group[] {
  const others = new Set(events.map(({ group }) => group).filter((name) => !Object.hasOwn(groups, name)));
  return [...Object.keys(groups), ...[...others].sort()]
    .map((name) => ({
      name,
      description: own(groups, name) ?? "",
      events: events.filter(({ group }) => group === name),
    }))
    .filter(({ events }) => events.length > 0);
}

/** A table of the events of each group. */
export function indexSections(protocol: Protocol): Section[] {
  return groupsOf(protocol).map(({ name, description, events }) =>
    nameSection(
      groupId(name),
      name,
      (sections) => {
        const renderer = createRenderer(sections, "cell", BRIEF);
        const rows = events.map((event) => [
          renderer.link(eventId(event.type), event.type),
          renderer.prose(event.summary),
          [renderer.prose(event.stability), ...listMarks(event, renderer)].join(", "),
        ]);
        return [...paragraphs(description), table(["Event", "Summary", "Stability"], rows)];
      },
      " events",
    ),
  );
}

/** A section for each event, in the order of the index. */
export function eventSections(protocol: Protocol): Section[] {
  return groupsOf(protocol).flatMap((group) =>
    group.events.map((event) =>
      nameSection(eventId(event.type), event.type, (sections) => {
        const renderer = createRenderer(sections, "text", WHOLE);
        return [
          formatFacts(event, renderer),
          formatSummary(event, renderer),
          ...paragraphs(event.description),
          ...formatPayload(event, protocol, sections, renderer),
          ...formatExamples(event, protocol),
          formatSeeAlso(event, group, renderer),
        ];
      }),
    ),
  );
}

/** Returns the notes of the index beside the stability. */
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
    `group ${renderer.link(groupId(event.group), event.group)}`,
    ...(event.requires === undefined ? [] : [`requires ${renderer.code(event.requires)}`]),
    ...(event.emittedBy === undefined
      ? []
      : [`sent by ${event.emittedBy.map((name) => renderer.code(name)).join(", ")}`]),
    ...(renamedFrom === undefined ? [] : [`was ${renderer.link(eventId(renamedFrom), renamedFrom)}`]),
    ...(deprecated
      ? [
          deprecation(
            deprecated.since,
            replacement && renderer.link(eventId(replacement), replacement),
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

function formatPayload(
  event: EventType,
  protocol: Protocol,
  sections: Sections,
  renderer: Renderer,
): string[] {
  const { placement } = protocol.envelope;
  if (!hasPayload(protocol.envelope, event)) return ["This event has no payload."];
  const where =
    placement === "keyed" ? [`The payload is in ${renderer.code(event.payloadProperty ?? "")}.`] : [];
  return [
    ...where,
    ...fieldBlocks(withoutCommon(event.payload, protocol), sections, "The payload has no fields of its own."),
  ];
}

/** `payload` without the fields that every payload may carry, unless it asks more of one than all others do. */
function withoutCommon(payload: JsonObject, { envelope }: Protocol): JsonObject {
  const required = names(payload.required);
  const inherited = inheritedFields(envelope, payload);
  const kept = members(payload, "properties").filter(
    ([name]) => !inherited.has(name) || required.includes(name),
  );
  return { ...payload, properties: Object.fromEntries(kept) };
}

function formatExamples({ type, examples }: EventType, { envelope }: Protocol): string[] {
  const whole = examples.some((example) => isWhole(example, type, envelope.discriminator));
  const label = `Example${examples.length === 1 ? "" : "s"} of the ${whole ? "event" : "payload"}:`;
  return examples.length === 0
    ? []
    : [label, ...examples.map((example) => fence(literal(example, 2), "json"))];
}

/** Returns whether an example is a complete event of `type` rather than its payload. */
export function isWhole(example: Json, type: string, discriminator: string): boolean {
  return isObject(example) && own(example, discriminator) === type;
}

function formatSeeAlso(event: EventType, { events }: Group, renderer: Renderer): string {
  const others = events.filter(({ type }) => type !== event.type);
  const links = others.map(({ type }) => renderer.link(eventId(type), type));
  return links.length === 0 ? "" : `See also: ${links.join(", ")}`;
}

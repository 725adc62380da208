import { collectMentions, createMemberPart, type Mention } from "../../conform/declaration.js";
import { STREAM_RULES } from "../../conform/stream-rules.js";
import { createErrorFinding, type Finding, type RuleId } from "../../finding.js";
import { type Json, joinPointer } from "../../json.js";
import { findNearest } from "../../nearest.js";
import type { ArtifactActions, DecisionAction, Outcome } from "../../protocol/actions.js";
import { listPathFields } from "../../protocol/endpoints.js";
import { coversType, isFamilyName } from "../../protocol/event-families.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Role } from "../../protocol/view-roles.js";
import type { LintInput } from "./input.js";

/** Checks that the members of protocol.json name things that exist. */
export function lintDeclarations(input: LintInput): Finding[] {
  const { protocol, manifestSource } = input;
  const names = collectNames(protocol);
  const mentions = [
    ...collectRuleMentions(protocol),
    ...collectEndpointMentions(protocol),
    ...collectActionMentions(protocol),
    ...collectRowMentions(protocol),
    ...collectMentions(protocol.envelope.message?.resource, "/envelope/message/resource", {
      kind: "resource",
    }),
    ...collectStateMentions(protocol),
    ...collectRoleMentions(protocol, names),
    ...collectFaultMentions(protocol),
    ...Object.entries(protocol.promotion?.families ?? {}).flatMap(([name, types]) =>
      collectMentions(types, joinPointer("/promotion/families", name), TYPE_TARGET),
    ),
  ];
  const unknown = mentions.flatMap((mention) => {
    if (isKnown(mention, names)) return [];
    const found = describeUnknown(mention, names);
    const near = findNearest(mention.name, found.known);
    const hint = near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
    return [createErrorFinding(found.rule, found.message, manifestSource.locate(mention.pointer), hint)];
  });
  return [...unknown, ...lintPath(input), ...lintActions(input)];
}

/** Matches a segment of a path that needs no escaping. */
const PATH_SEGMENT = /^[A-Za-z0-9._~-]+$/;

/** Reports decisions without outcomes, and operations whose name cannot be a segment of a path. */
function lintActions({ protocol: { actions }, manifestSource }: LintInput): Finding[] {
  const report = (message: string, pointer: string): Finding =>
    createErrorFinding("protocol-invalid", message, manifestSource.locate(pointer));
  const decisions = (actions?.decisions ?? []).flatMap(({ outcomes }, index) => {
    const pointer = joinPointer("/actions/decisions", index, "outcomes");
    return Object.keys(outcomes).length > 0 ? [] : [report("A decision has at least one outcome.", pointer)];
  });
  const names = Object.keys(actions?.artifacts?.operations ?? {}).filter((name) => !PATH_SEGMENT.test(name));
  const operations = names.map((name) =>
    report(
      `The operation ${JSON.stringify(name)} is a segment of a path: use letters, digits and "._~-".`,
      joinPointer("/actions/artifacts/operations", name),
    ),
  );
  return [...decisions, ...operations];
}

/** The names that declarations may use. */
interface Names {
  /** Payload fields by event type. */
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
  readonly envelope: readonly string[];
  readonly resources: readonly string[];
  readonly transitions: readonly string[];
}

function collectNames(protocol: Protocol): Names {
  const types = new Map(protocol.events.map((event) => [event.type, collectEventFields(protocol, event)]));
  return {
    types,
    envelope: Object.keys(getEnvelopeFields(protocol.envelope)),
    resources: protocol.resources.map(({ name }) => name),
    transitions: (protocol.stream?.rules?.transitions ?? []).map(({ name }) => name),
  };
}

/** A name that does not exist, and the names that do. */
interface UnknownName {
  readonly rule: RuleId;
  readonly message: string;
  readonly known: readonly string[];
}

function isKnown({ name, target }: Mention, { types, envelope, resources, transitions }: Names): boolean {
  switch (target.kind) {
    case "type":
      return types.has(name);
    case "typeOrFamily":
      return [...types.keys()].some((type) => coversType(name, type));
    case "envelope":
      return envelope.includes(name);
    case "state":
      return target.states.includes(name);
    case "resource":
      return resources.includes(name);
    case "transitions":
      return transitions.includes(name);
    case "field":
      return target.types.every((type) => types.get(type)?.has(name) !== false);
    case "fieldOfSome":
      return [...types].some(
        ([type, fields]) => fields.has(name) && target.types.some((each) => coversType(each, type)),
      );
  }
}

function describeUnknown({ name, target }: Mention, names: Names): UnknownName {
  const { types, envelope, resources, transitions } = names;
  const quoted = JSON.stringify(name);
  const report = (rule: RuleId, known: Iterable<string>, message: string): UnknownName => ({
    rule,
    message,
    known: [...known],
  });
  switch (target.kind) {
    case "type":
      return report("declared-type-unknown", types.keys(), `There is no event type ${quoted}.`);
    case "typeOrFamily":
      return isFamilyName(name)
        ? report("declared-type-unknown", [], `No event type belongs to ${quoted}.`)
        : report("declared-type-unknown", types.keys(), `There is no event type ${quoted}.`);
    case "envelope":
      return report("declared-field-unknown", envelope, `The envelope declares no field ${quoted}.`);
    case "state":
      return report(
        "declared-state-unknown",
        target.states,
        `There is no state ${quoted} in the declaration.`,
      );
    case "resource":
      return report("declared-name-unknown", resources, `There is no resource ${quoted}.`);
    case "transitions":
      return report("declared-name-unknown", transitions, `stream.rules has no transitions ${quoted}.`);
    case "fieldOfSome": {
      const known = [...types].flatMap(([type, fields]) =>
        target.types.some((each) => coversType(each, type)) ? [...fields] : [],
      );
      const message = `No payload of ${target.types.join(", ")} declares a field ${quoted}.`;
      return report("declared-field-unknown", known, message);
    }
    case "field": {
      const type = target.types.find((each) => types.get(each)?.has(name) === false);
      const message = `The payload of ${type} declares no field ${quoted}.`;
      return report("declared-field-unknown", types.get(type ?? "") ?? [], message);
    }
  }
}

const TYPE_TARGET = { kind: "type" } as const;
const ENVELOPE_TARGET = { kind: "envelope" } as const;

function collectRuleMentions({ stream }: Protocol): readonly Mention[] {
  return STREAM_RULES.flatMap((rule) => {
    const value = stream?.rules?.[rule.member] as Json | undefined;
    const pointer = joinPointer("/stream/rules", rule.member);
    return value === undefined ? [] : (createMemberPart(rule).findMentions?.(value, pointer, []) ?? []);
  });
}

function collectEndpointMentions({ endpoints }: Protocol): Mention[] {
  const { stream, filters } = endpoints ?? {};
  const inPath = stream === undefined ? [] : listPathFields({ stream });
  return [
    ...inPath.flatMap((name) => collectMentions(name, "/endpoints/stream", ENVELOPE_TARGET)),
    ...collectMentions(filters, "/endpoints/filters", ENVELOPE_TARGET),
  ];
}

function collectActionMentions({ actions, stream }: Protocol): Mention[] {
  const decisions = (actions?.decisions ?? []).flatMap((decision, index) => {
    const pointer = joinPointer("/actions/decisions", index);
    const { request, key, outcomes } = decision;
    return [
      ...collectMentions(request, joinPointer(pointer, "request"), TYPE_TARGET),
      ...collectMentions(key, joinPointer(pointer, "key"), { kind: "field", types: [request] }),
      ...Object.entries(outcomes).flatMap(([name, outcome]) =>
        collectOutcomeMentions(decision, outcome, joinPointer(pointer, "outcomes", name)),
      ),
    ];
  });
  const posted = collectMentions(actions?.post, "/actions/post", TYPE_TARGET);
  return [
    ...posted,
    ...decisions,
    ...(actions?.artifacts ? collectArtifactMentions(actions.artifacts, stream) : []),
  ];
}

function collectRowMentions({ rows }: Protocol): Mention[] {
  const mention = (name: string, ...place: string[]): Mention[] =>
    collectMentions(name, joinPointer("/rows", ...place), ENVELOPE_TARGET);
  return [
    ...Object.entries(rows?.columns ?? {}).flatMap(([column, field]) => mention(field, "columns", column)),
    ...Object.keys(rows?.values ?? {}).flatMap((field) => mention(field, "values", field)),
    ...collectMentions(rows?.resource, "/rows/resource", { kind: "resource" }),
  ];
}

function collectStateMentions({ stateFeed }: Protocol): Mention[] {
  const members = Object.entries(stateFeed?.members ?? {}).flatMap(([member, { envelope, events }]) => {
    const pointer = joinPointer("/stateFeed/members", member);
    return [
      ...Object.entries(envelope ?? {}).flatMap(([field, name]) =>
        collectMentions(name, joinPointer(pointer, "envelope", field), ENVELOPE_TARGET),
      ),
      ...events.flatMap(({ type, key, when, fields = {} }, index) => {
        const target = { kind: "field", types: [type] } as const;
        const place = joinPointer(pointer, "events", index);
        return [
          ...collectMentions(type, joinPointer(place, "type"), TYPE_TARGET),
          ...collectMentions(key, joinPointer(place, "key"), target),
          ...collectNameMentions(type, when, joinPointer(place, "when")),
          ...Object.entries(fields).flatMap(([field, name]) =>
            collectMentions(name, joinPointer(place, "fields", field), target),
          ),
        ];
      }),
    ];
  });
  return [...collectMentions(stateFeed?.resource, "/stateFeed/resource", { kind: "resource" }), ...members];
}

function collectArtifactMentions(action: ArtifactActions, stream: Protocol["stream"]): Mention[] {
  const { resource, transitions, since = {}, envelope, events, operations = {} } = action;
  const pointer = "/actions/artifacts";
  const found = stream?.rules?.transitions?.find(({ name }) => name === transitions);
  const stateTarget = { kind: "state", states: Object.keys(found?.moves ?? {}) } as const;
  const collectStates = (name: string, ...place: string[]): Mention[] =>
    found ? collectMentions(name, joinPointer(pointer, ...place), stateTarget) : [];
  return [
    ...collectMentions(resource, joinPointer(pointer, "resource"), { kind: "resource" }),
    ...collectMentions(transitions, joinPointer(pointer, "transitions"), { kind: "transitions" }),
    ...Object.keys(since).flatMap((status) => collectStates(status, "since", status)),
    ...Object.entries(envelope ?? {}).flatMap(([member, name]) =>
      collectMentions(name, joinPointer(pointer, "envelope", member), ENVELOPE_TARGET),
    ),
    ...events.flatMap(({ type, key, when, fields = {} }, index) => [
      ...collectMentions(type, joinPointer(pointer, "events", index, "type"), TYPE_TARGET),
      ...[key, ...Object.values(fields)].flatMap((name) =>
        collectMentions(name, joinPointer(pointer, "events", index), { kind: "field", types: [type] }),
      ),
      ...collectNameMentions(type, when, joinPointer(pointer, "events", index, "when")),
    ]),
    ...Object.entries(operations).flatMap(([name, { to, type, payload, fields }]) => [
      ...collectStates(to, "operations", name, "to"),
      ...collectMentions(type, joinPointer(pointer, "operations", name, "type"), TYPE_TARGET),
      ...collectNameMentions(type, payload, joinPointer(pointer, "operations", name, "payload")),
      ...collectNameMentions(type, fields, joinPointer(pointer, "operations", name, "fields")),
    ]),
  ];
}

function collectOutcomeMentions(
  { request, key }: DecisionAction,
  { type, when, payload, copy, then = [] }: Outcome,
  pointer: string,
): Mention[] {
  return [
    ...collectMentions(type, joinPointer(pointer, "type"), TYPE_TARGET),
    ...collectMentions(key, pointer, { kind: "field", types: [type] }),
    ...collectNameMentions(type, when, joinPointer(pointer, "when")),
    ...collectNameMentions(type, payload, joinPointer(pointer, "payload")),
    ...collectMentions(copy, joinPointer(pointer, "copy"), { kind: "field", types: [request, type] }),
    ...then.flatMap((event, index) => [
      ...collectMentions(event.type, joinPointer(pointer, "then", index, "type"), TYPE_TARGET),
      ...collectNameMentions(event.type, event.payload, joinPointer(pointer, "then", index, "payload")),
    ]),
  ];
}

/** Mentions the names of an object's members, which are payload fields of an event type. */
function collectNameMentions(type: string, fields: object | undefined, pointer: string): Mention[] {
  return Object.keys(fields ?? {}).flatMap((name) =>
    collectMentions(name, joinPointer(pointer, name), { kind: "field", types: [type] }),
  );
}

/** The members of roles that hold the path of a payload field, or a list of them. */
const PATH_MEMBERS: ReadonlySet<string> = new Set([
  "field",
  "key",
  "call",
  "name",
  "input",
  "output",
  "channel",
  "offset",
  "stateField",
  "subject",
  "facts",
  "first",
  "last",
]);

function collectRoleMentions({ view }: Protocol, { types }: Names): Mention[] {
  const roles = Object.entries(view?.roles ?? {});
  const failed = (view?.failed ?? []).flatMap((path, index) =>
    collectPathMentions([...types.keys()], types, path, joinPointer("/view/failed", index)),
  );
  const inRoles = roles.flatMap(([name, role]) => {
    const prefix = name.endsWith("*") ? name.slice(0, -1) : undefined;
    const eventTypes = [...types.keys()].filter((type) =>
      prefix === undefined ? type === name : type.startsWith(prefix),
    );
    const pointer = joinPointer("/view/roles", name);
    const unknown = eventTypes.length === 0 ? collectMentions(name, pointer, TYPE_TARGET) : [];
    return [
      ...unknown,
      ...listPaths(role).flatMap(({ path, at }) =>
        collectPathMentions(eventTypes, types, path, joinPointer(pointer, ...at)),
      ),
    ];
  });
  return [...inRoles, ...failed];
}

/** Returns the paths in a role, each with the pointer tokens of its place. */
function listPaths(role: Role): { readonly path: string; readonly at: readonly string[] }[] {
  return Object.entries(role).flatMap(([member, value]) => {
    if (member === "totals")
      return Object.entries(value).map(([total, path]) => ({ path: String(path), at: [member, total] }));
    if (!PATH_MEMBERS.has(member)) return [];
    return Array.isArray(value)
      ? value.map((path, index) => ({ path: String(path), at: [member, String(index)] }))
      : [{ path: String(value), at: [member] }];
  });
}

/** Mentions the first field of a path if no payload of these event types declares it. */
function collectPathMentions(
  eventTypes: readonly string[],
  types: Names["types"],
  path: string,
  pointer: string,
): Mention[] {
  const [name = ""] = path.split("/");
  if (eventTypes.some((type) => types.get(type)?.has(name))) return [];
  return collectMentions(name, pointer, { kind: "field", types: eventTypes.slice(0, 1) });
}

function collectFaultMentions({ faults }: Protocol): Mention[] {
  const { calls, chunks = {} } = faults ?? {};
  return [
    ...collectMentions(calls?.types, "/faults/calls/types", TYPE_TARGET),
    ...collectMentions(calls?.key, "/faults/calls/key", { kind: "field", types: calls?.types ?? [] }),
    ...Object.entries(chunks).flatMap(([type, field]) => {
      const pointer = joinPointer("/faults/chunks", type);
      return [
        ...collectMentions(type, pointer, TYPE_TARGET),
        ...collectMentions(field, pointer, { kind: "field", types: [type] }),
      ];
    }),
  ];
}

/** Reports fields of the stream's key that are not in the path, because several streams would have the same path. */
function lintPath({ protocol, manifestSource }: LintInput): Finding[] {
  const { endpoints, stream } = protocol;
  if (endpoints?.stream === undefined) return [];
  const inPath = listPathFields({ stream: endpoints.stream });
  const missing = (stream?.key ?? []).filter((name) => !inPath.includes(name));
  if (missing.length === 0) return [];
  const message = `The path has no {${missing.join("} and no {")}}, so several streams would have the same path.`;
  return [createErrorFinding("endpoint-key-missing", message, manifestSource.locate("/endpoints/stream"))];
}

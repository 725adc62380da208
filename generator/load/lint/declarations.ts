import {
  collectMentions,
  collectValueMentions,
  createMemberPart,
  type Mention,
} from "../../conform/declaration.js";
import { listDeclarations, STREAM_RULES } from "../../conform/stream-rules.js";
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
import { acceptsValue, listFieldSchemas, listTexts } from "./field-values.js";
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
    const found = findUnknown(mention, names);
    if (found === undefined) return [];
    const near = findNearest(mention.name, found.known);
    const hint = near === undefined ? listKnown(found.known) : `Did you mean ${JSON.stringify(near)}?`;
    return [createErrorFinding(found.rule, found.message, manifestSource.locate(mention.pointer), hint)];
  });
  return [...unknown, ...lintRules(input), ...lintPath(input), ...lintActions(input)];
}

/** Returns a sentence with the known names, unless there are none or many. */
function listKnown(known: readonly string[]): string | undefined {
  return known.length === 0 || known.length > 8 ? undefined : `There are ${known.join(", ")}.`;
}

/** Reports declarations of stream rules that have the name of an earlier one, and parts of declarations without an effect. */
function lintRules({ protocol, manifestSource }: LintInput): Finding[] {
  return STREAM_RULES.flatMap(({ member, single, comparison, findUnusedParts }) => {
    const declarations = listDeclarations(protocol.stream?.rules, member);
    return declarations.flatMap((declared, index) => {
      const pointer = joinPointer("/stream/rules", member, ...(single ? [] : [index]));
      const unused = (findUnusedParts?.(declared, protocol) ?? []).map((part) =>
        createErrorFinding("declaration-unused", part.message, manifestSource.locate(pointer + part.pointer)),
      );
      const { name } = declared;
      const isNamed = typeof name === "string" && comparison.identify(declared) === name;
      if (!isNamed || declarations.findIndex((each) => each.name === name) === index) return unused;
      const message = `An earlier declaration in ${member} has the name ${JSON.stringify(name)}.`;
      const at = manifestSource.locate(joinPointer(pointer, "name"));
      return [createErrorFinding("declared-name-repeated", message, at), ...unused];
    });
  });
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
  readonly protocol: Protocol;
  /** Payload fields by event type. */
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
  readonly envelope: readonly string[];
  readonly resources: readonly string[];
  readonly transitions: readonly string[];
}

function collectNames(protocol: Protocol): Names {
  const types = new Map(protocol.events.map((event) => [event.type, collectEventFields(protocol, event)]));
  return {
    protocol,
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

/** Returns why a name or a value does not exist; undefined if it does. */
function findUnknown({ name, target }: Mention, names: Names): UnknownName | undefined {
  const { types, envelope, resources, transitions } = names;
  const quoted = JSON.stringify(name);
  const check = (rule: RuleId, known: readonly string[], message: string): UnknownName | undefined =>
    known.includes(name) ? undefined : { rule, message, known };
  const listCovered = (each: string): string[] => [...types.keys()].filter((type) => coversType(each, type));
  const listFields = (each: string): string[] =>
    listCovered(each).flatMap((type) => [...(types.get(type) ?? [])]);
  switch (target.kind) {
    case "type":
      return check("declared-type-unknown", [...types.keys()], `There is no event type ${quoted}.`);
    case "typeOrFamily":
      return isFamilyName(name)
        ? check("declared-type-unknown", listFamilies(types.keys()), `No event type belongs to ${quoted}.`)
        : findUnknown({ name, pointer: "", target: TYPE_TARGET }, names);
    case "envelope":
      return check("declared-field-unknown", envelope, `The envelope declares no field ${quoted}.`);
    case "state":
      return check(
        "declared-state-unknown",
        target.states,
        `There is no state ${quoted} in the declaration.`,
      );
    case "resource":
      return check("declared-name-unknown", resources, `There is no resource ${quoted}.`);
    case "transitions":
      return check("declared-name-unknown", transitions, `stream.rules has no transitions ${quoted}.`);
    case "fieldOfSome": {
      const message = `No payload of ${target.types.join(", ")} declares a field ${quoted}.`;
      return check("declared-field-unknown", target.types.flatMap(listFields), message);
    }
    case "field": {
      const lacking = target.types.find(
        (each) => listCovered(each).length > 0 && !listFields(each).includes(name),
      );
      if (lacking === undefined) return undefined;
      const message = `The payload of ${lacking} declares no field ${quoted}.`;
      return check("declared-field-unknown", listFields(lacking), message);
    }
    case "value":
      return findUnknownValue(target, names);
  }
}

/** Returns why the payloads of an event type, or of each type of a family, never have a value in a field. */
function findUnknownValue(
  { types, field, value }: Extract<Mention["target"], { kind: "value" }>,
  { protocol, ...names }: Names,
): UnknownName | undefined {
  for (const each of types) {
    const schemas = [...names.types.keys()]
      .filter((type) => coversType(each, type))
      .flatMap((type) => listFieldSchemas(protocol, type, field));
    if (schemas.length === 0 || schemas.some((schema) => acceptsValue(schema, value, protocol.definitions)))
      continue;
    const message = `The field ${JSON.stringify(field)} of ${each} never has the value ${JSON.stringify(value)}.`;
    const known = schemas.flatMap((schema) => listTexts(schema, protocol.definitions));
    return { rule: "declared-value-unknown", message, known };
  }
  return undefined;
}

/** Returns the names that cover some of the event types, such as `tool.*`. */
function listFamilies(types: Iterable<string>): string[] {
  return [...types].flatMap((type) => {
    const words = type.split(".").slice(0, -1);
    return words.map((_, index) => `${words.slice(0, index + 1).join(".")}.*`);
  });
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
          ...collectValueMentions(when, joinPointer(place, "when"), [type]),
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
      ...collectValueMentions(when, joinPointer(pointer, "events", index, "when"), [type]),
    ]),
    ...Object.entries(operations).flatMap(([name, { to, type, payload, fields }]) => [
      ...collectStates(to, "operations", name, "to"),
      ...collectMentions(type, joinPointer(pointer, "operations", name, "type"), TYPE_TARGET),
      ...collectValueMentions(payload, joinPointer(pointer, "operations", name, "payload"), [type]),
      ...Object.keys(fields ?? {}).flatMap((field) =>
        collectMentions(field, joinPointer(pointer, "operations", name, "fields", field), {
          kind: "field",
          types: [type],
        }),
      ),
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
    ...collectValueMentions(when, joinPointer(pointer, "when"), [type]),
    ...collectValueMentions(payload, joinPointer(pointer, "payload"), [type]),
    ...collectMentions(copy, joinPointer(pointer, "copy"), { kind: "field", types: [request, type] }),
    ...then.flatMap((event, index) => [
      ...collectMentions(event.type, joinPointer(pointer, "then", index, "type"), TYPE_TARGET),
      ...collectValueMentions(event.payload, joinPointer(pointer, "then", index, "payload"), [event.type]),
    ]),
  ];
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
